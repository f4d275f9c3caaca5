"""The WARC files in a WACZ, which is a zip (specs.webrecorder.net/wacz); nothing is unpacked to disk."""

from __future__ import annotations

import struct
import zipfile
from typing import BinaryIO, NamedTuple

from pagekin.errors import CrawlError

_WARC_NAMES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
_LOCAL_HEADER = struct.Struct("<26xHH")


class Member(NamedTuple):
    """A file in a zip; one that is stored as it is can be read from any place."""

    name: str
    bytes: int
    is_stored: bool


class Window:
    """Part of a file, as a file."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._start, self._size, self._at = file, start, size, 0

    def read(self, size: int = -1, /) -> bytes:
        left = max(0, self._size - self._at)
        self._file.seek(self._start + self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._file.close()


def warc_members(file: BinaryIO) -> list[Member]:
    """The archives in a WACZ, in the order of their names."""
    with _opened(file) as archive:
        found = [info for info in archive.infolist() if info.filename.lower().endswith(_WARC_NAMES)]
    found.sort(key=lambda info: info.filename)
    return [Member(i.filename, i.file_size, i.compress_type == zipfile.ZIP_STORED) for i in found]


def open_member(file: BinaryIO, name: str) -> BinaryIO:
    """One archive of a WACZ."""
    archive = _opened(file)
    try:
        info = archive.getinfo(name)
    except KeyError as missing:
        raise CrawlError(f"no {name} in the WACZ any more; was it written anew?") from missing
    if info.flag_bits & 1:
        raise CrawlError(f"{name} in the WACZ is encrypted; expected one that is not")
    if info.compress_type == zipfile.ZIP_STORED:
        return Window(file, _data_offset(file, info), info.file_size)  # type: ignore[return-value]
    try:
        return archive.open(info)  # type: ignore[return-value]
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as broken:
        raise CrawlError(f"{name} in the WACZ cannot be read: {broken}") from broken


def _data_offset(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    """Where the bytes of a file begin that is stored as it is."""
    file.seek(max(0, info.header_offset))
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
        raise CrawlError(f"{info.filename} is not where the WACZ says; found {header[:4]!r}")
    name_bytes, extra_bytes = _LOCAL_HEADER.unpack(header)
    return info.header_offset + _LOCAL_HEADER.size + int(name_bytes) + int(extra_bytes)


def _opened(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as broken:
        raise CrawlError(f"a broken zip: {broken}") from broken
