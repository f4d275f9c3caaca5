"""Lists hold what was put into them, in order, and each number once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.vocabulary.gap_lists import GapLists, Pairs, add_list, common_numbers, gap_lists, numbers_of

number_sets = st.lists(st.sets(st.integers(0, 1 << 22), max_size=30), min_size=1, max_size=5)


def filled(sets: list[set[int]]) -> GapLists:
    """The lists of some sets, written in two chunks and with every number twice."""
    pairs = sorted((number, k) for k, numbers in enumerate(sets) for number in numbers for _ in range(2))
    half = len(pairs) // 2

    def chunks() -> Iterator[Pairs]:
        for part in (pairs[:half], pairs[half:]):
            yield np.array([k for _, k in part], np.int64), np.array([number for number, _ in part], np.int64)

    return gap_lists(chunks, len(sets))


@settings(deadline=None)
@given(number_sets)
def test_a_list_is_read_as_it_was_written(sets: list[set[int]]) -> None:
    lists = filled(sets)
    assert [numbers_of(lists, k).tolist() for k in range(len(sets))] == [sorted(numbers) for numbers in sets]


@settings(deadline=None)
@given(number_sets, st.sets(st.integers(0, 1 << 22)))
def test_common_numbers_are_those_of_both(sets: list[set[int]], others: set[int]) -> None:
    others |= set(list(sets[0])[::2])
    found = common_numbers(filled(sets), 0, np.array(sorted(others), np.int64))
    assert found.tolist() == sorted(sets[0] & others)


def test_numbers_are_counted_by_their_weights() -> None:
    lists, counts = filled([{0, 2, 5}, {2}]), np.zeros(6, np.uint16)
    add_list(lists, 0, 3, counts)
    add_list(lists, 1, 1, counts)
    assert counts.tolist() == [3, 0, 4, 0, 0, 3]


def test_neighbours_take_a_byte_each() -> None:
    lists = filled([set(range(1000)), {0, 129, 40000}])
    assert np.diff(lists.ends).tolist() == [1000, 1 + 2 + 3]
