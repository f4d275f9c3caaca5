"""The character encoding of a page: byte order mark, HTTP header, meta element, else a guess; then UTF-8.

The order and the names are those of the HTML standard (13.2.3.2) and the encoding standard of WHATWG, whose
table makes `latin1` and `ascii` windows-1252. A page that is in UTF-8 already passes without a copy; bytes in
it that are not UTF-8 are left to the scanner.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_META_CHARSET = re.compile(
    rb"<meta\s[^>]*?\bcharset\s*=\s*[\"']?\s*([^\s\"'/>;]+)|^\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"']+)",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"<!--.*?-->|<script\b.*?</script", re.DOTALL | re.IGNORECASE)
_PYTHON_NAME = re.compile(r"(?:cp(125\d)|iso(8859-\d+))")
# The web's encodings of these names hold more characters than Python's.
_DECODERS = {"shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs", "gbk": "gb18030"}
_PRESCAN_BYTES = 4096  # the standard asks for 1024; long <title>s and scripts come first on real pages


def utf8_html(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The page in UTF-8, and the name of the encoding it was in.

    >>> utf8_html(b"caf\\xe9", "text/html; charset=latin1")
    (b'caf\\xc3\\xa9', 'windows-1252')
    >>> utf8_html("café".encode(), "text/html")[1]
    'utf-8'
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return (body[3:], name) if name == "utf-8" else (_utf8(body[2:], name), name)
    codec = _header_codec(content_type) or _meta_codec(body)
    if codec == "utf-8":
        return body, "utf-8"
    if codec is None:
        codec = _guessed_codec(body)
    if codec == "utf-8" or (codec == "windows-1252" and body.isascii()):
        return body, codec
    return _utf8(body, codec), codec


@lru_cache(1024)
def _header_codec(content_type: str) -> str | None:
    found = _HEADER_CHARSET.search(content_type) if "=" in content_type else None
    return _codec(found[1]) if found else None


def _meta_codec(body: bytes) -> str | None:
    """What a meta element or an XML declaration near the beginning says."""
    head = body[:_PRESCAN_BYTES]
    found = _META_CHARSET.search(head)
    if found and (b"<!--" in head[: found.start()] or b"<script" in head[: found.start()].lower()):
        found = _META_CHARSET.search(_COMMENT.sub(b"", head))
    if not found:
        return None
    codec = _codec((found[1] or found[2]).decode("latin-1"))
    # Bytes in which a meta element could be read are not UTF-16, whatever it says.
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def _codec(label: str) -> str | None:
    """The web's name for an encoding label, which Python knows as well; None if the web has no such label."""
    label = label.strip().lower()
    if label in ("utf-8", "utf8"):
        return "utf-8"
    if label == "x-user-defined":
        return "windows-1252"
    name: str | None = map_encoding_to_html5(label, fallback_utf8=False)
    found = _PYTHON_NAME.fullmatch(name) if name else None
    return name if not found else f"windows-{found[1]}" if found[1] else f"iso-{found[2]}"


def _guessed_codec(body: bytes) -> str:
    """UTF-8 if it can be; else UTF-16 by its NUL bytes; else what the statistics of letters say."""
    if body.isascii() and b"\0" not in body[:_PRESCAN_BYTES]:
        return "utf-8"
    head = body[:_PRESCAN_BYTES]
    if head.count(b"\0") * 3 > len(head):
        return "utf-16-le" if head[1::2].count(b"\0") >= head[::2].count(b"\0") else "utf-16-be"
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as broken:
        if broken.end >= len(body) and broken.reason == "unexpected end of data":
            return "utf-8"
        return _codec(detect_encoding(body, html5_compatible=False) or "") or "windows-1252"
    return "utf-8"


def _utf8(body: bytes, codec: str) -> bytes:
    # Lone surrogates come out of some decoders and cannot be encoded.
    return body.decode(_DECODERS.get(codec, codec), "replace").encode("utf-8", "replace")
