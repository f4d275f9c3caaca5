"""Γ and Somers' D against a count of all pairs, against scipy, and against the definitions of the paper."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import somersd

from pagekin.evaluation.gamma import PairCounts, all_pair_counts, gamma, pair_counts, sort_first

MAX_DEPTH = 4

few_scores = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75])  # few, so that many are equal
far_pages = st.tuples(few_scores, st.integers(0, MAX_DEPTH))


def counted(rows: list[tuple[float, int]], depth: int = MAX_DEPTH) -> PairCounts:
    """The counts for rows of (score, distance); the source stands before them."""
    scores = np.array([1.0, *(score for score, _ in rows)], np.float32)
    return pair_counts(scores, np.array([0, *(distance for _, distance in rows)], np.int8), 0, depth)


def all_pairs(scores: list[float], distances: list[int], source: int, depth: int) -> list[list[int]]:
    counts = [[0, 0, 0] for _ in range(depth + 1)]
    for near, far in product(range(len(scores)), repeat=2):
        if near == source or distances[near] != 0 or distances[far] == 0:
            continue
        if scores[near] > scores[far]:
            counts[distances[far]][0] += 1
        elif scores[near] < scores[far]:
            counts[distances[far]][1] += 1
        else:
            counts[distances[far]][2] += 1
    return counts


@pytest.mark.parametrize("depth", range(1, MAX_DEPTH + 1))
@given(rows=st.lists(far_pages, max_size=30), place=st.integers(0, 30))
@settings(deadline=None)
def test_pairs_are_counted_as_by_comparing_all_of_them(depth: int, rows: list[tuple[float, int]], place: int) -> None:
    rows = [(score, min(distance, depth)) for score, distance in rows]
    source = min(place, len(rows))
    rows.insert(source, (1.0, 0))
    scores, distances = [score for score, _ in rows], [distance for _, distance in rows]
    found = pair_counts(np.array(scores, np.float32), np.array(distances, np.int8), source, depth)
    assert found.counts.tolist() == all_pairs(scores, distances, source, depth)


def test_pairs_are_counted_in_a_directory_of_many_pages() -> None:
    random = np.random.default_rng(1)
    scores, distances = random.integers(0, 50, 600) / 50, random.integers(0, 4, 600)
    distances[7] = 0
    found = pair_counts(scores.astype(np.float32), distances.astype(np.int8), 7, 3)
    assert found.counts.tolist() == all_pairs(scores.astype(np.float32).tolist(), distances.tolist(), 7, 3)


@given(st.lists(st.floats(0, 1, width=32) | few_scores, max_size=40), st.integers(0, 40))
@settings(deadline=None)
def test_the_first_values_are_sorted_and_the_others_left_alone(values: list[float], first: int) -> None:
    count = min(first, len(values))
    found = np.array(values, np.float32)
    sort_first(found, count)
    assert found.tolist() == [*np.sort(np.array(values, np.float32)[:count]), *np.array(values, np.float32)[count:]]


@given(st.lists(st.tuples(few_scores, st.integers(0, 1)), min_size=2, max_size=25))
@settings(deadline=None)
def test_somers_d_is_that_of_scipy(rows: list[tuple[float, int]]) -> None:
    assume(all(len(set(column)) > 1 for column in zip(*rows, strict=True)))  # of what orders nothing scipy says nan
    concordant, discordant, tied = counted(rows, 1).counts[1].tolist()
    # D of the scores, given the truth: near pages are 1, far ones 0.
    expected = somersd([1 - distance for _, distance in rows], [score for score, _ in rows]).statistic
    assert (concordant - discordant) / (concordant + discordant + tied) == pytest.approx(expected, abs=1e-12)


def order(keys: list[float]) -> set[tuple[int, int]]:
    """The pairs (x, y) of which x comes first: the one with the larger key."""
    return {(x, y) for x, y in product(range(len(keys)), repeat=2) if keys[x] > keys[y]}


@given(st.lists(far_pages, max_size=20), st.integers(1, MAX_DEPTH))
@settings(deadline=None)
def test_partial_gamma_is_that_of_definition_3(rows: list[tuple[float, int]], distance: int) -> None:
    compared = [row for row in rows if row[1] in (0, distance)]
    truth, ranking = order([-distance for _, distance in compared]), order([score for score, _ in compared])
    both_order = {(x, y) for x, y in truth if (x, y) in ranking or (y, x) in ranking}
    expected = 2 * len(truth & ranking) / len(both_order) - 1 if both_order else None
    concordant, discordant, _ = counted(rows).counts[distance].tolist()
    assert gamma(concordant, discordant) == (expected if expected is None else pytest.approx(expected))


def test_a_ranking_that_orders_nothing_has_no_gamma() -> None:
    assert gamma(0, 0) is None


@pytest.mark.parametrize(("rows", "expected"), [([(0.9, 0), (0.1, 1)], 1.0), ([(0.1, 0), (0.9, 1)], -1.0)])
def test_gamma_is_1_for_the_true_order_and_minus_1_for_the_reverse(
    rows: list[tuple[float, int]], expected: float
) -> None:
    concordant, discordant, _ = counted(rows).counts[1].tolist()
    assert gamma(concordant, discordant) == expected


def test_the_source_itself_is_no_page_of_its_class() -> None:
    found = counted([(0.5, 1), (0.2, 2)])
    assert found.members == 0
    assert not found.counts.any()


@pytest.mark.parametrize("own_score", [0.0, 0.3, 1.0])
def test_the_score_of_the_source_with_itself_changes_nothing(own_score: float) -> None:
    scores = np.array([0.5, own_score, 0.2, 0.4], np.float32)
    found = pair_counts(scores, np.array([0, 0, 1, 2], np.int8), 1, 2)
    assert found.counts.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert (found.members, found.orthogonal) == (1, 0)


def test_pages_of_the_class_that_score_nothing_are_orthogonal() -> None:
    found = counted([(0.0, 0), (0.3, 0), (0.0, 0), (0.0, 1), (0.0, 3)])
    assert (found.members, found.orthogonal) == (3, 2)


def test_no_distance_is_counted_for_another() -> None:
    found = counted([(0.5, 0), (0.1, 1), (0.9, 2), (0.5, 3)], 3)
    assert found.counts.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


@given(st.data())
def test_the_whole_familial_ordering_is_every_pair_of_two_distances(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    distances = [0, *data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))]
    scores = [1.0, *data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=size, max_size=size))]
    found = all_pair_counts(np.array(scores, np.float32), np.array(distances, np.int8), 0, 3)
    pairs = [(a, b) for a in range(1, size + 1) for b in range(1, size + 1) if distances[a] < distances[b]]
    signs = [np.sign(scores[a] - scores[b]) for a, b in pairs]
    assert found.tolist() == [signs.count(1), signs.count(-1), signs.count(0)]
