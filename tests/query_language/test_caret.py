"""A fault is shown under its place."""

from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st

from pagekin.query_language import caret
from pagekin.query_language.caret import MOST_SHOWN, marked, query_fault


def test_examples() -> None:
    assert doctest.testmod(caret).failed == 0


def test_every_character_of_the_place_is_marked() -> None:
    assert marked("a titel:b", 2, 8, "what?") == "a titel:b\n  ^^^^^^ what?"


def test_wide_characters_take_two_columns() -> None:
    assert marked("天气 )", 3, 4, "what?") == "天气 )\n     ^ what?"


def test_a_wide_place_has_wide_marks() -> None:
    assert marked("a 天气", 2, 4, "what?").endswith("\n  ^^^^ what?")


def test_accents_take_no_column() -> None:
    assert marked("e\u0301 )", 3, 4, "what?").endswith("\n  ^ what?")


def test_what_a_terminal_would_obey_is_not_shown() -> None:
    assert marked("a\n\x1b[31m)", 7, 8, "what?") == "a  [31m)\n       ^ what?"


def test_of_a_long_query_only_the_part_around_the_place_is_shown() -> None:
    query = "x" * 500 + ")" + "y" * 500
    first, second = marked(query, 500, 501, "what?").split("\n")
    assert first == "…" + "x" * MOST_SHOWN + ")" + "y" * MOST_SHOWN + "…"
    assert second.index("^") == first.index(")")


def test_a_long_place_is_marked_no_further_than_it_is_shown() -> None:
    first, second = marked("x" * 9000, 0, 9000, "what?").split("\n")
    assert second.count("^") <= len(first)


@given(st.text(), st.integers(0, 20), st.integers(0, 20))
def test_there_are_two_lines_whatever_is_in_the_query(query: str, first: int, length: int) -> None:
    first = min(first, len(query))
    shown = marked(query, first, min(first + length, len(query)), "what?")
    assert len(shown.splitlines()) == 2


def test_the_message_says_where() -> None:
    assert str(query_fault("a )", 2, 3, "found )")) == "the query cannot be read at character 3: found )"
