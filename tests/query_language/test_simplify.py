"""Less to look for, the same pages found."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.query_language import simplify
from pagekin.query_language.nodes import Node, Word
from pagekin.query_language.parser import parse_query
from pagekin.query_language.printing import query_text
from pagekin.query_language.simplify import simplified

from .reference import Page, Reference
from .trees import any_trees, canonical_trees, filters

LETTERS = "abc"
# Every combination of three words, in two fields; with so few words no difference can hide.
PAGES = [
    Page(
        number,
        {"title": [w for k, w in enumerate(LETTERS) if number >> k & 1], "body": [LETTERS[number % 3]]},
        site="example.org" if number % 2 else "",
        language="de" if number % 3 else "en",
        fetched=datetime(2000 + number * 4, 1, 1, tzinfo=UTC),
    )
    for number in range(8)
]
REFERENCE = Reference(PAGES, lambda word: {word})
LEAVES: st.SearchStrategy[Node] = st.one_of(st.builds(Word, st.sampled_from(LETTERS)), filters())


def test_examples() -> None:
    assert doctest.testmod(simplify).failed == 0


@settings(deadline=None, max_examples=500)
@given(any_trees(LEAVES))
def test_the_same_pages_match(node: Node) -> None:
    assert REFERENCE.matches(simplified(node)) == REFERENCE.matches(node)


@settings(deadline=None, max_examples=300)
@given(any_trees(LEAVES))
def test_what_is_simple_stays(node: Node) -> None:
    assert simplified(simplified(node)) == simplified(node)


@settings(deadline=None, max_examples=300)
@given(canonical_trees())
def test_a_simple_query_still_has_a_text(node: Node) -> None:
    assert simplified(parse_query(query_text(simplified(node)))) == simplified(node)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("a a b a", "a b"),
        ("a OR a", "a"),
        ("a OR (b OR (a OR c))", "a OR b OR c"),
        ("(a AND b) c", "+a +b c"),
        ("+a +(+b c -d)", "+a +b c -d"),
        ("a (b c)", "a b c"),
        ("+a a b", "+a b"),
        ("a -(b OR c) -b", "a -b -c"),
        ("+a +(-b)", "+a -b"),
        ("+(a b) -c", "a b -c"),
        ("title:(title:a)", "title:a"),
        ("title:(site:example.org)", "site:example.org"),
        ("a^1", "a"),
        ("+(-a) b", "+(-a) b"),
    ],
)
def test_simplified(text: str, simple: str) -> None:
    assert query_text(simplified(parse_query(text))) == simple
