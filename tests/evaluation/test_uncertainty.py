"""Intervals that cover, and tests that are as often wrong as they say, in simulations with known truths."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pagekin.evaluation.results import Comparison, Estimate, Ratio
from pagekin.evaluation.uncertainty import comparison, difference, estimate, estimates, p_value, value

SIMULATIONS = 200
Random = np.random.Generator


def ratio(above: object, below: object) -> Ratio:
    return Ratio(np.asarray(above, np.float64), np.asarray(below, np.float64))


def sample(random: Random, sources: int = 60, rate: float = 0.4) -> Ratio:
    """Sources of different size, each with a rate of its own; over all sources there are, the ratio is `rate`."""
    below = random.integers(5, 50, sources)
    return ratio(below * random.uniform(rate - 0.3, rate + 0.3, sources), below)


def twins(random: Random, sources: int = 60) -> tuple[Ratio, Ratio]:
    """Two rankings that differ by chance only, on the same sources."""
    below = random.integers(5, 50, sources)
    rates = random.uniform(0.1, 0.7, sources)
    first, second = (below * (rates + random.normal(0, 0.1, sources)) for _ in range(2))
    return ratio(first, below), ratio(second, below)


def test_the_value_is_the_ratio_of_the_sums() -> None:
    assert value(ratio([1, 2, 0], [2, 6, 4])) == 0.25


def test_intervals_contain_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    found = [estimate(sample(random), 1) for _ in range(SIMULATIONS)]
    covered = sum(each is not None and each.low <= 0.4 <= each.high for each in found)
    assert 0.88 <= covered / SIMULATIONS <= 0.99


def test_intervals_of_differences_contain_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(2)
    found = [difference(*twins(random), 1) for _ in range(SIMULATIONS)]
    covered = sum(each.low <= 0 <= each.high for each in found)
    assert 0.88 <= covered / SIMULATIONS <= 0.99


def test_intervals_are_those_of_a_plain_bootstrap() -> None:
    random = np.random.default_rng(3)
    sampled = sample(random)
    draws = [random.integers(0, 60, 60) for _ in range(4000)]
    low, high = np.percentile([sampled.above[draw].sum() / sampled.below[draw].sum() for draw in draws], (2.5, 97.5))
    found = estimate(sampled, 1)
    assert found is not None
    assert [found.low, found.high] == pytest.approx([low, high], abs=0.1 * (high - low))


def test_intervals_lie_around_the_value_and_not_to_one_side() -> None:
    random = np.random.default_rng(4)
    found = [each for each in (estimate(sample(random), seed) for seed in range(SIMULATIONS)) if each is not None]
    sides = np.mean([(each.high + each.low - 2 * each.value) / (each.high - each.low) for each in found])
    assert abs(sides) < 0.05


def test_intervals_are_narrower_with_more_sources() -> None:
    random = np.random.default_rng(5)
    few, many = (estimate(sample(random, sources), 1) for sources in (50, 5000))
    assert few is not None and many is not None
    assert few.high - few.low > 5 * (many.high - many.low)


def test_sources_that_are_all_alike_leave_no_doubt() -> None:
    assert estimate(ratio([1, 1, 1], [4, 4, 4]), 1) == Estimate(0.25, 0.25, 0.25)


def test_nothing_is_estimated_where_nothing_was_measured() -> None:
    assert value(ratio([0, 0], [0, 0])) is None
    assert estimate(ratio([0, 0], [0, 0]), 1) is None
    assert estimate(ratio([], []), 1) is None


def test_measures_without_a_value_are_left_out() -> None:
    found = estimates({"measured": ratio([1, 1], [2, 2]), "not": ratio([0, 0], [0, 0])}, 1)
    assert found == {"measured": Estimate(0.5, 0.5, 0.5)}


def test_p_values_are_below_5_percent_in_5_percent_of_cases_where_nothing_differs() -> None:
    random = np.random.default_rng(6)
    found = np.array([p_value(*twins(random), 1) for _ in range(SIMULATIONS)])
    assert 0.01 <= np.mean(found < 0.05) <= 0.10
    assert 0.4 <= np.mean(found < 0.5) <= 0.6


def test_the_p_value_is_that_of_all_ways_to_change_sides() -> None:
    random = np.random.default_rng(7)
    first, second = twins(random, 8)
    observed = abs((value(first) or 0) - (value(second) or 0))
    as_large = 0
    for sides in product([False, True], repeat=8):
        one, other = np.where(sides, second.above, first.above), np.where(sides, first.above, second.above)
        as_large += abs(one.sum() - other.sum()) / first.below.sum() >= observed - 1e-9
    assert p_value(first, second, 1) == pytest.approx(as_large / 2**8, abs=0.04)


def test_what_is_below_the_line_changes_sides_with_what_is_above() -> None:
    first, second = ratio([9, 0, 5, 3], [9, 1, 9, 4]), ratio([1, 0, 2, 2], [2, 5, 3, 9])
    as_large = 0
    for sides in product([False, True], repeat=4):
        one, other = (np.where(sides, second.above, first.above), np.where(sides, first.above, second.above))
        under, below = (np.where(sides, second.below, first.below), np.where(sides, first.below, second.below))
        found = abs(one.sum() / under.sum() - other.sum() / below.sum())
        as_large += found >= abs(17 / 23 - 5 / 19) - 1e-9
    assert p_value(first, second, 1) == pytest.approx(as_large / 2**4, abs=0.04)


def test_a_clear_difference_has_a_small_p_value() -> None:
    random = np.random.default_rng(8)
    assert p_value(sample(random, rate=0.6), sample(random, rate=0.3), 1) < 0.002


def test_a_ranking_does_not_differ_from_itself() -> None:
    sampled = sample(np.random.default_rng(9))
    assert p_value(sampled, sampled, 1) == 1.0
    assert difference(sampled, sampled, 1) == Estimate(0.0, 0.0, 0.0)


def test_it_does_not_matter_which_of_two_is_the_first() -> None:
    first, second = twins(np.random.default_rng(10))
    there, back = difference(first, second, 1), difference(second, first, 1)
    assert p_value(first, second, 1) == p_value(second, first, 1)
    assert [there.value, there.low, there.high] == pytest.approx([-back.value, -back.high, -back.low])


def test_a_small_difference_on_every_source_is_seen_though_intervals_overlap() -> None:
    random = np.random.default_rng(11)
    rates = random.uniform(0, 1, 50)
    worse, better = ratio(rates, np.ones(50)), ratio(rates + random.uniform(0.01, 0.03, 50), np.ones(50))
    low, high = estimate(worse, 1), estimate(better, 1)
    assert low is not None and high is not None and low.high > high.low
    assert p_value(better, worse, 1) < 0.002
    assert difference(better, worse, 1).low > 0


def test_the_same_seed_gives_the_same_answer() -> None:
    first, second = twins(np.random.default_rng(12))
    once = (estimate(first, 5), difference(first, second, 5), p_value(first, second, 5))
    estimate(first, 6), estimate(sample(np.random.default_rng(1), 9), 7)  # what is kept between calls is displaced
    assert (estimate(first, 5), difference(first, second, 5), p_value(first, second, 5)) == once


def test_another_seed_draws_others() -> None:
    sampled = sample(np.random.default_rng(13))
    assert estimate(sampled, 1) != estimate(sampled, 2)


def test_a_comparison_says_what_was_compared() -> None:
    first, second = twins(np.random.default_rng(14))
    found = comparison(("a", "b"), "mrr", ({"mrr": first, "x": second}, {"mrr": second, "x": first}), 1)
    assert found == Comparison("a", "b", "mrr", difference(first, second, 1), p_value(first, second, 1))


def test_a_draw_in_which_nothing_was_measured_says_nothing() -> None:
    found = estimate(Ratio(np.array([5.0, 0.0, 0.0]), np.array([5.0, 0.0, 0.0])), 1)
    assert found == Estimate(1.0, 1.0, 1.0)
