"""Fagin's NRA: sorted access alone, until both the set and the order of the answer are certain.

A document that a list did not show before it ended has the score 0 there.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Source, TopK, TopKQuery
from pagekin.query.top_k.reading import check_all_list
from pagekin.query.top_k.sorted_schedules import SortedSchedule, round_robin

NAME = "the algorithm without random access"


def no_random_access(query: TopKQuery, sources: Sequence[Source], schedule: SortedSchedule = round_robin) -> TopK:
    """The best documents by NRA; every source needs sorted access."""
    check_all_list(NAME, sources)
    gathering = Gathering(query, sources, probing=False)
    standing = gathering.standing()
    while (answer := gathering.answer(standing)) is None:
        steps = query.batch * len(gathering.unfinished)
        for place, count in schedule(gathering, standing, steps).items():
            gathering.read(place, count)
        standing = gathering.standing()
    return answer
