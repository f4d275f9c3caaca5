"""How near two pages are by links: the cosine of their neighbourhoods.

The neighbourhood of a page is what it links to, what links to it, and, counted more, the page itself. Each neighbour
weighs the less the more neighbours it has: 1 by the root of their number. So one measure holds all that links say: two
pages are near if one links to the other, if they link to the same pages (Kessler's coupling), if the same pages link to
them (co-citation), or if one links to what links to the other; and a link from a page of few links says more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.settings import LinkSettings

Numbers = NDArray[np.int64]
Pages = NDArray[np.uint32]
Floats = NDArray[np.float32]


class Neighbourhoods(NamedTuple):
    """The neighbours of page p are [ends[p], ends[p + 1]) of `neighbours`, ascending."""

    ends: Numbers
    neighbours: Pages
    lengths: Floats  # of the vector that stands for each neighbourhood
    most: int  # pages with more neighbours are a part of no neighbourhood
    itself: float  # how much a page counts in its own


@kernel
def _fill_lengths(ends: Numbers, neighbours: Pages, most: int, itself: float, lengths: Floats) -> None:
    for page in range(len(lengths)):
        own = ends[page + 1] - ends[page]
        square = itself * itself / own if 0 < own <= most else 0.0
        for k in range(ends[page], ends[page + 1]):
            degree = ends[neighbours[k] + 1] - ends[neighbours[k]]
            if degree <= most:
                square += 1.0 / degree
        lengths[page] = np.sqrt(square)


def neighbourhoods(ends: Numbers, neighbours: Pages, settings: LinkSettings) -> Neighbourhoods:
    """Neighbours that are ready to be compared; each page is the neighbour of its neighbours."""
    lengths = np.zeros(len(ends) - 1, np.float32)
    _fill_lengths(ends, neighbours, settings.neighbours, settings.itself, lengths)
    return Neighbourhoods(ends, neighbours, lengths, settings.neighbours, settings.itself)


@inlined_kernel
def _add(page: int, part: float, shared: Floats, met: Pages, count: int) -> int:
    """Add to what a page shares; those with anything are written down."""
    met[count] = page
    count += shared[page] == 0.0
    shared[page] += np.float32(part)
    return count


@kernel
def add_shared(hoods: Neighbourhoods, page: int, shared: Floats, met: Pages) -> int:
    """Add up what a page shares with each other; returns with how many, which are then written in `met`.

    `shared` is 0 everywhere before; `met` has room for one more than there are pages.
    """
    count = i64(0)
    for k in range(hoods.ends[page] - 1, hoods.ends[page + 1]):
        middle = page if k < hoods.ends[page] else i64(hoods.neighbours[k])
        first, last = hoods.ends[middle], hoods.ends[middle + 1]
        if first == last or last - first > hoods.most:
            continue
        part = (hoods.itself if middle == page else 1.0) / (last - first)
        if part == 0.0:
            continue
        if hoods.itself > 0.0:
            count = _add(middle, part * hoods.itself, shared, met, count)
        for i in range(first, last):
            count = _add(i64(hoods.neighbours[i]), part, shared, met, count)
    return count


@kernel
def take_likeness(hoods: Neighbourhoods, page: int, shared: Floats, met: Pages, out: Floats) -> None:
    """Make likeness, from 0 to 1, of what is shared with each page in `met`, and leave `shared` empty."""
    for i in range(len(met)):
        other = met[i]
        length = hoods.lengths[page] * hoods.lengths[other]
        out[i] = min(shared[other] / length, np.float32(1.0)) if length > 0.0 else np.float32(0.0)
        shared[other] = np.float32(0.0)


def near_pages(hoods: Neighbourhoods, page: int, shared: Floats, met: Pages) -> tuple[Pages, Floats]:
    """All pages that share a neighbour with one, itself left out, and how near they are."""
    count = add_shared(hoods, page, shared, met)
    found = np.sort(met[:count])
    likeness = np.empty(count, np.float32)
    take_likeness(hoods, page, shared, found, likeness)
    others = found != page
    return found[others], likeness[others]
