"""Every example in the documents runs and does what the document says."""

from __future__ import annotations

import doctest
import os
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.sample import write_sample

from . import examples
from .examples import Block, blocks, run_console, run_python
from .generated import ROOT

PAGES = {
    "index.html": '<title>Bees</title><p>All about <a href="honey.html">how honey is made</a>.</p>',
    "honey.html": '<html lang="en"><title>Honey</title><p>The bees of a hive make honey from nectar.</p>',
    "hives/index.html": '<title>Hives</title><p>Old hives, and <a href="../honey.html">their honey</a>.</p>',
}
STRATEGIES = """[[strategy]]
anchors = 0.0
frequency = "tf-idf"
metric = "cosine"

[[strategy]]
window = "8"
cosine = 0.5
"""
# As pip writes it; worker processes load the script anew, hence the condition.
PROGRAM = """#!{}
from pagekin.cli import main

if __name__ == "__main__":
    main()
"""
DOCUMENTS = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WITH_EXAMPLES = [path for path in DOCUMENTS if list(blocks((ROOT / path).read_text("utf-8")))]


@pytest.fixture(scope="module")
def sample_warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small sample web."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, 400)
    return folder / "sample.warc.gz"


@pytest.fixture
def folder(tmp_path: Path, sample_warc: Path) -> Path:
    """The folder in which the examples of a document are run."""
    here = tmp_path / "here"
    for name, html in PAGES.items():
        path = here / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, "utf-8")
    shutil.copy(sample_warc, here / "site.warc.gz")
    (here / "strategies.toml").write_text(STRATEGIES, "utf-8")
    return here


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where the command `pagekin` is this checkout's, and a line is 100 characters wide."""
    programs = tmp_path / "bin"
    programs.mkdir()
    script = programs / "pagekin"
    script.write_text(PROGRAM.format(sys.executable), "utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    source = str(Path(pagekin.__file__).parents[1])
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYTHONPATH": source, "COLUMNS": "100", "NO_COLOR": "1"}


@pytest.mark.parametrize("path", WITH_EXAMPLES)
def test_examples_of_document(
    path: str, folder: Path, environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    skipped = []
    for block in blocks((ROOT / path).read_text("utf-8")):
        if block.missing:
            skipped.append(f"{path} line {block.line}: {block.missing}")
        elif block.is_run:
            _run(block, folder, environment, names)
    if skipped:
        pytest.skip("; ".join(skipped))


def _run(block: Block, folder: Path, environment: Mapping[str, str], names: dict[str, Any]) -> None:
    if block.kind == "console":
        run_console(block, folder, environment)
    else:
        run_python(block, names)


def test_there_are_examples() -> None:
    assert "README.md" in WITH_EXAMPLES


def test_examples_of_examples() -> None:
    result = doctest.testmod(examples)
    assert (result.failed, result.attempted) == (0, 3)
