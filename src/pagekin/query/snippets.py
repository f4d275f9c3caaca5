"""The passage of a page that has most of the words that were sought."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.languages import stemmer

WIDTH = 30  # words
FEW = 8  # words that are looked for one by one

Numbers = NDArray[np.int64]
Languages = tuple[str, ...]
Spelt = Callable[[Numbers], list[str]]  # the words that have these numbers


@dataclass(frozen=True)
class Snippet:
    """A passage, and where in it the words that were sought begin and end."""

    text: str
    marks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Sought:
    """What a query looks for: words in any form of their stems, and forms as they are."""

    words: frozenset[str]
    forms: frozenset[str]


class Roots:
    """What is the same in all forms of a word, by numbers: those of words, and of their stems in each language.

    Words are looked at when a text has them for the first time, and remembered for all queries that come later; to
    look at all words of a lexicon takes longer than most queries do.
    """

    def __init__(self, spelt: Spelt, words: int) -> None:
        self._words, self.spelt = words, spelt
        self._numbers: dict[str, int] = {}  # of stems and of forms, from 1 on
        self._of_words: dict[str | None, NDArray[np.int32]] = {}
        self._learning = threading.Lock()

    def stems(self, text: Numbers, language: str) -> NDArray[np.int32]:
        """The numbers of the stems of a text."""
        return self._of_text(text, language)

    def forms(self, text: Numbers) -> NDArray[np.int32]:
        """The numbers of the words of a text as they are spelt."""
        return self._of_text(text, None)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of those stems or forms that any text has had yet."""
        known = (self._numbers.get(word, 0) for word in words)
        return [number for number in known if number]

    def _of_text(self, text: Numbers, language: str | None) -> NDArray[np.int32]:
        if language not in self._of_words:
            self._of_words.setdefault(language, np.zeros(self._words + 1, np.int32))
        roots = self._of_words[language]
        found = roots[text]
        if found.all():
            return found
        with self._learning:
            self._learn(np.unique(text[found == 0]), roots, language)
        return roots[text]

    def _learn(self, words: Numbers, roots: NDArray[np.int32], language: str | None) -> None:
        forms = self.spelt(words)
        known = self._numbers
        same = forms if language is None else stemmer(language)(forms)
        roots[words] = [known.setdefault(root, len(known) + 1) for root in same]


class Finder:
    """Finds in texts what was sought."""

    def __init__(self, sought: Sought, roots: Roots) -> None:
        self._sought, self._roots = sought, roots
        self._stems = cache(lambda language: stemmer(language)(sorted(sought.words)))

    def places(self, text: Numbers, languages: Languages) -> list[tuple[int, int]]:
        """The places of words that were sought, each with what is the same in all forms of one word, as a number."""
        same = np.zeros(len(text), np.int32)
        if self._sought.forms:
            self._add(same, self._roots.forms(text), self._sought.forms)
        if self._sought.words:
            for language in languages:
                self._add(same, self._roots.stems(text, language), self._stems(language))
        places = np.flatnonzero(same)
        return list(zip(places.tolist(), same[places].tolist(), strict=True))

    def _add(self, same: NDArray[np.int32], roots: NDArray[np.int32], wanted: Collection[str]) -> None:
        """Write the roots that are wanted where they stand."""
        numbers = self._roots.numbers(wanted)
        if len(numbers) > FEW:
            np.copyto(same, roots, where=np.isin(roots, numbers))
            return
        for number in numbers:
            same[roots == number] = number

    def snippet(self, texts: Sequence[Numbers], languages: Languages) -> Snippet | None:
        """The first of the passages that have the most different words of those that were sought, and most of them."""
        best, passage = _Cluster(0, 0), None
        for text in texts:
            places = self.places(text, languages)
            densest = _densest(places)
            if densest[:2] > best[:2]:
                start, end = _widened(densest.first, densest.last, len(text))
                found = {place - start for place, _ in places if start <= place < end}
                best, passage = densest, (text[start:end], found)
        return None if passage is None else _marked(self._roots.spelt(passage[0]), passage[1])

    def beginning(self, texts: Sequence[Numbers]) -> Snippet:
        """The first words of a page on which nothing is to be marked."""
        return _marked(self._roots.spelt(texts[0][:WIDTH]), set()) if texts else Snippet("", ())


class _Cluster(NamedTuple):
    """Words that a passage can hold: how many different ones, how many, and the places from the first past the last."""

    kinds: int
    words: int
    first: int = 0
    last: int = 0


def _densest(places: Sequence[tuple[int, int]]) -> _Cluster:
    """The first of the clusters that have the most different words, and most of them."""
    best, last = _Cluster(0, 0), 0
    inside: dict[int, int] = {}  # how often each word is in the passage that begins at a place
    for first, (place, word) in enumerate(places):
        while last < len(places) and places[last][0] < place + WIDTH:
            inside[places[last][1]] = inside.get(places[last][1], 0) + 1
            last += 1
        if (len(inside), last - first) > best[:2]:
            best = _Cluster(len(inside), last - first, place, places[last - 1][0] + 1)
        inside[word] -= 1
        if not inside[word]:
            del inside[word]
    return best


def _widened(first: int, last: int, words: int) -> tuple[int, int]:
    """A passage of the right width with these places in its middle."""
    start = max(min(first - (WIDTH - (last - first)) // 2, words - WIDTH), 0)
    return start, start + WIDTH


def _marked(words: Sequence[str], found: set[int]) -> Snippet:
    marks, at = [], 0
    for place, word in enumerate(words):
        if place in found:
            marks.append((at, at + len(word)))
        at += len(word) + 1
    return Snippet(" ".join(words), tuple(marks))
