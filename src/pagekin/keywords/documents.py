"""What is indexed of each page: its fields as texts, by stems and by forms.

PAGES and ANCHOR_TEXTS come in one order, that of site and page, so that they are joined as they stream by. A page that
was not fetched has what links say of it, and its address. The words of the title are no part of the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from pagekin.crawl.hosts import hosts_and_rests
from pagekin.crawl.urls import host_of, site_of
from pagekin.keywords.spelling import Lists, Spelling
from pagekin.query_language.words import words_of_texts
from pagekin.tables import ANCHOR_TEXTS, PAGES

LARGEST = np.iinfo(np.int64).max
PAGE_COLUMNS = ("site_id", "page", "url", "language", "captured_at", "words", "title_first", "title_last")


class Field(NamedTuple):
    """What is in a field: texts of stems, parted as if by one word; the different forms; codes of all words."""

    stems: list[str]
    forms: str
    codes: bytes = b""


NOTHING = Field([], "")
TEXT_BREAK = b"\0"  # between the codes of texts


class KeywordDocument(NamedTuple):
    """All that is indexed of one page."""

    page: int
    names: tuple[str, ...]  # of its site, of its host, and between
    language: str
    captured_at: int | None  # in microseconds since 1970; None for a page that was not fetched
    title: Field
    body: Field
    anchor: Field
    url: Field


def keyword_documents(
    pages: Iterable[pa.RecordBatch], anchors: Iterable[pa.RecordBatch], spelling: Spelling
) -> Iterator[KeywordDocument]:
    """The documents of pages that were fetched, and of those that links say something of."""
    for batch, texts in _side_by_side(pages, anchors):
        said = dict(zip(texts["page"].to_pylist(), _anchor_fields(texts, spelling), strict=True))
        yield from _fetched(batch, said, spelling)
        yield from _not_fetched(texts, said, spelling)


def _side_by_side(
    pages: Iterable[pa.RecordBatch], anchors: Iterable[pa.RecordBatch]
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Batches of both tables, each pair cut where the first of the two ends."""
    more_pages, more_texts = iter(pages), iter(anchors)
    batch, texts = _following(more_pages, PAGES), _following(more_texts, ANCHOR_TEXTS)
    while batch.num_rows or texts.num_rows:
        rows = _rows_up_to(batch, texts)
        text_rows = _rows_up_to(texts, batch)
        yield batch.slice(0, rows), texts.slice(0, text_rows)
        batch = batch.slice(rows) if rows < batch.num_rows else _following(more_pages, PAGES)
        texts = texts.slice(text_rows) if text_rows < texts.num_rows else _following(more_texts, ANCHOR_TEXTS)


def _following(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    """The next batch that has rows; one that has none if there are no more."""
    return next((batch for batch in batches if batch.num_rows), pa.RecordBatch.from_pylist([], schema))


def _rows_up_to(rows: pa.RecordBatch, other: pa.RecordBatch) -> int:
    """How many rows come no later than the last of another batch; all, if that is empty."""
    if not other.num_rows:
        return int(rows.num_rows)
    last_site, last_page = other["site_id"][-1].as_py(), other["page"][-1].as_py()
    site = rows["site_id"].to_numpy()
    first, last = np.searchsorted(site, [last_site, last_site + 1]) if last_site < LARGEST else (0, len(site))
    return int(first + np.searchsorted(rows["page"].to_numpy()[first:last], last_page, "right"))


# --- fields -------------------------------------------------------------------------------------------------


def _fetched(batch: pa.RecordBatch, said: dict[int, Field], spelling: Spelling) -> Iterator[KeywordDocument]:
    """The documents of pages; what links say of them is taken out of `said`."""
    languages = batch["language"].to_pylist()
    texts = _cut_texts(batch, languages, spelling)
    captured = batch["captured_at"].cast(pa.int64()).to_pylist()
    addresses = _url_fields(batch["url"].to_pylist(), languages, spelling)
    rows = zip(batch["page"].to_pylist(), _names(batch["url"]), languages, captured, texts, addresses, strict=True)
    for page, names, language, captured_at, (title, body), address in rows:
        anchor = said.pop(page, NOTHING)
        yield KeywordDocument(page, names, language, captured_at, title, body, anchor, address)


def _not_fetched(texts: pa.RecordBatch, said: dict[int, Field], spelling: Spelling) -> Iterator[KeywordDocument]:
    """The documents of the pages that are left; their addresses are read in the language of the first link."""
    left = texts.filter(pa.array([page in said for page in texts["page"].to_pylist()], pa.bool_()))
    pages, urls, languages = (left[name].to_pylist() for name in ("page", "url", "text_language"))
    addresses = _url_fields(urls, [codes[0] for codes in languages], spelling)
    for page, names, address in zip(pages, _names(left["url"]), addresses, strict=True):
        yield KeywordDocument(page, names, "", None, NOTHING, NOTHING, said[page], address)


def _cut_texts(batch: pa.RecordBatch, languages: Sequence[str], spelling: Spelling) -> Iterator[tuple[Field, Field]]:
    """Title and body of each page; where a title stands amidst the body, that is in two texts."""
    words = spelling.numbered(batch["words"])
    starts = words.ends[:-1]
    inner = [starts, *(starts + batch[name].to_numpy() for name in ("title_first", "title_last"))]
    lists = Lists(np.append(np.column_stack(inner).ravel(), words.ends[-1:]), words.numbers)
    stems = spelling.stems(lists, [code for code in languages for _ in range(3)])
    forms, codes = spelling.forms(lists), spelling.codes(lists)
    for i in range(0, len(lists), 3):
        inside, around = slice(i + 1, i + 2), slice(i, i + 3, 2)
        title, body = (_field(stems[part], forms[part], codes[part]) for part in (inside, around))
        yield title, body


def _anchor_fields(texts: pa.RecordBatch, spelling: Spelling) -> Iterator[Field]:
    """What links say of each page."""
    words = spelling.numbered(texts["words"])
    counts = texts["text_last"].value_lengths().to_numpy()
    last = texts["text_last"].flatten().to_numpy() + np.repeat(words.ends[:-1], counts)
    lists = Lists(np.append(0, last), words.numbers)
    stems = spelling.stems(lists, texts["text_language"].flatten().to_pylist())
    codes = spelling.codes(lists)
    ends = np.append(0, np.cumsum(counts)).tolist()
    for forms, (first, end) in zip(spelling.forms(words), pairwise(ends), strict=True):
        yield _field(stems[first:end], [forms], codes[first:end])


def _field(stems: list[str], forms: list[str], codes: list[bytes]) -> Field:
    """A field without empty texts."""
    return Field([text for text in stems if text], " ".join(forms), TEXT_BREAK.join(code for code in codes if code))


def _url_fields(urls: Sequence[str], languages: Sequence[str], spelling: Spelling) -> list[Field]:
    """The words of addresses, each read as those of a page are; all stems of a language are found at once."""
    words = words_of_texts([unquote(url.partition("://")[2]) for url in urls])
    stems: list[list[str]] = [[] for _ in urls]
    places: dict[str, list[int]] = {}
    for place, language in enumerate(languages):
        places.setdefault(language, []).append(place)
    for language, of_language in places.items():
        marked = iter(spelling.marked([word for place in of_language for word in words[place]], language))
        for place in of_language:
            stems[place] = list(islice(marked, len(words[place])))
    return [Field([" ".join(own)], " ".join(forms)) for own, forms in zip(stems, words, strict=True)]


def _names(urls: pa.StringArray) -> list[tuple[str, ...]]:
    """The names under which pages are found by `site:`: of the site, of the host, and all between them.

    >>> _names(pa.array(["http://www.ics.uci.edu:8080/about"]))
    [('uci.edu', 'ics.uci.edu', 'www.ics.uci.edu')]
    """
    return [_names_of_host(host) for host in hosts_and_rests(urls)[0].to_pylist()]


@lru_cache(1 << 12)
def _names_of_host(host_and_port: str) -> tuple[str, ...]:
    host, site = host_of(f"http://{host_and_port}/"), site_of(f"http://{host_and_port}/")
    labels = host.removesuffix(f".{site}").split(".") if host.endswith(f".{site}") else []
    between = (".".join((*labels[place:], site)) for place in range(len(labels) - 1, -1, -1))
    return tuple(dict.fromkeys((site, *between, host)))
