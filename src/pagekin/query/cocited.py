"""Questions to what is cited together: which pages, how strongly, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pagekin.cocitation.merging import strength
from pagekin.query.blocks import BlockReader
from pagekin.settings import CocitationSettings
from pagekin.stores.cocited_store import CocitedStore, Floats, Numbers

Row = dict[str, Any]


@dataclass(frozen=True)
class Citation:
    """A page that cites two others in one block of links: the heading there, and what it calls the two."""

    url: str
    title: str
    heading: str
    anchors: tuple[str, str]


@dataclass(frozen=True)
class CitedTogether:
    """In how many blocks two pages are cited together, and some of the pages that do."""

    blocks: int
    citations: tuple[Citation, ...]


class Cocitation:
    """The co-cited pages of an index as a source of evidence: the best of a document, and the score of any pair."""

    def __init__(
        self,
        index: Path,
        stands: Numbers,
        page: Callable[[int], tuple[Row, dict[int, str]]],
        settings: CocitationSettings,
    ) -> None:
        self.store = CocitedStore(index / "cocited")
        self._stands, self._page, self._settings = stands, page, settings

    def nearest(self, document: int, most: int) -> Numbers:
        """The documents that are cited together with one most."""
        return self.store.row(document).documents[:most]

    def likeness(self, document: int, others: Numbers) -> Floats:
        """How strongly each of some documents is tied to one, from 0 to 1."""
        return strength(self.store.totals(document, others, self._stands))

    def shared(self, document: int, other: int, urls: tuple[str, str]) -> CitedTogether | None:
        """Where two documents, at these addresses, are cited together."""
        row = self.store.row(document)
        places = np.flatnonzero(row.documents == other)
        if not len(places):
            return None
        sources = [int(source) for source in row.sources[places[0]] if source]
        return CitedTogether(int(row.citing[places[0]]), tuple(self._citation(source, urls) for source in sources))

    def _citation(self, source: int, urls: tuple[str, str]) -> Citation:
        row, words = self._page(source)
        names = tuple(_bare(url) for url in urls)
        for block in BlockReader(row, words).blocks(self._settings):
            anchors = {_bare(link.url): link.anchor for link in reversed(block.links) if link.anchor}
            if all(name in anchors for name in names):
                return Citation(row["url"], row["title"], block.heading, (anchors[names[0]], anchors[names[1]]))
        return Citation(row["url"], row["title"], "", ("", ""))


def _bare(url: str) -> str:
    """An address without what two spellings of it may differ in.

    >>> _bare("https://www.a.test/b") == _bare("http://a.test/b")
    True
    """
    return url.partition("://")[2].removeprefix("www.")
