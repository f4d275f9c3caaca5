"""What stands around a page in a crawl: who links to it and how, its copies, and the passage that tells most of it.

All of it is read from the index when it is asked for, and no question reads more than a bounded part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tantivy import FieldType, Occur, Query

from pagekin.crawl.urls import canonical_url, page_id, site_of
from pagekin.languages import known_language
from pagekin.query.snippets import Finder, Roots, Snippet, Sought
from pagekin.stores.clusters import Clusters
from pagekin.stores.documents import Documents
from pagekin.stores.keyword_index import PAGE, KeywordIndex, Ranked
from pagekin.stores.tables import SortedTable
from pagekin.stores.verified import readable

if TYPE_CHECKING:
    from pagekin.index import Index

MOST_LINKS_READ = 5_000_000  # in search of those that lead to one page: about a tenth of a second
NAVIGATION = 0.2  # a page that so many others link to is a part of the site's frame, and no example of it
LOOKED_AT = 200  # pages in search of examples that have titles


@dataclass(frozen=True)
class Neighbour:
    """A page beside another one."""

    url: str
    title: str
    site: str


@dataclass(frozen=True)
class Portrait:
    """Who a page is."""

    page: int
    url: str
    title: str
    site: str
    fetched: bool
    in_links: int
    copies: int
    language: str  # empty if it is not known
    captured_at: datetime | None  # of a page that was fetched


class Surroundings:
    """Answers for the index in a folder, whose manifest lists the languages; safe from several threads."""

    def __init__(self, folder: Path, languages: Sequence[str]) -> None:
        self._folder, self._languages = folder, tuple(languages)
        self._documents = Documents(folder / "documents")
        self._clusters = Clusters(folder / "duplicates")
        self._urls = SortedTable(folder / "urls", "page")
        self._aliases = SortedTable(folder / "aliases", "page")
        self._parts = sorted((folder / "pages").glob("part-*.parquet"))

    @cached_property
    def _keywords(self) -> tuple[KeywordIndex, Roots] | None:
        if not (self._folder / "keywords").is_dir():
            return None
        index = KeywordIndex(self._folder / "keywords")
        return index, Roots(index.spelt, index.words)

    @cached_property
    def sites(self) -> int:
        """How many sites the fetched pages are of."""
        return len(np.unique(self._documents.sites[self._documents.fetched]))

    def page(self, url: str) -> int | None:
        """The id of a page by any spelling of its address, if it is known."""
        canonical = canonical_url(url) or canonical_url(f"http://{url}")
        if not canonical:
            return None
        alias = self._aliases.row(page_id(canonical))
        page = page_id(canonical) if alias is None else int(alias["target"])
        place = int(np.searchsorted(self._urls.keys, page))
        return page if place < len(self._urls.keys) and self._urls.keys[place] == page else None

    def portrait(self, page: int) -> Portrait:
        """Who a page that is known is."""
        row = self._urls.row(page)
        assert row is not None, "only pages that are known are asked for"
        known = self._neighbour(page) or Neighbour(row["url"], "", site_of(row["url"]))
        language, captured_at = self._capture(page) if row["fetched"] else ("", None)
        counted = row["in_links"], len(self._clusters.others(page))
        return Portrait(page, known.url, known.title, known.site, row["fetched"], *counted, language, captured_at)

    def lengths(self, page: int) -> tuple[int, int]:
        """How many words and links a page has; none if it was not fetched."""
        row = self._row(page, ["words", "link_page"])
        return len(row.get("words", ())), len(row.get("link_page", ()))

    @cached_property
    def examples(self) -> list[Neighbour]:
        """Some fetched pages that many link to: the first of each site, then others."""
        documents = self._documents
        frame = max(NAVIGATION * documents.fetched.sum(), 10)
        is_fit = documents.fetched & (documents.in_links < frame)
        is_fit &= documents.representatives == np.arange(len(documents))
        order = np.flatnonzero(is_fit)
        order = order[np.argsort(-documents.in_links[order], kind="stable")]
        firsts = order[np.sort(np.unique(documents.sites[order], return_index=True)[1])]
        numbers = dict.fromkeys([*firsts[:LOOKED_AT].tolist(), *order[:LOOKED_AT].tolist()])
        titled = {each.title: each for each in map(self._document, numbers) if each.title}
        return list(titled.values())

    def linking(self, page: int, most: int) -> list[Neighbour]:
        """Some of the pages that link to a page."""
        found: dict[int, Neighbour] = {}
        for source in self._sources(page):
            neighbour = self._neighbour(source)
            if neighbour is not None and source != page:
                found[source] = neighbour
            if len(found) == most:
                break
        return list(found.values())

    def copies(self, page: int, most: int) -> list[Neighbour]:
        """The near-copies of a page, the first by their ids."""
        copies = [self._neighbour(copy) for copy in self._clusters.others(page)[:most]]
        return [copy for copy in copies if copy is not None]

    def said(self, page: int, most: int) -> list[str]:
        """What links to a page say, each only once."""
        if self._keywords is None:
            return []
        index, _ = self._keywords
        texts = (
            " ".join(index.spelt(text)) for hit in self._ranked([page]) for text in index.stored(hit.address).anchor
        )
        return list(dict.fromkeys(text for text in texts if text))[:most]

    def passages(self, pages: Sequence[int], words: Iterable[str]) -> dict[int, Snippet]:
        """Of each page the passage that has most of some words, or its beginning; none without a keyword index."""
        if self._keywords is None or not pages:
            return {}
        finder = Finder(Sought(frozenset(words), frozenset()), self._keywords[1])
        return {hit.page: self._passage(hit, finder) for hit in self._ranked(pages)}

    def _passage(self, hit: Ranked, finder: Finder) -> Snippet:
        assert self._keywords is not None
        stored = self._keywords[0].stored(hit.address)
        language = known_language(stored.language)
        of_page = finder.snippet(stored.body, (language if language in self._languages else "",))
        beginning = finder.beginning(stored.body or stored.anchor)
        return of_page or finder.snippet(stored.anchor, self._languages) or beginning

    def _ranked(self, pages: Sequence[int]) -> list[Ranked]:
        """Where the keyword index has some pages."""
        assert self._keywords is not None
        index, _ = self._keywords
        each = [Query.range_query(index.schema, PAGE, FieldType.Integer, page, page) for page in pages]
        return index.best(Query.boolean_query([(Occur.Should, query) for query in each]), len(pages))[1]

    def _neighbour(self, page: int) -> Neighbour | None:
        number = self._documents.number(page)
        return None if number is None else self._document(number)

    def _document(self, number: int) -> Neighbour:
        return Neighbour(*(self._documents.text(column, number) for column in ("url", "title", "site")))

    def _capture(self, page: int) -> tuple[str, datetime | None]:
        """The language of a fetched page, and when it was captured."""
        row = self._row(page, ["language", "captured_at"])
        return row.get("language", ""), row.get("captured_at")

    def _row(self, page: int, columns: list[str]) -> dict[str, Any]:
        """Some columns of a fetched page, of which only its row group is read; empty if it was not fetched."""
        for part, group, pages in self._groups:
            for place in np.flatnonzero(pages == page).tolist():
                with readable(part), pq.ParquetFile(part) as file:
                    rows: list[dict[str, Any]] = file.read_row_group(group, columns).slice(place, 1).to_pylist()
                return rows[0]
        return {}

    @cached_property
    def _groups(self) -> list[tuple[Path, int, NDArray[np.int64]]]:
        """The row groups of the fetched pages: the part, the number in it, and the ids of the pages."""
        groups = []
        for part in self._parts:
            with readable(part), pq.ParquetFile(part) as file:
                for group in range(file.num_row_groups):
                    groups.append((part, group, file.read_row_group(group, ["page"])["page"].to_numpy()))
        return groups

    def _sources(self, page: int) -> Iterator[int]:
        """The pages that link to a page, in the order in which they are stored."""
        read = 0
        for part in self._parts:
            with readable(part), pq.ParquetFile(part) as file:
                for batch in file.iter_batches(columns=["page", "link_page"]):
                    lists = batch["link_page"]
                    targets: NDArray[np.int64] = lists.flatten().to_numpy()
                    links = np.flatnonzero(targets == page)
                    rows = np.searchsorted(np.cumsum(lists.value_lengths().to_numpy()), links, side="right")
                    yield from batch["page"].to_numpy()[np.unique(rows)].tolist()
                    read += len(targets)
                    if read > MOST_LINKS_READ:
                        return


_OPENED: WeakKeyDictionary[Index, Surroundings] = WeakKeyDictionary()


def surroundings_of(index: Index) -> Surroundings:
    """Those of an open index, which are kept as long as it is."""
    if index not in _OPENED:
        index.check("urls", "aliases", "duplicates", "pages", "keywords")
        _OPENED[index] = Surroundings(index.path, index.manifest.languages)
    return _OPENED[index]
