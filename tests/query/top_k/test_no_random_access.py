"""NRA, followed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.no_random_access import no_random_access
from pagekin.query.top_k.sorted_schedules import SORTED_SCHEDULES

from .small_example import BEST, FIRST, both, counts


def test_it_reads_until_no_other_can_be_as_good() -> None:
    # after two rounds 2 has 1.5, and 1 may have 0.9 + 0.6, which is as much; after three 0.9 + 0.4
    found = no_random_access(BEST, both())
    assert found.documents.tolist() == [2]
    assert counts(found) == [(3, 0), (3, 0)]


def test_the_order_must_be_certain_too() -> None:
    # 2 and 3 are the best two as soon as 1 cannot have more than 1.1, which the last score of the second list tells
    found = no_random_access(replace(BEST, k=2), both())
    assert found.documents.tolist() == [2, 3]
    assert counts(found) == [(5, 0), (5, 0)]


def test_the_score_of_an_answer_need_not_be_known() -> None:
    sources = [MemorySource("one", {1: 0.9, 2: 0.1, 3: 0.1}), MemorySource("two", {2: 0.3, 3: 0.3, 1: 0.2})]
    found = no_random_access(BEST, sources)
    assert found.documents.tolist() == [1]
    assert (found.worst.tolist(), found.best.tolist()) == ([0.9], [0.9 + 0.3])


def test_what_a_list_does_not_show_before_it_ends_has_nothing_there() -> None:
    sources = [MemorySource("cut", FIRST, listed=1), MemorySource("other", {5: 0.5})]
    found = no_random_access(replace(BEST, k=2), sources)
    assert found.worst.tolist() == found.best.tolist() == [0.9, 0.5]


@pytest.mark.parametrize("name", list(SORTED_SCHEDULES))
def test_every_schedule_reads_a_whole_batch(name: str) -> None:
    found = no_random_access(replace(BEST, k=5, batch=2), both(), SORTED_SCHEDULES[name])
    assert counts(found) == [(5, 0), (5, 0)]
