"""pUpper (Marian, Bruno and Gravano, TODS 2004): Upper with many questions under way at the same time.

For each candidate, the one of the highest best score first, those sources are asked that could rule it out and are
likely to have answered soonest; every source is asked as many questions at once as it takes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.choosing import MOST_MISSING, lists_needed, mandatory, reductions, subsets
from pagekin.query.top_k.parallel import TIMEOUT_SECONDS, Plan, Run
from pagekin.query.top_k.protocol import Floats, RemoteSource, TopK, TopKQuery
from pagekin.query.top_k.reading import highs, listing_places


async def parallel_upper(
    query: TopKQuery, sources: Sequence[RemoteSource], timeout_seconds: float = TIMEOUT_SECONDS, together: int = 1
) -> TopK:
    """The best documents by pUpper; one question asks for the scores of up to so many documents `together`."""
    return await Run(query, sources, timeout_seconds, together).answer(_planned)


def _planned(run: Run, standing: Standing) -> Plan:
    """The probes of the best candidates, as many as the sources take; lists are read if these leave one idle."""
    probing = np.array([reader.probes for reader in run.readers])
    candidates = standing.by_best(np.flatnonzero((~standing.known & probing).any(axis=1)))
    queues = np.array([float(reader.questions) for reader in run.readers])
    room = sum(reader.source.at_once for reader in run.readers if reader.probes) * run.together
    probes: list[tuple[int, int]] = []
    for row in candidates[:room].tolist():
        document = int(standing.documents[row])
        chosen = [p for p in _sources_for(run, standing, row, queues) if document not in run.readers[p].asked]
        queues[chosen] += 1
        probes += [(place, document) for place in chosen]
    return Plan(_lists(run, standing, probes), probes)


def _lists(run: Run, standing: Standing, probes: list[tuple[int, int]]) -> list[int]:
    """The lists to be read: those that may show others, unless better candidates wait; and those that must be known."""
    needed = lists_needed(standing, np.arange(len(standing.documents)), run.readers)
    if not standing.open_to_others:
        return needed
    better = set(standing.documents[standing.best >= standing.unseen].tolist())
    waiting = np.bincount([place for place, document in probes if document in better], minlength=len(run.readers))
    full = any(waiting[place] > run.room(place) for place in range(len(run.readers)))
    return needed if full else sorted({*needed, *listing_places(run.query, run.readers)})


def _sources_for(run: Run, standing: Standing, row: int, queues: Floats) -> list[int]:
    """The sources to be asked about a document: enough to rule it out, with the least time until all have answered."""
    missing = [place for place in np.flatnonzero(~standing.known[row]).tolist() if run.readers[place].probes]
    missing = mandatory(run.query, missing)[:MOST_MISSING]
    surplus = float(standing.best[row]) - max(standing.least, 0.0)
    enough = reductions(run.query, standing, row, missing, highs(run.readers)) >= surplus
    enough[0] = False
    if not enough.any():
        return missing  # it cannot be ruled out by these: it will be in the answer, or all is needed
    seconds = np.array([_expected(run, place, int(standing.documents[row]), queues[place]) for place in missing])
    choices = subsets(len(missing))
    waits = np.where(enough, choices @ seconds, np.inf)
    return [place for place, taken in zip(missing, choices[waits.argmin()], strict=True) if taken]


def _expected(run: Run, place: int, document: int, queue: float) -> float:
    """How long an answer will take, in units of cost; nothing more if the question is under way."""
    reader = run.readers[place]
    return 0.0 if document in reader.asked else (queue + 1) * reader.random_cost / reader.source.at_once
