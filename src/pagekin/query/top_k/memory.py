"""Sources held in memory, for tests and measurements; what they can do, and what that costs, can be chosen."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pagekin.query.top_k.protocol import Floats, Numbers, Scored


def ranked(documents: Numbers, scores: Floats) -> Scored:
    """The documents in the order of a list: the highest score first, and of equals the least number."""
    order = np.lexsort((documents, -scores))
    return Scored(documents[order], scores[order])


class MemorySource:
    """A source of known scores.

    With `listed`, the list is cut after so many documents; what lies behind can still be asked for.

    >>> source = MemorySource("text", {7: 0.5, 3: 0.75, 4: 0.5})
    >>> source.next_best(2).documents.tolist(), source.high
    ([3, 4], 0.5)
    >>> source.scores(np.array([7, 8])).tolist()
    [0.5, 0.0]
    """

    def __init__(
        self,
        name: str,
        scores: Mapping[int, float],
        sorted_cost: float | None = 1.0,
        random_cost: float | None = 1.0,
        listed: int | None = None,
    ) -> None:
        self.name, self.sorted_cost, self.random_cost = name, sorted_cost, random_cost
        documents = np.array(sorted(scores), np.int64)
        self._documents = documents
        self._scores = np.array([scores[document] for document in documents.tolist()], np.float64)
        whole = ranked(self._documents, self._scores)
        self._list = Scored(whole.documents[:listed], whole.scores[:listed])
        self._is_cut = len(self._list.documents) < len(documents)
        self._read = 0
        self.high = 1.0

    def next_best(self, count: int) -> Scored:
        """The next documents, as many as are wanted; fewer only where the list ends, and then none."""
        span = slice(self._read, self._read + count)
        found = Scored(self._list.documents[span], self._list.scores[span])
        self._read += len(found.documents)
        if len(found.documents):
            self.high = float(found.scores[-1])
        if len(found.documents) < count and not self._is_cut:
            self.high = 0.0
        return found

    def scores(self, documents: Numbers) -> Floats:
        """The scores of these documents."""
        if not len(self._documents):
            return np.zeros(len(documents))
        places = np.minimum(np.searchsorted(self._documents, documents), len(self._documents) - 1)
        return np.where(self._documents[places] == documents, self._scores[places], 0.0)
