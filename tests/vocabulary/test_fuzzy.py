"""Words within a distance are all that comparing every word finds."""

from __future__ import annotations

import time
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.errors import QueryTimeout
from pagekin.vocabulary import fuzzy
from pagekin.vocabulary.fuzzy import CHANGED_GRAMS, words_within
from pagekin.vocabulary.ngrams import marked, trigrams

from .lexicon import LETTERS, lexicon, word_lists, word_texts


def edit_distance(one: str, other: str) -> int:
    """The recurrence as it stands: to insert, to take away, to replace, to swap neighbours."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            costs = [table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (one[i - 1] != other[j - 1])]
            if i > 1 and j > 1:
                swapped = (one[i - 2] != other[j - 1]) + (one[i - 1] != other[j - 2])
                costs.append(table[i - 2, j - 2] + swapped + 1)
            table[i, j] = min(costs)
    return table[len(one), len(other)]


def slow_within(texts: list[str], word: str, distance: int) -> dict[str, float]:
    found = {text: edit_distance(word, text) for text in sorted(texts)}
    return {text: float(edits) for text, edits in found.items() if edits <= distance}


@st.composite
def misspelt(draw: st.DrawFn) -> tuple[str, str]:
    """A word of some length and what a few edits, mostly swaps, make of it."""
    letters = list(draw(st.text(LETTERS, min_size=1, max_size=16)))
    word = "".join(letters)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(letters) - 1))
        edit = draw(st.sampled_from(["swap", "swap", "replace", "remove", "insert"]))
        if edit == "swap":
            letters[place : place + 2] = letters[place : place + 2][::-1]
        else:
            letter = [] if edit == "remove" else [draw(st.sampled_from(LETTERS))]
            letters[place : place + (edit != "insert")] = letter
        letters = letters or ["a"]
    return word, "".join(letters)


@settings(deadline=None)
@given(misspelt())
def test_an_edit_changes_four_trigrams_at_most(pair: tuple[str, str]) -> None:
    one, other = (Counter(trigrams(marked(word))) for word in pair)
    left = max(map(len, pair)) + 2 - CHANGED_GRAMS * edit_distance(*pair)
    assert (one & other).total() >= left


@settings(deadline=None)
@given(word_lists, misspelt(), st.integers(0, 5))
def test_all_words_within_a_distance_are_found(texts: list[str], pair: tuple[str, str], distance: int) -> None:
    word, other = pair
    texts = list({*texts, other})
    made = lexicon(texts)
    assert made.distances(words_within(made.words, made.index, word, distance)) == slow_within(texts, word, distance)


@settings(deadline=None)
@given(word_lists, word_texts)
def test_a_distance_that_all_are_within(texts: list[str], word: str) -> None:
    made = lexicon(texts)
    found = made.distances(words_within(made.words, made.index, word, 10**30))
    assert found == slow_within(texts, word, 10**30)


def test_a_swap_is_one_edit() -> None:
    made = lexicon(["receive", "deceive", "perceive"])
    assert made.distances(words_within(made.words, made.index, "recieve", 1)) == {"receive": 1.0}


def test_no_word_is_near_one_that_is_far_longer() -> None:
    made = lexicon(["a" * 255])
    assert made.distances(words_within(made.words, made.index, "a" * 300, 44)) == {}
    assert made.distances(words_within(made.words, made.index, "a" * 300, 45)) == {"a" * 255: 45.0}


@pytest.mark.parametrize("word", ["abcabcabc", "ab"])
def test_no_time_is_no_answer(word: str) -> None:
    made = lexicon(["abcabcabc", "ab"])
    with pytest.raises(QueryTimeout):
        words_within(made.words, made.index, word, 2, time.monotonic() - 1)


def test_chunks_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["".join(letters) for letters in product("abc", repeat=4)]
    made = lexicon(texts)
    monkeypatch.setattr(fuzzy, "_CHUNK_WORDS", 7)
    monkeypatch.setattr(fuzzy, "_CHUNK_COMPARED", 5)
    assert made.distances(words_within(made.words, made.index, "abca", 2)) == slow_within(texts, "abca", 2)
