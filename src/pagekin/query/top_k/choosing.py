"""Which source is the next to be asked, where sources differ in what they can do and what it costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Floats, Mask, Numbers, TopKQuery
from pagekin.query.top_k.reading import Counted

CHEAPEST = 1e-9  # what costs nothing comes first, but nothing is divided by 0
MOST_MISSING = 10  # of more missing scores not all subsets are looked at


def next_to_read(gathering: Gathering, places: Sequence[int]) -> int:
    """The list that promises the highest weighted score for its cost."""
    ranks = {place: _worth(gathering, place) / max(gathering.readers[place].sorted_cost, CHEAPEST) for place in places}
    return max(ranks, key=lambda place: ranks[place])


def next_to_probe(gathering: Gathering, places: Sequence[int]) -> int:
    """The source that promises the highest weighted score, half of what is possible, for a random access."""
    reader = gathering.readers
    ranks = {place: _worth(gathering, place) / 2 / max(reader[place].random_cost, CHEAPEST) for place in places}
    return max(ranks, key=lambda place: ranks[place])


def _worth(gathering: Gathering, place: int) -> float:
    return float(gathering.weights[place]) * gathering.readers[place].high


def mandatory(query: TopKQuery, places: Sequence[int]) -> list[int]:
    """Those of the sources that can rule a document out, which come first; all if there is none."""
    ruling = query.required | query.excluded
    return [place for place in places if place in ruling] or list(places)


def lists_needed(standing: Standing, rows: Numbers, readers: Sequence[Counted]) -> list[int]:
    """The unfinished lists that alone can tell a score that one of the documents lacks."""
    lacking: Mask = np.asarray(np.any(~standing.known[rows], axis=0))
    return [place for place, reader in enumerate(readers) if lacking[place] and not (reader.probes or reader.ended)]


def subsets(count: int) -> Mask:
    """All subsets of so many things, a row for each; the number of the row has a bit for each thing.

    >>> subsets(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return (np.arange(1 << count)[:, None] >> np.arange(count) & 1).astype(np.bool_)


def reductions(query: TopKQuery, standing: Standing, row: int, places: Sequence[int], highs: Floats) -> Floats:
    """How much the best score of a document falls if each subset of its missing scores turns out to be 0."""
    chosen = subsets(len(places))
    parts = np.where(standing.known[row], standing.parts[row], highs)
    lowered = np.repeat(parts[None], len(chosen), axis=0)
    lowered[:, list(places)] *= ~chosen
    return np.asarray(standing.best[row] - query.whole(lowered))
