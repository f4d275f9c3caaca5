"""The slow evaluator says what the lecture says."""

from __future__ import annotations

from datetime import UTC, datetime

import jellyfish
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from pagekin.query_language.nodes import Phrase
from pagekin.query_language.parser import parse_query

from .reference import (
    Page,
    Reference,
    dice,
    edit_distance,
    editex_distance,
    is_phrase,
    is_phrase_by_all_ways,
    soundex,
)

NAMES = st.text(alphabet="abcdhmnprstwz", min_size=1, max_size=9)
PAGES = [
    Page(1, {"title": ["java"], "body": ["a", "fast", "java", "compiler"]}, "a.test", "www.a.test", "en"),
    Page(2, {"title": ["script"], "anchor": ["java", "scripts"]}, "a.test", "a.test", "de"),
    Page(3, {"body": ["compilers", "of", "java"], "url": ["b", "test"]}, "b.test", "b.test", "en"),
    Page(4, {"body": ["nothing"]}, "b.test", "b.test", "en", datetime(2021, 3, 31, 23, 59, tzinfo=UTC)),
]
REFERENCE = Reference(PAGES, lambda word: {word.removesuffix("s")})


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("java", {1, 2, 3}),
        ("java nothing", {1, 2, 3, 4}),
        ("+java nothing", {1, 2, 3}),
        ("java -script", {1, 3}),
        ("NOT java", {4}),
        ("java AND compiler", {1, 3}),
        ("script OR nothing", {2, 4}),
        ("=scripts", {2}),
        ("title:java", {1}),
        ("anchor:java", {2}),
        ("body:(java OR nothing)", {1, 3, 4}),
        ('"java compiler"', {1}),
        ('"compiler java"', set()),
        ('"compiler java"~1', {3}),
        ('"java script"', {2}),
        ("java NEAR/1 compiler", {1}),
        ("java NEAR/2 compiler", {1, 3}),
        ("compil*", {1, 3}),
        ("s?ript", {2}),
        ("jvaa~", {1, 2, 3}),
        ("sounds:jaffa", {1, 2, 3}),
        ("editex:jafa~1", {1, 2, 3}),
        ("like:compile", {1, 3}),
        ("site:a.test", {1, 2}),
        ("site:www.a.test", {1}),
        ("java lang:de", {2}),
        ("date:2021-03", {4}),
        ("date:2021-04..", set()),
        ("java^5", {1, 2, 3}),
    ],
)
def test_matches(query: str, numbers: set[int]) -> None:
    assert REFERENCE.matches(parse_query(query)) == numbers


def test_the_words_of_a_phrase_stand_in_one_field() -> None:
    assert REFERENCE.matches(Phrase(("java", "a"))) == set()


@pytest.mark.parametrize(
    ("word", "code"),
    [*zip("powers perez penny penee tymczak tanshik".split(), "P620 P620 P500 P500 T522 T522".split(), strict=True)],
)
def test_soundex_of_the_lecture(word: str, code: str) -> None:
    assert soundex(word) == code


@given(NAMES)
def test_soundex_of_a_library(word: str) -> None:
    assert soundex(word) == jellyfish.soundex(word)


@given(NAMES, NAMES)
def test_edit_distance_of_a_library(one: str, other: str) -> None:
    assert edit_distance(one, other) == OSA.distance(one, other)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("rodney", "rodney", 0),
        ("rodney", "rodnei", 1),
        ("rodney", "rodne", 1),
        ("rodney", "rhodney", 2),
        ("rodney", "roddney", 0),
        ("cat", "hat", 2),
        ("cat", "kat", 1),
        ("", "cat", 6),
        ("whale", "wale", 1),
    ],
)
def test_editex_by_hand(one: str, other: str, distance: int) -> None:
    assert editex_distance(one, other) == distance


@given(NAMES, NAMES)
def test_editex_is_the_same_from_both_sides(one: str, other: str) -> None:
    assert editex_distance(one, other) == editex_distance(other, one)


def test_dice_of_the_lecture() -> None:
    assert dice("rodney", "rhodnee") == 2 * 2 / (4 + 5)


@given(st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=1, max_size=3), st.integers(0, 3))
def test_phrases_by_all_ways(places: list[list[int]], slop: int) -> None:
    assert is_phrase(places, slop) == is_phrase_by_all_ways(places, slop)
