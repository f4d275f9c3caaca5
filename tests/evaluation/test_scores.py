"""Exact scores of one page and all others, against dicts in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.evaluation.scores import Bags, scores_of, term_lists

CLOSE = 1e-5  # float32, added up over a bag

Bag = dict[int, tuple[float, float]]  # by term: the weight for the Jaccard coefficient, and that for the cosine

weights = st.floats(0.01, 10)
some_bags = st.lists(
    st.dictionaries(st.integers(0, 12), st.tuples(weights, weights), max_size=8), min_size=1, max_size=8
)
shares = st.sampled_from([0.0, 0.15, 0.5, 1.0])


def normalised(bag: Bag) -> Bag:
    total, length = sum(j for j, _ in bag.values()), math.hypot(*(c for _, c in bag.values()))
    return {term: (j / total, c / length) for term, (j, c) in bag.items()}


def packed(bags: list[Bag], share: float) -> Bags:
    """Bags as arrays, normalised."""
    rows = [(term, *pair) for bag in bags for term, pair in sorted(normalised(bag).items())]
    ends = np.append(0, np.cumsum([len(bag) for bag in bags])).astype(np.int64)
    terms = np.array([term for term, _, _ in rows], np.int32)
    jaccard, cosine = (np.array([row[column] for row in rows], np.float32) for column in (1, 2))
    return Bags(ends, terms, jaccard, cosine, share)


def scored(bags: list[Bag], share: float, source: int) -> list[float]:
    arrays = packed(bags, share)
    found: list[float] = scores_of(arrays, term_lists(arrays), source).tolist()
    return found


def jaccard(a: Bag, b: Bag) -> float:
    pairs = [(a.get(term, (0.0, 0.0))[0], b.get(term, (0.0, 0.0))[0]) for term in {*a, *b}]
    return sum(map(min, pairs)) / sum(map(max, pairs)) if a and b else 0.0


def cosine(a: Bag, b: Bag) -> float:
    return sum(a[term][1] * b[term][1] for term in {*a} & {*b})


@given(some_bags, shares)
@settings(deadline=None)
def test_scores_are_sums_of_minima_by_sums_of_maxima_and_cosines(bags: list[Bag], share: float) -> None:
    normal = [normalised(bag) for bag in bags]
    for source, own in enumerate(normal):
        expected = [(1 - share) * jaccard(own, other) + share * cosine(own, other) for other in normal]
        assert scored(bags, share, source) == pytest.approx(expected, abs=CLOSE)


def test_the_jaccard_coefficient_by_hand() -> None:
    bags = [{1: (1.0, 1.0), 2: (3.0, 1.0)}, {2: (1.0, 1.0), 3: (1.0, 1.0)}]
    # 1/4 and 3/4 against 1/2 and 1/2: one half in common, of 1/4 + 3/4 + 1/2
    assert scored(bags, 0.0, 0)[1] == pytest.approx(0.5 / 1.5)


def test_the_cosine_by_hand() -> None:
    bags = [{1: (1.0, 3.0), 2: (1.0, 4.0)}, {2: (1.0, 2.0)}]
    assert scored(bags, 1.0, 0)[1] == pytest.approx(0.8)


def test_weights_of_the_other_metric_are_not_looked_at() -> None:
    bags = [{1: (1.0, 1.0), 2: (1.0, 9.0)}, {1: (1.0, 1.0), 3: (1.0, 9.0)}]
    assert scored(bags, 0.0, 0)[1] == pytest.approx(1 / 3)
    assert scored(bags, 1.0, 0)[1] == pytest.approx(1 / 82)


@given(some_bags, shares)
@settings(deadline=None)
def test_a_page_is_wholly_alike_to_itself(bags: list[Bag], share: float) -> None:
    for source, bag in enumerate(bags):
        assert scored(bags, share, source)[source] == (pytest.approx(1.0, abs=CLOSE) if bag else 0.0)


@given(some_bags, shares)
@settings(deadline=None)
def test_two_pages_are_as_alike_one_way_as_the_other(bags: list[Bag], share: float) -> None:
    table = np.array([scored(bags, share, source) for source in range(len(bags))])
    assert table == pytest.approx(table.T, abs=CLOSE)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_pages_without_a_common_term_score_exactly_0(share: float) -> None:
    assert scored([{1: (1.0, 1.0)}, {2: (1.0, 1.0)}, {}], share, 0)[1:] == [0.0, 0.0]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_page_of_which_nothing_is_known_is_like_none(share: float) -> None:
    assert scored([{}, {1: (1.0, 1.0)}, {}], share, 0) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_pages_with_equal_bags_have_equal_scores(share: float) -> None:
    bag = {term: (1 / (term + 1), 1 / (term + 2)) for term in range(50)}
    scores = scored([{3: (1.0, 1.0), 8: (2.0, 0.1)}, bag, {5: (1.0, 1.0)}, bag], share, 0)
    assert scores[1] == scores[3]


@given(some_bags)
@settings(deadline=None)
def test_term_lists_have_each_page_of_a_term_once_in_order(bags: list[Bag]) -> None:
    lists = term_lists(packed(bags, 0.5))
    for term in range(len(lists.starts) - 1):
        expected = [page for page, bag in enumerate(bags) if term in bag]
        assert lists.pages[lists.starts[term] : lists.starts[term + 1]].tolist() == expected
