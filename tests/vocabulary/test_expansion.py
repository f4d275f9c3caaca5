"""The best come first, and no more than are wanted."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.errors import QueryTimeout
from pagekin.vocabulary.expansion import best_first, check_time

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30)


@settings(deadline=None)
@given(rows, st.integers(0, 35))
def test_the_best_are_those_of_a_sorted_list(found: list[tuple[int, int]], most: int) -> None:
    distances = np.array([distance for distance, _ in found], np.float64)
    occurrences = np.array([seen for _, seen in found], np.int64)
    slow = sorted(range(len(found)), key=lambda k: (found[k][0], -found[k][1], k))[:most]
    assert best_first(distances, occurrences, most).tolist() == slow


def test_time_that_has_passed_is_an_error() -> None:
    with pytest.raises(QueryTimeout, match="longer than it may"):
        check_time(time.monotonic() - 1)


def test_time_that_is_left_is_none() -> None:
    check_time(time.monotonic() + 60)
    check_time(None)
