"""Two lists of five documents, small enough to follow each algorithm by hand.

place   first         second        sums
1       1: 0.9        2: 0.8        1: 1.0   2: 1.5   3: 1.1   4: 0.7   5: 0.3
2       2: 0.7        3: 0.6
3       3: 0.5        4: 0.4
4       4: 0.3        5: 0.2
5       5: 0.1        1: 0.1
"""

from __future__ import annotations

import numpy as np

from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.protocol import SUM, Aggregation, TopK, TopKQuery

FIRST = {1: 0.9, 2: 0.7, 3: 0.5, 4: 0.3, 5: 0.1}
SECOND = {1: 0.1, 2: 0.8, 3: 0.6, 4: 0.4, 5: 0.2}
BEST = TopKQuery(Aggregation(SUM, np.array([1.0, 1.0])), 1)


Costs = tuple[float | None, float | None]  # of sorted and of random access


def both(first: Costs = (1.0, 1.0), second: Costs = (1.0, 1.0)) -> list[MemorySource]:
    """The two lists; each with its costs."""
    return [MemorySource("first", FIRST, *first), MemorySource("second", SECOND, *second)]


def counts(found: TopK) -> list[tuple[int, int]]:
    """The sorted and random accesses of each source."""
    return [(accesses.by_order, accesses.at_random) for accesses in found.accesses]
