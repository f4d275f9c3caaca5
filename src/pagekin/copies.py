"""Which page stands for each page: what DUPLICATES says, looked up for many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.kernels import kernel
from pagekin.number_set import fill_values, find, number_set

Ints = NDArray[np.int64]


@kernel
def _look_up(pages: Ints, slots: Ints, values: Ints, out: Ints) -> None:
    for i in range(len(pages)):
        slot = find(slots, len(slots), pages[i])
        out[i] = values[slot] if slots[slot] == pages[i] else pages[i]


class Representatives(NamedTuple):
    """A set of pages that are copies, and beside each the page that stands for it."""

    slots: Ints
    values: Ints

    def of(self, pages: Ints) -> Ints:
        """Each page, or the one that stands for it and its copies."""
        if not len(self.slots):
            return pages
        out = np.empty(len(pages), np.int64)
        _look_up(np.ascontiguousarray(pages), self.slots, self.values, out)
        return out


def representatives(duplicates: pa.Table) -> Representatives:
    """What DUPLICATES says.

    >>> copies = representatives(pa.table({"page": [8], "representative": [5]}))
    >>> copies.of(np.array([7, 8])).tolist()
    [7, 5]
    """
    copies, others = (duplicates[name].to_numpy() for name in ("page", "representative"))
    slots = number_set(copies)
    values = np.zeros(len(slots), np.int64)
    fill_values(slots, copies, others, values)
    return Representatives(slots, values)


def standing_documents(documents: Ints, duplicates: pa.Table, urls: pa.Table) -> Representatives:
    """The document that stands for each page that has copies.

    A representative may be no document, as a page of nothing but stop words is none; then the best of its copies that
    is one stands for all. Documents come in order.
    """
    copies, stands = (duplicates[name].to_numpy() for name in ("page", "representative"))
    lost = np.setdiff1d(stands, documents)
    left = np.flatnonzero(np.isin(stands, lost) & np.isin(copies, documents))
    rows = urls.take(pa.array(np.searchsorted(urls["page"].to_numpy(), copies[left])))
    worth = zip(rows["in_links"].to_pylist(), rows["url"].to_pylist(), left.tolist(), strict=True)
    best: dict[int, int] = {}
    for _, _, row in sorted(worth, key=lambda each: (-each[0], len(each[1]), each[1])):
        best.setdefault(int(stands[row]), int(copies[row]))
    instead = pa.table(
        {"page": pa.array(best.keys(), pa.int64()), "representative": pa.array(best.values(), pa.int64())}
    )
    stands = representatives(instead).of(stands)
    pairs = pa.table({"page": copies, "representative": stands}).filter(pa.array(copies != stands))
    return representatives(pa.concat_tables([pairs, instead]))
