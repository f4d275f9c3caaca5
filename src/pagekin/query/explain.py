"""Why two pages are related: the terms they share, and the sentence or the anchor where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.bags.terms import language_terms
from pagekin.errors import IndexUnusable
from pagekin.languages import known_language
from pagekin.query.cocited import CitedTogether
from pagekin.query.concepts import SharedConcept
from pagekin.query.linked import SharedLinks
from pagekin.query.similar import WeighedBag
from pagekin.settings import Strategy
from pagekin.stores.tables import SortedTable
from pagekin.stores.verified import readable

LONGEST_QUOTE = 30  # words
MOST_SHARED = 8


@dataclass(frozen=True)
class SharedTerm:
    """A term of both pages, and its share of what they have in common."""

    term: str
    share: float


@dataclass(frozen=True)
class Reason:
    """What two pages have in common, heaviest first, and where on the found page (or in links to it) that stands."""

    shared: tuple[SharedTerm, ...]
    quote: str
    quoted_from: str
    concepts: tuple[SharedConcept, ...] = ()
    cited: CitedTogether | None = None
    linked: SharedLinks | None = None


def shared_terms(asked: WeighedBag, found: WeighedBag) -> list[tuple[int, float]]:
    """The numbers of the terms in both bags, each with its share of the sum of minima, heaviest first."""
    terms, mine, theirs = np.intersect1d(asked.terms, found.terms, assume_unique=True, return_indices=True)
    common = np.minimum(asked.jaccard[mine], found.jaccard[theirs])
    order = np.lexsort([terms, -common])
    total = float(common.sum()) or 1.0
    return [(int(terms[i]), float(common[i]) / total) for i in order if common[i] > 0]


class Quotes:
    """Finds the place on a page that has most of the shared terms."""

    def __init__(self, folder: Path, strategy: Strategy, languages: Sequence[str]) -> None:
        self.folder = folder
        self.strategy = strategy
        self.languages = languages
        self._pages = SortedTable(folder / "pages", "page")

    @cached_property
    def _lexicon(self) -> tuple[np.ndarray, pa.ChunkedArray]:
        table = SortedTable(self.folder / "lexicon", "word")
        return table.keys, table.column("text")

    @cached_property
    def _links(self) -> tuple[np.ndarray, np.ndarray]:
        """The linked pages of all links, and the linking page of each."""
        targets, sources = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for part in self._pages.parts:
            with readable(part):
                table = pq.read_table(part, columns=["page", "link_page"]).combine_chunks()
            lists = table["link_page"].combine_chunks()
            targets.append(lists.flatten().to_numpy())
            sources.append(np.repeat(table["page"].to_numpy(), lists.value_lengths().to_numpy()))
        return np.concatenate(targets), np.concatenate(sources)

    def has(self, page: int) -> bool:
        """Whether a page was fetched."""
        return self._pages.has(page)

    def page(self, page: int) -> tuple[dict[str, Any], dict[int, str]]:
        """A fetched page, and its words by their ids."""
        row = self._pages.row(page)
        if row is None:
            raise IndexUnusable(f"{self.folder} names a page that it does not have; build it again")
        words = sorted(set(row["words"]))
        return row, dict(zip(words, self._texts(words), strict=True))

    def _texts(self, words: list[int]) -> list[str]:
        keys, texts = self._lexicon
        places = np.searchsorted(keys, np.array(words, np.int64))
        found: list[str] = texts.take(pa.array(places)).to_pylist()
        return found

    def of_page(self, page: int, shared: dict[str, float]) -> str:
        """The sentence of a page with most of the shared terms; empty if it has none of them, or was not fetched."""
        row = self._pages.row(page, ["words", "language", "title_last", "break_at"])
        if row is None or not row["words"]:
            return ""
        texts = self._texts(row["words"])
        language = known_language(row["language"])
        terms = language_terms(texts, language if language in self.languages else "", self.strategy)
        cuts = sorted({0, len(texts), row["title_last"], *(at for at in row["break_at"] if at <= len(texts))})
        spans = [(first, min(last, first + LONGEST_QUOTE)) for first, last in pairwise(cuts) if last > first]
        shares = [sum(shared.get(term, 0.0) for term in set(terms[slice(*span)])) for span in spans]
        if not max(shares):
            return ""
        first, last = spans[shares.index(max(shares))]
        return " ".join(texts[first:last])

    def of_links(self, page: int) -> tuple[str, str]:
        """The words of a link to a page, and the page that links."""
        targets, sources = self._links
        for link in np.flatnonzero(targets == page):
            row = self._pages.row(int(sources[link]))
            assert row is not None
            for target, first, last in zip(row["link_page"], row["link_first"], row["link_last"], strict=True):
                if target == page and last > first:
                    return " ".join(self._texts(row["words"][first : min(last, first + LONGEST_QUOTE)])), row["url"]
        return "", ""
