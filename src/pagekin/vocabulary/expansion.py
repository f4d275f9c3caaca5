"""What a term of a query stands for: words of the lexicon, the nearest first; and the time that may be taken."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import QueryTimeout

Numbers = NDArray[np.int64]
Distances = NDArray[np.float64]


@dataclass(frozen=True)
class Match:
    """A word of the lexicon, how far it is from what was asked for, and how often it was seen."""

    word: str
    distance: float
    occurrences: int


@dataclass(frozen=True)
class Expansion:
    """The best of the words that a term stands for, and how many there are in all."""

    matches: tuple[Match, ...]
    total: int


def check_time(deadline: float | None) -> None:
    """Raise QueryTimeout if `time.monotonic()` has passed a deadline."""
    if deadline is not None and time.monotonic() > deadline:
        raise QueryTimeout(
            "the query took longer than it may: too many words of the lexicon had to be looked at; "
            "write more letters between wildcards, ask for a smaller distance, or give it more time"
        )


def best_first(distances: Distances, occurrences: NDArray[np.integer[Any]], most: int) -> Numbers:
    """The places of the best: the least distance first, then more occurrences, then the earlier place.

    >>> best_first(np.array([1.0, 0.0, 1.0]), np.array([5, 1, 9]), most=2).tolist()
    [1, 2]
    """
    chosen = _best(distances, occurrences, most) if 0 < most < len(distances) else np.arange(len(distances))
    oftener_first = -occurrences[chosen].astype(np.int64)
    return chosen[np.lexsort((chosen, oftener_first, distances[chosen]))][:most]


def _best(distances: Distances, occurrences: NDArray[np.integer[Any]], most: int) -> Numbers:
    """The places of the best in no order: to sort all would take longer."""
    farthest = np.partition(distances, most - 1)[most - 1]
    nearer, tied = np.flatnonzero(distances < farthest), np.flatnonzero(distances == farthest)
    seen, wanted = occurrences[tied], most - len(nearer)
    fewest = np.partition(seen, -wanted)[-wanted]
    oftener = tied[seen > fewest]
    return np.concatenate([nearer, oftener, tied[seen == fewest][: wanted - len(oftener)]])
