"""Ways to run the command line: as a function, and as a person does, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin.sample import write_sample

PAGEKIN = [sys.executable, "-c", "from pagekin.cli import main; main()"]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def pagekin() -> Run:
    """Runs a command and gives its status, standard output and standard error."""

    def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [*PAGEKIN, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)

    return run


@pytest.fixture(scope="session")
def started() -> Callable[..., subprocess.Popen[str]]:
    """Begins a command in a process group of its own."""

    def start(*arguments: str | Path) -> subprocess.Popen[str]:
        command = [*PAGEKIN, *map(str, arguments)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)

    return start


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The WARC of a small sample web."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, 600)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="session")
def index(sample: Path, pagekin: Run) -> Path:
    """Its index; not to be changed."""
    path = sample.with_name("sample.kin")
    done = pagekin("build", sample, "-o", path, "--workers", "1")
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with one page."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>A page</title><p>Some words here", "utf-8")
    return tmp_path / "site"
