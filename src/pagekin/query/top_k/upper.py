"""Upper (Marian, Bruno and Gravano, TODS 2004): the document that could be best is asked about next.

As long as a document that no list has shown could be better than all candidates, a list is read instead. A source is
redundant for a document if asking it never decides what the others would leave open; it is then not asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.choosing import (
    MOST_MISSING,
    lists_needed,
    mandatory,
    next_to_probe,
    next_to_read,
    reductions,
)
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Source, TopK, TopKQuery
from pagekin.query.top_k.reading import highs


def upper(query: TopKQuery, sources: Sequence[Source]) -> TopK:
    """The best documents by Upper; at least one source must list documents."""
    gathering = Gathering(query, sources)
    standing = gathering.standing()
    while (answer := gathering.answer(standing)) is None:
        _take_next(gathering, standing)
        standing = gathering.standing()
    return answer


def _take_next(gathering: Gathering, standing: Standing) -> None:
    """One access: to a list if a document that no list has shown could be best, else about the one that could be."""
    first = standing.incomplete[:1]
    if not len(first) or standing.best[first[0]] < standing.unseen:
        gathering.read(next_to_read(gathering, gathering.showing), gathering.query.batch)
    elif places := gathering.can_probe(standing, int(first[0])):
        place = _next_source(gathering, standing, int(first[0]), mandatory(gathering.query, places))
        gathering.probe(place, int(standing.documents[first[0]]))
    else:
        needed = lists_needed(standing, first, gathering.readers)
        gathering.read(next_to_read(gathering, needed), gathering.query.batch)


def _next_source(gathering: Gathering, standing: Standing, row: int, places: Sequence[int]) -> int:
    """Which source is asked about a document: one that can help to rule it out, or the cheapest if nothing need be."""
    surplus = float(standing.best[row]) - max(standing.least, 0.0)
    if surplus <= 0:
        return min(places, key=lambda place: gathering.readers[place].random_cost)
    redundant = redundant_sources(gathering, standing, row, surplus)
    return next_to_probe(gathering, [place for place in places if place not in redundant] or places)


def redundant_sources(gathering: Gathering, standing: Standing, row: int, surplus: float) -> set[int]:
    """The sources that no set of others needs to lower the best score of a document by its surplus."""
    missing = np.flatnonzero(~standing.known[row]).tolist()
    if len(missing) > MOST_MISSING:
        return set()
    enough = reductions(gathering.query, standing, row, missing, highs(gathering.readers)) >= surplus
    numbers = np.arange(len(enough))
    redundant = set()
    for bit, place in enumerate(missing):
        without = numbers[numbers >> bit & 1 == 0]
        if not (enough[without | 1 << bit] & ~enough[without]).any():
            redundant.add(place)
    return redundant
