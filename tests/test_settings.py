"""Settings: read from TOML and from assignments; a mistake is one sentence that says what is allowed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from pagekin.errors import SettingsError
from pagekin.settings import CrawlSettings, Settings, at_least, one_of, read_settings


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text, "utf-8")
    return path


def complaint(tmp_path: Path, text: str = "", *assignments: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read_settings(written(tmp_path, text), assignments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_without_a_file_the_defaults_hold() -> None:
    assert read_settings() == Settings()


def test_a_file_changes_what_it_names(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, '[crawl]\nbase_url = "http://x.test/"\n'))
    assert settings == Settings(crawl=CrawlSettings(base_url="http://x.test/"))


def test_assignments_come_after_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "[crawl]\nsplit_bytes = 1000\nmax_page_bytes = 2000\n")
    settings = read_settings(path, ["crawl.split_bytes=3000"])
    assert (settings.crawl.split_bytes, settings.crawl.max_page_bytes) == (3000, 2000)


@pytest.mark.parametrize(
    ("text", "value"),
    [("http://x.test/", "http://x.test/"), ('"http://x.test/"', "http://x.test/"), ("", ""), ("2020", "2020")],
)
def test_a_text_needs_no_quotes(text: str, value: str) -> None:
    assert read_settings(None, [f"crawl.base_url={text}"]).crawl.base_url == value


def test_an_unknown_section_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    message = complaint(tmp_path, "[crawel]\nsplit_bytes = 1\n")
    assert "settings.toml: there is no section 'crawel'; there are crawl" in message


def test_a_key_outside_of_a_section_is_answered_with_the_sections(tmp_path: Path) -> None:
    assert "there are crawl" in complaint(tmp_path, "split_bytes = 1\n")


def test_a_key_in_place_of_a_section_is_refused(tmp_path: Path) -> None:
    assert "there are crawl" in complaint(tmp_path, "crawl = 1\n")


def test_an_unknown_key_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    message = complaint(tmp_path, "[crawl]\nsplit = 1\n")
    assert "there is no crawl.split; there are " in message
    assert all(field.name in message for field in dataclasses.fields(CrawlSettings))


@pytest.mark.parametrize("value", ['"many"', "true", "1.5", "[1]"])
def test_a_wrong_type_is_named_with_the_right_one(tmp_path: Path, value: str) -> None:
    message = complaint(tmp_path, f"[crawl]\nsplit_bytes = {value}\n")
    assert "crawl.split_bytes cannot be" in message
    assert "expected int" in message


def test_a_value_that_is_not_allowed_is_answered_with_the_limit(tmp_path: Path) -> None:
    message = complaint(tmp_path, "[crawl]\nsplit_bytes = 0\n")
    assert "crawl.split_bytes cannot be 0: it must be 1 or more" in message


def test_a_choice_is_answered_with_the_choices() -> None:
    with pytest.raises(ValueError, match="allowed are red, blue"):
        one_of("red", "blue")("green")


def test_what_is_not_a_number_is_not_at_least_anything() -> None:
    with pytest.raises(ValueError, match="it must be 0 or more"):
        at_least(0)(float("nan"))


@pytest.mark.parametrize("assignment", ["crawl.split_bytes", "split_bytes=3", "=", "nonsense"])
def test_an_assignment_without_its_parts_is_answered_with_an_example(tmp_path: Path, assignment: str) -> None:
    assert "expected SECTION.KEY=VALUE, such as" in complaint(tmp_path, "", assignment)


def test_a_broken_file_says_where(tmp_path: Path) -> None:
    message = complaint(tmp_path, "[crawl\n")
    assert "settings.toml: not a TOML file" in message
    assert "line 1" in message


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"[crawl]\nbase_url = '\xff'\n")
    with pytest.raises(SettingsError, match="not a TOML file"):
        read_settings(path)


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path / name)


def test_equal_settings_have_equal_digests() -> None:
    assert read_settings(None, ["crawl.split_bytes=5"]).digest == Settings(CrawlSettings(split_bytes=5)).digest


def settings_with_another(section: str, key: str, value: object) -> Settings:
    """The defaults with one value changed to another of its type, allowed or not."""
    changed = f"{value}x" if isinstance(value, str) else value * 2 + 1  # type: ignore[operator]
    part = dataclasses.replace(getattr(Settings(), section), **{key: changed})
    return dataclasses.replace(Settings(), **{section: part})


def test_every_value_changes_the_digest() -> None:
    others = [
        settings_with_another(section, key, value)
        for section, values in dataclasses.asdict(Settings()).items()
        for key, value in values.items()
    ]
    assert len({settings.digest for settings in [Settings(), *others]}) == len(others) + 1


def test_every_setting_has_a_sentence() -> None:
    for section in dataclasses.fields(Settings):
        for field in dataclasses.fields(getattr(Settings(), section.name)):
            assert field.metadata["what"], f"{section.name}.{field.name}"


def test_the_defaults_may_be_written_down(tmp_path: Path) -> None:
    lines: list[str] = []
    for section, values in dataclasses.asdict(Settings()).items():
        lines += [f"[{section}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    assert read_settings(written(tmp_path, "\n".join(lines))) == Settings()
