"""Words are as like as their sets of trigrams."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.vocabulary.likeness import LEAST_LIKENESS, words_like
from pagekin.vocabulary.ngrams import trigrams

from .lexicon import lexicon

few_letters = st.text("abé", min_size=1, max_size=12)


def slow_like(texts: list[str], word: str) -> dict[str, float]:
    grams, found = set(trigrams(word)), {}
    for text in sorted(texts):
        others = set(trigrams(text))
        shared, both = len(grams & others), len(grams) + len(others)
        likeness = 1.0 if text == word else 2 * shared / both if both else 0.0
        if likeness >= LEAST_LIKENESS:
            found[text] = 1 - likeness
    return found


@settings(deadline=None)
@given(st.lists(few_letters, max_size=30, unique=True), few_letters)
def test_all_words_that_are_like_enough_are_found(texts: list[str], word: str) -> None:
    made = lexicon(texts)
    assert made.distances(words_like(made.words, made.index, word)) == slow_like(texts, word)


def test_rhodnee_is_like_rodney() -> None:
    made = lexicon(["rodney", "sidney", "rhode"])
    found = made.distances(words_like(made.words, made.index, "rhodnee"))
    assert found == pytest.approx({"rhode": 1 - 4 / 8, "rodney": 1 - 4 / 9})


def test_a_short_word_is_like_itself_only() -> None:
    made = lexicon(["of", "off", "o"])
    assert made.distances(words_like(made.words, made.index, "of")) == {"of": 0.0}
    assert made.distances(words_like(made.words, made.index, "of"[::-1])) == {}
