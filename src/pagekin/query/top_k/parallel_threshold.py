"""pTA: the threshold algorithm with its accesses in parallel, to compare pUpper with.

Whatever a list shows is asked of all other sources, in the order in which it was seen; the lists are read on when no
question waits for a source that is busy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.parallel import TIMEOUT_SECONDS, Plan, Run
from pagekin.query.top_k.protocol import RemoteSource, TopK, TopKQuery
from pagekin.query.top_k.reading import check_all_probe, listing_places

NAME = "the parallel threshold algorithm"


async def parallel_threshold(
    query: TopKQuery, sources: Sequence[RemoteSource], timeout_seconds: float = TIMEOUT_SECONDS, together: int = 1
) -> TopK:
    """The best documents by pTA; every source needs random access."""
    check_all_probe(NAME, sources)
    return await Run(query, sources, timeout_seconds, together, dropping=False).answer(_planned)


def _planned(run: Run, standing: Standing) -> Plan:
    rows, places = np.nonzero(~standing.known)
    documents = standing.documents[rows].tolist()
    probes = [
        (place, document)
        for place, document in zip(places.tolist(), documents, strict=True)
        if document not in run.readers[place].asked
    ]
    waiting = np.bincount([place for place, _ in probes], minlength=len(run.readers))
    busy = any(waiting[place] > run.room(place) for place in range(len(run.readers)))
    reads = listing_places(run.query, run.readers) if standing.open_to_others and not busy else []
    return Plan(reads, probes)
