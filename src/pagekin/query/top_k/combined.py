"""Fagin's combined algorithm (CA): NRA, with random accesses as rare as they are dear.

After every r rounds of sorted accesses, r being how many times as much a random access costs, one candidate is
completed. Other schedules can be given for both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.errors import SettingsError
from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Source, TopK, TopKQuery
from pagekin.query.top_k.random_schedules import RandomSchedule, best_candidate
from pagekin.query.top_k.sorted_schedules import SortedSchedule, round_robin


def combined_algorithm(
    query: TopKQuery,
    sources: Sequence[Source],
    ratio: float | None = None,
    sorted_schedule: SortedSchedule = round_robin,
    random_schedule: RandomSchedule = best_candidate,
) -> TopK:
    """The best documents by CA; the ratio is that of the mean costs of the sources unless it is given."""
    gathering = Gathering(query, sources)
    ratio = cost_ratio(sources) if ratio is None else ratio
    if not ratio >= 1:
        raise SettingsError(f"the cost ratio must be 1 or more, not {ratio}")
    standing = gathering.standing()
    while (answer := gathering.answer(standing)) is None:
        before = standing
        if gathering.unfinished:
            standing = _next_round(gathering, standing, sorted_schedule)
            wanted = random_schedule(gathering, before, standing, ratio)
        else:
            wanted = gathering.candidates(standing)[:1]
        standing = _completed(gathering, standing, standing.documents[wanted].tolist())
    return answer


def cost_ratio(sources: Sequence[Source]) -> float:
    """How many times as much a random access costs as a sorted one, in the mean; 1 at least."""
    random = [source.random_cost for source in sources if source.random_cost is not None]
    in_order = [source.sorted_cost for source in sources if source.sorted_cost is not None]
    if not random or not sum(in_order):
        return 1.0
    return max(float(np.mean(random) / np.mean(in_order)), 1.0)


def _next_round(gathering: Gathering, standing: Standing, schedule: SortedSchedule) -> Standing:
    steps = gathering.query.batch * len(gathering.unfinished)
    for place, count in schedule(gathering, standing, steps).items():
        gathering.read(place, count)
    gathering.depth += gathering.query.batch
    return gathering.standing()


def _completed(gathering: Gathering, standing: Standing, documents: list[int]) -> Standing:
    """Complete documents one after the other, but for those that the others before them have ruled out."""
    for document in documents:
        rows = np.flatnonzero(standing.documents == document)
        if len(rows):
            gathering.complete(standing, int(rows[0]))
            standing = gathering.standing()
    return standing
