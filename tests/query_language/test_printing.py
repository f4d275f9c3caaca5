"""Trees become texts that mean the same."""

from __future__ import annotations

import doctest
from random import Random

import pytest
from hypothesis import given, settings

from pagekin.query_language import printing
from pagekin.query_language.nodes import Node, Site, Together, Word
from pagekin.query_language.parser import parse_query
from pagekin.query_language.printing import query_text

from .generated import random_query
from .trees import WORDS, canonical_trees


def test_examples() -> None:
    assert doctest.testmod(printing).failed == 0


@settings(deadline=None, max_examples=300)
@given(canonical_trees())
def test_the_text_of_a_tree_is_read_as_that_tree(node: Node) -> None:
    assert parse_query(query_text(node)) == node


@pytest.mark.parametrize("seed", range(200))
def test_every_tree_of_a_text_has_a_text(seed: int) -> None:
    node = parse_query(random_query(Random(seed), WORDS))
    assert parse_query(query_text(node)) == node


@pytest.mark.parametrize(
    "text",
    [
        "java",
        "=java^3",
        "+java (applet OR servlet) -script",
        '"native music"~3^0.5',
        "title:(java NEAR/5 compiler)^2",
        "title:sounds:tymczak OR editex:rodney~3",
        "+(a b) +site:example.org",
        "(-a) OR b",
    ],
)
def test_canonical_texts_stay(text: str) -> None:
    assert query_text(parse_query(text)) == text


def test_a_filter_that_is_only_wished_for_says_so() -> None:
    assert query_text(Together(optional=(Word("a"), Site("example.org")))) == "a site:example.org^1"
