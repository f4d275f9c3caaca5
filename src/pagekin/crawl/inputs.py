"""What was given to read: paths, globs, lists, folders and URLs become splits, each for one worker.

What a file is, its content says and not its name. Splits of a large WARC are ranges of bytes; the reader of
a range takes the records that begin in it. A file that was compressed as a whole, a `.warc.zst`, and a WARC
that is deflated inside a WACZ cannot be entered in the middle, so each is one split.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from pagekin.crawl import files, wacz
from pagekin.crawl.arc import ARC
from pagekin.crawl.archive import FlatBytes, first_bytes, open_archive
from pagekin.crawl.encoding import utf8_html
from pagekin.crawl.folder import folder_url, page_likelihood
from pagekin.crawl.http import binary_sign, looks_like_html
from pagekin.crawl.warc import WARC
from pagekin.errors import CrawlError
from pagekin.settings import MIB, CrawlSettings

_ARCHIVE_NAMES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz")
_LIST_NAMES = (".txt", ".list")
_EXPECTED = "expected WARC, ARC, WACZ, HTML, a folder of these, or a .txt that lists them"


@dataclass(frozen=True)
class Split:
    """A piece of the input that one worker reads."""

    path: str  # a local path or a URL of fsspec; for pages, the folder they are in
    kind: str  # 'warc', 'arc', 'wacz' or 'html'
    start: int  # records that begin in [start, end); for pages, their numbers in the folder
    end: int
    base_url: str = ""
    files: tuple[str, ...] = ()  # the pages by their paths in the folder; the one archive in a WACZ
    bytes: int = 0


class Rejection(NamedTuple):
    """A row of REJECTED."""

    source: str
    url: str
    reason: str
    detail: str


def find_splits(inputs: Sequence[str], settings: CrawlSettings) -> tuple[list[Split], list[Rejection]]:
    """The pieces of all inputs, and the files that are no crawl; CrawlError if one is missing, or all are.

    An input is a file, a folder, a glob, a URL, or a list of these: a `.txt`, a `.list`, or `@FILE`.
    """
    splits: dict[Split, None] = {}
    rejected: list[Rejection] = []
    for path in dict.fromkeys(_named(inputs)):
        for found in _readable_splits(path, settings):
            if isinstance(found, Split):
                splits[found] = None
            else:
                rejected.append(found)
    if not splits:
        why = "; ".join(f"{r.source}: {r.reason}, {r.detail}" for r in rejected[:5])
        raise CrawlError(f"nothing to read: {why or 'no input was given'}")
    return list(splits), rejected


def _named(inputs: Iterable[str], lists: tuple[str, ...] = ()) -> Iterator[str]:
    """The files and folders that inputs stand for; `lists` are those we are in, as one may name itself."""
    for given in inputs:
        for path in _matches(files.plain_path(given)):
            listed = path[1:] if path.startswith("@") and not files.exists(path) else path
            if path == listed and not (path.lower().endswith(_LIST_NAMES) and _is_list(path)):
                yield path
            elif listed in lists:
                raise CrawlError(f"{listed} lists itself")
            else:
                yield from _named(_listed(listed), (*lists, listed))


def _matches(path: str) -> list[str]:
    """The path itself if it is there, else what it matches as a glob."""
    if files.exists(path.removeprefix("@")) or files.exists(path):
        return [path]
    found = files.expanded(path) if files.has_wildcard(path) else []
    if not found:
        raise CrawlError(f"{path}: no such file or folder")
    return found


def _is_list(path: str) -> bool:
    """Whether a text file is a list of inputs and not itself a page or an archive under an odd name."""
    return not files.is_folder(path) and _content_kind(path) is None


def _listed(path: str) -> list[str]:
    """The inputs that a list names, one a line; a relative path starts at the list."""
    with files.open_file(path) as file:
        lines = file.read(64 * MIB).decode("utf-8-sig", "replace").splitlines()
    names = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    folder = path.rpartition("/")[0] if files.is_remote(path) else os.path.dirname(path)
    return [n if files.is_remote(n) else files.joined(folder, n) for n in names] if folder else names


def _readable_splits(path: str, settings: CrawlSettings) -> Iterator[Split | Rejection]:
    try:
        yield from _splits_of(path, settings)
    except OSError as broken:
        yield Rejection(path, "", "unreadable file", str(broken))


def _splits_of(path: str, settings: CrawlSettings) -> Iterator[Split | Rejection]:
    if files.is_folder(path):
        yield from _folder_splits(path, settings)
        return
    kind = _content_kind(path)
    if kind == "html" or (kind is None and page_likelihood(path) == "yes" and not _is_binary(path)):
        folder, name = os.path.split(path)
        base_url = settings.base_url or folder_url(folder)
        yield Split(folder, "html", 0, 1, base_url, (name,), files.file_size(path))
    elif kind is None:
        yield Rejection(path, "", "no crawl", f"{_found(path)}; {_EXPECTED}")
    else:
        yield from _archive_splits(path, kind, settings)


def _content_kind(path: str) -> str | None:
    """What a file is by its first bytes."""
    try:
        with files.open_file(path) as file:
            return kind_of(file)
    except (OSError, zlib.error):
        return None


def kind_of(file: BinaryIO) -> str | None:
    """'warc', 'arc', 'wacz' or 'html' by what a file begins with, else None."""
    head = first_bytes(file)
    if WARC.start.match(head):
        return "warc"
    if head.startswith(b"filedesc:") or ARC.start.match(head):
        return "arc"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "wacz"
    return "html" if looks_like_html(head) else None


def _is_binary(path: str) -> bool:
    with files.open_file(path) as file:
        head = file.read(4096)
    return bool(binary_sign(head, utf8_html(head, "")[0]))


def _found(path: str) -> str:
    """What stands at the beginning of a file, for a message."""
    with files.open_file(path) as file:
        head = file.read(24)
    return f"begins with {head!r}" if head else "empty"


def _folder_splits(folder: str, settings: CrawlSettings) -> Iterator[Split | Rejection]:
    """The archives in a folder, and its pages in lots of about `split_bytes`."""
    base_url = settings.base_url or folder_url(folder)
    lot: list[str] = []
    lot_bytes = first = 0
    archives = False
    for found in files.files_below(folder):
        if found.path.lower().endswith(_ARCHIVE_NAMES):
            archives = True
            yield from _splits_of(files.joined(folder, found.path), settings)
        elif page_likelihood(found.path) != "no":
            lot.append(found.path)
            lot_bytes += found.bytes
            if lot_bytes >= settings.split_bytes:
                yield Split(folder, "html", first, first + len(lot), base_url, tuple(lot), lot_bytes)
                first, lot, lot_bytes = first + len(lot), [], 0
    if lot:
        yield Split(folder, "html", first, first + len(lot), base_url, tuple(lot), lot_bytes)
    elif not first and not archives:
        yield Rejection(folder, "", "no pages", "a folder without HTML files")


def _archive_splits(path: str, kind: str, settings: CrawlSettings) -> Iterator[Split | Rejection]:
    try:
        with files.open_file(path) as file:
            if kind != "wacz":
                yield from _ranges(path, kind, file, files.file_size(path), settings)
                return
            yield from _wacz_splits(path, file, settings)
    except CrawlError as broken:
        yield Rejection(path, "", "broken WACZ", str(broken))


def _wacz_splits(path: str, file: BinaryIO, settings: CrawlSettings) -> Iterator[Split | Rejection]:
    members = wacz.warc_members(file)
    if not members:
        yield Rejection(path, "", "no crawl", "a zip without WARC files; a WACZ has archive/*.warc.gz")
    for member in members:
        if member.is_stored:
            with_member = wacz.open_member(file, member.name)
            yield from _ranges(path, "wacz", with_member, member.bytes, settings, (member.name,))
        else:
            yield Split(path, "wacz", 0, member.bytes, "", (member.name,), member.bytes)


def _ranges(
    path: str, kind: str, file: BinaryIO, size: int, settings: CrawlSettings, names: tuple[str, ...] = ()
) -> Iterator[Split]:
    """The ranges of one archive; one for all of it if it can be read only from its beginning."""
    archive = open_archive(file, ARC if kind == "arc" else WARC)
    whole = isinstance(archive, FlatBytes) and archive.restart_is_slow
    step = max(size, 1) if whole else settings.split_bytes
    for start in range(0, max(size, 1), step):
        end = min(start + step, size)
        # Positions count the bytes after decompression, of which there may be any number.
        yield Split(path, kind, start, 1 << 62 if whole else end, "", names, end - start)
