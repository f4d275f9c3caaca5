"""What an HTTP response of a crawl holds: its status, its type, and the body with its codings undone.

Crawlers store what servers send, and often what they have decoded already under headers that say otherwise.
So a coding that does not fit is taken as not there, and nothing inflates beyond a limit.
"""

from __future__ import annotations

import io
import re
import zlib
from functools import lru_cache
from typing import NamedTuple

import brotli

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,4096})?\r?\n")
_PIECE = 1 << 14


class BadPage(Exception):
    """A page that is set aside, with the reason and what was found."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


class Response(NamedTuple):
    """An HTTP response as it was stored; header names in lower case are looked up with `header`."""

    status: int
    head: bytes
    lower_head: bytes
    body: bytes

    def header(self, name: bytes) -> str:
        """The last value of a header, which is the one that browsers take for the type.

        >>> split_response(b"HTTP/1.1 200 OK\\r\\nServer: x\\r\\n\\r\\n").header(b"server")
        'x'
        """
        at = self.lower_head.rfind(b"\n" + name + b":")
        if at < 0:
            return ""
        end = self.head.find(b"\n", at + 1)
        value = self.head[at + len(name) + 2 : end if end >= 0 else None]
        return value.decode("latin-1").strip()


def split_response(block: bytes) -> Response:
    """The head and the body of a stored response."""
    status = _STATUS.match(block)
    if status is None:
        raise BadPage("broken HTTP header", f"begins with {block[:40]!r}")
    end = block.find(b"\r\n\r\n")
    body_at = end + 4
    if end < 0 or block.find(b"\n\n", 0, end) >= 0:
        found = _HEAD_END.search(block)
        end, body_at = found.span() if found else (len(block), len(block))
    head = block[:end]
    return Response(int(status[1]), head, head.lower(), block[body_at:])


def decoded_body(response: Response, limit: int) -> bytes:
    """The body without its transfer and content codings; BadPage if it is larger than `limit`.

    >>> head = b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
    >>> decoded_body(split_response(head + b"3\\r\\nabc\\r\\n0\\r\\n\\r\\n"), limit=99)
    b'abc'
    """
    body = response.body
    if b"-encoding:" in response.lower_head:
        if "chunked" in response.header(b"transfer-encoding").lower():
            body = dechunked(body)
        for coding in reversed(response.header(b"content-encoding").lower().split(",")):
            body = without_coding(body, coding.strip(), limit)
    if len(body) > limit:
        raise BadPage("page too large", f"more than {limit} bytes")
    return body


def dechunked(body: bytes) -> bytes:
    """The data of a chunked body; the body as it is if its first chunk is none.

    >>> dechunked(b"2\\r\\nab\\r\\n1\\r\\nc\\r\\n0\\r\\n\\r\\n"), dechunked(b"<p>plain")
    (b'abc', b'<p>plain')
    """
    parts: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(body, at):
        first, last = size.end(), size.end() + int(size[1], 16)
        if first == last:
            return b"".join(parts)
        if not parts and last > len(body):
            break
        parts.append(body[first:last])
        at = last + (2 if body[last : last + 2] == b"\r\n" else 1)
    if not parts:
        return body
    return b"".join(parts) + body[at:]


def without_coding(body: bytes, coding: str, limit: int) -> bytes:
    """The body with one content coding undone, or as it is if it is not so coded."""
    if coding in ("", "identity") or not body:
        return body
    if coding in ("gzip", "x-gzip"):
        return _inflated(body, 31, limit) if body.startswith(b"\x1f\x8b") else body
    if coding == "deflate":
        return _without_deflate(body, limit)
    if coding == "br":
        return _without_brotli(body, limit)
    if coding == "zstd" and body.startswith(b"\x28\xb5\x2f\xfd"):
        return _without_zstd(body, limit)
    return body


def _inflated(body: bytes, window_bits: int, limit: int) -> bytes:
    """All members of a gzip or zlib body."""
    parts: list[bytes] = []
    size = 0
    while body:
        inflater = zlib.decompressobj(window_bits)
        part = _inflated_member(inflater, body, limit - size)
        size += len(part)
        parts.append(part)
        body = inflater.unused_data if inflater.unused_data.startswith(b"\x1f\x8b") else b""
    if not size:
        raise BadPage("broken compression", "nothing could be decompressed")
    return b"".join(parts)


def _inflated_member(inflater: zlib._Decompress, body: bytes, limit: int) -> bytes:
    try:
        data = inflater.decompress(body, limit + 1)
    except zlib.error:
        return _inflated_until_error(zlib.decompressobj(47), body, limit)
    return _within(data, limit)


def _inflated_until_error(inflater: zlib._Decompress, body: bytes, limit: int) -> bytes:
    """What comes out before the damage; the call for all of the body gives nothing then."""
    parts: list[bytes] = []
    left = limit + 1
    try:
        for at in range(0, len(body), _PIECE):
            part = inflater.decompress(inflater.unconsumed_tail + body[at : at + _PIECE], max(left, 1))
            left -= len(part)
            parts.append(part)
            if left <= 0:
                break
    except zlib.error:
        pass
    return _within(b"".join(parts), limit)


def _without_deflate(body: bytes, limit: int) -> bytes:
    """By the standard a zlib stream; many servers send bare deflate."""
    for window_bits in (15, -15):
        try:
            data = zlib.decompressobj(window_bits).decompress(body, limit + 1)
        except zlib.error:
            continue
        if data:
            return _within(data, limit)
    return body


def _without_brotli(body: bytes, limit: int) -> bytes:
    try:
        data = brotli.Decompressor().process(body, output_buffer_limit=limit + 1)
    except brotli.error:
        return body
    return _within(data, limit) if data else body


def _without_zstd(body: bytes, limit: int) -> bytes:
    from pagekin.crawl.archive import read_fully, zstd_reader

    return _within(read_fully(zstd_reader(io.BytesIO(body)), limit + 1), limit) or body


def _within(data: bytes, limit: int) -> bytes:
    if len(data) > limit:
        raise BadPage("page too large", f"inflates to more than {limit} bytes")
    return data


_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf|[\s\0])*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*"
    rb"<(?:!doctype\s+html|!--|(?:html|head|body|title|meta|link|script|style|base|p|div|span|table|tr|td|a|b|i|em"
    rb"|strong|h[1-6]|ul|ol|li|dl|br|hr|img|font|center|form|frameset|iframe|pre|section|article|main|nav|header"
    rb"|footer)[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
_BINARY = re.compile(
    rb"%PDF-|\x89PNG|GIF8[79]a|\xff\xd8\xff|PK\x03\x04|\x1f\x8b\x08|\x7fELF|RIFF....W|OggS|ID3[\x02-\x04]|MZ.\0"
    rb"|BZh\d1AY|\xfd7zXZ|7z\xbc\xaf|Rar!\x1a|\xd0\xcf\x11\xe0|\{\\rtf|\0\0\0.ftyp|FWS[\x01-\x20]|CWS[\x01-\x20]|wOF[F2]"
    rb"|II\*\0|MM\0\*|\0\0\x01\0|\xca\xfe\xba\xbe|SQLite format",
    re.DOTALL,
)


def looks_like_html(body: bytes) -> bool:
    """Whether the first thing in it is a tag, a doctype or a comment, as browsers guess.

    >>> looks_like_html(b" <!-- x --> <HTML>"), looks_like_html(b"a <b>word</b>")
    (True, False)
    """
    return _HTML_START.match(body[:4096]) is not None


def binary_sign(body: bytes, text: bytes) -> str:
    """What shows that bytes are no text: a magic number, or many NUL bytes once decoded; else empty."""
    if magic := _BINARY.match(body):
        return f"begins with {magic[0]!r}"
    nuls = text.count(b"\0", 0, 1024)
    return f"{nuls} NUL bytes in the first 1024" if nuls * 10 > min(len(text), 1024) else ""


@lru_cache(1024)
def media_type(content_type: str) -> str:
    """The type without its parameters.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()
