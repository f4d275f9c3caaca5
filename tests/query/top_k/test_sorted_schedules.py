"""How steps are shared out, against all ways to do so."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.protocol import SUM, Aggregation, TopKQuery
from pagekin.query.top_k.sorted_schedules import (
    SORTED_SCHEDULES,
    benefit_aggregation,
    foretold,
    greedy,
    knapsack,
    score_gradient,
    score_reduction,
)

benefit_rows = st.integers(1, 3).flatmap(
    lambda lists: st.lists(st.lists(st.integers(0, 9), min_size=6, max_size=6), min_size=lists, max_size=lists)
)


@settings(deadline=None)
@given(benefit_rows)
def test_a_knapsack_has_the_most_benefit_of_all_shares(rows: list[list[int]]) -> None:
    benefits = np.maximum.accumulate(np.array([[0, *row] for row in rows], np.float64), axis=1)
    shares = knapsack(benefits, np.arange(7))
    all_shares = [ways for ways in product(range(7), repeat=len(rows)) if sum(ways) == 6]
    most = max(sum(row[share] for row, share in zip(benefits, ways, strict=True)) for ways in all_shares)
    assert shares.sum() == 6
    assert sum(row[share] for row, share in zip(benefits, shares, strict=True)) == most


def test_greedy_shares_by_the_benefit_of_all_steps() -> None:
    benefits = np.array([[0.0, 9.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert greedy(benefits, np.array([0, 4, 8])).tolist() == [6, 2, 0]


def test_what_rounding_leaves_over_goes_to_the_largest_remainders() -> None:
    assert greedy(np.array([[0.0, 0.45], [0.0, 0.35], [0.0, 0.2]]), np.array([0, 2])).tolist() == [1, 1, 0]


def two_lists(steep: float, flat: float, read: int) -> Gathering:
    """Two lists of 100, one of which falls faster, read to some depth."""
    lists = [{document: 1.0 - slope * document for document in range(100)} for slope in (steep, flat)]
    sources = [MemorySource(name, scores) for name, scores in zip(("steep", "flat"), lists, strict=True)]
    gathering = Gathering(TopKQuery(Aggregation(SUM, np.ones(2)), 3), sources)
    for place in (0, 1):
        gathering.read(place, read)
    return gathering


def test_a_list_goes_on_as_it_fell() -> None:
    reader = two_lists(0.01, 0.001, 11).readers[0]
    assert foretold(reader, np.array([0, 5, 10])) == pytest.approx([0.9, 0.85, 0.8])


def test_no_score_below_0_is_foretold() -> None:
    assert foretold(two_lists(0.01, 0.001, 91).readers[0], np.array([5, 60])) == pytest.approx([0.05, 0.0])


def test_a_gradient_is_the_fall_of_one_step_and_a_reduction_that_of_all() -> None:
    gathering = two_lists(0.01, 0.001, 11)
    standing, steps = gathering.standing(), np.array([0, 10])
    assert score_reduction(gathering, standing, [0, 1], steps) == pytest.approx(np.array([[0, 0.1], [0, 0.01]]))
    assert score_gradient(gathering, standing, [0, 1], steps) == pytest.approx(np.array([[0, 0.01], [0, 0.001]]))


@pytest.mark.parametrize("name", [name for name in SORTED_SCHEDULES if name.startswith("score")])
def test_the_list_that_falls_faster_is_read_more(name: str) -> None:
    gathering = two_lists(0.009, 0.001, 11)
    shares = SORTED_SCHEDULES[name](gathering, gathering.standing(), 20)
    assert sum(shares.values()) == 20
    assert shares[0] >= 18


@pytest.mark.parametrize("name", list(SORTED_SCHEDULES))
@pytest.mark.parametrize("steps", [1, 2, 33, 100])
def test_shares_add_up_to_the_batch(name: str, steps: int) -> None:
    gathering = two_lists(0.009, 0.004, 11)
    shares = SORTED_SCHEDULES[name](gathering, gathering.standing(), steps)
    assert sum(shares.values()) == steps
    assert min(shares.values()) >= 0


@pytest.mark.parametrize("name", list(SORTED_SCHEDULES))
def test_lists_that_were_not_read_are_read_alike(name: str) -> None:
    gathering = two_lists(0.009, 0.001, 0)
    assert SORTED_SCHEDULES[name](gathering, gathering.standing(), 5) == {0: 3, 1: 2}


def test_only_documents_that_lack_a_score_of_a_list_speak_for_it() -> None:
    # the first list has shown all that the second has, and more: nothing is missing in it
    sources = [MemorySource("a", {1: 0.9, 2: 0.8, 3: 0.7}), MemorySource("b", {1: 0.9, 2: 0.2})]
    gathering = Gathering(TopKQuery(Aggregation(SUM, np.ones(2)), 1), sources)
    gathering.read(0, 3)
    gathering.read(1, 1)
    benefits = benefit_aggregation(gathering, gathering.standing(), [0, 1], np.array([0, 1]))
    assert benefits[0].tolist() == [0, 0]


@pytest.mark.parametrize(("least", "weight"), [(0.3, 10.0), (0.45, 4.0), (0.1, 0.0)])
def test_what_reading_may_add_counts_by_the_gap_to_min_k(least: float, weight: float) -> None:
    # a document that has 0.2 lacks the score of a list that stands at 0.4, and was read once: no fall is foretold
    gathering = Gathering(TopKQuery(Aggregation(SUM, np.ones(1)), 1), [MemorySource("", {1: 0.4, 2: 0.1})])
    gathering.read(0, 1)
    one, none = np.ones(1), np.zeros((1, 1))
    standing = Standing(np.array([9]), none > 0, none, 0.2 * one, 0.6 * one, one > 0, least, 0.4, 0.0)
    benefit = benefit_aggregation(gathering, standing, [0], np.array([0, 1]))
    assert benefit[0] == pytest.approx([0.0, weight * 0.4])


@pytest.mark.parametrize(("least", "weight"), [(0.5, 10.0), (0.2, 2.5)])
def test_a_fall_counts_by_the_surplus_over_min_k(least: float, weight: float) -> None:
    # the list falls by 0.1 a step, and the document has enough without it: only its best score matters
    gathering = Gathering(TopKQuery(Aggregation(SUM, np.ones(1)), 1), [MemorySource("", {1: 0.9, 2: 0.8, 3: 0.7})])
    gathering.read(0, 2)
    one, none = np.ones(1), np.zeros((1, 1))
    standing = Standing(np.array([9]), none > 0, none, least * one, 0.6 * one, one > 0, least, 0.8, 0.0)
    benefit = benefit_aggregation(gathering, standing, [0], np.array([0, 1]))
    assert benefit[0] == pytest.approx([0.0, weight * 0.1])
