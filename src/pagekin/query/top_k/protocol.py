"""What a top-k query is made of: sources of evidence, how their scores come together, and what an answer cost.

A source gives documents and their scores by sorted access (the next best), by random access (the score of this one),
or by both. Documents are numbers. Every algorithm of this package answers a `TopKQuery` with the same `TopK`: the
documents that at least one source lists, by their aggregated score, the highest first, and of equals the one with the
least number first (lecture chapter, section 3.3). The lists of excluded sources add no documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Scored(NamedTuple):
    """Documents and their scores, the highest first, and of equals the one with the least number."""

    documents: Numbers
    scores: Floats


class Described(Protocol):
    """What is known of a source before it is asked."""

    @property
    def name(self) -> str:
        """What it is called in answers."""

    @property
    def sorted_cost(self) -> float | None:
        """What one document costs by sorted access; None if there is no such access."""

    @property
    def random_cost(self) -> float | None:
        """What one document costs by random access; None if there is no such access."""

    @property
    def high(self) -> float:
        """What no document that is still to come by sorted access exceeds; 1 for a source without such access."""


class Source(Described, Protocol):
    """A source that answers at once; a document that it does not list has the score 0, unless random access says more.

    A list that ends with `high` above 0 was cut: what it does not list may have as much, and may be asked for.
    """

    def next_best(self, count: int) -> Scored:
        """The next documents, as many as are wanted; fewer only where the list ends, and then none."""

    def scores(self, documents: Numbers) -> Floats:
        """The scores of these documents."""


class RemoteSource(Described, Protocol):
    """A source that takes its time, and several questions at once."""

    @property
    def at_once(self) -> int:
        """How many random accesses it takes in parallel (its multiprogramming level)."""

    async def next_best(self, count: int) -> Scored:
        """The next documents, as those of a Source."""

    async def scores(self, documents: Numbers) -> Floats:
        """The scores of these documents."""


SUM, LEAST, MOST, PRODUCT = "sum", "min", "max", "product"
_JOINED = {SUM: np.add, LEAST: np.minimum, MOST: np.maximum, PRODUCT: np.multiply}
KINDS = tuple(_JOINED)


class Aggregation(NamedTuple):
    """How the scores of the sources become one: monotone, so that bounds of the parts give bounds of the whole."""

    kind: str  # SUM, LEAST, MOST or PRODUCT
    weights: Floats  # one for each source; factors, but for a product exponents

    def of(self, scores: Floats, without: frozenset[int] = frozenset()) -> Floats:
        """The whole scores of documents, a row of parts for each; some sources may be left `without` a say.

        >>> Aggregation(SUM, np.array([0.5, 0.25])).of(np.array([[1.0, 0.0], [0.5, 1.0]])).tolist()
        [0.5, 0.5]
        >>> Aggregation(LEAST, np.array([1.0, 1.0])).of(np.array([[1.0, 0.0], [0.5, 1.0]])).tolist()
        [0.0, 0.5]
        """
        # One source after the other, always in the same order, and each power with one exponent: numpy rounds sums by
        # their order and powers by their shape, and equal scores must be equal wherever they are computed.
        places = [place for place in range(len(self.weights)) if place not in without]
        if self.kind == PRODUCT:
            columns = [np.power(scores[..., place], self.weights[place]) for place in places]
        else:
            weighed = scores * self.weights
            columns = [weighed[..., place] for place in places]
        return np.asarray(reduce(_JOINED[self.kind], columns))


def all_of_them(documents: Numbers) -> Mask:
    """No document is refused."""
    return np.ones(len(documents), np.bool_)


@dataclass(frozen=True)
class TopKQuery:
    """Which documents are wanted."""

    aggregation: Aggregation
    k: int
    required: frozenset[int] = frozenset()  # places of sources of which a document must have some: AND
    excluded: frozenset[int] = frozenset()  # and of which it must have nothing: NOT; these do not count in the score
    admitted: Callable[[Numbers], Mask] = field(default=all_of_them)  # what else a document must be, known at no cost
    batch: int = 1  # documents that one sorted access takes from a source
    risk: float = 0.0  # how likely, at most, a document of the answer may be missed; 0: the answer is exact

    def whole(self, parts: Floats) -> Floats:
        """The whole scores of documents, a row of parts for each."""
        return self.aggregation.of(parts, self.excluded)


@dataclass(frozen=True)
class Accesses:
    """How often a source was asked for a document."""

    source: str
    by_order: int
    at_random: int


@dataclass(frozen=True)
class LeftOut:
    """A source that failed, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class TopK:
    """The answer, what it took, and the bounds by which it was known to be one."""

    documents: Numbers
    worst: Floats  # the least that the whole score of each can be; it is the score where `best` is the same
    best: Floats
    accesses: tuple[Accesses, ...]
    cost: float
    least: float  # the worst score of the last document of the answer (min-k), 0 if there are fewer than k
    threshold: float  # what no document outside the answer exceeds; 0 if there is none
    left_out: tuple[LeftOut, ...] = ()
