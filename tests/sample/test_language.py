from __future__ import annotations

import re

import pytest

from pagekin.sample.dice import Dice
from pagekin.sample.language import filled, general_words, patterns, phrases

WORDS = {**general_words(), "t": ["levain"], "a": ["folding"], "q": ["sour"], "c": ["cold kitchens"]}
LISTS = ("titles", "headings", "sentences", "mentions", "descriptions", "reviews")


@pytest.mark.parametrize("name", LISTS)
def test_every_pattern_can_be_filled(name: str) -> None:
    texts = [filled(pattern, WORDS, Dice(name), link="LINK") for pattern in patterns(name)]
    assert not any(re.search(r"[{}]", text) for text in texts)


def test_a_sentence_begins_with_a_capital_and_ends_with_a_stop() -> None:
    texts = [filled(pattern, WORDS, Dice("1")) for pattern in patterns("sentences")]
    assert all(text[0].isupper() and text.endswith(".") for text in texts)


def test_a_mention_holds_its_link_once() -> None:
    texts = [filled(pattern, WORDS, Dice("1"), link="LINK") for pattern in patterns("mentions")]
    assert {text.count("LINK") for text in texts} == {1}


def test_general_words_follow_their_rank() -> None:
    words, first = general_words()["g"], phrases()["general"]
    assert words.count(first[0]) == 2 * words.count(first[1])
    assert words.count(first[-1]) > 0


def test_people_have_accents() -> None:
    assert not "".join(phrases()["people"]).isascii()
