"""Pages by words, as people ask for them: a query is read, widened by synonyms, and corrected if it finds none."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pagekin.errors import IndexUnusable, QueryTimeout, SettingsError
from pagekin.query.keywords import Expanded, Found, KeywordHit, Keywords
from pagekin.query.snippets import Snippet
from pagekin.query_language.nodes import Boost, Either, InField, Node, Together, Word
from pagekin.query_language.parser import parse_query
from pagekin.query_language.printing import query_text
from pagekin.query_language.simplify import simplified
from pagekin.query_language.thesaurus import Thesaurus, expanded

TIMEOUT_SECONDS = 5.0
NEAREST = 3  # words that are tried in place of one that no page has


@dataclass(frozen=True)
class Hit:
    """A page that was found by its words."""

    rank: int
    url: str
    title: str
    site: str
    score: float
    snippet: str
    marks: tuple[tuple[int, int], ...]  # where in the snippet the words that were sought begin and end
    copies: int = 0  # of the page, which are not shown


@dataclass(frozen=True)
class SearchAnswer:
    """The pages that a query finds: how many in all, and the best of them."""

    query: str
    total: int
    results: tuple[Hit, ...]
    expanded: tuple[Expanded, ...]  # the words that parts of the query stood for
    meant: str = ""  # a query that finds something, if this one does not


class Named(NamedTuple):
    """Who a page is, the id of the page that stands for it and its copies, and how many other copies there are."""

    url: str
    title: str
    site: str
    representative: int
    copies: int


class Search:
    """Answers queries of one index; `named` tells who the page of an id is."""

    def __init__(self, folder: Path, languages: list[str], named: Callable[[int], Named]) -> None:
        self.keywords = Keywords(folder, languages)
        self._folder, self._named = folder, named

    def answer(
        self,
        text: str,
        k: int = 10,
        timeout_seconds: float = TIMEOUT_SECONDS,
        thesaurus: Thesaurus | None = None,
        copies: bool = False,
    ) -> SearchAnswer:
        """The best pages for a query; QueryError says what cannot be read, QueryTimeout that it took too long.

        Of pages that are copies of one another the best is shown, unless all `copies` are asked for.
        """
        deadline = _deadline(timeout_seconds)
        node = parse_query(text)
        query, most = _widened(node, thesaurus), max(len(self.keywords.index), 1)
        wanted = min(k, most)
        while True:
            found = self._found(query, wanted, deadline, snippets=True)
            results = self._hits(found.hits, copies)
            if len(results) >= k or len(found.hits) < wanted or wanted == most:
                break
            wanted = min(2 * wanted, most)
        answer = SearchAnswer(text, found.total, tuple(results[:k]), found.expanded)
        return answer if found.total else replace(answer, meant=self._meant(node, thesaurus, deadline))

    def best(self, text: str, k: int, timeout_seconds: float = TIMEOUT_SECONDS) -> Found:
        """The ids and scores of the best pages alone."""
        wanted = min(k, max(len(self.keywords.index), 1))
        return self._found(_widened(parse_query(text), None), wanted, _deadline(timeout_seconds), snippets=False)

    def _found(self, query: Node, k: int, deadline: float, snippets: bool) -> Found:
        """What the keyword index says; IndexUnusable if what it reads cannot be what was written."""
        try:
            return self.keywords.search(query, k, deadline, snippets)
        except (ValueError, IndexError) as fault:
            raise IndexUnusable(self._damaged(fault)) from None
        except BaseException as fault:
            if type(fault).__name__ != "PanicException":  # by which tantivy tells of faults, and which is no Exception
                raise
            raise IndexUnusable(self._damaged(fault)) from None

    def _damaged(self, fault: BaseException) -> str:
        return f"{self._folder} cannot be searched ({fault}); pagekin info {self._folder} --check tells what is damaged"

    def _hits(self, found: tuple[KeywordHit, ...], copies: bool) -> list[Hit]:
        shown: dict[int, Hit] = {}  # by the page that stands for it
        for hit in found:
            url, title, site, representative, others = self._named(hit.page)
            stands = hit.page if copies else representative
            if stands not in shown:
                snippet = hit.snippet or Snippet("", ())
                what = (url, title, site, round(hit.score, 6), snippet.text, snippet.marks)
                shown[stands] = Hit(len(shown) + 1, *what, copies=0 if copies else others)
        return list(shown.values())

    # --- did you mean

    def _meant(self, node: Node, thesaurus: Thesaurus | None, deadline: float) -> str:
        """The query with words that are in the crawl in place of some that are not, if that finds anything."""
        try:
            for place in range(NEAREST):
                other = _with_words(node, partial(self._nearest, place=place, deadline=deadline))
                if other != node and self.keywords.search(_widened(other, thesaurus), 1, deadline, False).total:
                    return query_text(other)
        except QueryTimeout:
            pass  # the answer is that nothing was found; to guess what was meant may take no longer than that
        return ""

    def _nearest(self, word: Word, place: int, deadline: float) -> Word:
        """The word, if pages have it, or the one of a place among those that are like it."""
        if self.keywords.search(word, 1, deadline, False).total:
            return word
        matches = self.keywords.vocabulary.nearest(word.text, NEAREST, deadline).matches
        return replace(word, text=matches[place].word) if place < len(matches) else word


def _deadline(timeout_seconds: float) -> float:
    if not timeout_seconds > 0:
        raise SettingsError(f"a query needs more than {timeout_seconds} seconds")
    return time.monotonic() + timeout_seconds


def _widened(node: Node, thesaurus: Thesaurus | None) -> Node:
    return simplified(expanded(node, thesaurus) if thesaurus else node)


def _with_words(node: Node, change: Callable[[Word], Word]) -> Node:
    """A query with other words in place of those that a page should have."""
    match node:
        case Word():
            return change(node)
        case InField(_, part) | Boost(part, _):
            return replace(node, node=_with_words(part, change))
        case Either(nodes):
            return Either(tuple(_with_words(part, change) for part in nodes))
        case Together(required, optional, excluded):
            first, second = (tuple(_with_words(part, change) for part in side) for side in (required, optional))
            return Together(first, second, excluded)
        case _:
            return node
