"""Where records begin in an archive file, so that workers can share one and damage can be stepped over.

Two shapes exist. In `GzipMembers` each record (or few) is a gzip member of its own, as the WARC standard asks
(ISO 28500, annex D): positions are those of the members. `FlatBytes` is one run of bytes: an uncompressed
file, or one that was compressed as a whole; positions count the bytes after decompression.
"""

from __future__ import annotations

import io
import re
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, Protocol

with warnings.catch_warnings():  # FastWARC 1.1 warns about names of its own that nobody here uses
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import GzipReader, ZstdReader

GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"  # iipc.github.io/warc-specifications: WARC, Zstandard
MAX_DICTIONARY = 1 << 24
ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
BETWEEN = b"\r\n\r\n"
CHUNK = 1 << 18
PIECE = 32  # zlib gives nothing of a piece in which it finds damage
MAX_RESTARTS = 16  # each reads a file that was compressed as a whole again from its beginning
FIRST_MEMBER = 1 << 24
HEADER = 1 << 13  # enough to know a record's header when one sees it


class Record(NamedTuple):
    """One record of an archive; `block` is cut to the limit when `length` is more than that."""

    offset: int
    kind: str
    url: str
    date: str
    content_type: str
    refers_to: str
    length: int
    block: bytes


class Damage(NamedTuple):
    """A place in an archive where something else stands than a whole record."""

    offset: int
    url: str
    reason: str
    detail: str


class Limits(NamedTuple):
    """What one record may cost: bytes kept of it, and bytes inflated to step over it."""

    block_bytes: int
    inflated_bytes: int


@dataclass(frozen=True)
class Signature:
    """How a record of a format begins: `start` at its first byte, `inside` anywhere in a run of bytes."""

    start: re.Pattern[bytes]
    inside: re.Pattern[bytes]


class Stream(Protocol):
    """What can be read from."""

    def read(self, size: int = -1, /) -> bytes: ...


class Reader(Protocol):
    """A stream that has lines and knows where it is."""

    def read(self, size: int = -1, /) -> bytes: ...
    def readline(self, size: int = -1, /) -> bytes: ...
    def tell(self) -> int: ...


class GzipMembers:
    """An archive of gzip members, each of which begins with a record."""

    restart_is_slow = False

    def __init__(self, file: BinaryIO, signature: Signature) -> None:
        self.file, self._signature = file, signature

    def reader_at(self, offset: int) -> GzipReader:
        """Decompresses from the member at `offset` on."""
        self.file.seek(offset)
        return GzipReader(self.file)

    def next_record(self, offset: int, end: int) -> int | None:
        """The first member at or after `offset`, before `end`, that begins with a record."""
        while offset < end:
            self.file.seek(offset)
            chunk = self.file.read(min(CHUNK, end - offset + len(GZIP) - 1))
            if len(chunk) < len(GZIP):
                return None
            at = chunk.find(GZIP)
            while at >= 0:
                if self._begins_record(offset + at):
                    return offset + at
                at = chunk.find(GZIP, at + 1)
            offset += len(chunk) - len(GZIP) + 1
        return None

    def _begins_record(self, offset: int) -> bool:
        self.file.seek(offset)
        return self._signature.start.match(first_inflated(self.file.read(HEADER), 2 * HEADER)) is not None


Inflate = Callable[[BinaryIO], Stream]


class FlatBytes:
    """An archive that is one run of bytes, once `inflate` has decompressed it."""

    def __init__(self, file: BinaryIO, signature: Signature, inflate: Inflate | None) -> None:
        self._file, self._signature, self._inflate = file, signature, inflate
        self.restart_is_slow = inflate is not None

    def reader_at(self, offset: int) -> Reader:
        """Reads from `offset` on; for a compressed file all that comes before is decompressed again."""
        if self._inflate is None:
            self._file.seek(offset)
            return self._file
        self._file.seek(0)
        return Inflated(self._inflate(self._file), offset)

    def next_record(self, offset: int, end: int) -> int | None:
        """The first record that begins at or after `offset`, before `end`."""
        before = min(offset, len(BETWEEN))  # what is between two records tells where the second begins
        reader = self.reader_at(offset - before)
        at, window = offset - len(BETWEEN), BETWEEN[before:] + read_fully(reader, CHUNK)
        while at < end:
            for found in self._signature.inside.finditer(window):
                if offset <= at + found.end() < end:
                    return at + found.end()
            if not (more := read_fully(reader, CHUNK)):
                return None
            kept = window[-2 * HEADER :]  # a header may lie across two chunks
            at += len(window) - len(kept)
            window = kept + more
        return None


Archive = GzipMembers | FlatBytes


class Inflated:
    """A decompressed stream that knows where it is."""

    def __init__(self, stream: Stream, offset: int) -> None:
        self._stream, self._at, self._ahead = stream, 0, b""
        while self._at < offset and self.read(min(CHUNK, offset - self._at)):
            pass

    def read(self, size: int = -1, /) -> bytes:
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            data = self._stream.read(size)
        self._at += len(data)
        return data

    def readline(self, size: int = -1, /) -> bytes:
        if b"\n" not in self._ahead:
            self._ahead += read_fully(self._stream, size - len(self._ahead))
        end = self._ahead.find(b"\n")
        return self.read(min(size, end + 1 if end >= 0 else size))

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0, /) -> int:
        raise io.UnsupportedOperation("seek")

    def close(self) -> None:
        pass


def read_fully(reader: Stream, size: int) -> bytes:
    """Up to `size` bytes; fewer only at the end, or where decompression breaks."""
    parts, missing = [], size
    try:
        while missing and (part := reader.read(missing)):
            parts.append(part)
            missing -= len(part)
    except OSError:
        pass
    return b"".join(parts)


def first_inflated(data: bytes, size: int) -> bytes:
    """The first `size` bytes that a gzip member holds, or what comes before its damage."""
    inflater, inflated = zlib.decompressobj(31), b""
    try:
        for at in range(0, len(data), PIECE):
            if len(inflated) >= size or inflater.eof:
                break
            inflated += inflater.decompress(data[at : at + PIECE], size - len(inflated))
    except zlib.error:
        pass
    return inflated


def first_bytes(file: BinaryIO, size: int = 2 * HEADER) -> bytes:
    """The first bytes of a file after decompression, by what it holds and not by its name."""
    file.seek(0)
    data = file.read(size)
    if data.startswith(GZIP):
        return first_inflated(data, size)
    if data.startswith(ZSTD) or ZSTD_SKIPPABLE.match(data):
        file.seek(0)
        return read_fully(zstd_reader(file), size)
    return data


def zstd_reader(file: BinaryIO) -> Stream:
    """Decompresses Zstandard, with the dictionary that may stand before the records of a `.warc.zst`."""
    magic, size = file.read(4), int.from_bytes(file.read(4), "little")
    if magic != ZSTD_DICTIONARY or size > MAX_DICTIONARY:
        file.seek(0)
        return ZstdReader(file)  # type: ignore[no-any-return, unused-ignore]
    dictionary = file.read(size)
    if dictionary.startswith(ZSTD):
        dictionary = read_fully(ZstdReader(io.BytesIO(dictionary)), MAX_DICTIONARY)
    return ZstdReader(file, dictionary=dictionary)  # type: ignore[no-any-return, unused-ignore]


def open_archive(file: BinaryIO, signature: Signature) -> Archive:
    """The archive in a file, in its shape."""
    file.seek(0)
    magic = file.read(4)
    if magic.startswith(GZIP):
        if _has_member_per_record(file, signature):
            return GzipMembers(file, signature)
        return FlatBytes(file, signature, GzipReader)
    if magic == ZSTD or ZSTD_SKIPPABLE.match(magic):
        return FlatBytes(file, signature, zstd_reader)
    return FlatBytes(file, signature, None)


def _has_member_per_record(file: BinaryIO, signature: Signature) -> bool:
    """Whether the first member holds one record and more than that member is there."""
    file.seek(0)
    inflater, first = zlib.decompressobj(31), b""
    try:
        while not inflater.eof and (data := file.read(CHUNK)):
            first += inflater.decompress(data, FIRST_MEMBER)
            if len(first) >= FIRST_MEMBER:
                return False
    except zlib.error:
        return True  # only members give a chance to go on after the damage
    has_more = bool(inflater.unused_data or file.read(1))
    return has_more and first.endswith(b"\n") and signature.inside.search(first) is None
