"""Which pages can be no answer to a page: those of rings of sites that its own site does not lead to.

A site leads to another if one comes from it to the other by links that are not marked nofollow. Sites that are made to
lift one another are a ring, and whoever asks from elsewhere does not come there: docs/decisions/0025.

Not every site can judge. The two sites of a firm are a ring as well, and many sites link to nobody: they lead to no
*large* ring. Where these ask, only rings are left out that *look up* to another: they lead to a large ring, not much
smaller than they are, that does not lead back. No site is ever left out for who links to it, since anybody can link.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pagekin.crawl.urls import canonical_url, site_of
from pagekin.hashing import hash_text
from pagekin.links.rings import largest_reached, reached
from pagekin.stores.ring_store import RingStore

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]

LARGE = 8  # sites of a ring; fewer may be those of one firm, or of friends
LARGE_SHARE = 1 / 1000  # of the sites of the largest ring, which a farm may be: so it must outgrow the web a lot
LOOKED_UP_SHARE = 1 / 20  # of those of the ring that looks up: a few sites that all link to must not outweigh the web
REMEMBERED = 256  # sites from which was asked
NOWHERE = -1  # the row of a site that is in no ring and leads to none


class Rings:
    """The rings of an index, as documents see them; all masks of rings have a last place for documents in none."""

    def __init__(self, store: RingStore, sites: Numbers, trusted: str = "") -> None:
        self._store, self._sites, self._trusted = store, sites, trusted
        self._left_out = lru_cache(REMEMBERED)(self._new_left_out)

    def admitted(self, document: int, documents: Numbers) -> Mask:
        """Which documents can be answers to one; -1 is a text, which is of no site."""
        if not self._judges(document):
            return np.ones(len(documents), np.bool_)
        admitted: Mask = ~self._left_out(self._row(document))[self._ring_of_document[documents]]
        return admitted

    def strangers(self, document: int) -> int:
        """How many documents can be no answers to one."""
        if not self._judges(document):
            return 0
        return int(self._documents_in[self._left_out(self._row(document))].sum())

    def _judges(self, document: int) -> bool:
        """Whether any ring may be left out; for a text none is, unless somebody is trusted."""
        has_trusted = len(self._trusted_rows) > 0
        return len(self._ring_rows) > 1 and (has_trusted or (document >= 0 and bool(self._can_judge.any())))

    def _row(self, document: int) -> int:
        return int(self._rows_of(self._sites[[document]])[0]) if document >= 0 else NOWHERE

    def _new_left_out(self, row: int) -> Mask:
        """The rings that are left out where one asks from a site of this row."""
        known = self._reached(np.array([row] if row != NOWHERE else [], np.int64))
        if row != NOWHERE and self._can_judge[row]:
            return self._is_ring & ~known
        if len(self._trusted_rows):
            return self._is_ring & ~known & ~self._reached(self._trusted_rows)
        return self._looks_up & ~known

    def _reached(self, rows: Numbers) -> Mask:
        """The rings that some rows are or lead to."""
        return np.append(reached(self._store.ends, self._store.leads_to, rows)[self._ring_rows], False)

    # --- rows and rings

    @cached_property
    def _sizes(self) -> Numbers:
        """How many sites each row has."""
        return np.diff(self._store.site_ends)

    @cached_property
    def _ring_rows(self) -> Numbers:
        return np.flatnonzero(self._sizes > 1)

    @cached_property
    def _is_ring(self) -> Mask:
        return np.append(np.ones(len(self._ring_rows), np.bool_), False)

    @cached_property
    def _largest(self) -> Numbers:
        """How many sites the largest ring has that each row is or leads to."""
        return largest_reached(self._uppers, self._store.leads_to, self._sizes * (self._sizes > 1))

    @cached_property
    def _can_judge(self) -> Mask:
        """Which rows are large rings or lead to one."""
        return np.asarray(self._largest >= max(LARGE, LARGE_SHARE * self._sizes.max(initial=0)))

    @cached_property
    def _looks_up(self) -> Mask:
        """Which rings lead to a large one that does not lead back."""
        below = np.zeros(len(self._sizes), np.int64)
        np.maximum.at(below, self._uppers, self._largest[self._store.leads_to])
        looks_up = below >= np.maximum(LARGE, LOOKED_UP_SHARE * self._sizes)
        return np.append(looks_up[self._ring_rows], False)

    @cached_property
    def _uppers(self) -> Numbers:
        """The row that each link of the rows comes from."""
        return np.repeat(np.arange(len(self._sizes)), np.diff(self._store.ends))

    # --- sites and documents

    @cached_property
    def _known_sites(self) -> tuple[Numbers, Numbers]:
        """The sites that have a row, ascending, and the row of each."""
        order = np.argsort(self._store.sites, kind="stable")
        return self._store.sites[order], np.repeat(np.arange(len(self._sizes)), self._sizes)[order]

    def _rows_of(self, sites: Numbers) -> Numbers:
        known, rows = self._known_sites
        if not len(known):
            return np.full(len(sites), NOWHERE)
        places = np.minimum(np.searchsorted(known, sites), len(known) - 1)
        return np.where(known[places] == sites, rows[places], NOWHERE)

    @cached_property
    def _trusted_rows(self) -> Numbers:
        rows = self._rows_of(np.array(trusted_sites(self._trusted), np.int64))
        return np.setdiff1d(rows, [NOWHERE])

    @cached_property
    def _ring_of_document(self) -> NDArray[np.int32]:
        """The number of the ring of each document; that after the last for one in none."""
        rings = np.full(len(self._sizes) + 1, len(self._ring_rows), np.int32)
        rings[self._ring_rows] = np.arange(len(self._ring_rows))
        return rings[self._rows_of(self._sites)]

    @cached_property
    def _documents_in(self) -> Numbers:
        return np.bincount(self._ring_of_document, minlength=len(self._is_ring))


def trusted_sites(named: str) -> Sequence[int]:
    """The ids of sites that are named by hosts, with spaces between.

    >>> trusted_sites("www.example.org https://example.org/") == [hash_text("example.org")] * 2
    True
    """
    addresses = [canonical_url(name if "://" in name else f"http://{name}/") for name in named.split()]
    return [hash_text(site_of(address)) for address in addresses if address]
