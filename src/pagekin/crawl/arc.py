"""The records of an ARC file, used before WARC: a line `URL IP date type length`, then a block.

Version 2 has more fields between type and length; they are passed over.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Generator, Iterator

from pagekin.crawl.archive import (
    CHUNK,
    HEADER,
    MAX_RESTARTS,
    Archive,
    Damage,
    FlatBytes,
    GzipMembers,
    Limits,
    Reader,
    Record,
    Signature,
    Stream,
    read_fully,
)

_LINE = (
    rb"((?:https?|ftp|dns|whois|filedesc|nntp|gopher|metadata):[^\r\n]{1,4000}?) [0-9a-fA-F.:-]{1,45} "
    rb"(\d{8,17}) [^ \r\n]{0,200} (?:[^ \r\n]{0,4000} ){0,5}(\d{1,12})\r?\n"
)
ARC = Signature(start=re.compile(_LINE), inside=re.compile(rb"\n(?=" + _LINE + rb")"))


def read_arc(archive: Archive, start: int, end: int, limits: Limits) -> Iterator[Record | Damage]:
    """The responses that begin in [start, end), and the damage met on the way."""
    if isinstance(archive, GzipMembers):
        yield from _read_members(archive, start, end, limits)
    else:
        yield from _read_flat(archive, start, end, limits)


def _read_members(archive: GzipMembers, start: int, end: int, limits: Limits) -> Iterator[Record | Damage]:
    at = archive.next_record(start, end)
    while at is not None:
        try:
            data, size = _member(archive, at, limits.block_bytes + HEADER)
        except (zlib.error, OSError) as broken:
            yield Damage(at, "", "broken compression", str(broken))
            at = archive.next_record(at + 1, end)
            continue
        line, _, block = data.partition(b"\n")
        yield _record(line + b"\n", at, io.BytesIO(block), limits)
        after = at + size
        at = archive.next_record(after, end)
        if at != after and after < min(end, archive.file.seek(0, io.SEEK_END)):
            yield Damage(after, "", "not an ARC record", "no record begins where the one before it ends")


def _member(archive: GzipMembers, at: int, limit: int) -> tuple[bytes, int]:
    """What a gzip member holds, up to the limit, and its size in the file."""
    archive.file.seek(at)
    inflater, data, size = zlib.decompressobj(31), b"", 0
    while not inflater.eof and len(data) <= limit and (piece := archive.file.read(CHUNK)):
        data += inflater.decompress(piece, limit + 1 - len(data))
        size += len(piece)
    return data, max(1, size - len(inflater.unused_data) - len(inflater.unconsumed_tail))


def _read_flat(archive: FlatBytes, start: int, end: int, limits: Limits) -> Iterator[Record | Damage]:
    at, restarts = archive.next_record(start, end), 0
    while at is not None and restarts < MAX_RESTARTS:
        trouble = yield from _records_until_trouble(archive.reader_at(at), end, limits)
        restarts += archive.restart_is_slow
        at = None if trouble is None else archive.next_record(max(trouble, at) + 1, end)


def _records_until_trouble(stream: Reader, end: int, limits: Limits) -> Generator[Record | Damage, None, int | None]:
    """Yields records from where the stream stands; returns where trouble began, or None at the end."""
    here = stream.tell()
    try:
        while True:
            at, line = stream.tell(), stream.readline(HEADER)
            if at >= end or not line:
                return None
            if line.strip():
                record = _record(line, at, stream, limits)
                yield record
                if isinstance(record, Damage):
                    return at if record.url else here
                here = at
    except OSError as broken:
        yield Damage(here, "", "broken compression", str(broken))
        return here


def _record(line: bytes, offset: int, stream: Stream, limits: Limits) -> Record | Damage:
    """The record whose header line has just been read from the stream."""
    found = ARC.start.match(line)
    if found is None:
        return Damage(offset, "", "not an ARC record", f"{line[:60]!r} is not URL IP date type length")
    url, date, length = found[1].decode("utf-8", "replace"), found[2].decode(), int(found[3])
    block = read_fully(stream, min(length, limits.block_bytes))
    got, step = len(block), len(block)
    while got < length and step and got <= limits.inflated_bytes:
        step = len(read_fully(stream, min(CHUNK, length - got)))
        got += step
    if got < length:
        return Damage(offset, url, "cut short", f"{got} bytes of {length}")
    if ARC.inside.search(block):
        return Damage(offset, url, "wrong length", f"its {length} bytes reach into the next record")
    return Record(offset, "response", url, date, "application/http", "", length, block)
