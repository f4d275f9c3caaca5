"""How well a ranking agrees with a directory: Γ and its kin (Haveliwala et al. 2002, section 2).

For one source page the directory orders pairs of pages: one of the source's own class before one farther away. A
ranking agrees with such a pair (concordant), has it the other way round (discordant), or does not order it (tied).
Γ (Definition 3) leaves tied pairs out; Somers' D counts them as neither right nor wrong, so that a ranking which
orders little cannot look good by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel

Floats = NDArray[np.float32]
Counts = NDArray[np.int64]

CONCORDANT, DISCORDANT, TIED = 0, 1, 2  # the columns of the counts, which have a row for each distance


@kernel
def _sift(values: Floats, root: int, count: int) -> None:
    while 2 * root + 1 < count:
        child = 2 * root + 1
        if child + 1 < count and values[child] < values[child + 1]:
            child += 1
        if values[root] >= values[child]:
            return
        values[root], values[child] = values[child], values[root]
        root = child


@kernel
def sort_first(values: Floats, count: int) -> None:
    """Sort the first values in their place (a heap sort)."""
    for root in range(count // 2 - 1, -1, -1):
        _sift(values, root, count)
    for last in range(count - 1, 0, -1):
        values[0], values[last] = values[last], values[0]
        _sift(values, 0, last)


@kernel
def _below(ordered: Floats, count: int, score: float) -> int:
    """How many of the first values, which are in order, are below a score."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < score:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _up_to(ordered: Floats, count: int, score: float) -> int:
    """How many of the first values, which are in order, are not above a score."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] <= score:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _count_pairs(
    scores: Floats, distances: NDArray[np.int8], source: int, same: Floats, counts: Counts
) -> tuple[int, int]:
    """Fill the counts; returns how many pages the class has beside the source, and how many of them score nothing."""
    members, orthogonal = 0, 0
    for page in range(len(scores)):
        if distances[page] == 0 and page != source:
            same[members] = scores[page]
            orthogonal += scores[page] <= 0.0
            members += 1
    sort_first(same, members)
    for page in range(len(scores)):
        if distances[page] > 0:
            below = _below(same, members, scores[page])
            equal = _up_to(same, members, scores[page]) - below
            counts[distances[page], CONCORDANT] += members - below - equal
            counts[distances[page], DISCORDANT] += below
            counts[distances[page], TIED] += equal
    return members, orthogonal


class PairCounts(NamedTuple):
    """What a ranking does with the pairs that a directory orders, for one source."""

    counts: Counts  # by distance of the farther page; concordant, discordant, tied
    members: int  # pages of the source's class beside itself
    orthogonal: int  # those that have nothing in common with the source


def pair_counts(scores: Floats, distances: NDArray[np.int8], source: int, depth: int) -> PairCounts:
    """Count the pairs of a page of the source's class and a page at each distance; n log n steps.

    >>> scores = np.array([1.0, 0.5, 0.2, 0.2, 0.0], np.float32)
    >>> pair_counts(scores, np.array([0, 0, 1, 0, 2], np.int8), 0, 2).counts.tolist()
    [[0, 0, 0], [1, 0, 1], [2, 0, 0]]
    """
    counts = np.zeros((depth + 1, 3), np.int64)
    members, orthogonal = _count_pairs(scores, distances, source, np.empty(len(scores), np.float32), counts)
    return PairCounts(counts, members, orthogonal)


def all_pair_counts(scores: Floats, distances: NDArray[np.int8], source: int, depth: int) -> Counts:
    """Concordant, discordant and tied pairs of any two distances: the whole familial ordering (Definition 2)."""
    total = np.zeros(3, np.int64)
    for near in range(depth):
        nearest = np.where(distances == near, 0, np.where(distances > near, distances, -1)).astype(np.int8)
        total += pair_counts(scores, nearest, source, depth).counts.sum(axis=0)
    return total


def gamma(concordant: float, discordant: float) -> float | None:
    """Γ of so many pairs; None if the ranking orders none.

    >>> gamma(3, 1)
    0.5
    """
    ordered = concordant + discordant
    return (concordant - discordant) / ordered if ordered else None
