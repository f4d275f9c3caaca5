"""Files that appear whole or not at all: written beside their place, and renamed when all is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pagekin.errors import SettingsError, TargetExists


def check_free(path: Path, force: bool) -> None:
    """Complain of a file that may not be written, before work begins."""
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "no ordinary file"
        raise SettingsError(f"{path} is {what}; choose another name with -o")
    if path.exists() and not force:
        raise TargetExists(f"{path} exists; give --force to replace it, or choose another name with -o")
    if not path.parent.is_dir():
        raise SettingsError(f"{path} cannot be written: there is no folder {path.parent}; choose another name with -o")
    if not os.access(path.parent, os.W_OK):
        raise SettingsError(f"{path} cannot be written: it is not allowed here; choose another name with -o")


@contextmanager
def whole_file(path: Path, force: bool) -> Iterator[Path]:
    """A name to write to, whose file takes the place of `path` if no fault ends the writing."""
    target = Path(os.path.realpath(path))  # a link to a file stays a link
    check_free(target, force)
    beside = target.with_name(f"{target.name}.{os.getpid()}.exporting")
    try:
        yield beside
        _write_through(beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _write_through(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
