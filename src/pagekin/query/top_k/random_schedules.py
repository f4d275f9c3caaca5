"""Which documents are completed by random access, and when (lecture chapter, section 3.3).

Each schedule is asked after every round of sorted accesses, and names rows of documents; all that they lack is asked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Numbers

# The state before and after the round, and how many times as much a random access costs as a sorted one.
RandomSchedule = Callable[[Gathering, Standing, Standing, float], Numbers]


def best_candidate(gathering: Gathering, before: Standing, now: Standing, ratio: float) -> Numbers:
    """The candidates of the highest best scores, one for every `ratio` rounds: the combined algorithm as it was."""
    due = int(gathering.depth // ratio) - gathering.completed
    return gathering.candidates(now)[: max(due, 0)]


def top_probing(gathering: Gathering, before: Standing, now: Standing, ratio: float) -> Numbers:
    """Those that have most for certain, whenever min-k has changed: it then rises as far as it can."""
    if now.least == before.least:
        return np.empty(0, np.int64)
    top = np.lexsort((now.documents, -now.worst))[: gathering.query.k]
    return np.array([row for row in top.tolist() if gathering.can_probe(now, row)], np.int64)


def two_phase_probing(gathering: Gathering, before: Standing, now: Standing, ratio: float) -> Numbers:
    """All candidates at once, when that costs no more than the sorted accesses did, and no other can still come."""
    if now.open_to_others:
        return np.empty(0, np.int64)
    probing = np.array([reader.probes for reader in gathering.readers])
    costs = np.array([reader.random_cost for reader in gathering.readers]) * probing
    remaining = float(((~now.known) @ costs).sum())
    so_far = sum(reader.sorted_cost_so_far for reader in gathering.readers)
    return gathering.candidates(now) if remaining <= so_far else np.empty(0, np.int64)


RANDOM_SCHEDULES: dict[str, RandomSchedule] = {
    "best candidate": best_candidate,
    "top probing": top_probing,
    "two-phase probing": two_phase_probing,
}
