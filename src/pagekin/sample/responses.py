"""From a document to what a server sent: bytes in an encoding, declared somewhere, and a way of transfer."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from pagekin.sample.dice import Dice
from pagekin.sample.warc_writer import gzip_member

SERVERS = ("Apache/1.3.29 (Unix)", "Apache/2.0.48", "Microsoft-IIS/5.0", "nginx")
PHRASES = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found"}


@dataclass(frozen=True)
class Charset:
    """An encoding and where it is declared: in the header, in a meta element, in both, or nowhere."""

    codec: str
    declared: str

    @property
    def meta(self) -> str:
        """The meta element, in one of its two forms."""
        if self.declared not in ("meta", "both"):
            return ""
        if self.declared == "both":
            return f'<meta charset="{self.codec}">'
        return f'<meta http-equiv="Content-Type" content="text/html; charset={self.codec}">'

    @property
    def content_type(self) -> str:
        """The value of the header Content-Type."""
        return "text/html" + (f"; charset={self.codec}" if self.declared in ("header", "both") else "")


CHARSETS = (
    *(Charset("utf-8", "header"),) * 10, *(Charset("utf-8", "both"),) * 10, *(Charset("utf-8", "meta"),) * 8,
    *(Charset("windows-1252", "header"),) * 4, *(Charset("iso-8859-1", "meta"),) * 4,
    Charset("windows-1252", "meta"), Charset("utf-16", "bom"), Charset("utf-8", "none"),
)  # fmt: skip


def encoded(html: str, charset: Charset) -> bytes:
    """The text in its encoding; what the encoding lacks becomes a character reference."""
    if charset.codec == "utf-16":
        return b"\xff\xfe" + html.encode("utf-16-le")
    return html.encode(charset.codec, "xmlcharrefreplace")


def response(status: int, body: bytes, content_type: str | None, dice: Dice, location: str = "") -> tuple[bytes, bytes]:
    """The head and the payload of an HTTP response, now and then compressed or in chunks."""
    lines = [f"HTTP/1.1 {status} {PHRASES[status]}", f"Server: {dice.pick(SERVERS)}"]
    lines += [f"Content-Type: {content_type}"] if content_type else []
    lines += [f"Location: {location}"] if location else []
    coding, transfer = dice.below(24), dice.below(24)
    if body and coding < 3:
        body = zlib.compress(body, 4) if coding == 2 else gzip_member(body)
        lines.append(f"Content-Encoding: {'deflate' if coding == 2 else 'gzip'}")
    if body and transfer < 2:
        body = chunked(body, dice)
        lines.append("Transfer-Encoding: chunked")
    else:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode(), body


def chunked(body: bytes, dice: Dice) -> bytes:
    """The body in chunks of unequal size (RFC 9112, section 7.1).

    >>> chunked(b"x", Dice("any"))
    b'1\\r\\nx\\r\\n0\\r\\n\\r\\n'
    """
    pieces, start = [], 0
    while start < len(body):
        piece = body[start : start + 200 + dice.below(3000)]
        pieces.append(b"%x\r\n%s\r\n" % (len(piece), piece))
        start += len(piece)
    return b"".join([*pieces, b"0\r\n\r\n"])


def png(dice: Dice) -> bytes:
    """Bytes that begin like an image and go on as noise."""
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack("<300I", *(dice.draw() for _ in range(300)))
