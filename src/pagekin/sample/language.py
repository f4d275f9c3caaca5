"""Sentences, titles and headings: patterns filled with the words of a topic and with general words.

General words follow Zipf's law, so that the sample web has common and rare words as real text has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from pagekin.sample.dice import Dice

Pattern = tuple[tuple[str, str], ...]
SLOTS = {
    "g": "general", "w": "qualities", "d": "verbs", "x": "adverbials",
    "p": "people", "s": "towns", "m": "months",
}  # fmt: skip
WORD_LISTS = ("general", "qualities", "verbs", "adverbials", "people", "towns", "months", "sites")


@cache
def phrases() -> Mapping[str, tuple[str, ...]]:
    """The lists of phrases.txt by name."""
    text = files("pagekin.sample").joinpath("phrases.txt").read_text("utf-8")
    lists = dict(part.strip().split(":\n", 1) for part in text.split("\n\n")[1:])
    return {name: tuple(body.split(", " if name in WORD_LISTS else "\n")) for name, body in lists.items()}


@cache
def patterns(name: str) -> tuple[Pattern, ...]:
    """The patterns of one list, cut into pairs of a literal and the slot that follows it."""
    return tuple(_pattern(line) for line in phrases()[name])


def _pattern(line: str) -> Pattern:
    pieces = [*re.split(r"\{(\w)\}", line), ""]
    return tuple(zip(pieces[::2], pieces[1::2], strict=True))


@cache
def general_words() -> Mapping[str, tuple[str, ...]]:
    """For each general slot its words, each as often as its rank allows: 1/1, 1/2, 1/3 …"""
    pools = {slot: zipf(phrases()[name]) for slot, name in SLOTS.items() if slot in "gwdx"}
    pools.update({slot: phrases()[name] for slot, name in SLOTS.items() if slot in "psm"})
    pools["n"] = tuple(str(number) for number in range(2, 61))
    pools["y"] = tuple(str(year) for year in range(1921, 2005))
    return pools


def zipf(words: Sequence[str]) -> tuple[str, ...]:
    """Words repeated by their rank; the last one stands twice.

    >>> zipf(["a", "b", "c"])
    ('a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'c')
    """
    return tuple(word for rank, word in enumerate(words, 1) for _ in range(2 * len(words) // rank))


def filled(pattern: Pattern, pools: Mapping[str, Sequence[str]], dice: Dice, link: str = "") -> str:
    """The pattern with its slots filled, beginning with a capital."""
    pieces: list[str] = []
    for literal, slot in pattern:
        pieces.append(literal)
        if slot == "L":
            pieces.append(link)
        elif slot:
            word = dice.pick(pools[slot])
            pieces.append(word if word not in pieces else dice.pick(pools[slot]))
    text = "".join(pieces)
    return text[0].upper() + text[1:]
