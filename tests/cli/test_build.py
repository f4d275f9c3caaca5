"""pagekin build: its answer, and one sentence for each mistake."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
KEYS = {"pages", "urls", "links", "terms", "rejected", "seconds", "bytes"}


def test_the_answer_in_json_has_its_keys(pagekin: Run, sample: Path, tmp_path: Path) -> None:
    done = pagekin("build", sample, "-o", tmp_path / "a.kin", "--json", "--workers", "1")
    answer = json.loads(done.stdout)
    assert answer.keys() >= KEYS
    assert answer["pages"] > 500
    assert answer["rejected"] == sum(answer["rejected_reasons"].values())


def test_nothing_is_said_on_the_side_where_nobody_looks(pagekin: Run, site: Path, tmp_path: Path) -> None:
    done = pagekin("build", site, "-o", tmp_path / "a.kin", "--json", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


def test_the_answer_for_a_person_has_the_counts(pagekin: Run, site: Path, tmp_path: Path) -> None:
    done = pagekin("build", site, "-o", tmp_path / "a.kin", "--workers", "1")
    facts = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if len(line.split()) > 1}
    assert (done.returncode, facts["pages"], facts["links"]) == (0, "1", "0")


def test_bars_are_drawn_on_a_terminal(site: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    code = "from pagekin.cli import main; main()"
    command = [sys.executable, "-c", code, "build", str(site), "-o", str(tmp_path / "a.kin"), "--workers", "1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    drawn = b""
    try:
        while data := os.read(ours, 65536):
            drawn += data
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    answer = json.loads(done.communicate()[0])
    os.close(ours)
    assert (done.returncode, answer["pages"]) == (0, 1)
    assert b"scan" in drawn


def test_settings_reach_the_build(pagekin: Run, site: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("[crawl]\nmax_page_bytes = 9\n", "utf-8")
    done = pagekin(
        "build", site, "-o", tmp_path / "a.kin", "--json", "--workers", "1", "--settings", tmp_path / "s.toml"
    )
    assert json.loads(done.stdout)["rejected_reasons"] == {"page too large": 1}


def test_the_base_url_is_that_of_the_pages(pagekin: Run, site: Path, tmp_path: Path) -> None:
    pagekin("build", site, "-o", tmp_path / "a.kin", "--workers", "1", "--base-url", "https://x.test/it's/")
    import pyarrow.parquet as pq

    (part,) = (tmp_path / "a.kin" / "pages").iterdir()
    assert pq.read_table(part)["url"].to_pylist() == ["https://x.test/it's"]


def test_what_is_cut_is_not_read(pagekin: Run, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.html").write_text("<a href=b>b</a> <i><a href=c>c</a></i> <b><a href=d>d</a></b>", "utf-8")
    build = ("build", tmp_path / "s", "--json", "--workers", "1")
    whole = pagekin(*build, "-o", tmp_path / "whole.kin")
    cut = pagekin(*build, "-o", tmp_path / "cut.kin", "--cut", "i", "--cut", '[href="d"], u')
    assert [json.loads(done.stdout)["links"] for done in (whole, cut)] == [3, 1]


# --- mistakes -----------------------------------------------------------------------------------------------


def complaint(pagekin: Run, *arguments: str | Path) -> str:
    """The one sentence on standard error of a command that ends with status 2."""
    done = pagekin(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    return line


def test_a_missing_file_is_named(pagekin: Run, tmp_path: Path) -> None:
    message = complaint(pagekin, "build", tmp_path / "missing.warc.gz", "-o", tmp_path / "a.kin")
    assert message == f"pagekin: {tmp_path / 'missing.warc.gz'}: no such file or folder"


def test_an_empty_folder_is_named(pagekin: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    message = complaint(pagekin, "build", tmp_path / "empty", "-o", tmp_path / "a.kin")
    assert str(tmp_path / "empty") in message
    assert "a folder without HTML files" in message


def test_what_is_no_crawl_is_named_with_what_was_expected(pagekin: Run, tmp_path: Path) -> None:
    (tmp_path / "paper.warc").write_bytes(b"%PDF-1.4\n")
    message = complaint(pagekin, "build", tmp_path / "paper.warc", "-o", tmp_path / "a.kin")
    assert "paper.warc" in message
    assert "%PDF-1.4" in message
    assert "expected WARC" in message


def test_a_target_that_cannot_be_written_is_named(pagekin: Run, site: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    message = complaint(pagekin, "build", site, "-o", tmp_path / "file" / "a.kin")
    assert str(tmp_path / "file") in message
    assert "cannot be written" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere: run as another user")
def test_a_folder_one_may_not_write_to_is_named(pagekin: Run, site: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    message = complaint(pagekin, "build", site, "-o", tmp_path / "closed" / "a.kin")
    assert "cannot be written: Permission denied" in message


def test_an_index_that_is_there_is_named(pagekin: Run, index: Path, sample: Path) -> None:
    assert "give --force to replace it" in complaint(pagekin, "build", sample, "-o", index)


def test_a_wrong_setting_is_named(pagekin: Run, site: Path, tmp_path: Path) -> None:
    message = complaint(pagekin, "build", site, "-o", tmp_path / "a.kin", "--set", "crawl.nonsense=1")
    assert "--set: there is no crawl.nonsense; there are base_url" in message


def test_what_is_no_selector_is_named_with_an_example(pagekin: Run, site: Path, tmp_path: Path) -> None:
    message = complaint(pagekin, "build", site, "-o", tmp_path / "a.kin", "--cut", "p[")
    assert "crawl.cut cannot be 'p[': it is no CSS selector, such as ul.related" in message


def test_a_missing_settings_file_is_named(pagekin: Run, site: Path, tmp_path: Path) -> None:
    message = complaint(pagekin, "build", site, "-o", tmp_path / "a.kin", "--settings", tmp_path / "s.toml")
    assert "s.toml: cannot be read: No such file" in message


@pytest.mark.parametrize("size", ["much", "-1", "1X", ""])
def test_a_size_that_is_none_is_answered_with_an_example(pagekin: Run, site: Path, tmp_path: Path, size: str) -> None:
    done = pagekin("build", site, "-o", tmp_path / "a.kin", f"--memory={size}")
    assert done.returncode == 2
    assert "is no size; give one such as 500M or 2G" in done.stderr


def test_a_target_whose_name_is_no_text_is_refused(pagekin: Run, site: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.kin")
    assert "is not valid UTF-8; choose another name with -o" in complaint(pagekin, "build", site, "-o", odd)


def test_an_input_whose_name_is_no_text_is_read(pagekin: Run, site: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    site.rename(odd)
    done = pagekin("build", odd, "-o", tmp_path / "a.kin", "--workers", "1", "--base-url", "http://x.test/")
    assert (done.returncode, done.stderr) == (0, "")
    assert pagekin("info", tmp_path / "a.kin").returncode == 0
    assert json.loads(pagekin("info", tmp_path / "a.kin", "--json").stdout)["inputs"][0]["path"] == odd


def test_brackets_and_colons_in_a_path_are_only_letters(pagekin: Run, site: Path, tmp_path: Path) -> None:
    done = pagekin("build", "site", "-o", "[/b] :smile:.kin", "--workers", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "[/b] :smile:.kin" in done.stdout
