"""Codes are those of the tables of Soundex, and lead to the words that have them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.vocabulary.soundex import CODES, _soundex_numbers, soundex_index, soundex_number, words_sounding_like

from .lexicon import lexicon

WORDS = ["ashcraft", "müller", "mueller", "penee", "penny", "perez", "powers", "tanshik", "tymczak", "x1", "日本"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("powers", "perez"), ("penny", "penee"), ("tymczak", "tanshik"), ("müller", "mueller"), ("é", "e")],
)
def test_words_that_sound_alike_have_one_code(one: str, other: str) -> None:
    assert soundex_number(one) == soundex_number(other)


@pytest.mark.parametrize("word", ["", "3rd", "x1", "日本", "москва", "o'neill"])
def test_what_is_not_latin_has_no_code(word: str) -> None:
    assert soundex_number(word) == -1


def test_codes_are_numbered_from_the_first_to_the_last() -> None:
    assert soundex_number("a") == 0
    assert soundex_number("zrrara") < CODES == soundex_number("zrarar") + 1


@pytest.mark.parametrize("word", WORDS)
def test_a_code_leads_to_all_words_that_have_it(word: str) -> None:
    made = lexicon(WORDS)
    found = made.texts(words_sounding_like(soundex_index(made.words), word))
    code = soundex_number(word)
    assert found == [other for other in sorted(WORDS) if soundex_number(other) == code >= 0]


def test_a_code_that_no_word_has_leads_nowhere() -> None:
    assert np.array_equal(words_sounding_like(soundex_index(lexicon(WORDS).words), "zebra"), [])


@settings(deadline=None)
@given(st.lists(st.text("abcdghklmrstwé1日", max_size=9), unique=True))
def test_the_numbers_of_many_words_are_those_of_each(words: list[str]) -> None:
    made = lexicon(words)
    assert _soundex_numbers(made.words).tolist() == [soundex_number(word) for word in sorted(words)]
