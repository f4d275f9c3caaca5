"""Questions to the links between the pages of an index: what is near to a page, by which pages, and how known it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagekin.links.evidence import FROM, TO
from pagekin.links.likeness import near_pages
from pagekin.settings import LinkSettings
from pagekin.stores.link_store import open_links

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_SHARED = 3  # neighbours that are named


@dataclass(frozen=True)
class SharedLinks:
    """What ties two pages by links: one to the other, or neighbours that both have."""

    links_to: bool  # the page that was asked for has a link to the other
    linked_from: bool
    neighbours: int  # pages that link to both, or that both link to, or between the two
    pages: tuple[str, ...]  # some of them, those with the fewest links
    titles: tuple[str, ...]


class _Room(threading.local):
    """Arrays that a thread adds up in, kept from one question to the next; all are 0 in between."""

    def __init__(self) -> None:
        self.shared = np.zeros(0, np.float32)
        self.met = np.zeros(0, np.uint32)

    def of(self, documents: int) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
        if len(self.shared) < documents:
            self.shared, self.met = np.zeros(documents, np.float32), np.empty(documents + 1, np.uint32)
        return self.shared, self.met


class Links:
    """The links of an index as sources of evidence; copies have those of the document that stands for them."""

    def __init__(self, index: Path, stands: Numbers, settings: LinkSettings) -> None:
        self.store = open_links(index / "links", settings)
        self._stands, self._room = stands, _Room()

    def near(self, document: int) -> tuple[Numbers, Floats]:
        """All documents near to one, ascending, and how near."""
        room = self._room.of(len(self._stands))
        near, likeness = near_pages(self.store.hoods, int(self._stands[document]), *room)
        return near.astype(np.int64), likeness.astype(np.float64)

    def authority(self, documents: Numbers) -> Floats:
        """The authority of each, from 0 to 1."""
        return self.store.authority[self._stands[documents]].astype(np.float64)

    def shared(self, document: int, other: int, text: Callable[[str, int], str]) -> SharedLinks | None:
        """What ties two documents; `text` gives the `url` or `title` of one."""
        document, other = int(self._stands[document]), int(self._stands[other])
        mine, ways = self._row(document)
        theirs, _ = self._row(other)
        direct = int(ways[mine == other].sum())
        common = np.intersect1d(mine, theirs, assume_unique=True)
        ends = self.store.hoods.ends
        degrees = ends[common + 1] - ends[common]
        kept = degrees <= self.store.hoods.most
        common = common[kept][np.argsort(degrees[kept], kind="stable")]
        if not direct and not len(common):
            return None
        named = common[:MOST_SHARED].tolist()
        return SharedLinks(
            bool(direct & TO),
            bool(direct & FROM),
            len(common),
            tuple(text("url", number) for number in named),
            tuple(text("title", number) for number in named),
        )

    def _row(self, document: int) -> tuple[Numbers, NDArray[np.uint8]]:
        hoods = self.store.hoods
        span = slice(int(hoods.ends[document]), int(hoods.ends[document + 1]))
        return hoods.neighbours[span].astype(np.int64), self.store.ways[span]
