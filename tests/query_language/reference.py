"""The slow, obvious evaluator: which pages match a query, by looking at every page and every word form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import combinations, pairwise

from pagekin.query_language.nodes import (
    FIELDS,
    Boost,
    Date,
    Editex,
    Either,
    Fuzzy,
    InField,
    Language,
    Like,
    Near,
    Node,
    Phrase,
    Site,
    Sounds,
    Together,
    Wildcard,
    Word,
)

SOUNDEX = {letter: code for code, letters in enumerate("bpfv csgjkqxz dt l mn r".split(), 1) for letter in letters}
EDITEX = [set(group) for group in "aeiouy bp ckq dt lr mn gj fpv sxz csz".split()]
LIKENESS = 0.4


@dataclass(frozen=True)
class Page:
    """A page as the evaluator sees it; a field that is not there has no words."""

    number: int
    fields: Mapping[str, Sequence[str]]
    site: str = ""
    host: str = ""
    language: str = ""
    fetched: datetime | None = None


@dataclass(frozen=True)
class Reference:
    """Pages, their lexicon, and what two words have in common.

    `stems` gives the stems that a word of a query may have. A word on a page has those too unless `page_stem` says
    which one it has in the language of the page.
    """

    pages: Sequence[Page]
    stems: Callable[[str], Collection[str]]
    lexicon: Collection[str] | None = None  # all words of the pages, unless given
    likeness: float = LIKENESS
    page_stem: Callable[[str, str], str] | None = None
    _known_forms: dict[Node, set[str]] = field(default_factory=dict)

    def matches(self, node: Node) -> set[int]:
        """The numbers of the pages that match."""
        return {page.number for page in self.pages if self._is_match(page, node, FIELDS)}

    def forms(self, node: Node) -> set[str]:
        """The word forms that a wildcard, fuzzy, phonetic or n-gram term stands for."""
        if node not in self._known_forms:
            self._known_forms[node] = {form for form in self._lexicon() if is_alike(form, node, self.likeness)}
        return self._known_forms[node]

    def _lexicon(self) -> Collection[str]:
        if self.lexicon is not None:
            return self.lexicon
        return {word for page in self.pages for words in page.fields.values() for word in words}

    def _is_match(self, page: Page, node: Node, fields: Iterable[str]) -> bool:
        match node:
            case Together(required, optional, excluded):
                found = [self._is_match(page, part, fields) for part in optional]
                wanted = required or not optional or any(found)
                return (
                    bool(wanted)
                    and all(self._is_match(page, part, fields) for part in required)
                    and not any(self._is_match(page, part, fields) for part in excluded)
                )
            case Either(nodes):
                return any(self._is_match(page, part, fields) for part in nodes)
            case Boost(inner, _):
                return self._is_match(page, inner, fields)
            case InField(field, inner):
                return self._is_match(page, inner, [field])
            case Site(name):
                is_below = page.host.endswith(f".{name}") and name.endswith(f".{page.site}")
                return is_below or name in (page.site, page.host)
            case Language(code):
                return page.language == code
            case Date(first, end):
                return page.fetched is not None and is_between(page.fetched, first, end)
            case _:
                return any(self._stands_in(page, field, node) for field in fields)

    def _stands_in(self, page: Page, field: str, node: Node) -> bool:
        words = page.fields.get(field, ())
        match node:
            case Word(text, exact):
                return text in words if exact else bool(self._places(page, field, text))
            case Phrase(texts, slop):
                return is_phrase([self._places(page, field, text) for text in texts], slop)
            case Near(first, second, distance):
                places = self._places(page, field, first), self._places(page, field, second)
                return any(0 < abs(one - other) <= distance for one in places[0] for other in places[1])
            case _:
                return not self.forms(node).isdisjoint(words)

    def _places(self, page: Page, field: str, text: str) -> list[int]:
        """Where a word stands in a field, in any form of the same stem."""
        wanted = set(self.stems(text))
        return [place for place, word in enumerate(page.fields.get(field, ())) if wanted & self._page_stems(word, page)]

    def _page_stems(self, word: str, page: Page) -> set[str]:
        return {self.page_stem(word, page.language)} if self.page_stem else set(self.stems(word))


def is_between(moment: datetime, first: datetime | None, end: datetime | None) -> bool:
    """Whether a moment is not before `first` and before `end`."""
    return (first is None or first <= moment) and (end is None or moment < end)


def is_phrase(places: Sequence[Sequence[int]], slop: int) -> bool:
    """Whether there is a place of each word, in their order, with at most `slop` other places between them."""
    starts = {place: place for place in places[0]}  # the last place of a phrase so far, and its latest beginning
    for nexts in places[1:]:
        starts = {
            place: max(start for last, start in starts.items() if last < place)
            for place in nexts
            if any(last < place for last in starts)
        }
    return any(last - start + 1 - len(places) <= slop for last, start in starts.items())


def is_phrase_by_all_ways(places: Sequence[Sequence[int]], slop: int) -> bool:
    """The same by looking at every choice of places."""
    every = sorted({place for of_word in places for place in of_word})
    return any(
        chosen[-1] - chosen[0] + 1 - len(places) <= slop
        and all(place in of_word for place, of_word in zip(chosen, places, strict=True))
        for chosen in combinations(every, len(places))
    )


# --- words that are alike ------------------------------------------------------------------------------------


def is_alike(form: str, node: Node, likeness: float) -> bool:
    """Whether a term of a query stands for a word form."""
    match node:
        case Wildcard(pattern):
            return wildcard_expression(pattern).fullmatch(form) is not None
        case Fuzzy(text, distance):
            return edit_distance(text, form) <= distance
        case Sounds(text):
            return soundex(text) != "" and soundex(text) == soundex(form)
        case Editex(text, distance):
            return editex_distance(text, form) <= distance
        case Like(text):
            return dice(text, form) >= likeness
    raise AssertionError(f"{node} does not stand for word forms")


def wildcard_expression(pattern: str) -> re.Pattern[str]:
    """A pattern as a regular expression."""
    signs = {"*": ".*", "?": "."}
    return re.compile("".join(signs.get(letter, re.escape(letter)) for letter in pattern), re.S)


@cache
def edit_distance(one: str, other: str) -> int:
    """The Damerau-Levenshtein distance by the recurrence of the lecture."""

    @cache
    def edit(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        ways = [edit(i - 1, j) + 1, edit(i, j - 1) + 1, edit(i - 1, j - 1) + diff(i, j)]
        if i > 1 and j > 1:
            ways.append(edit(i - 2, j - 2) + diff(i - 1, j) + diff(i, j - 1) + 1)
        return min(ways)

    def diff(i: int, j: int) -> int:
        return int(one[i - 1] != other[j - 1])

    return edit(len(one), len(other))


@cache
def soundex(word: str) -> str:
    """The Soundex code; none for a word that has anything but the letters a to z when its accents are taken off.

    Letters of one code in a row count once, also with h or w between them, as in the archives of the United States.
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if not re.fullmatch("[a-z]+", bare):
        return ""
    heard = [SOUNDEX.get(letter, 0) for letter in bare[0] + re.sub("[hw]", "", bare[1:])]
    digits = [str(code) for before, code in pairwise(heard) if code not in (0, before)]
    return (bare[0].upper() + "".join(digits) + "000")[:4]


@cache
def editex_distance(one: str, other: str) -> int:
    """The Editex distance by the recurrence of the lecture; before its first letter stands one of no group."""

    @cache
    def editex(i: int, j: int) -> int:
        ways = []
        if i:
            ways.append(editex(i - 1, j) + removing(one, i))
        if j:
            ways.append(editex(i, j - 1) + removing(other, j))
        if i and j:
            ways.append(editex(i - 1, j - 1) + diffcode(one[i - 1], other[j - 1]))
        return min(ways, default=0)

    def removing(word: str, i: int) -> int:
        before, letter = f" {word}"[i - 1], word[i - 1]
        return 1 if before != letter and before in "hw" else diffcode(before, letter)

    return editex(len(one), len(other))


def diffcode(one: str, other: str) -> int:
    """What it costs to replace a letter by another: nothing by itself, 1 within a group, else 2."""
    if one == other:
        return 0
    return 1 if any(one in group and other in group for group in EDITEX) else 2


def dice(one: str, other: str) -> float:
    """The Dice coefficient of the sets of trigrams; a word without any is like itself alone."""
    first, second = trigrams(one), trigrams(other)
    if not first or not second:
        return float(one == other)
    return 2 * len(first & second) / (len(first) + len(second))


def trigrams(word: str) -> set[str]:
    """The substrings of three letters."""
    return {word[i : i + 3] for i in range(len(word) - 2)}
