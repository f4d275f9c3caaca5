"""The kinds of evidence about one question, each with the documents that it puts first and a word on any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import PagekinError
from pagekin.query.cocited import Cocitation
from pagekin.query.linked import Links
from pagekin.query.similar import TermWeights, WeighedBag, all_candidates, all_similarities
from pagekin.query.top_k.protocol import Floats, Numbers, Scored
from pagekin.stores.shards import Shard
from pagekin.stores.vector_store import VectorStore


class Signal(Protocol):
    """What one kind of evidence says of documents, from 0 to 1."""

    @property
    def name(self) -> str:
        """What the kind is called."""

    @property
    def sorted_cost(self) -> float | None:
        """About how many microseconds it takes to list a document; None if it lists none."""

    @property
    def random_cost(self) -> float | None:
        """About how many microseconds it takes to say how much a document has."""

    @property
    def is_whole(self) -> bool:
        """Whether what is not among its candidates has nothing of it."""

    def candidates(self, most: int) -> Numbers:
        """The documents that have most of it, about as many as are wanted, in no order."""

    def likeness(self, documents: Numbers) -> Floats:
        """How much each of some documents has of it."""


@dataclass(frozen=True)
class TextSignal:
    """How alike bags are: candidates share signatures with the question."""

    name: str
    shards: Sequence[Shard]
    bag: WeighedBag
    signature: NDArray[np.uint32]
    weights: TermWeights
    alpha: float
    sorted_cost: float | None = 2.0
    random_cost: float | None = 2.0
    is_whole: bool = False

    def candidates(self, most: int) -> Numbers:
        """Those that share most signatures."""
        return all_candidates(self.shards, self.signature, self.alpha, most)

    def likeness(self, documents: Numbers) -> Floats:
        """How alike the whole bags are."""
        return all_similarities(self.shards, documents, self.bag, self.weights)


@dataclass(frozen=True)
class VectorSignal:
    """How near vectors are."""

    name: str
    store: VectorStore
    vector: NDArray[np.float32]
    sorted_cost: float | None = 1.0
    random_cost: float | None = 0.2
    is_whole: bool = False

    def candidates(self, most: int) -> Numbers:
        """The nearest; a question of which nothing is known is near to none."""
        return self.store.nearest(self.vector, most) if self.vector.any() else np.empty(0, np.int64)

    def likeness(self, documents: Numbers) -> Floats:
        """The cosines, where they are not negative."""
        return self.store.likeness(documents, self.vector).astype(np.float64)


@dataclass(frozen=True)
class CitationSignal:
    """How strongly blocks of links tie documents to one."""

    name: str
    cocitation: Cocitation
    document: int
    sorted_cost: float | None = 1.0
    random_cost: float | None = 1.0
    is_whole: bool = True

    def candidates(self, most: int) -> Numbers:
        """Those that are cited together with it most."""
        return self.cocitation.nearest(self.document, most)

    def likeness(self, documents: Numbers) -> Floats:
        """How strongly each is tied to it."""
        return self.cocitation.likeness(self.document, documents).astype(np.float64)


@dataclass(frozen=True)
class ScoredSignal:
    """Documents that were all found at once, with their scores; all others have none."""

    name: str
    found: Callable[[], tuple[Numbers, Floats]]  # documents, ascending, and what each has
    standing: Callable[[Numbers], Numbers] = lambda documents: documents  # which document each has the score of
    sorted_cost: float | None = 0.1
    random_cost: float | None = 0.1
    is_whole: bool = True

    @cached_property
    def _known(self) -> tuple[Numbers, Floats]:
        documents, scores = self.found()
        return np.append(documents, -1), np.append(scores, 0.0)

    def candidates(self, most: int) -> Numbers:
        """Those that have most."""
        documents, scores = self._known[0][:-1], self._known[1][:-1]
        if len(documents) <= most:
            return documents
        return documents[np.argpartition(-scores, most)[:most]]

    def likeness(self, documents: Numbers) -> Floats:
        """What each has."""
        known, scores = self._known
        documents = self.standing(documents)
        place = np.searchsorted(known[:-1], documents)
        return np.where(known[place] == documents, scores[place], 0.0)


@dataclass(frozen=True)
class AuthoritySignal:
    """How much authority documents have, whatever the question; it lists none."""

    name: str
    links: Links
    sorted_cost: float | None = None
    random_cost: float | None = 0.1
    is_whole: bool = False

    def candidates(self, most: int) -> Numbers:
        """None."""
        return np.empty(0, np.int64)

    def likeness(self, documents: Numbers) -> Floats:
        """The authority of each."""
        return self.links.authority(documents)


class SourceFailed(Exception):
    """A source that cannot say what it should."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"{source}: {reason}")
        self.source, self.reason = source, reason


FAULTS = (OSError, ValueError, IndexError, PagekinError)  # of files that are damaged or gone, while they are read


@dataclass(frozen=True)
class GuardedSignal:
    """A signal whose faults are its own: whatever goes wrong in it is raised as SourceFailed."""

    signal: Signal

    name = property(lambda self: self.signal.name)
    sorted_cost = property(lambda self: self.signal.sorted_cost)
    random_cost = property(lambda self: self.signal.random_cost)
    is_whole = property(lambda self: self.signal.is_whole)

    def candidates(self, most: int) -> Numbers:
        """Those of the signal."""
        try:
            return self.signal.candidates(most)
        except FAULTS as error:
            raise SourceFailed(self.name, str(error)) from error

    def likeness(self, documents: Numbers) -> Floats:
        """What the signal says."""
        try:
            return self.signal.likeness(documents)
        except FAULTS as error:
            raise SourceFailed(self.name, str(error)) from error


def guarded(name: str, signal: Callable[[], Signal]) -> Signal:
    """A signal that is made, and asked, with its faults as SourceFailed."""
    try:
        return GuardedSignal(signal())
    except FAULTS as error:
        raise SourceFailed(name, str(error)) from error


class SignalSource:
    """A signal as a source of a top-k query: its candidates, or what stands for them, the best first."""

    def __init__(self, signal: Signal, most: int, standing: Callable[[Numbers], Numbers]) -> None:
        self.signal = signal
        found = signal.candidates(most) if signal.sorted_cost is not None else np.empty(0, np.int64)
        documents = standing(found)
        scores = signal.likeness(documents)
        order = np.lexsort((documents, -scores))
        order = order[scores[order] > 0]
        self.listed = Scored(documents[order], scores[order])
        self.is_cut = len(found) >= most
        self._at = 0

    @property
    def name(self) -> str:
        """What the kind of evidence is called."""
        return self.signal.name

    @property
    def sorted_cost(self) -> float | None:
        """What a listed document costs."""
        return self.signal.sorted_cost

    @property
    def random_cost(self) -> float | None:
        """What any other document costs."""
        return self.signal.random_cost

    @property
    def high(self) -> float:
        """The next score; behind the last, what a document may have that is not listed."""
        scores = self.listed.scores
        if self._at < len(scores):
            return float(scores[self._at])
        if self.signal.is_whole and not self.is_cut:
            return 0.0
        return float(scores[-1]) if len(scores) else 1.0

    def next_best(self, count: int) -> Scored:
        """The next of the list."""
        span = slice(self._at, self._at + count)
        self._at = min(span.stop, len(self.listed.documents))
        return Scored(self.listed.documents[span], self.listed.scores[span])

    def scores(self, documents: Numbers) -> Floats:
        """What the signal says of any documents."""
        return self.signal.likeness(documents)

    def rewound(self) -> SignalSource:
        """Itself, to be read from the start again."""
        self._at = 0
        return self
