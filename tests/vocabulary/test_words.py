"""What is told of the words of a lexicon is so."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from pagekin.kernels import python_twin
from pagekin.vocabulary.words import beginning_with, bits_set, letter_set, lower_case, with_letters_of

from .lexicon import lexicon, word_lists, word_texts


@settings(deadline=None)
@given(word_lists)
def test_lengths_are_in_letters(texts: list[str]) -> None:
    assert lexicon(texts).words.lengths.tolist() == [len(text) for text in sorted(texts)]


@settings(deadline=None)
@given(word_lists)
def test_the_letters_of_words_are_those_of_texts(texts: list[str]) -> None:
    assert lexicon(texts).words.letters.tolist() == [letter_set(text) for text in sorted(texts)]


@settings(deadline=None)
@given(word_lists)
def test_words_are_found_by_their_numbers(texts: list[str]) -> None:
    made = lexicon(texts)
    assert made.texts(np.arange(len(texts))) == sorted(texts)


@settings(deadline=None)
@given(word_lists, word_texts)
def test_words_are_found_by_their_beginnings(texts: list[str], prefix: str) -> None:
    made = lexicon([*texts, prefix + "a"] if prefix + "a" not in texts else texts)
    for width in range(len(prefix) + 1):
        found = made.texts(np.array(beginning_with(made.words, prefix[:width]), np.int64))
        assert found == [text for text in sorted({*texts, prefix + "a"}) if text.startswith(prefix[:width])]


@settings(deadline=None)
@given(word_lists, word_texts)
def test_sets_of_letters_are_compared_from_both_sides(texts: list[str], text: str) -> None:
    made = lexicon(texts)
    slow = [
        (letter_set(other) & ~letter_set(text)).bit_count() <= 2
        and (letter_set(text) & ~letter_set(other)).bit_count() <= 2
        for other in sorted(texts)
    ]
    assert with_letters_of(made.words, text, 2).tolist() == slow


def test_bits_are_counted() -> None:
    assert [int(python_twin(bits_set)(bits)) for bits in (0, 1, 0b1011, 0xFFFFFFFF)] == [0, 1, 3, 32]


def test_lower_case_has_as_many_letters() -> None:
    assert lower_case("İSTANBUL") == "istanbul"
