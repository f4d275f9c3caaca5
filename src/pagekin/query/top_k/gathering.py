"""What an algorithm that works with bounds has asked so far, and what it knows by that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.query.top_k.approximate import likely_answer
from pagekin.query.top_k.bounds import Bounds, Standing, certain_answer
from pagekin.query.top_k.protocol import Floats, LeftOut, Numbers, Source, TopK, TopKQuery
from pagekin.query.top_k.reading import Counted, Reader, check_query, highs, listing_places, more_can_come


class Gathering:
    """The sources of a query, and the bounds of the documents that they have shown."""

    def __init__(self, query: TopKQuery, sources: Sequence[Source], probing: bool = True) -> None:
        check_query(query, sources)
        self.query = query
        self.readers = [Reader(source, probing) for source in sources]
        self.weights = query.aggregation.weights
        self.depth = 0  # documents of each list that were read, if all lists are read alike
        self.completed = 0  # documents whose missing scores were all asked for
        self._bounds = Bounds(query, len(sources))

    @property
    def unfinished(self) -> list[int]:
        """The sources whose lists go on and can still tell something."""
        return [
            place
            for place, reader in enumerate(self.readers)
            if not reader.ended and not (place in self.query.excluded and reader.probes)
        ]

    @property
    def showing(self) -> list[int]:
        """The sources whose lists may still show other documents."""
        return [place for place in listing_places(self.query, self.readers) if not self.readers[place].ended]

    def read(self, place: int, count: int) -> None:
        """Read on in a list."""
        found = self.readers[place].next_best(count)
        self._bounds.note_listed(place, found.documents, found.scores)

    def probe(self, place: int, document: int) -> float:
        """Ask for one score."""
        wanted = np.array([document], np.int64)
        scores = self.readers[place].scores(wanted)
        self._bounds.note_scores(place, wanted, scores)
        return float(scores[0])

    def complete(self, standing: Standing, row: int) -> None:
        """Ask for all missing scores of a document; what must be or must not be first, and no more if that fails."""
        required, excluded = self.query.required, self.query.excluded
        self.completed += 1
        for place in sorted(self.can_probe(standing, row), key=lambda place: place not in required | excluded):
            score = self.probe(place, int(standing.documents[row]))
            if (place in required and score <= 0) or (place in excluded and score > 0):
                return

    def can_probe(self, standing: Standing, row: int) -> list[int]:
        """The sources that can be asked for a missing score of a document."""
        return [place for place in np.flatnonzero(~standing.known[row]).tolist() if self.readers[place].probes]

    def candidates(self, standing: Standing) -> Numbers:
        """The rows of documents that lack a score that can be asked for, the highest best score first."""
        probing = np.array([reader.probes for reader in self.readers])
        return standing.by_best(np.flatnonzero((~standing.known & probing).any(axis=1)))

    def standing(self) -> Standing:
        """What is known by now."""
        return self._bounds.standing(highs(self.readers), more_can_come(self.query, self.readers))

    def answer(self, standing: Standing) -> TopK | None:
        """The answer, if it is known by now."""
        rows = answer_rows(self.query, standing, highs(self.readers))
        return None if rows is None else top_k(standing, rows, self.readers)


def answer_rows(query: TopKQuery, standing: Standing, highs: Floats) -> Numbers | None:
    """The rows of the answer, if it is certain, or likely enough for the risk that is taken."""
    rows = certain_answer(standing, query.k)
    return likely_answer(query, standing, highs) if rows is None and query.risk > 0 else rows


def top_k(standing: Standing, rows: Numbers, readers: Sequence[Counted], left_out: tuple[LeftOut, ...] = ()) -> TopK:
    """An answer with what it took."""
    rest: Floats = np.delete(standing.best, rows)
    return TopK(
        standing.documents[rows],
        standing.worst[rows],
        standing.best[rows],
        tuple(reader.accesses for reader in readers),
        sum(reader.cost for reader in readers),
        least=max(standing.least, 0.0),
        threshold=max(float(rest.max(initial=0.0)), standing.unseen, standing.dropped),
        left_out=left_out,
    )
