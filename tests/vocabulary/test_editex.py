"""Words within an Editex distance are all that the definition, word by word, finds."""

from __future__ import annotations

import time
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.errors import QueryTimeout
from pagekin.vocabulary import editex
from pagekin.vocabulary.editex import GROUPS, words_within_editex

from .lexicon import lexicon

sounds = st.text("aeybpfcksxhwdt7é日", min_size=1, max_size=8)


def diffcode(one: str, other: str) -> int:
    if one == other:
        return 0
    return 1 if any(one in group and other in group for group in GROUPS) else 2


def skipped(before: str, letter: str) -> int:
    return 1 if before != letter and before in ("h", "w") else diffcode(before, letter)


def slow_editex(one: str, other: str) -> int:
    """The recurrence as it stands, with a sign before the words that is no letter."""
    one, other = "^" + one, "^" + other

    @cache
    def editex(i: int, j: int) -> int:
        costs = [0] if i == j == 0 else []
        if i:
            costs.append(editex(i - 1, j) + skipped(one[i - 1], one[i]))
        if j:
            costs.append(editex(i, j - 1) + skipped(other[j - 1], other[j]))
        if i and j:
            costs.append(editex(i - 1, j - 1) + diffcode(one[i], other[j]))
        return min(costs)

    return editex(len(one) - 1, len(other) - 1)


def slow_within(texts: list[str], word: str, distance: int) -> dict[str, float]:
    found = {text: slow_editex(word, text) for text in sorted(texts)}
    return {text: float(cost) for text, cost in found.items() if cost <= distance}


@settings(deadline=None)
@given(st.lists(sounds, max_size=30, unique=True), sounds, st.integers(0, 8))
def test_all_words_within_a_distance_are_found(texts: list[str], word: str, distance: int) -> None:
    made = lexicon(texts)
    assert made.distances(words_within_editex(made.words, word, distance)) == slow_within(texts, word, distance)


@settings(deadline=None)
@given(st.lists(sounds, max_size=30, unique=True), sounds)
def test_a_distance_that_all_are_within(texts: list[str], word: str) -> None:
    made = lexicon(texts)
    assert made.distances(words_within_editex(made.words, word, 10**30)) == slow_within(texts, word, 10**30)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("rodney", "rodney", 0),
        ("rodney", "roddney", 0),  # a letter that is doubled
        ("rodney", "lodney", 1),  # one of its group
        ("rodney", "bodney", 2),
        ("rodney", "odney", 2),  # the first stands behind no letter
        ("rhodney", "rhdney", 1),  # behind an h
        ("ae", "a", 1),  # behind one of its group
        ("what", "wat", 1),
        ("ah", "ahb", 1),
        ("adb", "a", 4),
    ],
)
def test_what_the_definition_says(one: str, other: str, distance: int) -> None:
    made = lexicon([other])
    assert made.distances(words_within_editex(made.words, one, distance)) == {other: distance}
    assert slow_editex(one, other) == distance


def test_no_time_is_no_answer() -> None:
    made = lexicon(["rodney"])
    with pytest.raises(QueryTimeout):
        words_within_editex(made.words, "rodney", 3, time.monotonic() - 1)


def test_chunks_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["".join(letters) for letters in product("abs", repeat=4)]
    made = lexicon(texts)
    monkeypatch.setattr(editex, "_CHUNK_CELLS", 200)
    assert made.distances(words_within_editex(made.words, "absa", 3)) == slow_within(texts, "absa", 3)
