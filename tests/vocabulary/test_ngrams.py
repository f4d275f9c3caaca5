"""Trigrams lead to the words that hold them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from pagekin.vocabulary import ngrams
from pagekin.vocabulary.gap_lists import numbers_of
from pagekin.vocabulary.ngrams import gram_index, gram_key, gram_places, marked, shared_counts, trigrams

from .lexicon import lexicon, word_lists, word_texts


def test_a_word_has_two_trigrams_more_than_letters() -> None:
    assert trigrams(marked("ab")) == ["\0\0a", "\0ab", "ab\1", "b\1\1"]


@settings(deadline=None)
@given(word_lists)
def test_the_list_of_a_trigram_has_the_words_that_hold_it(texts: list[str]) -> None:
    index, held = lexicon(texts).index, [trigrams(marked(text)) for text in sorted(texts)]
    assert index.keys.tolist() == sorted({gram_key(gram) for grams in held for gram in grams})
    for gram in {gram for grams in held for gram in grams}:
        place = int(gram_places(index, [gram])[0])
        assert numbers_of(index.lists, place).tolist() == [n for n, grams in enumerate(held) if gram in grams]


def test_a_trigram_that_no_word_holds_has_no_place() -> None:
    assert gram_places(lexicon(["rodney"]).index, ["ney", "zzz", "aaa"]).tolist()[1:] == [-1, -1]


@settings(deadline=None)
@given(word_lists, word_texts)
def test_trigrams_are_counted_as_often_as_they_are_asked_for(texts: list[str], text: str) -> None:
    grams, made = trigrams(marked(text)), lexicon(texts)
    slow = [sum(gram in trigrams(marked(other)) for gram in grams) for other in sorted(texts)]
    assert shared_counts(made.index, grams, len(texts)).tolist() == slow


def test_chunks_make_the_same_index(monkeypatch: pytest.MonkeyPatch) -> None:
    words = lexicon(f"word{n}" for n in range(50)).words
    whole = gram_index(words)
    monkeypatch.setattr(ngrams, "_CHUNK_WORDS", 7)
    parts = gram_index(words)
    assert np.array_equal(whole.keys, parts.keys)
    assert np.array_equal(whole.lists.data, parts.lists.data)
