"""The real pages that some tests need; they are no part of the project and may be missing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LONGEST_WAIT_SECONDS = 600


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Gives the path of an unpacked set of real pages by its name, or skips the test."""
    return _real_data


def _real_data(name: str) -> Path:
    if not (SHARED / "unpack").exists():
        pytest.skip(f"the real pages of {name} are not here: no ../shared/data next to the repository")
    cache = Path(os.environ.get("PAGEKIN_DATA") or Path.home() / ".cache" / "pagekin-test-data")
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / ("uci-crawl.warc.gz" if name == "uci-crawl" else name)
    if not path.exists():
        _unpack(cache, name, path)
    return path


def _unpack(cache: Path, name: str, path: Path) -> None:
    """Unpack beside and rename, once, whichever of several processes comes first; the others wait."""
    beside = cache / f"{name}.unpacking"
    try:
        beside.mkdir()
    except FileExistsError:
        _wait_for(path, beside)
        return
    try:
        subprocess.run([sys.executable, str(SHARED / "unpack"), str(beside), name], check=True)
        (beside / path.name).rename(path)
    finally:
        _remove(beside)


def _wait_for(path: Path, beside: Path) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not path.exists():
        if time.monotonic() > deadline or not beside.exists():
            pytest.fail(f"another process did not finish unpacking {path}; remove {beside} and try again")
        time.sleep(0.2)


def _remove(beside: Path) -> None:
    # What is left there is the rest of an unpacking that failed.
    for path in sorted(beside.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    beside.rmdir()
