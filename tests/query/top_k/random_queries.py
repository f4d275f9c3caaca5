"""Random queries with their sources, made to have many ties, and the slow answer to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st

from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.parallel import query_without
from pagekin.query.top_k.protocol import KINDS, Aggregation, Mask, Numbers, TopKQuery

T = TypeVar("T")

SORTED, RANDOM, BOTH = "sorted", "random", "both"
DOCUMENTS = 10
GRID = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)


@dataclass(frozen=True)
class Kept:
    """Which documents are admitted: all but some."""

    refused: frozenset[int]

    def __call__(self, documents: Numbers) -> Mask:
        return np.array([document not in self.refused for document in documents.tolist()], np.bool_)


@dataclass(frozen=True)
class SourceMade:
    """What a source is made of."""

    scores: Mapping[int, float]
    access: str
    sorted_cost: float
    random_cost: float
    listed: int | None  # where the list is cut

    def source(self, name: str) -> MemorySource:
        in_order = None if self.access == RANDOM else self.sorted_cost
        return MemorySource(
            name, self.scores, in_order, None if self.access == SORTED else self.random_cost, self.listed
        )

    @property
    def shown(self) -> list[int]:
        """The documents of its list."""
        if self.access == RANDOM:
            return []
        return sorted(self.scores, key=lambda d: (-self.scores[d], d))[: self.listed]

    def score(self, document: int) -> float:
        """Its score of a document: what a list does not show is 0 if nothing else can tell."""
        return self.scores.get(document, 0.0) if self.access != SORTED or document in self.shown else 0.0


@dataclass(frozen=True)
class Asked:
    """A query and what its sources are made of."""

    query: TopKQuery
    made: tuple[SourceMade, ...]

    def sources(self) -> list[MemorySource]:
        return [made.source(f"source {place}") for place, made in enumerate(self.made)]

    def by(self, access: str) -> Asked:
        """The same, with sources that all have the same access, and lists that are not cut."""
        return replace(self, made=tuple(replace(made, access=access, listed=None) for made in self.made))

    def without(self, places: frozenset[int]) -> Asked:
        """The same without some sources."""
        made = tuple(made for place, made in enumerate(self.made) if place not in places)
        return Asked(query_without(self.query, places), made)


def sorted_answer(asked: Asked) -> list[tuple[int, float]]:
    """All that is listed, scored and sorted: the first k, with their scores."""
    query = asked.query
    counting = [made for place, made in enumerate(asked.made) if place not in query.excluded]
    listed = {document for made in counting for document in made.shown if query.admitted(np.array([document]))[0]}
    rows = {document: [made.score(document) for made in asked.made] for document in listed}
    fit = [
        document
        for document, row in rows.items()
        if all(row[place] > 0 for place in query.required) and all(row[place] == 0 for place in query.excluded)
    ]
    wholes = {document: float(query.whole(np.array(rows[document]))) for document in fit}
    return [(d, wholes[d]) for d in sorted(fit, key=lambda document: (-wholes[document], document))[: query.k]]


class Choices:
    """Choices by the bytes of one draw: much faster than a draw for each, and they shrink as well."""

    def __init__(self, drawn: bytes) -> None:
        self._bytes = iter(drawn)

    def one(self, of: Sequence[T]) -> T:
        return of[next(self._bytes) % len(of)]


def source_made(choices: Choices, access: str | None) -> SourceMade:
    """A source whose scores are of a small grid."""
    is_full = choices.one((True, True, True, False))
    scores = {document: choices.one((*GRID, None, None)) for document in range(DOCUMENTS)}
    known = {document: score for document, score in scores.items() if score is not None and is_full}
    how = access or choices.one((SORTED, RANDOM, BOTH, BOTH))
    costs = choices.one(((1.0, 1.0), (1.0, 5.0), (2.0, 0.0), (0.0, 3.0)))
    return SourceMade(known, how, *costs, choices.one((None, None, 3)))


def query_made(drawn: bytes) -> Asked:
    """A query with sources of all types, of which at least the first lists documents and is not excluded."""
    choices = Choices(drawn)
    count = choices.one((1, 2, 2, 3, 3, 4))
    made = [source_made(choices, None if place else choices.one((SORTED, BOTH))) for place in range(count)]
    weights = np.array([choices.one((1.0, 0.5, 0.3, 2.0, 0.0)) for _ in made])
    roles = [choices.one(("", "", "", "", "required", "excluded")) for _ in made]
    query = TopKQuery(
        Aggregation(choices.one(KINDS), weights),
        choices.one((1, 2, 3, 5, 20)),
        frozenset(place for place, role in enumerate(roles) if role == "required"),
        frozenset(place for place, role in enumerate(roles) if role == "excluded" and place > 0),
        Kept(frozenset(choices.one((*range(DOCUMENTS), -1, -1, -1)) for _ in range(2))),
        choices.one((1, 1, 2, 5)),
    )
    return Asked(query, tuple(made))


queries = st.binary(min_size=100, max_size=100).map(query_made)
