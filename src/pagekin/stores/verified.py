"""The parts of an index are verified before they are used: files by checksums, lists by where they point.

Compiled code believes what it reads: a flipped bit, or an index that somebody made in bad faith, could have it read or
write where it must not. So the files of a part are compared with the manifest when the part is first used, and its
lists are gone through (`soundness`). What was found whole is remembered in the user's cache by the identity of each
file (its number, size and times), so that this is done once on a machine for each index: docs/decisions/0023.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from pagekin.errors import IndexUnusable, PagekinError
from pagekin.stores.manifest import Manifest, checksum, manifest_digest

WITH_LISTS = (
    "cocited", "concepts", "documents", "keywords", "links", "pages", "rings", "shards", "vocabulary", "words",
)  # fmt: skip
KEPT_INDEXES = 64  # that are remembered, the latest
UNREADABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    ArithmeticError,
    AssertionError,
    MemoryError,
    pa.ArrowException,
)

Identity = list[int]


class Verified:
    """What is known of the files of one index."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder, self._manifest = folder, manifest
        self._memory = _memory_folder() / f"{manifest_digest(manifest)}.json"
        known = _remembered(self._memory)
        self._files: dict[str, Identity] = known["files"]
        self._sound: set[str] = set(known["sound"])
        self._whole: set[str] = set()  # the parts that this process has looked at

    def check(self, *parts: str) -> None:
        """Compare the files of some parts with their checksums; IndexUnusable names one that is damaged."""
        for part in parts:
            if part not in self._whole:
                self._compare([name for name in self._manifest.files if name == part or name.startswith(f"{part}/")])
                self._check_no_others(part)
                self._whole.add(part)

    def _compare(self, names: list[str]) -> None:
        try:
            found = {name: _identity(self._folder / name) for name in names}
        except OSError as gone:
            raise IndexUnusable(f"{gone}; build the index again") from None
        new = [name for name in names if self._files.get(name) != found[name]]
        with ThreadPoolExecutor() as threads:
            sums = list(threads.map(lambda name: checksum(self._folder / name), new))
        for name, digest in zip(new, sums, strict=True):
            if digest != self._manifest.files[name]["blake2b"]:
                raise IndexUnusable(f"{self._folder / name} is damaged: its checksum is wrong; build the index again")
            self._files[name] = found[name]
        if new:
            self._remember()

    def _check_no_others(self, part: str) -> None:
        """What was put beside the files of a part would be read with them."""
        for path in sorted((self._folder / part).rglob("*")):
            if not path.is_dir() and path.relative_to(self._folder).as_posix() not in self._manifest.files:
                raise IndexUnusable(f"{path} is no file of this index; remove it, or build the index again")

    def sound(self, part: str, check: Callable[[], None]) -> None:
        """Go through the lists of a part, whose files are whole; IndexUnusable says what is wrong."""
        if part in self._sound:
            return
        with readable(self._folder / part):
            check()
        self._sound.add(part)
        self._remember()

    def believe(self) -> None:
        """Remember that all is as it should be, of an index that was just built."""
        self._files = {name: _identity(self._folder / name) for name in self._manifest.files}
        self._sound = set(WITH_LISTS)
        self._remember()

    def _remember(self) -> None:
        """Where nothing can be written, the next process looks again."""
        with suppress(OSError):
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            beside = self._memory.with_suffix(f".{os.getpid()}")
            beside.write_text(json.dumps({"files": self._files, "sound": sorted(self._sound)}), "utf-8")
            beside.rename(self._memory)
            known = sorted(self._memory.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in known[:-KEPT_INDEXES]:
                old.unlink(missing_ok=True)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """What cannot be read of a part of an index becomes IndexUnusable."""
    try:
        yield
    except PagekinError:
        raise
    except BaseException as fault:
        if not isinstance(fault, UNREADABLE) and type(fault).__name__ != "PanicException":  # of tantivy, no Exception
            raise
        raise IndexUnusable(f"{path} cannot be read: {fault}; build the index again") from None


def _identity(path: Path) -> Identity:
    """What tells a file from all others, and from itself after it was changed."""
    found = path.stat()
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _memory_folder() -> Path:
    with suppress(RuntimeError):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pagekin" / "verified"
    return Path(os.devnull)  # no home: nothing is remembered


def _remembered(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError, TypeError, KeyError):
        known = json.loads(path.read_text("utf-8"))
        return {"files": dict(known["files"]), "sound": list(known["sound"])}
    return {"files": {}, "sound": []}
