"""pagekin export: files, standard output and sites, whole or not at all."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def exported(pagekin: Run, index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The related pages of the sample web as JSON lines, with the summary beside them."""
    path = tmp_path_factory.mktemp("exported") / "related.jsonl"
    done = pagekin("export", index, "--format", "jsonl", "-k", "3", "-o", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    path.with_suffix(".summary").write_text(done.stdout, "utf-8")
    return path


def test_the_summary_counts_pages_and_pairs(exported: Path) -> None:
    rows = [json.loads(line) for line in exported.read_text("utf-8").splitlines()]
    summary = json.loads(exported.with_suffix(".summary").read_text("utf-8"))
    assert summary.keys() == {"pages", "rows", "seconds"}
    assert (summary["pages"], summary["rows"]) == (len(rows), sum(len(row["related"]) for row in rows))


def test_a_line_says_what_related_says(exported: Path, pagekin: Run, index: Path) -> None:
    row = json.loads(exported.read_text("utf-8").splitlines()[7])
    answer = json.loads(pagekin("related", index, row["url"], "-k", "3", "--json").stdout)
    told = [{key: result[key] for key in ("rank", "url", "title", "score")} for result in answer["results"]]
    assert row["related"] == told


def test_standard_output_has_the_rows_and_nothing_else(pagekin: Run, index: Path) -> None:
    done = pagekin("export", index, "--format", "csv", "-k", "1", "--site", "nowhere.test", "-o", "-")
    assert (done.returncode, done.stdout) == (1, "")
    done = pagekin("export", index, "--format", "csv", "-k", "1", "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert {len(row) for row in csv.reader(done.stdout.splitlines())} == {6}


def test_a_file_that_is_there_is_kept_without_force(pagekin: Run, index: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old", "utf-8")
    done = pagekin("export", index, "--format", "trec", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert (
        done.stderr
        == f"pagekin: {tmp_path / 'out'} exists; give --force to replace it, or choose another name with -o\n"
    )
    assert (tmp_path / "out").read_text("utf-8") == "old"


def test_a_killed_export_loses_nothing(
    started: Callable[..., subprocess.Popen[str]], index: Path, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("old", "utf-8")
    process = started("export", index, "--format", "jsonl", "-k", "300", "-o", tmp_path / "out", "--force")
    while not list(tmp_path.glob("*.exporting")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "out").read_text("utf-8") == "old"


@pytest.mark.parametrize("maker", ["hugo", "jekyll", "sphinx"])
def test_a_site_gets_boxes_of_one_host_and_is_told_the_next_step(
    pagekin: Run, index: Path, tmp_path: Path, maker: str
) -> None:
    done = pagekin("export", index, "--for", maker, "-o", tmp_path / "new" / "site")
    assert (done.returncode, done.stderr) == (0, "")
    assert "next     put " in done.stdout
    (data,) = (tmp_path / "new").rglob("*.json")
    document = json.loads(data.read_text("utf-8"))
    boxes = document["pages"] if maker == "sphinx" else document
    assert boxes
    assert all(near["url"].startswith("/") for box in boxes.values() for near in box)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give one of --format, --for and --to"),
        (["--format", "csv", "--for", "hugo", "-o", "x"], "give one of --format, --for and --to"),
        (["--format", "csv"], "give -o"),
        (["--for", "hugo", "-o", "-"], "standard output takes one file"),
        (["--format", "csv", "-o", "-", "--json"], "standard output takes one file"),
        (["--for", "hugo", "-o", "x", "--other-sites"], "--other-sites would leave none"),
        (["--to", "mysql://localhost/shop"], "--to needs an address such as postgresql://"),
        (["--to", "postgresql://localhost/shop", "-o", "x"], "-o is for files"),
        (["--format", "csv", "-o", "x", "--table", "t"], "--table is for --to"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    pagekin: Run, index: Path, arguments: list[str], said: str
) -> None:
    done = pagekin("export", index, *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_host_without_pages_is_a_plain_no(pagekin: Run, index: Path, tmp_path: Path) -> None:
    done = pagekin("export", index, "--for", "hugo", "--site", "nowhere.test", "-o", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("pagekin: no page of nowhere.test was fetched; there are pages of ")
    assert list(tmp_path.iterdir()) == []


def test_no_index_is_a_mistake(pagekin: Run, tmp_path: Path) -> None:
    done = pagekin("export", tmp_path / "none.kin", "--format", "csv", "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []
