"""Sources that count what they are asked, and the check that a query fits its sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.errors import SettingsError
from pagekin.query.top_k.protocol import KINDS, Accesses, Described, Floats, Numbers, Scored, Source, TopKQuery


class Counted:
    """What was asked of a source, and what can still be.

    Without `probing` its random access is not used, even if it has one.
    """

    def __init__(self, source: Described, probing: bool = True) -> None:
        self._described = source
        self.lists = source.sorted_cost is not None
        self.probes = probing and source.random_cost is not None
        self.sorted_cost, self.random_cost = source.sorted_cost or 0.0, source.random_cost or 0.0
        self.ended = not self.lists
        self.by_order, self.at_random = 0, 0
        self.history: list[float] = []  # the scores of the list, as far as it was read

    @property
    def high(self) -> float:
        """What no document exceeds that the list did not show; 0 if the list has ended and nothing can be asked."""
        return 0.0 if self.ended and not self.probes else self._described.high

    @property
    def accesses(self) -> Accesses:
        """How often it was asked."""
        return Accesses(self._described.name, self.by_order, self.at_random)

    @property
    def sorted_cost_so_far(self) -> float:
        """What the sorted accesses cost."""
        return self.by_order * self.sorted_cost

    @property
    def cost(self) -> float:
        """What all accesses cost."""
        return self.sorted_cost_so_far + self.at_random * self.random_cost

    def count_read(self, found: Scored, wanted: int) -> None:
        """Count what a sorted access gave."""
        self.by_order += len(found.documents)
        self.history += found.scores.tolist()
        self.ended = len(found.documents) < wanted

    def count_probed(self, documents: Numbers) -> None:
        """Count a random access."""
        self.at_random += len(documents)


class Reader(Counted):
    """A source that counts what it is asked."""

    def __init__(self, source: Source, probing: bool = True) -> None:
        super().__init__(source, probing)
        self._source = source

    def next_best(self, count: int) -> Scored:
        """The next documents of the list."""
        found = self._source.next_best(count)
        self.count_read(found, count)
        return found

    def scores(self, documents: Numbers) -> Floats:
        """The scores of these documents."""
        self.count_probed(documents)
        return self._source.scores(documents)


def highs(readers: Sequence[Counted]) -> Floats:
    """What no document that is still to come has more of, for each source."""
    return np.array([reader.high for reader in readers])


def listing_places(query: TopKQuery, readers: Sequence[Counted]) -> list[int]:
    """The sources whose lists make up the documents of a query."""
    return [place for place, reader in enumerate(readers) if reader.lists and place not in query.excluded]


def more_can_come(query: TopKQuery, readers: Sequence[Counted]) -> bool:
    """Whether a document that no list has shown yet may still be in the answer."""
    if any(readers[place].high <= 0 for place in query.required):
        return False
    return any(not readers[place].ended for place in listing_places(query, readers))


def check_query(query: TopKQuery, sources: Sequence[Described]) -> None:
    """Raise SettingsError if a query cannot be asked of these sources."""
    weights, places = query.aggregation.weights, range(len(sources))
    if query.aggregation.kind not in KINDS:
        raise SettingsError(f"scores are aggregated by {', '.join(KINDS)}, not by {query.aggregation.kind!r}")
    if len(weights) != len(sources):
        raise SettingsError(f"{len(weights)} weights were given for {len(sources)} sources; each source needs one")
    if not np.all(np.isfinite(weights) & (weights >= 0)):
        raise SettingsError(f"weights must be 0 or more, not {weights.tolist()}")
    if query.k < 1 or query.batch < 1:
        raise SettingsError(f"k and batch must be 1 or more, not {query.k} and {query.batch}")
    if not 0 <= query.risk < 1:
        raise SettingsError(f"risk must be 0 or more and below 1, not {query.risk}")
    if not (query.required | query.excluded) <= set(places) or query.required & query.excluded:
        raise SettingsError("what is required or excluded must be the place of a source, and not both")
    if all(source.sorted_cost is None for place, source in enumerate(sources) if place not in query.excluded):
        raise SettingsError("no source lists documents by sorted access; at least one that is not excluded must")


def check_all_probe(algorithm: str, sources: Sequence[Described]) -> None:
    """Raise SettingsError if a source has no random access."""
    for source in sources:
        if source.random_cost is None:
            raise SettingsError(
                f"{algorithm} needs random access to every source, and {source.name} has none; use another algorithm"
            )


def check_all_list(algorithm: str, sources: Sequence[Described]) -> None:
    """Raise SettingsError if a source has no sorted access."""
    for source in sources:
        if source.sorted_cost is None:
            raise SettingsError(
                f"{algorithm} needs sorted access to every source, and {source.name} has none; use another algorithm"
            )
