"""Shingles, resemblance and containment against sets of tuples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.templates import segment_hash
from pagekin.duplicates.shingles import contents, distinct_shingles, text_chunk
from pagekin.hashing import hash_text
from pagekin.number_set import number_set
from pagekin.settings import DuplicateSettings

from .chain import found, text, web, words

TEXTS = st.lists(st.sampled_from("abcd"), max_size=40)


def shingles(text: list[str], width: int) -> list[int]:
    """What the kernel makes of a text."""
    ids = np.array([hash_text(word) for word in text], np.int64)
    out, slots = np.empty(max(len(text), 1), np.int64), np.empty(256, np.int64)
    count = distinct_shingles(ids, len(ids), width, slots, out)
    return [int(number) for number in out[:count]]


def slow_shingles(text: list[str], width: int) -> set[tuple[str, ...]]:
    runs = {tuple(text[k : k + width]) for k in range(len(text) - width + 1)}
    return runs or ({tuple(text)} if text else set())


@given(TEXTS, st.integers(1, 7))
def test_there_is_a_shingle_for_each_different_run_of_words(text: list[str], width: int) -> None:
    found = shingles(text, width)
    assert len(found) == len(set(found)) == len(slow_shingles(text, width))


@given(TEXTS, TEXTS, st.integers(1, 5))
def test_texts_share_as_many_shingles_as_runs(one: list[str], other: list[str], width: int) -> None:
    shared = set(shingles(one, width)) & set(shingles(other, width))
    assert len(shared) == len(slow_shingles(one, width) & slow_shingles(other, width))


def test_the_order_of_words_matters() -> None:
    assert set(shingles(["a", "b"], 2)).isdisjoint(shingles(["b", "a"], 2))


def test_a_page_of_few_words_has_no_content() -> None:
    tables = web({"http://a.test/": text(1, 9), "http://a.test/b": text(2, 10)})
    chunk = text_chunk(tables["pages"].combine_chunks().to_batches()[0])
    assert [len(words) for words in contents(chunk, np.empty(0, np.int64), DuplicateSettings())] == [0, 10]


def test_boilerplate_is_left_out_unless_too_little_is_left() -> None:
    tables = web({"http://a.test/": f"home|{text(1, 30)}", "http://a.test/b": f"{text(1, 30)}|few words"})
    chunk = text_chunk(tables["pages"].combine_chunks().to_batches()[0])
    segment = segment_hash(chunk.words, 1, 31)
    left = contents(chunk, number_set(np.array([segment])), DuplicateSettings(least_words=1))
    kept = contents(chunk, number_set(np.array([segment])), DuplicateSettings())
    assert ([len(words) for words in left], [len(words) for words in kept]) == ([1, 2], [31, 32])


@pytest.mark.parametrize("kept", [50, 150, 190, 199])
def test_resemblance_and_containment_are_those_of_the_sets(kept: int, tmp_path: Path) -> None:
    one = words(1, 200)
    other = one[:kept] + words(2, 60)
    tables = web({"http://a.test/": " ".join(one), "http://b.test/": " ".join(other)})
    row = found(tables, tmp_path, DuplicateSettings(threshold=0.0, contained=0.0))["resemblances"].to_pylist()
    a, b = slow_shingles(one, 5), slow_shingles(other, 5)
    if not row:
        assert len(a & b) / len(a | b) < 0.6  # no candidates
        return
    assert row[0]["resemblance"] == len(a & b) / len(a | b)
    assert {row[0]["containment"], row[0]["other_containment"]} == {len(a & b) / len(a), len(a & b) / len(b)}
    assert {row[0]["shingles"], row[0]["other_shingles"]} == {len(a), len(b)}
    assert row[0]["shared"] == len(a & b)
