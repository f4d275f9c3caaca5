"""Canonical URLs and page ids for all links of a batch of pages at once.

`urls.canonical_url` takes some ten microseconds a link, and a page has some hundred links, which would cost
more than all the rest of reading it. The kernel here does the forms of link that pages are made of, byte for
byte as `canonical_url` would (the WHATWG URL standard for special schemes, then pagekin's own rules), and
says where it meets another: an international or numeric host, userinfo, a backslash, a line break within.
Those few go to `canonical_url` itself, so that the two can never disagree on what they mean.

A URL is written straight into the output: what a link takes from its base, then its own host, path and
query, each in its one spelling; then the parameters are sorted and the path is shortened where they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from pagekin.crawl.urls import (
    INDEX_FILES,
    MAX_URL_BYTES,
    TRACKING_PARAMETERS,
    TRACKING_PREFIX,
    canonical_url,
    document_url,
)
from pagekin.hashing import hash_bytes
from pagekin.kernels import kernel

Bytes = NDArray[np.uint8]

# What a byte of a path or query asks for.
COPY, ENCODE, ESCAPE, UTF8, END, ODD = range(6)

# Instead of a position: this is one for `canonical_url`.
UNCOMMON = -1

MAX_PARAMETERS = 64

# However much of it must be escaped, such a base is not too long for `document_url`.
MAX_PLAIN_BASE_BYTES = MAX_URL_BYTES // 4


class ResolvedLinks(NamedTuple):
    """Where links lead; the i-th URL is `url_bytes[url_offsets[i] : url_offsets[i + 1]]`."""

    page: NDArray[np.int64]  # page_id of each; 0 where the href leads to no web page
    url_offsets: NDArray[np.int32] | NDArray[np.int64]  # n + 1; 64 bits only beyond 2 GiB
    url_bytes: Bytes  # canonical URLs one after another, empty where there is none


class _Bases(NamedTuple):
    """Base URLs with each byte in its one spelling; the i-th begins at `first[i]`."""

    text: Bytes
    first: NDArray[np.int64]
    host_last: NDArray[np.int64]  # where scheme and host end, and the path begins
    path_last: NDArray[np.int64]
    last: NDArray[np.int64]  # after the query; UNCOMMON for a base that the kernel cannot use


class _Rules(NamedTuple):
    """The rules of `urls.py` as arrays: arguments, since a compiled kernel keeps the globals it once saw."""

    max_bytes: int
    tracking_prefix: Bytes
    tracking: Bytes  # one name a row, padded with zeros
    index_files: Bytes


class _Scratch(NamedTuple):
    """Where the parameters of one query are sorted."""

    query: Bytes
    starts: NDArray[np.int64]
    order: NDArray[np.int64]


def resolve_links(
    base_urls: Sequence[str],
    link_base: NDArray[np.int32],
    text: Bytes,
    href_first: NDArray[np.int64],
    href_last: NDArray[np.int64],
) -> ResolvedLinks:
    """The canonical URL and the page of each href `text[href_first[i]:href_last[i]]`, read against its base.

    >>> text = np.frombuffer(b"../b/ #top", np.uint8)
    >>> links = resolve_links(["http://x.org/a/c"], *map(np.array, ([0, 0], text, [0, 6], [5, 10])))
    >>> links.url_bytes.tobytes(), links.url_offsets.tolist()
    (b'http://x.org/bhttp://x.org/a/c', [0, 14, 30])
    """
    bases, count = _plain_bases(base_urls), len(link_base)
    page, offsets = np.zeros(count, np.int64), np.zeros(count + 1, np.int64)
    uncommon = np.empty(count, np.int64)
    out = np.empty(_room(bases, link_base, href_first, href_last, MAX_URL_BYTES), np.uint8)
    links = link_base, text, href_first, href_last
    uncommon = uncommon[: _resolve(bases, *links, page, offsets, uncommon, out, _RULES, _new_scratch())]
    if len(uncommon):
        offsets, out = _with_uncommon(base_urls, *links, page, offsets, out, uncommon)
    used = int(offsets[-1])
    if used <= np.iinfo(np.int32).max:
        return ResolvedLinks(page, offsets.astype(np.int32), out[:used])
    return ResolvedLinks(page, offsets, out[:used])


def _with_uncommon(
    base_urls: Sequence[str],
    link_base: NDArray[np.int32],
    text: Bytes,
    href_first: NDArray[np.int64],
    href_last: NDArray[np.int64],
    page: NDArray[np.int64],
    offsets: NDArray[np.int64],
    out: Bytes,
    uncommon: NDArray[np.int64],
) -> tuple[NDArray[np.int64], Bytes]:
    """The same arrays with the uncommon links filled in, each distinct one resolved once."""
    urls: dict[tuple[int, bytes], bytes] = {}
    found = []
    spans = zip(*(column[uncommon].tolist() for column in (link_base, href_first, href_last)), strict=True)
    for base, first, last in spans:
        key = base, text[first:last].tobytes()
        if key not in urls:
            urls[key] = canonical_url(key[1].decode("utf-8", "replace"), base_urls[base]).encode()
        found.append(urls[key])
    extra, extra_offsets = _joined(found)
    wider, joined = np.zeros_like(offsets), np.empty(offsets[-1] + extra_offsets[-1], np.uint8)
    _splice(offsets, out, uncommon, extra_offsets, extra, page, wider, joined)
    return wider, joined


def _joined(pieces: Iterable[bytes]) -> tuple[Bytes, NDArray[np.int64]]:
    """Pieces one after another, and where each begins and the last ends."""
    pieces = list(pieces)
    offsets = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    return np.frombuffer(b"".join(pieces), np.uint8), offsets


def _plain_bases(base_urls: Sequence[str]) -> _Bases:
    """The bases as the kernel needs them; only those that are not plain as they stand cost a parse."""
    bases = _bases_as_written(url.encode("utf-8", "surrogatepass") for url in base_urls)
    if (bases.last == UNCOMMON).any():
        plain = [
            (document_url(url) if last == UNCOMMON else url).encode()
            for url, last in zip(base_urls, bases.last.tolist(), strict=True)
        ]
        bases = _bases_as_written(plain)
    return bases


def _bases_as_written(urls: Iterable[bytes]) -> _Bases:
    text, offsets = _joined(urls)
    count = len(offsets) - 1
    first, host_last, path_last, last = np.full((4, count), UNCOMMON, np.int64)
    out = np.empty(3 * len(text) + 16 * count, np.uint8)
    bases = _Bases(out, first, host_last, path_last, last)
    _read_bases(text, offsets, bases, MAX_PLAIN_BASE_BYTES)
    return bases


def _new_scratch() -> _Scratch:
    # a query is part of one href, each byte of which may become three
    query, numbers = np.empty(3 * MAX_URL_BYTES + 16, np.uint8), np.empty((2, MAX_PARAMETERS + 1), np.int64)
    return _Scratch(query, numbers[0], numbers[1])


def _name_rows(names: Iterable[str]) -> Bytes:
    rows = np.array(sorted(name.encode() for name in names))
    return rows.view(np.uint8).reshape(len(rows), -1)


_RULES = _Rules(
    MAX_URL_BYTES,
    np.frombuffer(TRACKING_PREFIX.encode(), np.uint8),
    _name_rows(TRACKING_PARAMETERS),
    _name_rows(INDEX_FILES),
)


def _byte_table(value_of: Callable[[str], int]) -> Bytes:
    return np.array([value_of(chr(byte)) for byte in range(256)], np.uint8)


def _path_kind(character: str) -> int:
    special = {"%": ESCAPE, "?": END, "#": END, "\\": ODD}
    return special.get(character, _kind(character, encoded=' "<>^`{}'))


def _query_kind(character: str) -> int:
    return {"%": ESCAPE, "#": END}.get(character, _kind(character, encoded=" \"<>'"))


def _kind(character: str, encoded: str) -> int:
    if character in "\t\n\r":
        return ODD
    if character >= "\x80":
        return UTF8
    return ENCODE if character < " " or character == "\x7f" or character in encoded else COPY


def _ascii_if(character: str, wanted: bool) -> int:
    return ord(character.lower()) if character.isascii() and wanted else 0


PATH_KIND = _byte_table(_path_kind)
QUERY_KIND = _byte_table(_query_kind)
# The byte as it stands in a plain host (in a scheme), 0 where it does not.
HOST_BYTE = _byte_table(lambda c: _ascii_if(c, c.isalnum() or c in "-._"))
SCHEME_BYTE = _byte_table(lambda c: _ascii_if(c, c.isalnum() or c in "+-."))
LOWER = _byte_table(lambda c: ord(c) + 32 if "A" <= c <= "Z" else ord(c))
UNRESERVED = _byte_table(lambda c: c.isascii() and (c.isalnum() or c in "-._~"))
# The value of a hexadecimal digit, 255 for any other byte.
HEX_VALUE = _byte_table(lambda c: int(c, 16) if c in "0123456789abcdefABCDEF" else 255)
HEX_DIGIT = np.frombuffer(b"0123456789ABCDEF", np.uint8)


@kernel
def _room(
    bases: _Bases,
    link_base: NDArray[np.int32],
    href_first: NDArray[np.int64],
    href_last: NDArray[np.int64],
    max_bytes: int,
) -> int:
    """Bytes that no output can exceed: each byte may become an escape of three."""
    room = 3 * max_bytes + 16
    for i in range(len(link_base)):
        base = link_base[i]
        href = min(href_last[i] - href_first[i], max_bytes)
        room += max(0, bases.last[base] - bases.first[base]) + 3 * href + 16
    return room


@kernel
def _resolve(
    bases: _Bases,
    link_base: NDArray[np.int32],
    text: Bytes,
    href_first: NDArray[np.int64],
    href_last: NDArray[np.int64],
    page: NDArray[np.int64],
    offsets: NDArray[np.int64],
    uncommon: NDArray[np.int64],
    out: Bytes,
    rules: _Rules,
    scratch: _Scratch,
) -> int:
    """Fills in page ids, URLs and their offsets, and which links are uncommon; returns how many are."""
    at = uncommons = 0
    for i in range(len(link_base)):
        last = _write_link(text, href_first[i], href_last[i], bases, link_base[i], out, at, rules, scratch)
        if last == UNCOMMON:
            uncommon[uncommons] = i
            uncommons += 1
        elif at < last <= at + rules.max_bytes:
            page[i] = _page(out, at, last)
            at = last
        offsets[i + 1] = at
    return uncommons


@kernel
def _page(out: Bytes, first: int, last: int) -> int:
    """The `page_id` of the URL `out[first:last]`: of what follows `http://` or `https://`."""
    return hash_bytes(out, first + 7 + (out[first + 4] == ord("s")), last) if last > first else 0


@kernel
def _write_link(
    text: Bytes,
    i: int,
    end: int,
    bases: _Bases,
    base: int,
    out: Bytes,
    first: int,
    rules: _Rules,
    scratch: _Scratch,
) -> int:
    """Writes where `text[i:end]` leads to `out[first:]`; its end there, `first` for nowhere, or UNCOMMON."""
    if end - i > rules.max_bytes:
        return first
    if bases.last[base] == UNCOMMON:
        return UNCOMMON
    i, end = _stripped(text, i, end)
    base_first, path_last = bases.first[base], bases.path_last[base]
    path_first = first + bases.host_last[base] - base_first
    if i == end or text[i] == ord("#"):
        at = _copy(bases.text, base_first, bases.last[base], out, first)
        return _finished(out, path_first, first + path_last - base_first, at, rules, scratch)
    if text[i] == ord("?"):
        at = _copy(bases.text, base_first, path_last, out, first)
        return _write_query(text, i, end, out, path_first, at, rules, scratch)
    i, path_first, at = _write_start(text, i, end, bases, base, out, first)
    if at > first:
        i, at = _write_spelled(text, i, end, PATH_KIND, out, at)
    if at in (first, UNCOMMON):
        return at
    return _write_query(text, i, end, out, path_first, at, rules, scratch)


@kernel
def _write_start(
    text: Bytes, i: int, end: int, bases: _Bases, base: int, out: Bytes, first: int
) -> tuple[int, int, int]:
    """Writes all that stands before a link's own path, with a slash at its end.

    Returns where that path begins in the text, where the whole path begins in the output, and how far that
    is written: `first` if the link has another scheme.
    """
    base_first, host_last = bases.first[base], bases.host_last[base]
    scheme_last = _scheme_last(text, i, end)
    if scheme_last > i:
        if not _is_http(text, i, scheme_last):
            return i, first, first
        return _write_root(text, scheme_last + 1, end, scheme_last - i == 5, out, first)
    if _starts(text, i, end, ord("/"), ord("/")):
        return _write_root(text, i, end, bases.text[base_first + 4] == ord("s"), out, first)
    if _starts(text, i, end, ord("/"), ord("\\")):
        return i, first, UNCOMMON
    path_first = first + host_last - base_first
    if text[i] == ord("/"):
        return i + 1, path_first, _copy(bases.text, base_first, host_last + 1, out, first)
    at = _copy(bases.text, base_first, bases.path_last[base], out, first)
    while out[at - 1] != ord("/"):
        at -= 1
    return i, path_first, at


@kernel
def _read_bases(text: Bytes, offsets: NDArray[np.int64], bases: _Bases, max_bytes: int) -> None:
    """Fills in those of the bases `text[offsets[i]:offsets[i + 1]]` that are plain."""
    at = 0
    for base in range(len(offsets) - 1):
        bases.first[base] = at
        if offsets[base + 1] - offsets[base] <= max_bytes:
            last = _write_base(text, offsets[base], offsets[base + 1], bases, base)
            if last != UNCOMMON:
                bases.last[base] = at = last


@kernel
def _write_base(text: Bytes, i: int, end: int, bases: _Bases, base: int) -> int:
    out, at = bases.text, bases.first[base]
    i, end = _stripped(text, i, end)
    scheme_last = _scheme_last(text, i, end)
    if scheme_last == i or not _is_http(text, i, scheme_last):
        return UNCOMMON
    i, path_first, at = _write_root(text, scheme_last + 1, end, scheme_last - i == 5, out, at)
    if at != UNCOMMON:
        i, at = _write_spelled(text, i, end, PATH_KIND, out, at)
    if at != UNCOMMON:
        at = _without_dots(out, path_first, at)
    if at == UNCOMMON:
        return UNCOMMON
    bases.host_last[base], bases.path_last[base] = path_first, at
    return _write_spelled(text, i, end, QUERY_KIND, out, at)[1]


# The loops that most bytes pass through index without sign: numba takes a signed index for one that may count
# from the end, which makes copying runs half as fast and copying all a sixth.


@kernel
def _copy(source: Bytes, first: int, last: int, out: Bytes, at: int) -> int:
    """Copies `source[first:last]` to `out[at:]`, forwards; returns where it ends there."""
    for k in range(last - first):
        out[uint64(at + k)] = source[uint64(first + k)]
    return at + last - first


@kernel
def _plain_run(text: Bytes, first: int, last: int, kinds: Bytes, out: Bytes, at: int) -> int:
    """Copies the bytes that are to be copied as they are, up to the first that is not; how many they were."""
    run = 0
    while first + run < last and kinds[text[uint64(first + run)]] == COPY:
        out[uint64(at + run)] = text[uint64(first + run)]
        run += 1
    return run


@kernel
def _stripped(text: Bytes, i: int, end: int) -> tuple[int, int]:
    """The span without controls and white space at its ends."""
    while i < end and text[i] <= 32:
        i += 1
    while i < end and text[end - 1] <= 32:
        end -= 1
    return i, end


@kernel
def _starts(text: Bytes, i: int, end: int, one: int, two: int) -> bool:
    return i + 1 < end and text[i] == one and text[i + 1] == two


@kernel
def _scheme_last(text: Bytes, i: int, end: int) -> int:
    """Where the colon after a scheme stands; `i` if there is no scheme."""
    k = i
    while k < end and SCHEME_BYTE[text[k]]:
        k += 1
    has_scheme = k < end and text[k] == ord(":") and SCHEME_BYTE[text[i]] >= ord("a")
    return k if has_scheme else i


@kernel
def _is_http(text: Bytes, i: int, scheme_last: int) -> bool:
    size = scheme_last - i
    if size != 4 and size != 5:
        return False
    return (
        LOWER[text[i]] == ord("h")
        and LOWER[text[i + 1]] == ord("t")
        and LOWER[text[i + 2]] == ord("t")
        and LOWER[text[i + 3]] == ord("p")
        and (size == 4 or LOWER[text[i + 4]] == ord("s"))
    )


@kernel
def _write_root(text: Bytes, i: int, end: int, secure: bool, out: Bytes, at: int) -> tuple[int, int, int]:
    """Writes scheme, host, port and the first slash for `//host:port/`; returns as `_write_start` does."""
    if not _starts(text, i, end, ord("/"), ord("/")):
        return i, at, UNCOMMON
    at = _write_scheme(secure, out, at)
    i, at = _write_host(text, i + 2, end, out, at)
    if at != UNCOMMON and i < end and text[i] == ord(":"):
        i, at = _write_port(text, i + 1, end, 443 if secure else 80, out, at)
    if at == UNCOMMON:
        return i, at, UNCOMMON
    out[at] = ord("/")
    if i == end or text[i] == ord("?") or text[i] == ord("#"):
        return i, at, at + 1
    return i + 1, at, at + 1 if text[i] == ord("/") else UNCOMMON


@kernel
def _write_scheme(secure: bool, out: Bytes, at: int) -> int:
    for letter in b"https" if secure else b"http":
        out[at] = letter
        at += 1
    for letter in b"://":
        out[at] = letter
        at += 1
    return at


@kernel
def _write_host(text: Bytes, i: int, end: int, out: Bytes, at: int) -> tuple[int, int]:
    run = 0
    while i + run < end and HOST_BYTE[text[uint64(i + run)]]:
        out[uint64(at + run)] = HOST_BYTE[text[uint64(i + run)]]
        run += 1
    return i + run, at + run if _is_plain_host(out, at, at + run) else UNCOMMON


@kernel
def _is_plain_host(out: Bytes, first: int, last: int) -> bool:
    """Whether a host is made of labels that are neither empty nor punycode, and is no IPv4 address."""
    label = first
    for i in range(first, last):
        byte = out[uint64(i)]
        if byte == ord("."):
            if i == label:
                return False
            label = i + 1
        elif byte == ord("-") and i == label + 3 and _is_punycode(out, label):
            return False
    # a last label in digits makes it an IPv4 address, in one of five spellings
    return last > label and not ord("0") <= out[label] <= ord("9")


@kernel
def _is_punycode(out: Bytes, label: int) -> bool:
    return bool(out[label] == ord("x") and out[label + 1] == ord("n") and out[label + 2] == ord("-"))


@kernel
def _write_port(text: Bytes, i: int, end: int, default: int, out: Bytes, at: int) -> tuple[int, int]:
    first, port = i, 0
    while i < end and i < first + 6 and ord("0") <= text[i] <= ord("9"):
        port = 10 * port + text[i] - ord("0")
        i += 1
    if i == first or port == default:
        return i, at
    if text[first] == ord("0") or port > 65535:
        return i, UNCOMMON
    out[at] = ord(":")
    return i, _copy(text, first, i, out, at + 1)


@kernel
def _is_odd_path(out: Bytes, first: int, last: int) -> bool:
    """Whether a path may have dot segments, empty ones or sessions: most have none, and are done."""
    # without a way out of the loop it is compiled to vectors
    odd = False
    for i in range(first, last - 1):
        byte, following = out[uint64(i)], out[uint64(i + 1)]
        odd |= (byte == ord("/")) & ((following == ord("/")) | (following == ord(".")))
        odd |= byte == ord(";")
    return odd


@kernel
def _without_dots(out: Bytes, path_first: int, path_last: int) -> int:
    """Takes dot segments and sessions out of a path where it stands; returns its new end."""
    at = i = path_first + 1
    while True:
        stop = i
        while stop < path_last and out[stop] != ord("/"):
            stop += 1
        dots = _dots(out, i, stop)
        if dots == 2:
            at = _parent(out, path_first, at)
        elif dots == 0:
            at = _write_segment(out, i, stop, at)
            if at == UNCOMMON:
                return UNCOMMON
            if stop < path_last:
                out[at] = ord("/")
                at += 1
        if stop == path_last:
            return at
        i = stop + 1


@kernel
def _dots(out: Bytes, segment: int, at: int) -> int:
    """1 or 2 for the segments `.` and `..`, else 0."""
    size = at - segment
    if size == 0 or size > 2 or out[segment] != ord(".") or out[at - 1] != ord("."):
        return 0
    return size


@kernel
def _parent(out: Bytes, path_first: int, segment: int) -> int:
    """Where the segment before `segment` begins; the root has none before it."""
    if segment - 1 == path_first:
        return segment
    segment -= 1
    while out[segment - 1] != ord("/"):
        segment -= 1
    return segment


@kernel
def _write_segment(out: Bytes, first: int, last: int, at: int) -> int:
    """Moves the segment `out[first:last]` to `at`, without any `;jsessionid=…`; returns its new end."""
    i = first
    while i < last:
        if out[i] == ord(";") and _is_session(out, i, last):
            if out[first] == ord("."):
                return UNCOMMON  # a dot segment might be left
            i += 1
            while i < last and out[i] != ord(";"):
                i += 1
        else:
            out[at] = out[i]
            at += 1
            i += 1
    return at


@kernel
def _is_session(out: Bytes, i: int, last: int) -> bool:
    if last - i < 12:
        return False
    k = i
    for letter in b";jsessionid=":
        if LOWER[out[k]] != letter:
            return False
        k += 1
    return True


@kernel
def _write_byte(text: Bytes, i: int, end: int, kind: int, out: Bytes, at: int) -> tuple[int, int]:
    """Writes what is no plain byte: an escape, or something that must become one."""
    if kind == ESCAPE:
        return _write_escape(text, i, end, out, at)
    if kind == ENCODE:
        return i + 1, _write_encoded(text[i], out, at)
    size = _sequence_bytes(text, i, end) if kind == UTF8 else 0
    for k in range(i, i + size):
        at = _write_encoded(text[k], out, at)
    return i + size, at if size else UNCOMMON


@kernel
def _write_encoded(byte: int, out: Bytes, at: int) -> int:
    out[at] = ord("%")
    out[at + 1] = HEX_DIGIT[byte >> 4]
    out[at + 2] = HEX_DIGIT[byte & 15]
    return at + 3


@kernel
def _write_escape(text: Bytes, i: int, end: int, out: Bytes, at: int) -> tuple[int, int]:
    if i + 2 >= end or HEX_VALUE[text[i + 1]] == 255 or HEX_VALUE[text[i + 2]] == 255:
        return i + 1, _write_encoded(ord("%"), out, at)
    byte = HEX_VALUE[text[i + 1]] * 16 + HEX_VALUE[text[i + 2]]
    if UNRESERVED[byte]:
        out[at] = byte
        return i + 3, at + 1
    return i + 3, _write_encoded(byte, out, at)


@kernel
def _sequence_bytes(text: Bytes, i: int, end: int) -> int:
    """How many bytes the UTF-8 sequence at `i` has; 0 if it is not well formed (Unicode, table 3-7)."""
    lead = text[i]
    size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    if lead < 0xC2 or lead > 0xF4 or i + size > end:
        return 0
    lowest = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
    highest = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
    if not lowest <= text[i + 1] <= highest:
        return 0
    for k in range(i + 2, i + size):
        if not 0x80 <= text[k] <= 0xBF:
            return 0
    return size


@kernel
def _write_query(
    text: Bytes,
    i: int,
    end: int,
    out: Bytes,
    path_first: int,
    path_last: int,
    rules: _Rules,
    scratch: _Scratch,
) -> int:
    i, at = _write_spelled(text, i, end, QUERY_KIND, out, path_last)
    if at == UNCOMMON:
        return UNCOMMON
    return _finished(out, path_first, path_last, at, rules, scratch)


@kernel
def _write_spelled(text: Bytes, i: int, end: int, kinds: Bytes, out: Bytes, at: int) -> tuple[int, int]:
    """Writes a path or query up to its end, each byte in its one spelling."""
    while at != UNCOMMON:
        run = _plain_run(text, i, end, kinds, out, at)
        i += run
        at += run
        if i == end or kinds[text[i]] == END:
            break
        i, at = _write_byte(text, i, end, kinds[text[i]], out, at)
    return i, at


@kernel
def _finished(
    out: Bytes,
    path_first: int,
    path_last: int,
    last: int,
    rules: _Rules,
    scratch: _Scratch,
) -> int:
    """Makes path and query canonical where they stand; returns where the URL now ends."""
    if last > path_last:
        last = _canonical_query(out, path_last, last, rules, scratch)
        if last == UNCOMMON:
            return UNCOMMON
    shorter = _canonical_path(out, path_first, path_last, last > path_last, rules)
    if shorter == UNCOMMON:
        return UNCOMMON
    if shorter == path_last:
        return last
    return _copy(out, path_last, last, out, shorter)


@kernel
def _canonical_path(out: Bytes, path_first: int, path_last: int, has_query: bool, rules: _Rules) -> int:
    at = path_last
    if _is_odd_path(out, path_first, path_last):
        at = _without_dots(out, path_first, path_last)
        if at == UNCOMMON:
            return UNCOMMON
        at = _single_slashes(out, path_first, at)
    while True:
        if out[at - 1] == ord("/") and at > path_first + 1:
            at -= 1
        segment = at
        while out[segment - 1] != ord("/"):
            segment -= 1
        if has_query or not _is_listed(out, segment, at, rules.index_files):
            return at
        at = segment


@kernel
def _single_slashes(out: Bytes, first: int, last: int) -> int:
    """Folds repeated slashes of `out[first:last]`; returns its new end."""
    at = first + 1
    for i in range(first + 1, last):
        if out[i] != ord("/") or out[at - 1] != ord("/"):
            out[at] = out[i]
            at += 1
    return at


@kernel
def _is_listed(out: Bytes, first: int, last: int, names: Bytes) -> bool:
    """Whether `out[first:last]` in lower case is a row of `names`."""
    size = last - first
    if size == 0 or size > names.shape[1]:
        return False
    initial = LOWER[out[first]]
    for row in range(names.shape[0]):
        if names[row, 0] != initial or (size < names.shape[1] and names[row, size] != 0):
            continue
        k = 1
        while k < size and LOWER[out[first + k]] == names[row, k]:
            k += 1
        if k == size:
            return True
    return False


@kernel
def _canonical_query(out: Bytes, first: int, last: int, rules: _Rules, scratch: _Scratch) -> int:
    """Drops empty and tracking parameters of the query `out[first:last]`, sorts the others; its new end."""
    starts = scratch.starts
    at = i = first + 1
    kept, in_order = 0, True
    while i < last:
        stop = i
        while stop < last and out[stop] != ord("&"):
            stop += 1
        if stop > i and not _tracks(out, i, stop, rules):
            if kept == MAX_PARAMETERS:
                return UNCOMMON
            starts[kept] = at
            at = _copy(out, i, stop, out, at)
            if kept and _precedes(out, starts[kept], at, starts[kept - 1], starts[kept] - 1):
                in_order = False
            out[at] = ord("&")
            at += 1
            kept += 1
        i = stop + 1
    if not kept:
        return first
    starts[kept] = at
    if not in_order:
        _sort_parameters(out, kept, scratch)
    return at - 1


@kernel
def _tracks(out: Bytes, first: int, last: int, rules: _Rules) -> bool:
    """Whether the name of a parameter is one of those that say nothing of the page."""
    name_last = first
    while name_last < last and out[name_last] != ord("="):
        name_last += 1
    prefix = rules.tracking_prefix
    k = 0
    while k < len(prefix) and first + k < name_last and LOWER[out[first + k]] == prefix[k]:
        k += 1
    return k == len(prefix) or _is_listed(out, first, name_last, rules.tracking)


@kernel
def _precedes(out: Bytes, first: int, last: int, other: int, other_last: int) -> bool:
    """Whether the bytes of one span sort before those of another."""
    while first < last and other < other_last:
        if out[first] != out[other]:
            return bool(out[first] < out[other])
        first += 1
        other += 1
    return first == last and other < other_last


@kernel
def _sort_parameters(out: Bytes, count: int, scratch: _Scratch) -> None:
    """Sorts `count` parameters, the i-th with its ampersand at `out[starts[i]:starts[i + 1]]`."""
    starts, order = scratch.starts, scratch.order
    for i in range(count):
        k, moved = i, i
        while k and _precedes(
            out, starts[moved], starts[moved + 1] - 1, starts[order[k - 1]], starts[order[k - 1] + 1] - 1
        ):
            order[k] = order[k - 1]
            k -= 1
        order[k] = moved
    size = 0
    for i in range(count):
        size = _copy(out, starts[order[i]], starts[order[i] + 1], scratch.query, size)
    _copy(scratch.query, 0, size, out, starts[0])


@kernel
def _splice(
    offsets: NDArray[np.int64],
    out: Bytes,
    places: NDArray[np.int64],
    extra_offsets: NDArray[np.int64],
    extra: Bytes,
    page: NDArray[np.int64],
    wider: NDArray[np.int64],
    joined: Bytes,
) -> None:
    """Joins URLs in one row, those at `places`, empty until now, from `extra`; fills in their pages."""
    at = done = 0
    for k in range(len(places) + 1):
        place = places[k] if k < len(places) else len(offsets) - 1
        for i in range(done, place):
            wider[i + 1] = at + offsets[i + 1] - offsets[done]
        at = _copy(out, offsets[done], offsets[place], joined, at)
        if k < len(places):
            page[place] = _page(extra, extra_offsets[k], extra_offsets[k + 1])
            at = _copy(extra, extra_offsets[k], extra_offsets[k + 1], joined, at)
            wider[place + 1] = at
            done = place + 1
