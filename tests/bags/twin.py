"""What bags are, word for word from the definitions: slow, with nothing but dicts and loops.

Haveliwala et al. 2002, section 3, with templates and repeated windows left out. No page, no site and no
term has a number here; a term is its text, and a page that links is the term ("link", its id).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import Stemmer

from pagekin.hashing import hash_text
from pagekin.languages import STEMMERS, known_language, stop_words
from pagekin.settings import Strategy
from pagekin.tables import Break

Row = dict[str, Any]
Term = str | tuple[str, int]
Segment = tuple[int, ...]
Bags = dict[int, dict[Term, int]]

ENDS_TEXT = Break.PARAGRAPH | Break.BLOCK | Break.CELL | Break.ROW | Break.ITEM | Break.HEADING | Break.HEADING_END
ENDS_TEXT |= Break.LIST | Break.LIST_END | Break.TABLE | Break.TABLE_END | Break.RULE | Break.TITLE
ENDS_TOPIC = Break.HEADING | Break.LIST_END | Break.TABLE_END | Break.TITLE


# --- languages and terms ------------------------------------------------------------------------------------


def common_languages(pages: Sequence[Row]) -> set[str]:
    """The languages with stop words and stems: at most eight, each of at least one page in five hundred."""
    counts = Counter(known_language(page["language"]) for page in pages)
    counts.pop("", None)
    order = list(STEMMERS)
    ranked = sorted(counts, key=lambda code: (-counts[code], order.index(code)))
    return {code for code in ranked[:8] if counts[code] >= max(len(pages) / 500, 1)}


def stemmed(word: str, language: str) -> str:
    name = STEMMERS.get(language)
    return str(Stemmer.Stemmer(name).stemWord(word)) if name else word


def stop_list(language: str, strategy: Strategy) -> set[str]:
    if strategy.stop_words == "none":
        return set()
    if strategy.stop_words == "auto":
        return set(stop_words(language))
    if known_language(strategy.stop_words):
        return set(stop_words(known_language(strategy.stop_words)))
    return set(Path(strategy.stop_words).read_text("utf-8").lower().split())


class Terms:
    """What a word is as a term, or nothing, in each language (section 3.2)."""

    def __init__(self, lexicon: Sequence[Row], strategy: Strategy) -> None:
        self.texts: dict[int, str] = {row["word"]: row["text"] for row in lexicon}
        self.strategy = strategy
        self.known: dict[tuple[int, str], str | None] = {}
        self.stops: dict[str, tuple[set[str], set[str]]] = {}

    def term(self, word: int, language: str) -> str | None:
        if (word, language) not in self.known:
            self.known[word, language] = self._decided(self.texts[word], language)
        return self.known[word, language]

    def _decided(self, text: str, language: str) -> str | None:
        if not self.strategy.numbers and not any(letter.isalpha() for letter in text):
            return None
        if language not in self.stops:
            words = stop_list(language, self.strategy)
            self.stops[language] = words, {stemmed(word, language) for word in words}
        words, stems = self.stops[language]
        if self.strategy.stemming == "nostem":
            return None if text in words else text
        stem = stemmed(text, language)
        if stem in stems:
            return None
        return (stem or None) if self.strategy.stemming == "stem" else text


# --- templates ----------------------------------------------------------------------------------------------


def segments(page: Row) -> list[tuple[int, int]]:
    """The text between two breaks; the end of a sentence does not part it."""
    kinds = zip(page["break_at"], page["break_kinds"], strict=True)
    inside = {at for at, kind in kinds if kind != Break.SENTENCE and 0 < at < len(page["words"])}
    edges = [0, *sorted(inside), len(page["words"])]
    return [(first, last) for first, last in pairwise(edges) if first < last]


def template_words(pages: Sequence[Row], strategy: Strategy) -> dict[int, list[bool]]:
    """For each page, which of its words stand in text that too many pages of its site have."""
    sizes = Counter(page["site_id"] for page in pages)
    seen: Counter[tuple[int, Segment]] = Counter()
    for page in pages:
        texts = {tuple(page["words"][first:last]) for first, last in segments(page)}
        seen.update((page["site_id"], text) for text in texts)
    marks = {}
    for page in pages:
        mark = marks[page["page"]] = [False] * len(page["words"])
        if not strategy.template_pages or sizes[page["site_id"]] < strategy.template_site:
            continue
        for first, last in segments(page):
            if seen[page["site_id"], tuple(page["words"][first:last])] > strategy.template_pages:
                mark[first:last] = [True] * (last - first)
    return marks


# --- windows ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Window:
    """The terms before an anchor (the nearest first), in it, behind it, and of the heading of its region."""

    before: tuple[str, ...]
    anchor: tuple[str, ...]
    behind: tuple[str, ...]
    heading: tuple[str, ...]


def cuts(page: Row, strategy: Strategy) -> dict[int, int]:
    """Where windows end, with the kinds of the breaks there."""
    found = {}
    for at, kinds in zip(page["break_at"], page["break_kinds"], strict=True):
        if strategy.window == "syntactic":
            line = Break.LINE | Break.SENTENCE
            if kinds & ENDS_TEXT or kinds & line == line:
                found[at] = kinds
        elif strategy.window == "topical" and kinds & ENDS_TOPIC:
            found[at] = kinds
    return found


def heading_of(page: Row, cut: int, first: int) -> range:
    """The words of the heading that begins at a cut, if it ends before the anchor."""
    for at, kinds in zip(page["break_at"], page["break_kinds"], strict=True):
        if at > cut and kinds & Break.HEADING_END:
            return range(cut, at) if at <= first else range(0)
    return range(0)


def window_of(
    page: Row, first: int, last: int, terms: Sequence[str | None], ends: dict[int, int], strategy: Strategy
) -> Window:
    """The window of an anchor: walk outwards from it, word by word."""
    width = int(strategy.window) if strategy.window.isdecimal() else strategy.reach
    title = range(page["title_first"], page["title_last"])
    enough = strategy.window != "topical"  # else the heading must be found, however far it is
    before: list[str] = []
    at, heading = first, range(0)
    while at > 0 and at not in ends and at - 1 not in title and not (enough and len(before) == width):
        at -= 1
        before += [term for term in [terms[at]] if term is not None]
    if strategy.window == "topical" and ends.get(at, 0) & Break.HEADING:
        heading = heading_of(page, at, first)
        inside = sum(terms[i] is not None for i in heading)
        before = before[: len(before) - inside]
    behind: list[str] = []
    at = last
    while at < len(terms) and at not in title and not (at in ends and at > first) and len(behind) < width:
        behind += [term for term in [terms[at]] if term is not None]
        at += 1
    anchor = [term for term in terms[first:last] if term is not None]
    head = [term for term in (terms[i] for i in heading) if term is not None]
    return Window(tuple(before[:width]), tuple(anchor), tuple(behind), tuple(head[:width]))


@cache
def distance_weight(distance: int, strategy: Strategy) -> int:
    """log2(W / (1 + d)), never below zero, in units of 1/1024; 1 without distances."""
    width = int(strategy.window) if strategy.window.isdecimal() else strategy.reach
    weight = 1.0
    if strategy.distance and width >= 2:
        weight = max(math.log2(width / (1 + distance)), 0.0)
    return round(1024 * strategy.anchors * weight)


def window_terms(window: Window, strategy: Strategy) -> Iterable[tuple[str, int]]:
    for term in window.anchor:
        yield term, distance_weight(0, strategy)
    for side in (window.before, window.behind):
        for distance, term in enumerate(side, 1):
            yield term, distance_weight(distance, strategy)
    for term in window.heading:
        yield term, distance_weight(1, strategy)


# --- bags ---------------------------------------------------------------------------------------------------


def counted_bags(pages: Sequence[Row], lexicon: Sequence[Row], strategy: Strategy) -> Bags:
    """The frequency of each term in the bag of each page, in units of 1/1024."""
    languages, known = common_languages(pages), Terms(lexicon, strategy)
    templates = template_words(pages, strategy)
    bags: Bags = defaultdict(lambda: defaultdict(int))
    times: Counter[tuple[int, int, Window]] = Counter()
    for page in pages:
        language = known_language(page["language"])
        language = language if language in languages else ""
        everything = [known.term(word, language) for word in page["words"]]
        mark = templates[page["page"]]
        own = [None if repeated else term for term, repeated in zip(everything, mark, strict=True)]
        _add_own(bags[page["page"]], page, own, strategy)
        shown = everything if strategy.template_links else own
        for target, window in _evidence(page, shown, mark, strategy):
            if strategy.links:
                bags[target]["link", page["page"]] += round(1024 * strategy.links)
            times[target, page["site_id"], window] += 1
            if strategy.anchors and (
                not strategy.repeats or times[target, page["site_id"], window] <= strategy.repeats
            ):
                for term, amount in window_terms(window, strategy):
                    bags[target][term] += amount
    without_nothing = {page: {term: n for term, n in bag.items() if n} for page, bag in bags.items()}
    return {page: bag for page, bag in without_nothing.items() if bag}


def _add_own(bag: dict[Term, int], page: Row, terms: Sequence[str | None], strategy: Strategy) -> None:
    for at, term in enumerate(terms):
        if term is not None:
            bag[term] += round(1024 * strategy.content)
            if page["title_first"] <= at < page["title_last"] and strategy.anchors:
                bag[term] += distance_weight(0, strategy)


def _evidence(
    page: Row, terms: Sequence[str | None], mark: Sequence[bool], strategy: Strategy
) -> Iterable[tuple[int, Window]]:
    columns = (page[name] for name in ("link_page", "link_first", "link_last", "link_nofollow"))
    ends = cuts(page, strategy)
    for target, first, last, nofollow in zip(*columns, strict=True):
        if nofollow and not strategy.nofollow:
            continue
        if mark and mark[min(first, len(mark) - 1)] and not strategy.template_links:
            continue
        yield target, window_of(page, first, last, terms, ends, strategy)


# --- weights ------------------------------------------------------------------------------------------------


@cache
def document_weight(df: int, documents: int, strategy: Strategy) -> float:
    middle = math.log(max(documents, 3)) / 2
    mu, sigma = strategy.mu or round(middle, 3), strategy.sigma or round(0.45 * middle, 3)
    return {
        "none": 1.0,
        "log": 1 / (1 + math.log2(df)),
        "sqrt": 1 / math.sqrt(df),
        "tf-idf": math.log((1 + documents) / df),
        "nmdf": math.exp(-0.5 * ((math.log(df) - mu) / sigma) ** 2),
    }[strategy.frequency]


@cache
def order_of(term: Term) -> tuple[int, int]:
    """Words come before pages, each in the order of their ids."""
    return (0, hash_text(term)) if isinstance(term, str) else (1, term[1])


def bags(pages: Sequence[Row], lexicon: Sequence[Row], strategy: Strategy) -> dict[int, dict[Term, tuple[int, float]]]:
    """For each page its terms, each with its frequency and its weight."""
    counted = counted_bags(pages, lexicon, strategy)
    df = Counter(term for bag in counted.values() for term in bag)
    documents = len({page["page"] for page in pages} | {link for page in pages for link in page["link_page"]})
    found = {}
    for page, bag in counted.items():
        heavy = {term: n * document_weight(df[term], documents, strategy) for term, n in bag.items()}
        kept = sorted(heavy, key=lambda term: (-heavy[term], order_of(term)))[: strategy.bag_size or None]
        total = sum(heavy[term] for term in kept)
        found[page] = {term: (bag[term], heavy[term] / total if total else 0.0) for term in kept}
    return found
