"""Bags as they are packed: what is written is read back, frequencies within 2.2 percent."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.stores.bag_store import FREQUENCIES, BagStore, append_bags, frequency_codes

Bag = dict[int, int]
LARGEST = int(FREQUENCIES[-1])
GREATEST_TERM = 2**31 - 1

terms = st.integers(0, 200) | st.integers(0, GREATEST_TERM)
bags = st.dictionaries(terms, st.integers(32, LARGEST), max_size=20)


def stored(*batches: list[Bag]) -> BagStore:
    """The store after each batch of bags was added."""
    with tempfile.TemporaryDirectory() as folder:
        for batch in batches:
            terms = np.array([term for bag in batch for term in sorted(bag)], np.int32)
            frequencies = np.array([bag[term] for bag in batch for term in sorted(bag)], np.int64)
            append_bags(Path(folder), terms, frequencies, np.cumsum([0, *map(len, batch)]))
        return BagStore(Path(folder))


@settings(deadline=None)
@given(st.lists(st.lists(bags, max_size=6), min_size=1, max_size=3))
def test_terms_are_read_back(batches: list[list[Bag]]) -> None:
    every, store = [bag for batch in batches for bag in batch], stored(*batches)
    assert len(store) == len(every)
    assert [store.bag(i).terms.tolist() for i in range(len(every))] == [sorted(bag) for bag in every]


@settings(deadline=None)
@given(st.lists(bags, min_size=1, max_size=6))
def test_frequencies_are_right_within_2_2_percent(batch: list[Bag]) -> None:
    store = stored(batch)
    for i, bag in enumerate(batch):
        expected = [bag[term] for term in sorted(bag)]
        assert store.bag(i).frequencies == pytest.approx(expected, rel=0.022)


@settings(deadline=None)
@given(st.dictionaries(terms, st.integers(32 << 24, 2**50), min_size=1, max_size=20), bags)
def test_in_a_bag_beyond_the_scale_the_shares_are_right(large: Bag, small: Bag) -> None:
    heaviest = max(large.values())
    large = {term: frequency for term, frequency in large.items() if frequency > heaviest >> 15}
    store = stored([large, small])
    found, expected = store.bag(0).frequencies, np.array([large[term] for term in sorted(large)])
    assert found / found.max() == pytest.approx(expected / heaviest, rel=0.045)
    assert store.bag(1).frequencies == pytest.approx([small[term] for term in sorted(small)], rel=0.022)


def test_what_is_too_seldom_to_tell_apart_counts_as_the_least() -> None:
    assert frequency_codes(np.array([1, 31, 32, 33]), np.array([0, 4])).tolist() == [0, 0, 0, 1]


def test_a_common_term_takes_two_bytes_and_the_rarest_six() -> None:
    assert len(stored([{5: 1024}]).data) == 2
    assert len(stored([{GREATEST_TERM: 1024}]).data) == 6


def test_a_store_without_bags_and_bags_without_terms_are_read() -> None:
    assert len(stored([])) == 0
    assert stored([{}, {7: 1024}, {}]).bag(2).terms.tolist() == []
