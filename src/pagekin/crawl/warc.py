"""The records of a WARC file (ISO 28500), each once, whatever the damage around them.

FastWARC reads; this module notices when a record reaches into the next one, or when no record stands where
one should, and goes on at the next place where a record begins. In an uncompressed file only pages are
searched for records they have swallowed, so that a WARC that was itself crawled is not mixed up with it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcHeader, WarcRecordType

from pagekin.crawl.archive import MAX_RESTARTS, Archive, Damage, GzipMembers, Limits, Record, Signature

WARC = Signature(
    start=re.compile(rb"WARC/[01]\.\d"),
    # The angle bracket of the id is &lt; in a page that talks about WARC.
    inside=re.compile(rb"\r\n\r\n(?=WARC/[01]\.\d+\r\n(?:[^\r\n]+\r\n)*?(?i:WARC-Record-ID):[ \t]*<)"),
)
KINDS = {int(getattr(WarcRecordType, kind)): kind for kind in ("response", "resource", "revisit")}
FIRST_READ = 1 << 20


def read_warc(archive: Archive, start: int, end: int, limits: Limits) -> Iterator[Record | Damage]:
    """The responses, resources and revisits that begin in [start, end), and the damage met on the way."""
    at, restarts = archive.next_record(start, end), 0
    if start == 0 and at != 0:
        yield Damage(0, "", "not a WARC record", "the file does not begin with a record")
    while at is not None:
        trouble = yield from _records_until_trouble(archive, at, end, limits)
        restarts += 1
        if trouble is None:
            return
        if archive.restart_is_slow and restarts > MAX_RESTARTS:
            yield Damage(trouble, "", "too much damage", "the rest of the file is left out")
            return
        at = archive.next_record(max(trouble, at) + 1, end)


def _records_until_trouble(
    archive: Archive, at: int, end: int, limits: Limits
) -> Generator[Record | Damage, None, int | None]:
    """Yields the records from `at` on; returns where trouble began, or None at the end of the range."""
    stream: Any = archive.reader_at(at)
    members = stream if isinstance(archive, GzipMembers) else None
    here = at
    try:
        for record in ArchiveIterator(stream, parse_http=False, strict_mode=False, stream_detect=False):
            here = members.frame_start_position() if members else record.stream_pos
            if here >= end:
                return None
            kept = _read_record(record, here, members, limits)
            if kept is None:
                continue
            yield kept
            if isinstance(kept, Damage):
                return here
    except (OSError, ValueError) as broken:
        there = members.frame_start_position() if members else here
        yield Damage(there, "", "not a WARC record", f"{broken}, after the record at {here}")
        return max(here, there)
    if members and members.frame_start_position() not in (here, None):
        yield Damage(members.frame_start_position(), "", "cut short", "the file ends within a record")
    return None


def _read_record(record: Any, here: int, members: Any, limits: Limits) -> Record | Damage | None:
    """One record with its block, None if it is of a kind that holds no page, or what is wrong with it."""
    headers, length = record.headers, record.content_length
    kind = KINDS.get(int(record.record_type))
    block, got = _read_block(record, here, members, kind is not None, limits)
    url = _text(headers, WarcHeader.WARC_TARGET_URI).strip("<>")
    if _left(members, here) or (kind and not members and WARC.inside.search(block)):
        return Damage(here, url, "wrong length", f"its {length} bytes reach into the next record")
    if got < length and got > limits.inflated_bytes:
        return Damage(here, url, "record too large", f"more than {got} bytes, {length} claimed")
    if got < length:
        return Damage(here, url, "cut short", f"{got} bytes of {length}")
    if headers.get_bytes(WarcHeader.CONTENT_LENGTH) is None:
        return Damage(here, url, "cut short", "no Content-Length in the record")
    if kind is None:
        return None
    date, content_type = _text(headers, WarcHeader.WARC_DATE), _text(headers, WarcHeader.CONTENT_TYPE)
    refers_to = _text(headers, WarcHeader.WARC_REFERS_TO_TARGET_URI).strip("<>") if kind == "revisit" else ""
    return Record(here, kind, url, date, content_type, refers_to, length, block)


def _read_block(record: Any, here: int, members: Any, is_wanted: bool, limits: Limits) -> tuple[bytes, int]:
    """The block as far as it is wanted, and how many bytes of it were there."""
    length, reader = record.content_length, record.reader
    if not is_wanted:
        return b"", _skipped(reader, here, members, limits.inflated_bytes)
    block = reader.read(min(length, FIRST_READ))
    if len(block) == length or _left(members, here):
        return block, len(block)
    if length > limits.block_bytes:
        return block, len(block) + _skipped(reader, here, members, limits.inflated_bytes)
    block += reader.read(length - len(block))
    return block, len(block)


def _skipped(reader: Any, here: int, members: Any, limit: int) -> int:
    """Steps over the rest of a record, and says how many bytes that were."""
    skipped = 0
    while skipped <= limit and not _left(members, here) and (step := reader.consume(FIRST_READ)):
        skipped += step
    return skipped


def _left(members: Any, here: int) -> bool:
    """Whether reading has gone on into another gzip member than that in which the record began."""
    return members is not None and members.frame_start_position() != here


def _text(headers: Any, name: Any) -> str:
    return (headers.get_bytes(name) or b"").decode("utf-8", "replace").strip()
