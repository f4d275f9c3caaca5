"""What stands at the top of a ranking, against slow twins that sort everything."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.evaluation.ranks import best_pages, ndcg, precision, r_score, recall, reciprocal_rank

few_scores = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75])
some_scores = st.lists(few_scores, min_size=1, max_size=40)
places = st.integers(0, 39)


def sorted_pages(scores: list[float], source: int) -> list[int]:
    """All answers, the best first, of equal ones that with the lesser number."""
    answers = [page for page, score in enumerate(scores) if score > 0 and page != source]
    return sorted(answers, key=lambda page: (-scores[page], page))


def floats(values: list[float]) -> np.ndarray:
    return np.array(values, np.float32)


def numbers(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


@given(some_scores, places, st.integers(1, 15))
@settings(deadline=None)
def test_the_best_pages_are_the_first_of_all_in_order(scores: list[float], place: int, k: int) -> None:
    source = min(place, len(scores) - 1)
    assert best_pages(floats(scores), source, k).tolist() == sorted_pages(scores, source)[:k]


def test_ten_pages_are_looked_at() -> None:
    assert best_pages(floats([0.5] * 30), 3).tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10]


def test_a_page_that_scores_nothing_is_no_answer() -> None:
    assert best_pages(floats([1.0, 0.0, 0.0, 0.2]), 0).tolist() == [3]


def test_a_related_page_that_scores_nothing_has_no_rank() -> None:
    assert reciprocal_rank(floats([1.0, 0.0, 0.0]), 0, numbers([1])) == 0.0


@given(some_scores, places, st.sets(places, min_size=1))
@settings(deadline=None)
def test_the_reciprocal_rank_is_that_in_the_whole_order(scores: list[float], place: int, wanted: set[int]) -> None:
    source = min(place, len(scores) - 1)
    related = sorted(page for page in wanted if page < len(scores) and page != source)
    expected = [rank for rank, page in enumerate(sorted_pages(scores, source), 1) if page in related]
    found = reciprocal_rank(floats(scores), source, numbers(related))
    assert found == (1 / expected[0] if expected else 0.0)


def test_the_reciprocal_rank_goes_on_behind_the_first_ten() -> None:
    assert reciprocal_rank(floats([0.9] * 20 + [0.1]), 0, numbers([20])) == 1 / 20


@given(st.lists(places, max_size=10, unique=True), st.sets(places, min_size=1))
def test_recall_is_the_share_of_related_pages_found(best: list[int], related: set[int]) -> None:
    found = recall(numbers(best), numbers(sorted(related)))
    assert found == pytest.approx(len(related & set(best)) / len(related))


def slow_ndcg(best: list[int], grades: dict[int, float], k: int) -> float:
    gained = sum(grades.get(page, 0.0) / math.log2(rank + 2) for rank, page in enumerate(best))
    ideal = sorted(grades.values())[::-1][:k]
    return gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal))


@given(
    st.lists(places, max_size=10, unique=True),
    st.dictionaries(places, st.sampled_from([1.0, 2.0, 3.0, 0.5]), min_size=1, max_size=20),
)
def test_ndcg_is_the_discounted_gain_by_the_ideal_one(best: list[int], grades: dict[int, float]) -> None:
    related = sorted(grades)
    found = ndcg(numbers(best), numbers(related), np.array([grades[page] for page in related]))
    assert found == pytest.approx(slow_ndcg(best, grades, 10))
    assert 0 <= found <= 1 + 1e-12


def test_ndcg_of_the_ideal_order_is_1_with_grades() -> None:
    assert ndcg(numbers([7, 2, 5]), numbers([2, 5, 7]), np.array([2.0, 1.0, 3.0])) == pytest.approx(1.0)


def test_ndcg_of_the_ideal_order_is_1_where_more_is_related_than_is_looked_at() -> None:
    assert ndcg(numbers(list(range(10))), numbers(list(range(25))), np.ones(25)) == pytest.approx(1.0)


def test_ndcg_is_less_if_a_lower_grade_comes_first() -> None:
    related, grades = numbers([2, 5]), np.array([3.0, 1.0])
    assert ndcg(numbers([5, 2]), related, grades) < ndcg(numbers([2, 5]), related, grades)


def test_ndcg_of_answers_that_are_all_unrelated_is_0() -> None:
    assert ndcg(numbers([1, 3]), numbers([2]), np.ones(1)) == 0.0


@given(st.lists(st.integers(0, 3), min_size=40, max_size=40), st.lists(places, max_size=10, unique=True))
def test_precision_is_the_share_of_ten_that_are_of_the_class(distances: list[int], best: list[int]) -> None:
    found = precision(np.array(distances, np.int8), numbers(best))
    assert found == pytest.approx(sum(distances[page] == 0 for page in best) / 10)


@given(
    st.integers(1, 4),
    st.lists(st.integers(0, 4), min_size=40, max_size=40),
    st.lists(places, max_size=10, unique=True),
)
def test_the_r_score_is_2_for_the_class_and_1_for_a_sibling(depth: int, rows: list[int], best: list[int]) -> None:
    distances = [min(distance, depth) for distance in rows]
    worth = {0: 2, 1: 1 if depth > 1 else 0}
    found = r_score(np.array(distances, np.int8), numbers(best), depth)
    assert found == pytest.approx(sum(worth.get(distances[page], 0) for page in best) / 10)


def test_answers_that_are_not_there_count_as_wrong() -> None:
    assert precision(np.zeros(5, np.int8), numbers([1, 2])) == 0.2
    assert r_score(np.zeros(5, np.int8), numbers([1, 2]), 3) == 0.4
