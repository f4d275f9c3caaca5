"""Fagin's threshold algorithm (TA): whatever a list shows is asked of all other sources at once.

It reads the lists side by side, a batch of each in turn, and stops when a document that no list has shown yet would
have less than the k-th best, even with the most that every source may still hold. All that was seen is known in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pagekin.query.top_k.protocol import Floats, Mask, Numbers, Source, TopK, TopKQuery
from pagekin.query.top_k.reading import (
    Reader,
    check_all_probe,
    check_query,
    highs,
    listing_places,
    more_can_come,
)

NAME = "the threshold algorithm"


class Evidence(NamedTuple):
    """All documents that were seen and may be in an answer, with what each source gives them."""

    documents: Numbers
    parts: Floats  # [document, source]
    wholes: Floats
    readers: tuple[Reader, ...]
    unseen: float  # what no document that was not seen exceeds; minus infinity if there is none


def threshold_algorithm(query: TopKQuery, sources: Sequence[Source]) -> TopK:
    """The best documents by TA; every source needs random access."""
    return best_of(query, gathered_evidence(query, sources))


def best_of(query: TopKQuery, evidence: Evidence) -> TopK:
    """The answer that was gathered."""
    order = np.lexsort((evidence.documents, -evidence.wholes))
    first, rest = order[: query.k], order[query.k :]
    wholes = evidence.wholes[first]
    next_best = float(evidence.wholes[rest[0]]) if len(rest) else 0.0
    return TopK(
        evidence.documents[first],
        wholes,
        wholes,
        tuple(reader.accesses for reader in evidence.readers),
        sum(reader.cost for reader in evidence.readers),
        least=float(wholes[-1]) if len(first) == query.k else 0.0,
        threshold=max(next_best, evidence.unseen, 0.0),
    )


def gathered_evidence(query: TopKQuery, sources: Sequence[Source]) -> Evidence:
    """What TA sees until no other document can be in the answer."""
    check_query(query, sources)
    check_all_probe(NAME, sources)
    readers = tuple(Reader(source) for source in sources)
    documents, parts, wholes = [np.empty(0, np.int64)], [np.empty((0, len(sources)))], [np.empty(0)]
    seen: set[int] = set()
    best, unseen = np.empty(0), np.inf
    while unseen > -np.inf and (len(best) < query.k or unseen >= best.min()):
        new, scores = _next_round(query, readers, seen)
        documents.append(new)
        parts.append(scores)
        wholes.append(query.whole(scores))
        best = _highest(np.concatenate((best, wholes[-1])), query.k)
        unseen = float(query.whole(highs(readers))) if more_can_come(query, readers) else -np.inf
    return Evidence(np.concatenate(documents), np.concatenate(parts), np.concatenate(wholes), readers, unseen)


def _highest(values: Floats, count: int) -> Floats:
    """The highest of the values, in no order."""
    return values if len(values) <= count else np.partition(values, len(values) - count)[-count:]


def _next_round(query: TopKQuery, readers: Sequence[Reader], seen: set[int]) -> tuple[Numbers, Floats]:
    """The next documents of all lists that were not seen before, and all their scores."""
    places = [place for place in listing_places(query, readers) if not readers[place].ended]
    found = [readers[place].next_best(query.batch) for place in places]
    listed = np.concatenate([part.documents for part in found])
    documents, rows = np.unique(listed, return_inverse=True)
    parts, known = np.zeros((len(documents), len(readers))), np.zeros((len(documents), len(readers)), np.bool_)
    columns = np.repeat(places, [len(part.documents) for part in found])
    parts[rows, columns] = np.concatenate([part.scores for part in found])
    known[rows, columns] = True
    numbers = documents.tolist()
    kept = np.array([number not in seen for number in numbers], np.bool_)
    seen.update(numbers)
    kept[kept] = query.admitted(documents[kept])
    return _completed(query, readers, documents[kept], parts[kept], known[kept])


def _completed(
    query: TopKQuery, readers: Sequence[Reader], documents: Numbers, parts: Floats, known: Mask
) -> tuple[Numbers, Floats]:
    """The documents with all their scores; what must be or must not be is asked first, and ends many."""
    constrained = sorted(query.required | query.excluded)
    for place in constrained + [place for place in range(len(readers)) if place not in constrained]:
        missing = np.flatnonzero(~known[:, place])
        if len(missing) and readers[place].high > 0:
            parts[missing, place] = readers[place].scores(documents[missing])
        if place in constrained:
            kept = (parts[:, place] > 0) == (place in query.required)
            documents, parts, known = documents[kept], parts[kept], known[kept]
    return documents, parts
