"""From a piece of a crawl to batches of CAPTURES, and of REJECTED for what could not be taken."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO
from urllib.parse import urljoin

import numpy as np
import pyarrow as pa

from pagekin.crawl import files, wacz
from pagekin.crawl.arc import ARC, read_arc
from pagekin.crawl.archive import Damage, Limits, Record, open_archive
from pagekin.crawl.cut import Cutter, Uncut
from pagekin.crawl.encoding import utf8_html
from pagekin.crawl.folder import file_url, page_likelihood
from pagekin.crawl.http import (
    BadPage,
    Response,
    binary_sign,
    decoded_body,
    looks_like_html,
    media_type,
    split_response,
)
from pagekin.crawl.inputs import Rejection, Split, kind_of
from pagekin.crawl.warc import WARC, read_warc
from pagekin.errors import CrawlError
from pagekin.settings import MIB, CrawlSettings
from pagekin.tables import CAPTURES, REJECTED

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
BATCH_ROWS = 1024
HTTP_HEAD_BYTES = 64 << 10
_BAD_INPUT = (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, CrawlError)
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)

Capture = tuple[str, str, datetime, bytes, str, str, str]  # the columns of CAPTURES in their order


def read_captures(
    split: Split, settings: CrawlSettings, batch_bytes: int = 8 * MIB
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yields ("captures", batch) and ("rejected", batch); bad input is rejected, never raised."""
    captures: list[Capture] = []
    rejected: list[Rejection] = []
    html_bytes = 0
    rows = _rows(split, settings)
    for row in _cut_rows(rows, settings) if settings.cut else rows:
        if isinstance(row, Rejection):
            rejected.append(row)
        else:
            captures.append(row)
            html_bytes += len(row[3])
        if html_bytes >= batch_bytes or len(captures) >= BATCH_ROWS:
            yield "captures", _batch(captures, CAPTURES)
            captures, html_bytes = [], 0
        if len(rejected) >= BATCH_ROWS:
            yield "rejected", _batch(rejected, REJECTED)
            rejected = []
    if captures:
        yield "captures", _batch(captures, CAPTURES)
    if rejected:
        yield "rejected", _batch(rejected, REJECTED)


def _batch(rows: list[Capture] | list[Rejection], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.record_batch([_array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _array(values: tuple[Any, ...], type_: pa.DataType) -> pa.Array:
    if type_ != pa.large_binary():
        return pa.array(values, type_)
    # Twice as fast as pa.array, which grows its buffer as it goes.
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    return pa.Array.from_buffers(type_, len(values), buffers)


def _rows(split: Split, settings: CrawlSettings) -> Iterator[Capture | Rejection]:
    try:
        yield from _folder_rows(split, settings) if split.kind == "html" else _archive_rows(split, settings)
    except FileNotFoundError:
        raise CrawlError(f"{split.path} was there when the build began; bring it back, and --resume goes on") from None
    except Exception as broken:
        # The drivers of remote file systems raise what they like.
        if not isinstance(broken, _BAD_INPUT) and not files.is_remote(split.path):
            raise
        yield Rejection(_storable(split.path), "", "unreadable file", str(broken) or repr(broken))


def _cut_rows(rows: Iterator[Capture | Rejection], settings: CrawlSettings) -> Iterator[Capture | Rejection]:
    """The same rows, their pages without what is to be cut."""
    with Cutter(settings.cut) as cutter:
        for row in rows:
            if isinstance(row, Rejection) or not row[3]:
                yield row
                continue
            try:
                html = cutter.without(row[3])
            except Uncut as failed:
                yield Rejection(row[0], row[1], "cannot be parsed", str(failed))
                continue
            if len(html) > len(row[3]) and len(html) > settings.max_page_bytes:
                detail = f"{len(html)} bytes when written again, the limit is {settings.max_page_bytes}"
                yield Rejection(row[0], row[1], "page too large", detail)
            else:
                yield (*row[:3], html, *row[4:])


def _archive_rows(split: Split, settings: CrawlSettings) -> Iterator[Capture | Rejection]:
    name = _storable(os.path.basename(split.path) + "".join(f"!{member}" for member in split.files))
    with files.open_file(split.path) as file:
        for record in _records(split, file, settings):
            source = f"{name}@{record.offset}"
            if isinstance(record, Damage):
                yield Rejection(source, _storable(record.url), record.reason, record.detail)
                continue
            try:
                row = _capture(record, source, settings.max_page_bytes)
            except BadPage as bad:
                yield Rejection(source, _storable(record.url), bad.reason, bad.detail)
            else:
                if row is not None:
                    yield row


def _records(split: Split, file: BinaryIO, settings: CrawlSettings) -> Iterator[Record | Damage]:
    inner = wacz.open_member(file, split.files[0]) if split.kind == "wacz" else file
    limits = Limits(settings.max_page_bytes + HTTP_HEAD_BYTES, settings.max_inflation)
    if (kind_of(inner) if split.kind == "wacz" else split.kind) == "arc":
        return read_arc(open_archive(inner, ARC), split.start, split.end, limits)
    return read_warc(open_archive(inner, WARC), split.start, split.end, limits)


def _capture(record: Record, source: str, limit: int) -> Capture | None:
    """The capture in a record, or None if it holds no page; BadPage if it should hold one."""
    if record.kind == "revisit":
        return _revisit(record, source)
    if record.kind == "resource":
        if media_type(record.content_type) not in HTML_TYPES:
            return None
        return _page(record, source, _whole(record.block, record, limit), record.content_type)
    if not record.content_type.startswith("application/http") and not record.block.startswith(b"HTTP/"):
        return None
    if not record.url.startswith(("http:", "https:")):
        return None
    response = split_response(record.block)
    if response.status != 200:
        return _moved(record, source, response)
    content_type = response.header(b"content-type")
    if content_type and media_type(content_type) not in HTML_TYPES:
        return None
    _whole(response.body, record, limit)
    body = decoded_body(response, limit)
    if not content_type and not looks_like_html(body):
        return None
    return _page(record, source, body, content_type)


def _whole(body: bytes, record: Record, limit: int) -> bytes:
    if record.length > limit + HTTP_HEAD_BYTES:
        raise BadPage("page too large", f"{record.length} bytes, the limit is {limit}")
    return body


def _page(record: Record, source: str, body: bytes, content_type: str) -> Capture:
    if not record.url:
        raise BadPage("no URL", "a page without WARC-Target-URI")
    html, encoding = page_html(body, content_type)
    return (source, record.url, instant(record.date), html, encoding, "", "")


def page_html(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The page in UTF-8 and the encoding it was in; BadPage if it is none."""
    if not body or body.isspace():
        raise BadPage("empty page", f"{len(body)} bytes")
    html, encoding = utf8_html(body, content_type)
    if sign := binary_sign(body, html):
        raise BadPage("not HTML", sign)
    return html, encoding


def _moved(record: Record, source: str, response: Response) -> Capture:
    target = response.header(b"location") if response.status in REDIRECTS else ""
    if not target:
        raise BadPage("http status", str(response.status))
    return (source, record.url, instant(record.date), b"", "", _joined(record.url, target), "redirect")


def _revisit(record: Record, source: str) -> Capture | None:
    if record.refers_to in ("", record.url):
        return None
    return (source, record.url, instant(record.date), b"", "", record.refers_to, "revisit")


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:
        raise BadPage("broken redirect", f"to {target[:200]!r}") from None


def instant(text: str) -> datetime:
    """A WARC or ARC date; the beginning of 1970 if it is none.

    >>> instant("2020-02-01T10:00:00Z") == instant("20200201100000")
    True
    """
    if text.isdigit():
        text = f"{text:0<14}"
        text = f"{text[:4]}-{text[4:6]}-{text[6:8]}T{text[8:10]}:{text[10:12]}:{text[12:14]}"
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return UNDATED
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _folder_rows(split: Split, settings: CrawlSettings) -> Iterator[Capture | Rejection]:
    for path in split.files:
        source, url = _storable(path), file_url(split.base_url, path)
        try:
            row = _file_capture(split.path, path, source, url, settings.max_page_bytes)
        except BadPage as bad:
            yield Rejection(source, url, bad.reason, bad.detail)
        except OSError as broken:
            yield Rejection(source, url, "unreadable file", str(broken))
        else:
            if row is not None:
                yield row


def _file_capture(folder: str, path: str, source: str, url: str, limit: int) -> Capture | None:
    where = files.joined(folder, path)
    with files.open_file(where) as file:
        body = file.read(limit + 1)
    if page_likelihood(path) == "look" and not looks_like_html(body):
        return None
    if len(body) > limit:
        raise BadPage("page too large", f"more than {limit} bytes")
    if body.lstrip()[:5] == b"<?php":
        raise BadPage("not HTML", "the source of a PHP script")
    html, encoding = page_html(body, "")
    return (source, url, files.changed_at(where), html, encoding, "", "")


def _storable(text: str) -> str:
    """A path or URL without the lone surrogates that stand for bytes which are no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
