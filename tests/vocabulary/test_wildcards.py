"""Patterns match the words that a regular expression matches."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.errors import QueryTimeout
from pagekin.vocabulary import wildcards
from pagekin.vocabulary.wildcards import matching_words

from .lexicon import LETTERS, Lexicon, lexicon, word_lists

patterns = st.text(LETTERS[:5] + "é日**??", max_size=8)


def slow_matches(texts: list[str], pattern: str) -> list[str]:
    parts = {"*": ".*", "?": "."}
    expression = re.compile("".join(parts.get(letter) or re.escape(letter) for letter in pattern), re.DOTALL)
    return [text for text in sorted(texts) if expression.fullmatch(text)]


def matches(made: Lexicon, pattern: str) -> list[str]:
    return made.texts(matching_words(made.words, made.index, pattern))


@settings(deadline=None)
@given(word_lists, patterns)
def test_any_pattern_matches_what_a_regular_expression_does(texts: list[str], pattern: str) -> None:
    assert matches(lexicon(texts), pattern) == slow_matches(texts, pattern)


@settings(deadline=None)
@given(word_lists.filter(bool), st.data())
def test_a_word_with_holes_matches_itself(texts: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts))
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))
    for hole in ("*", "?" * (last - first), "*?" * (last - first)):
        pattern = text[:first] + hole + text[last:]
        assert text in matches(lexicon(texts), pattern)
        assert matches(lexicon(texts), pattern) == slow_matches(texts, pattern)


WORDS = ["britney", "britain", "realisation", "realization", "heraklion", "smith", "smyth", "smooth", "bananas", "a"]


@pytest.mark.parametrize(
    "pattern",
    ["brit*ney", "*raklion", "reali?ation", "sm?th", "sm*th", "*", "?", "*a*", "*an*an*", "b*n*s", "smith", "", "zz*"],
)
def test_patterns_that_people_write(pattern: str) -> None:
    assert matches(lexicon(WORDS), pattern) == slow_matches(WORDS, pattern)


def test_a_pattern_longer_than_any_word_matches_nothing() -> None:
    assert matches(lexicon(["a" * 255]), "a*" * 256) == []
    assert matches(lexicon(["a" * 255]), "a*" * 255) == ["a" * 255]


def test_no_time_is_no_answer() -> None:
    made = lexicon(WORDS)
    with pytest.raises(QueryTimeout):
        matching_words(made.words, made.index, "*", time.monotonic() - 1)


def test_chunks_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wildcards, "_CHUNK_WORDS", 3)
    assert matches(lexicon(WORDS), "*a*") == slow_matches(WORDS, "*a*")
