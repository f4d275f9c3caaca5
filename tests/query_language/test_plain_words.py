"""Words without a sign, which are read by a shorter way than others, and give the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import QueryError
from pagekin.query_language import parser, tokens
from pagekin.query_language.nodes import Node, Together, Word
from pagekin.query_language.parser import MOST_TERMS, parse_query

NOTHING = re.compile("(?!)")
PIECES = ["a", "b7", "java", "x" * 63, "x" * 64, "x" * 65, "Java", "häuser", "e-mail", "w*d", "and", "AND", "OR", "NOT"]
PIECES += [
    "NEAR/2",
    "NEAR",
    "+",
    "-",
    "=",
    "(",
    ")",
    '"',
    "title:",
    "site:",
    "url:",
    "like:",
    "~",
    "~1",
    "^2",
    "/",
    "\n",
]


def result(parse: Callable[[str], Node], text: str) -> Node | str:
    """What a text is read as, or what is wrong with it."""
    try:
        return parse(text)
    except QueryError as error:
        return str(error)


def by_the_long_way(text: str) -> Node | str:
    with patch.object(tokens, "_PLAIN_WORD", NOTHING):
        return result(lambda text: parser._Parser(text).query(), text)


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", " ", "  "])), max_size=12))
def test_queries_are_read_as_by_the_long_way(pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + space for piece, space in pieces)
    assert result(parse_query, text) == by_the_long_way(text)


@given(st.lists(st.text("abz09", min_size=1, max_size=70), min_size=1, max_size=5))
def test_words_alone_are_read_as_by_the_long_way(words: list[str]) -> None:
    text = " ".join(words)
    assert result(parse_query, text) == by_the_long_way(text)


def test_a_word_alone_is_a_word() -> None:
    assert parse_query("java") == Word("java")


def test_words_alone_are_wishes() -> None:
    assert parse_query("java coffee java") == Together((), (Word("java"), Word("coffee"), Word("java")))


@pytest.mark.parametrize("behind", ["", " -a"])
def test_plain_words_may_not_be_too_many(behind: str) -> None:
    most = " ".join(["a"] * (MOST_TERMS - len(behind.split())))
    assert isinstance(parse_query(most + behind), Together)
    with pytest.raises(QueryError, match="at most"):
        parse_query(f"a {most}{behind}")
