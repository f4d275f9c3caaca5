"""Queries are split as pages are."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.query_language import words
from pagekin.query_language.words import LONGEST_WORD, page_pattern, page_words, words_of_texts
from pagekin.scan import vocabulary
from pagekin.scan.page import words_of_text
from pagekin.scan.vocabulary import Vocabulary

PIECES = [
    *("a", "B", "Z9", " ", "-", "'", "’", ".", "\0", "\u00ad", "\u200d", "\u0301", "é", "e\u0301", "İ", "ß", "Σ", "ǅ"),
    *(
        "東",
        "京",
        "カ",
        "ー",
        "々",
        "ｶ",
        "\u3099",
        "한",
        "ก",
        "ำ",
        "\U00020000",
        "\U0001f600",
        "\ud800",
        "Ａ",
        "ﬁ",
        "٣",
    ),
]


def scanned_words(text: str) -> list[str]:
    """The words by the scanner itself."""
    seen = Vocabulary()
    numbers = words_of_text(text, seen)
    lexicon = seen.lexicon()
    spelt = dict(zip(lexicon["word"].to_pylist(), lexicon["text"].to_pylist(), strict=True))
    return [spelt[number] for number in numbers.tolist()]


def test_examples() -> None:
    assert doctest.testmod(words).failed == 0


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
@example("x" * 70)
@example("東" * 40 + "é" * 40)
def test_words_are_those_of_the_scanner(text: str) -> None:
    assert page_words(text) == scanned_words(text)


def test_words_are_cut_where_the_lexicon_cuts_them() -> None:
    assert LONGEST_WORD == vocabulary.LONGEST_WORD


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Reali?ation", "reali?ation"),
        ("a***b", "a*b"),
        ("«É*»", "é*"),
        ("co\u00adop*", "coop*"),
        ("東*", "東*"),
        ("?\u0301a", "?\u0301a"),
    ],
)
def test_pattern(text: str, pattern: str) -> None:
    assert page_pattern(text) == pattern


@pytest.mark.parametrize("text", ["*", "?*", "e-m*", "東京都*", "a東*", "*.*", "x*/y"])
def test_what_is_no_single_word_is_no_pattern(text: str) -> None:
    assert page_pattern(text) == ""


@given(st.text(alphabet="aB*é東?-\u0301\u00ad"))
def test_a_pattern_is_stable(text: str) -> None:
    assert page_pattern(page_pattern(text)) == page_pattern(text)


@given(st.lists(st.lists(st.sampled_from([*PIECES, "\n", "\x1c", "x" * 40])).map("".join)))
def test_words_of_many_texts_are_those_of_each(texts: list[str]) -> None:
    assert words_of_texts(texts) == [page_words(text) for text in texts]
