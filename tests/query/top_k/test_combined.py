"""CA, followed by hand, and its cost beside that of the best schedule in hindsight."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pagekin.query.top_k.combined import combined_algorithm, cost_ratio
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.protocol import SUM, Aggregation, Floats, TopKQuery

from .small_example import BEST, both, counts


def test_with_a_ratio_of_1_every_round_completes_a_candidate() -> None:
    # 1 is completed after the first round; after the second 2 has 1.5, and no other can have more than 1.3
    assert counts(combined_algorithm(BEST, both(), 1.0)) == [(2, 0), (2, 1)]


def test_with_a_ratio_of_2_every_second_round_does() -> None:
    # after two rounds 1 may still have 1.5, as much as 2 has: it is completed
    assert counts(combined_algorithm(BEST, both(), 2.0)) == [(2, 0), (2, 1)]


def test_with_a_high_ratio_nothing_is_asked_at_random() -> None:
    assert counts(combined_algorithm(BEST, both(), 100.0)) == [(3, 0), (3, 0)]


def test_what_no_list_can_tell_is_asked_when_the_lists_have_ended() -> None:
    found = combined_algorithm(BEST, both(second=(None, 1.0)), 100.0)
    assert found.documents.tolist() == [2]
    assert counts(found) == [(5, 0), (0, 2)]


RATIOS = {
    "of both sources": (((1.0, 10.0), (1.0, 20.0)), 15.0),
    "of those that have such an access": (((1.0, None), (None, 4.0)), 4.0),
    "no less than 1": (((5.0, 1.0), (5.0, 1.0)), 1.0),
    "1 if lists cost nothing": (((0.0, 1.0), (0.0, 1.0)), 1.0),
    "1 if nothing can be asked": (((1.0, None), (1.0, None)), 1.0),
}


@pytest.mark.parametrize("what", list(RATIOS))
def test_the_ratio_is_that_of_the_mean_costs(what: str) -> None:
    costs, ratio = RATIOS[what]
    assert cost_ratio(both(*costs)) == ratio


def cost_in_hindsight(scores: Floats, k: int, random_cost: float) -> float:
    """What the best schedule of the lecture costs: scan all lists to the depth that is best in the end, then ask.

    The depth must be one where no document that was not seen can be better than the k-th best, and all missing scores
    are asked for of those whose best score is above it.
    """
    documents, lists = scores.shape
    least = np.sort(scores.sum(axis=1))[-k]
    places = (-scores).argsort(axis=0).argsort(axis=0)  # of each document in each list
    costs = []
    for depth in range(1, documents + 1):
        known = places < depth
        highs = np.sort(scores, axis=0)[-depth]
        candidates = known.any(axis=1) & (np.where(known, scores, highs).sum(axis=1) > least)
        if highs.sum() <= least:
            costs.append(depth * lists + random_cost * (~known[candidates]).sum())
    return float(min(costs))


@pytest.mark.parametrize(("lists", "k"), [(2, 1), (2, 10), (4, 1), (4, 10)])
def test_its_cost_is_within_its_bound(lists: int, k: int) -> None:
    # Fagin, Lotem and Naor: 4m + k times the best, for a strictly monotone aggregation and scores without ties.
    for seed, ratio in product(range(10), (1.0, 10.0, 100.0, 1000.0)):
        scores = np.random.default_rng(seed).random((150, lists)) ** (1 + seed % 4)
        sources = [MemorySource("", dict(enumerate(column)), 1.0, ratio) for column in scores.T.tolist()]
        found = combined_algorithm(TopKQuery(Aggregation(SUM, np.ones(lists)), k), sources)
        assert found.documents.tolist() == (-scores.sum(axis=1)).argsort()[:k].tolist()
        assert found.cost <= (4 * lists + k) * cost_in_hindsight(scores, k, ratio)
