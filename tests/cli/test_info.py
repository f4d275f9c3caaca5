"""pagekin info: what is in an index, and which of its files is damaged."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin.version import VERSION

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def copy(index: Path, tmp_path: Path) -> Path:
    """An index to be damaged."""
    return Path(shutil.copytree(index, tmp_path / "copy.kin"))


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def test_the_answer_in_json_is_the_manifest(pagekin: Run, index: Path) -> None:
    done = pagekin("info", index, "--json")
    manifest = json.loads((index / "manifest.json").read_text("utf-8"))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout).items() <= manifest.items()
    assert json.loads(done.stdout).keys() >= {"format", "pagekin", "settings", "inputs", "counts", "files"}


def test_a_person_is_told_the_counts(pagekin: Run, index: Path) -> None:
    counts = json.loads((index / "manifest.json").read_text("utf-8"))["counts"]
    shown = pagekin("info", index).stdout
    facts = {line.split()[0]: line.split()[1] for line in shown.splitlines() if len(line.split()) > 1}
    assert (facts["pages"], facts["addresses"]) == (f"{counts['pages']:,}", f"{counts['urls']:,}")
    assert VERSION in shown


def test_a_whole_index_passes_the_check(pagekin: Run, index: Path) -> None:
    done = pagekin("info", index, "--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "every file is as it was written" in done.stdout


def test_a_truncated_file_is_named(pagekin: Run, copy: Path) -> None:
    path = copy / "rejected.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    assert f"{path} is damaged" in complaint(pagekin("info", copy))


def test_a_missing_file_is_named(pagekin: Run, copy: Path) -> None:
    part = next((copy / "pages").iterdir())
    part.unlink()
    assert f"{part} is missing" in complaint(pagekin("info", copy))


def test_a_flipped_bit_is_named_by_the_check(pagekin: Run, copy: Path) -> None:
    part = next((copy / "urls").iterdir())
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    assert pagekin("info", copy).returncode == 0
    assert f"urls/{part.name}" in complaint(pagekin("info", copy, "--check"))


def test_an_index_of_another_format_says_so(pagekin: Run, copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    (copy / "manifest.json").write_text(json.dumps({**manifest, "format": 99}), "utf-8")
    assert "has format 99, this pagekin reads format" in complaint(pagekin("info", copy))


@pytest.mark.parametrize("name", ["nothing.kin", "."])
def test_what_is_no_index_is_answered_with_how_to_make_one(pagekin: Run, tmp_path: Path, name: str) -> None:
    assert "make one with: pagekin build CRAWL -o" in complaint(pagekin("info", tmp_path / name))
