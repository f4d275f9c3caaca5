from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from pagekin.cli.sample import sample


def test_writes_a_web(tmp_path: Path) -> None:
    result = CliRunner().invoke(sample, [str(tmp_path), "--pages", "20"])
    assert result.exit_code == 0
    assert result.stdout.startswith("20 pages in ")
    assert (tmp_path / "sample.warc.gz").exists()


def test_json_is_one_document(tmp_path: Path) -> None:
    result = CliRunner().invoke(sample, [str(tmp_path), "--pages", "20", "--json"])
    answer = json.loads(result.stdout)
    assert answer["pages"] == 20
    assert answer["files"][0] == str(tmp_path / "sample.warc.gz")


def test_progress_is_silent_where_nobody_looks(tmp_path: Path) -> None:
    assert CliRunner().invoke(sample, [str(tmp_path), "--pages", "20"]).stderr == ""


def test_no_pages_is_wrong_use(tmp_path: Path) -> None:
    result = CliRunner().invoke(sample, [str(tmp_path), "--pages", "0"])
    assert result.exit_code == 2
    assert "--pages" in result.stderr


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(sample, [str(tmp_path / "file" / "web"), "--pages", "5"])
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: The sample web cannot be written to ")


def test_help_has_an_example() -> None:
    assert "Example:\n    pagekin sample web/" in CliRunner().invoke(sample, ["--help"]).stdout
