"""The scan as a step: batches of CAPTURES in; batches of PAGES, ALIASES, REJECTED and, last, LEXICON out."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.crawl.resolve import ResolvedLinks, resolve_links
from pagekin.crawl.urls import canonical_url, document_url, page_id, site_of
from pagekin.hashing import hash_texts
from pagekin.scan import html
from pagekin.scan.characters import characters
from pagekin.scan.html import Stream, Tables, read_only, scan_pages
from pagekin.scan.language import guessed_language
from pagekin.scan.references import references
from pagekin.scan.settle import PAGE_ITSELF
from pagekin.scan.style import colors
from pagekin.scan.tags import tags
from pagekin.scan.vocabulary import Vocabulary
from pagekin.tables import ALIASES, PAGES, REJECTED

MANY_WORDS = 4_000_000  # distinct words after which a worker hands on its lexicon and begins another
LONGEST_TITLE = 300  # characters

Named = tuple[str, pa.RecordBatch]
Spans = NDArray[np.int64]


def scan_captures(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """Read every capture once; what is no page is set aside with its reason."""
    vocabulary = Vocabulary()
    for batch in batches:
        yield from _scan_batch(batch, vocabulary)
        if len(vocabulary) > MANY_WORDS:
            yield "words", vocabulary.lexicon()
            vocabulary = Vocabulary()
    if len(vocabulary):
        yield "words", vocabulary.lexicon()


def _scan_batch(batch: pa.RecordBatch, vocabulary: Vocabulary) -> Iterator[Named]:
    moved = pc.not_equal(batch["moved_by"], "")
    yield from _moves(batch.filter(moved))
    captures = batch.filter(pc.invert(moved))
    if captures.num_rows:
        yield from _pages(captures, vocabulary)


# --- captures that lead elsewhere ---------------------------------------------------------------------------


def _moves(batch: pa.RecordBatch) -> Iterator[Named]:
    aliases, rejected = [], []
    for row in batch.select(["source", "url", "moved_to", "moved_by"]).to_pylist():
        old, new = canonical_url(row["url"]), canonical_url(row["moved_to"], row["url"])
        if not old or not new:
            detail = f"{row['moved_by']} to {row['moved_to'][:200]!r}"
            rejected.append((row["source"], row["url"], "leads to no web page", detail))
        elif page_id(old) != page_id(new):
            aliases.append((old, new, row["moved_by"]))
    yield from _named("found_aliases", alias_batch(aliases))
    yield from _named("rejected", _rejected_batch(rejected))


def alias_batch(rows: list[tuple[str, str, str]]) -> pa.RecordBatch:
    """ALIASES of (old URL, new URL, reason)."""
    return pa.RecordBatch.from_pylist(
        [
            {"page": page_id(old), "url": old, "target": page_id(new), "target_url": new, "reason": reason}
            for old, new, reason in rows
        ],
        schema=ALIASES,
    )


def _itself(pages: pa.Array) -> pa.RecordBatch:
    """ALIASES that only say that there are such pages, so that no other alias takes their addresses."""
    empty = pa.array([""] * len(pages), pa.string())
    reason = pa.array([PAGE_ITSELF] * len(pages), pa.string())
    return pa.record_batch([pages, empty, pages, empty, reason], schema=ALIASES)


def _rejected_batch(rows: list[tuple[str, str, str, str]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(zip(REJECTED.names, row, strict=True)) for row in rows], schema=REJECTED)


def _named(table: str, batch: pa.RecordBatch) -> Iterator[Named]:
    if batch.num_rows:
        yield table, batch


# --- captures that are pages --------------------------------------------------------------------------------


def _pages(captures: pa.RecordBatch, vocabulary: Vocabulary) -> Iterator[Named]:
    addresses = _resolved_urls(captures["url"])
    usable = addresses.page != 0
    if not usable.all():
        yield "rejected", _unusable(captures.filter(pa.array(~usable)))
        captures = captures.filter(pa.array(usable))
        addresses = _resolved_urls(captures["url"])
    if captures.num_rows:
        text, ends = _laid_end_to_end(captures["html"])
        stream, words = _scanned(text, ends, vocabulary)
        pages, aliases = _page_batch(captures, addresses, stream, words)
        yield "captured", pages
        yield "found_aliases", _itself(pages["page"])
        yield from _named("found_aliases", aliases)


def _resolved_urls(urls: pa.StringArray) -> ResolvedLinks:
    """The canonical forms of whole URLs, by the way that links take."""
    offsets = np.frombuffer(urls.buffers()[1], np.int32)[urls.offset : urls.offset + len(urls) + 1].astype(np.int64)
    data = urls.buffers()[2]
    text = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    base = np.zeros(len(urls), np.int32)
    return resolve_links(["http://invalid/"], base, text, offsets[:-1], offsets[1:])


def _strings(resolved: ResolvedLinks) -> pa.StringArray:
    offsets, data = pa.py_buffer(resolved.url_offsets.astype(np.int32)), pa.py_buffer(resolved.url_bytes)
    return pa.StringArray.from_buffers(len(resolved.page), offsets, data)


def _unusable(captures: pa.RecordBatch) -> pa.RecordBatch:
    return _rejected_batch(
        [
            (row["source"], row["url"], "no web address", "the URL is not one of http or https, or too long")
            for row in captures.select(["source", "url"]).to_pylist()
        ]
    )


def _laid_end_to_end(column: pa.LargeBinaryArray) -> tuple[NDArray[np.uint8], Spans]:
    offsets = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
    data = column.buffers()[2]
    return np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8), offsets


class _Kept(threading.local):
    """The arrays of the batch before, one set a thread: to touch new memory took longer than to scan."""

    pages = size = 0
    stream: Stream | None = None


_kept = _Kept()


def _room_for(pages: int, size: int) -> Stream:
    """Arrays that are taken from those kept; `_keep_room` gives them back when nothing is to be read there."""
    stream, _kept.stream = _kept.stream, None
    if stream is None or pages > _kept.pages or size > _kept.size:
        _kept.pages, _kept.size = max(pages, _kept.pages), max(size, _kept.size)
        stream = _new_room(_kept.pages, _kept.size)
    return stream._replace(page=np.empty((pages, html.COLUMNS), np.int64))


def _keep_room(stream: Stream, words: int) -> None:
    """Keep arrays for the next batch; there must be zeros between the spellings of words."""
    stream.spellings[: stream.word_ends[words - 1] if words else 0] = 0
    _kept.stream = stream


def _new_room(pages: int, size: int) -> Stream:
    """Arrays that no input of this size can overflow; the kernels check no bounds. What is not written takes no memory.

    - A word is at least a letter and a byte that ends it; an ideograph, three bytes, can end it too and is a word
      with what follows: two words in four bytes. The last word of a page needs nothing behind it.
    - A word takes a multiple of 8 in `spellings`: eight bytes for two of the page at the most, though some letters
      are longer in lower case (two bytes become three).
    - A link is at least `<a href>`.
    - A break stands before a word or at the end, each at a place of its own, and takes a byte of its own.
    - A style is a tag, three bytes, and text in it; the first of a page needs no tag.
    - Of `strings`, a byte of the page is copied once. The longest that a character reference becomes is `&nGt;`,
      five bytes, with six.
    """
    strings = np.empty(2 * size + 64, np.uint8)
    return Stream(
        word_ends=np.empty(size // 2 + pages + 8, np.int64),
        spellings=np.zeros(8 * (size // 2 + pages) + 64, np.uint8),
        links=np.empty((size // 8 + 8, 3), np.int32),
        hrefs=np.empty((size // 8 + 8, 2), np.int64),
        breaks=np.empty((size // 2 + pages + 8, 2), np.int32),
        styles=np.empty((size // 3 + pages + 8, 6), np.int32),
        strings=strings,
        copied=read_only(strings),
        page=np.empty((pages, html.COLUMNS), np.int64),
    )


def _scanned(text: NDArray[np.uint8], ends: Spans, vocabulary: Vocabulary) -> tuple[Stream, NDArray[np.int64]]:
    """What the kernel makes of all pages, and the ids of their words."""
    stream = _room_for(len(ends) - 1, int(ends[-1] - ends[0]))
    tables = Tables(characters(), references(), tags(), colors())
    scan_pages(text, ends, tables, stream)
    words = int(stream.page[-1, html.WORD_END])
    ids = vocabulary.ids(stream.word_ends[:words], stream.spellings)
    _keep_room(stream, words)
    return stream, ids


def words_of_text(text: str, vocabulary: Vocabulary) -> NDArray[np.int64]:
    """The word ids of a plain text, as the scanner would read it on a page.

    >>> len(words_of_text("Fish & chips", Vocabulary()))
    2
    """
    data = np.frombuffer(text.encode("utf-8", "replace").replace(b"&", b" ").replace(b"<", b" "), np.uint8)
    return _scanned(data, np.array([0, len(data)]), vocabulary)[1]


# --- rows ---------------------------------------------------------------------------------------------------


class _Saying(NamedTuple):
    """What a page says of itself."""

    title: str
    language: str
    base: str
    url: str


def _text(stream: Stream, first: int, last: int) -> str:
    return stream.strings[first:last].tobytes().decode("utf-8", "replace")


def _own_url(url: str, document: str, declared: str) -> str:
    """The URL that rel=canonical gives the page, where it may be believed.

    A page may speak for its own site only. One that names the front page of its site is set up wrongly more
    often than not: to follow it would fold a whole site into one page.
    """
    if not declared:
        return url
    canonical = canonical_url(declared, document)
    if not canonical or site_of(canonical) != site_of(url):
        return url
    return url if _is_front_page(canonical) and not _is_front_page(url) else canonical


def _is_front_page(canonical: str) -> bool:
    """Whether nothing follows the host.

    >>> _is_front_page("http://a.test/"), _is_front_page("http://a.test/b")
    (True, False)
    """
    return not canonical.partition("://")[2].partition("/")[2]


def _saying(stream: Stream, row: Sequence[int], url: str, address: str) -> _Saying:
    title = " ".join(_text(stream, row[html.TITLE], row[html.TITLE_LAST]).split())[:LONGEST_TITLE]
    language = _text(stream, row[html.LANGUAGE], row[html.LANGUAGE_LAST]).strip().lower()
    language = language.split(",")[0].split("-")[0].split("_")[0]
    document = address if address == url else document_url(address)  # what is canonical is in plain form as well
    base = document
    if row[html.BASE] != row[html.BASE_LAST]:
        base = document_url(_text(stream, row[html.BASE], row[html.BASE_LAST]), document) or document
    declared = _text(stream, row[html.CANONICAL], row[html.CANONICAL_LAST]).strip()
    return _Saying(
        title,
        language if language.isalpha() and len(language) <= 3 else "",
        base,
        _own_url(url, document, declared),
    )


def _page_batch(
    captures: pa.RecordBatch, resolved: ResolvedLinks, stream: Stream, words: NDArray[np.int64]
) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    urls, addresses = _strings(resolved).to_pylist(), captures["url"].to_pylist()
    said = [_saying(stream, row, *pair) for row, *pair in zip(stream.page.tolist(), urls, addresses, strict=True)]
    own = [saying.url for saying in said]
    declared = [i for i, (old, new) in enumerate(zip(urls, own, strict=True)) if old != new]
    pages = resolved.page.copy()
    pages[declared] = [page_id(own[i]) for i in declared]
    sites = [site_of(url) for url in own]
    columns = {
        "site_id": pa.array(hash_texts(pa.array(sites, pa.string()))),
        "page": pa.array(pages),
        "url": pa.array(own, pa.string()),
        "site": pa.array(sites, pa.string()),
        "title": pa.array([saying.title for saying in said], pa.string()),
        "language": pa.array(_languages(said, words, stream.page[:, html.WORD_END]), pa.string()),
        "captured_at": captures["captured_at"],
        "captured_as": pa.array([old if old != new else "" for old, new in zip(urls, own, strict=True)], pa.string()),
        "noindex": pa.array(stream.page[:, html.ROBOTS] & html.NOINDEX != 0),
        "title_first": pa.array(stream.page[:, html.TITLE_WORD].astype(np.int32)),
        "title_last": pa.array(stream.page[:, html.TITLE_WORD_LAST].astype(np.int32)),
    }
    columns["words"] = _lists(words, stream.page[:, html.WORD_END], pa.int64())
    columns |= _link_columns(stream, pages, [saying.base for saying in said])
    breaks, styles = stream.page[:, html.BREAK_END], stream.page[:, html.STYLE_END]
    columns |= _rows_as_lists(stream.breaks, breaks, ("break_at", "break_kinds"))
    names = ("style_at", "style_chars", "style_bold", "style_size", "style_color", "style_background")
    columns |= _rows_as_lists(stream.styles, styles, names)
    moves = [(urls[i], own[i], "canonical") for i in declared if pages[i] != resolved.page[i]]
    return pa.record_batch([columns[name] for name in PAGES.names], schema=PAGES), alias_batch(moves)


def _languages(said: list[_Saying], words: NDArray[np.int64], ends: Spans) -> list[str]:
    """The declared languages, and guesses for pages that declare none."""
    spans = zip([0, *ends[:-1]], ends, strict=True)
    return [
        saying.language or guessed_language(words, first, last)
        for saying, (first, last) in zip(said, spans, strict=True)
    ]


def _lists(values: NDArray[np.generic], ends: Spans, type_: pa.DataType) -> pa.ListArray:
    offsets = np.zeros(len(ends) + 1, np.int32)
    offsets[1:] = ends
    items = pa.array(np.ascontiguousarray(values[: offsets[-1]])).cast(type_)
    return _list_array(items, offsets)


def _list_array(items: pa.Array, offsets: NDArray[np.int32]) -> pa.ListArray:
    type_ = pa.list_(pa.field("item", items.type, nullable=False))
    return pa.ListArray.from_arrays(pa.array(offsets), items, type=type_)


def _rows_as_lists(rows: NDArray[np.int32], ends: Spans, names: tuple[str, ...]) -> dict[str, pa.ListArray]:
    return {name: _lists(rows[:, k], ends, PAGES.field(name).type.value_type) for k, name in enumerate(names)}


def _link_columns(stream: Stream, pages: NDArray[np.int64], bases: list[str]) -> dict[str, pa.ListArray]:
    """The links that lead to another web page."""
    ends = stream.page[:, html.LINK_END]
    count = int(ends[-1]) if len(ends) else 0
    source = np.repeat(np.arange(len(pages), dtype=np.int32), np.diff(ends, prepend=0))
    hrefs = stream.hrefs[:count]
    resolved = resolve_links(bases, source, stream.strings, hrefs[:, 0].copy(), hrefs[:, 1].copy())
    kept = (resolved.page != 0) & (resolved.page != pages[source])
    offsets = np.zeros(len(pages) + 1, np.int32)
    offsets[1:] = np.cumsum(np.bincount(source[kept], minlength=len(pages)))
    links = stream.links[:count][kept]
    nofollow = (links[:, 2] != 0) | (stream.page[:, html.ROBOTS] & html.NOFOLLOW != 0)[source[kept]]
    columns = {
        "link_page": pa.array(resolved.page[kept]),
        "link_url": _strings(resolved).filter(pa.array(kept)),
        "link_first": pa.array(np.ascontiguousarray(links[:, 0])),
        "link_last": pa.array(np.ascontiguousarray(links[:, 1])),
        "link_nofollow": pa.array(nofollow),
    }
    return {name: _list_array(items, offsets) for name, items in columns.items()}
