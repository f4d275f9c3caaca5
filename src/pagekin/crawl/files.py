"""Files wherever they are: local paths are opened directly, `s3://` and its like through fsspec."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.request import url2pathname

from pagekin.errors import CrawlError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_GLOB = re.compile(r"[*?\[]")


class Found(NamedTuple):
    """A file of a folder: its path relative to the folder, and its size."""

    path: str
    bytes: int


def is_remote(path: str) -> bool:
    """Whether fsspec has to open it.

    >>> is_remote("s3://bucket/a.warc.gz"), is_remote("crawl/a.warc.gz")
    (True, False)
    """
    return _SCHEME.match(path) is not None


def plain_path(path: str) -> str:
    """`file://` URLs as the paths they stand for; all else as it is."""
    return url2pathname(path[len("file://") :]) if path.lower().startswith("file://") else path


def file_system(path: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it."""
    import fsspec

    try:
        return cast(tuple[Any, str], fsspec.core.url_to_fs(path))
    except ImportError as missing:
        raise CrawlError(f"{path}: no driver for this kind of address is installed. {missing}") from missing
    except ValueError as unknown:
        raise CrawlError(f"{path}: no known kind of address ({unknown})") from unknown


def open_file(path: str) -> BinaryIO:
    """Opens for reading; an OSError says why not."""
    if not is_remote(path):
        return open(path, "rb")
    system, inner = file_system(path)
    return cast(BinaryIO, system.open(inner, "rb"))


def file_size(path: str) -> int:
    """The size in bytes."""
    if not is_remote(path):
        return os.path.getsize(path)
    system, inner = file_system(path)
    return int(system.size(inner) or 0)


def exists(path: str) -> bool:
    """Whether a file or a folder is there."""
    if not is_remote(path):
        return os.path.exists(path)
    system, inner = file_system(path)
    return bool(system.exists(inner))


def is_folder(path: str) -> bool:
    """Whether it is a folder."""
    if not is_remote(path):
        return os.path.isdir(path)
    system, inner = file_system(path)
    return bool(system.isdir(inner))


def has_wildcard(path: str) -> bool:
    """Whether it is a glob; `?` in an http address asks a question, it does not match a letter."""
    if path.lower().startswith(("http://", "https://")):
        return "*" in path
    return _GLOB.search(path) is not None


def expanded(pattern: str) -> list[str]:
    """The paths that a glob names, sorted."""
    if not is_remote(pattern):
        return sorted(glob.glob(pattern, recursive=True))
    system, inner = file_system(pattern)
    return sorted(system.unstrip_protocol(path) for path in system.glob(inner))


def changed_at(path: str) -> datetime:
    """When a file was last changed; the beginning of 1970 where nobody knows."""
    if not is_remote(path):
        return datetime.fromtimestamp(os.path.getmtime(path), UTC)
    system, inner = file_system(path)
    try:
        changed = system.modified(inner)
    except (NotImplementedError, OSError, KeyError):
        return datetime.fromtimestamp(0, UTC)
    return cast(datetime, changed if changed.tzinfo else changed.replace(tzinfo=UTC))


def joined(folder: str, path: str) -> str:
    """A path relative to a folder, from where we stand."""
    return f"{folder.rstrip('/')}/{path}" if is_remote(folder) else os.path.join(folder, path)


def files_below(folder: str) -> Iterator[Found]:
    """Every file of a folder and its folders in the order of their names, but for hidden ones."""
    return _remote_files_below(folder) if is_remote(folder) else _local_files_below(folder, "")


def _local_files_below(folder: str, prefix: str) -> Iterator[Found]:
    with os.scandir(folder) as entries:
        visible = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda e: e.name)
    for entry in visible:
        if entry.is_dir(follow_symlinks=False):
            yield from _local_files_below(entry.path, f"{prefix}{entry.name}/")
        elif entry.is_file():
            yield Found(prefix + entry.name, entry.stat().st_size)


def _remote_files_below(folder: str) -> Iterator[Found]:
    system, inner = file_system(folder)
    start = len(inner.rstrip("/")) + 1
    for path, about in sorted(system.find(inner, detail=True).items()):
        if not any(part.startswith(".") for part in path[start:].split("/")):
            yield Found(path[start:], int(about.get("size") or 0))
