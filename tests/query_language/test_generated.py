"""Queries made by chance are of every kind, and find something often enough to compare."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from random import Random

import pytest

from pagekin.query_language import nodes
from pagekin.query_language.nodes import Node
from pagekin.query_language.parser import parse_query

from .generated import random_query
from .reference import Page, Reference

TEXT = "the weather forecast of native american music and the lord of the rings on a java compiler".split()
PAGES = [
    Page(
        k,
        {"title": TEXT[k : k + 2], "body": TEXT[k : k + 6], "anchor": TEXT[k - 1 : k + 1], "url": TEXT[:k:4]},
        "example.org",
        "www.example.org",
        "en" if k % 3 else "de",
        datetime(2018 + k % 5, 6, 15, tzinfo=UTC),
    )
    for k in range(len(TEXT))
]


def kinds(node: Node) -> set[str]:
    """The names of all kinds of nodes in a tree."""
    found = {type(node).__name__}
    for field in fields(node):
        value = getattr(node, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if type(part).__module__ == nodes.__name__:
                found |= kinds(part)
    return found


def test_all_kinds_come() -> None:
    every = {kind.__name__ for kind in Node.__args__}
    assert {kind for seed in range(500) for kind in kinds(parse_query(random_query(Random(seed), TEXT)))} == every


def test_the_same_dice_give_the_same_query() -> None:
    assert random_query(Random(7), TEXT) == random_query(Random(7), TEXT)


def test_some_match_all_pages_some_none_and_many_a_few() -> None:
    reference = Reference(PAGES, lambda word: {word})
    counts = [len(reference.matches(parse_query(random_query(Random(seed), TEXT)))) for seed in range(200)]
    assert {0, len(PAGES)} < set(counts)
    assert sum(0 < count < len(PAGES) for count in counts) > 50


@pytest.mark.parametrize("words", [["a"], ["東京", "京都"], ["x1", "naïve"]])
def test_any_words_will_do(words: list[str]) -> None:
    for seed in range(100):
        parse_query(random_query(Random(seed), words))
