"""pagekin tune: its answer, the file it writes, Ctrl-C, and one sentence for each mistake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from pagekin.settings import read_settings

Run = Callable[..., subprocess.CompletedProcess[str]]
LONGEST_WAIT_SECONDS = 120

# The same command, with a search along some axes; START has much that can be better.
TUNE = """
import sys
from pagekin.evaluation.search import Axis
from pagekin.trials import tune
tune.axes = lambda mu, sigma, **_: (
    Axis("terms from", ({"content": 1.0, "anchors": 1.0}, {"content": 1.0, "anchors": 0.0})),
    Axis("frequency", ({"frequency": "none"}, {"frequency": "nmdf"})),
    MORE
)
from pagekin.cli import main
main()
"""
SHORT, ENDLESS = (
    TUNE.replace("MORE", more) for more in ("", "Axis('window', tuple({'window': str(n)} for n in range(1, 5000)))")
)
WORST = ("strategy.content=0", "strategy.anchors=1", "strategy.window=0", "similarity.concepts=0")
START = (*(word for change in WORST for word in ("--set", change)), "--sources", "50", "--workers", "1")


def quick(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `pagekin tune` with two short axes."""
    command = [sys.executable, "-c", SHORT, "tune", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.fixture(scope="module")
def directory(sample: Path) -> Path:
    """The topics of the sample web."""
    return sample.with_name("directory.tsv")


def test_the_answer_in_json_has_its_keys(index: Path, directory: Path, tmp_path: Path) -> None:
    done = quick(index, "--directory", directory, "-o", tmp_path / "s.toml", *START, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert answer.keys() >= {"best", "tried"}
    assert answer["best"].keys() >= {"name", "strategy", "cosine", "concepts", "words", "vectors"}
    assert answer["tried"][0]["name"] == answer["best"]["name"]
    assert len(answer["tried"]) >= 4
    assert answer["interrupted"] is False


def test_a_person_is_told_what_was_written_and_how_good_it_is(index: Path, directory: Path, tmp_path: Path) -> None:
    done = quick(index, "--directory", directory, "-o", "s.toml", *START, cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert "written to s.toml" in said
    assert "best content" in said
    assert "before anchor0 stem" in said
    assert "better than before." in said


def test_the_settings_are_taken_by_build(
    pagekin: Run, sample: Path, index: Path, directory: Path, tmp_path: Path
) -> None:
    quick(index, "--directory", directory, "-o", tmp_path / "s.toml", *START)
    done = pagekin("build", sample, "-o", tmp_path / "a.kin", "--settings", tmp_path / "s.toml", "--workers", "1")
    assert done.returncode == 0, done.stderr
    info = json.loads(pagekin("info", tmp_path / "a.kin", "--json").stdout)
    assert info["settings"]["strategy"] == asdict(read_settings(tmp_path / "s.toml").strategy)


def test_crawl_files_are_tuned_too(sample: Path, index: Path, directory: Path, tmp_path: Path) -> None:
    for crawl, name in ((sample, "crawl.toml"), (index, "index.toml")):
        assert quick(crawl, "--directory", directory, "-o", tmp_path / name, *START).returncode == 0
    assert read_settings(tmp_path / "crawl.toml") == read_settings(tmp_path / "index.toml")


def test_ctrl_c_ends_the_search_with_the_best_so_far(index: Path, directory: Path, tmp_path: Path) -> None:
    arguments = ("tune", index, "--directory", directory, "-o", tmp_path / "s.toml", *START)
    command = [sys.executable, "-c", ENDLESS, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not (tmp_path / "s.toml").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGINT)
    said, errors = process.communicate()
    assert (process.returncode, errors) == (130, "")
    assert "interrupted after" in said
    assert read_settings(tmp_path / "s.toml").strategy.name in " ".join(said.split())
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_long_path_is_told_in_full(index: Path, directory: Path, tmp_path: Path) -> None:
    out = tmp_path / f"{'long' * 20}.toml"
    done = quick(index, "--directory", directory, "-o", out, *START)
    assert str(out) in "".join(done.stdout.split())


# --- mistakes -----------------------------------------------------------------------------------------------


def complaint(pagekin: Run, *arguments: str | Path) -> str:
    """The last line on standard error of a command that ends with status 2."""
    done = pagekin("tune", *arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


def test_a_file_to_write_must_be_named(pagekin: Run, index: Path, directory: Path) -> None:
    assert "Missing option '-o'" in complaint(pagekin, index, "--directory", directory)


def test_no_truth_is_answered_with_what_to_give(pagekin: Run, index: Path, tmp_path: Path) -> None:
    message = complaint(pagekin, index, "-o", tmp_path / "s.toml")
    assert "give --directory FILE, --directory urls, or --related FILE" in message


def test_a_measure_that_does_not_exist_is_answered_with_those_that_do(
    pagekin: Run, index: Path, directory: Path, tmp_path: Path
) -> None:
    message = complaint(pagekin, index, "--directory", directory, "-o", tmp_path / "s.toml", "--aim", "speed")
    assert "--aim speed: there is no such measure; there are sibling_gamma" in message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_is_named(index: Path, directory: Path, tmp_path: Path) -> None:
    done = quick(index, "--directory", directory, "-o", tmp_path / "missing" / "s.toml", *START)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot be written: there is no folder {tmp_path / 'missing'}; choose another name" in done.stderr


def test_a_folder_is_no_file_to_write(index: Path, directory: Path, tmp_path: Path) -> None:
    done = quick(index, "--directory", directory, "-o", tmp_path, *START)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path} is a folder; choose another name" in done.stderr
