"""Pages by words: a query tree becomes queries of tantivy, which are made one by one and never parsed.

Every part looks at all fields unless it says which; what it says of a page is the sum of what it finds in each (BM25),
titles counting three times and anchors twice. Of wishes ("ANDish") a page gets the sum as well, and ALL_WISHES more if
it fulfils all of them. A word that stands for many (`*`, `~`, sounds) counts the same wherever it is found, but less
the further it is from what was asked for.

tantivy's own slop lets words change places, and loses phrases of three words or more; hence slop is written out here
as phrases whose words stand at given distances, which are exact.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import combinations, groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tantivy import FieldType, Occur, Query

from pagekin.errors import QueryError, QueryTimeout
from pagekin.keywords.stems import marked_stems
from pagekin.languages import known_language
from pagekin.query.snippets import Finder, Roots, Snippet, Sought
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
from pagekin.stores.keyword_index import CAPTURED, LANGUAGE, SITE, KeywordIndex, Ranked, forms_of

if TYPE_CHECKING:  # the vocabulary takes a second to import
    from pagekin.stores.vocabulary_store import Vocabulary
    from pagekin.vocabulary.expansion import Expansion

FIELD_WEIGHTS = {"title": 3.0, "body": 1.0, "anchor": 2.0, "url": 1.0}
ALL_WISHES = 50.0  # for fulfilling all wishes: about what the best page that lacks one of two words gets
MOST_EXPANDED = 1000  # words that one part of a query may stand for, the nearest and commonest
MOST_WAYS = 300  # in which the words of a phrase may stand
MOST_WAYS_IN_ALL = 3000  # for all phrases of a query together
# About what it costs, in seconds: a page that has a word, or all words of a phrase; and a form that is looked up.
A_PAGE, A_PAGE_OF_A_PHRASE, A_FORM = 1e-8, 1e-6, 1e-5
LITTLE = 0.02  # a search that takes no longer is not worth a thread
LONGEST_WAIT = 1e6  # seconds: a lock cannot wait for ever
MOST_LATE = 8  # searches that nobody waits for any more
REMEMBERED_WORDS = 1 << 14  # whose queries are kept for others that ask for them too
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Best = tuple[int, list[Ranked]]  # how many pages match, and the best
Way = tuple[tuple[int, ...], int]  # the places of words, and by how much the last may stand before or behind its own
Expanding = Wildcard | Fuzzy | Sounds | Editex | Like
Sides = tuple[list[Query], list[Sequence[Query]], list[Query]]  # required, the ways of each wish, excluded


class WordQueries(NamedTuple):
    """The queries that find a word by its stems, any of which will do, and about how many seconds they take."""

    queries: tuple[Query, ...]
    cost: float


@dataclass(frozen=True)
class Expanded:
    """A part of a query with the words that it stood for, nearest and commonest first, and how many there are."""

    part: Expanding
    words: tuple[str, ...]
    total: int


class KeywordHit(NamedTuple):
    """A page that was found."""

    page: int
    score: float
    snippet: Snippet | None = None


@dataclass(frozen=True)
class Found:
    """How many pages a query matches, the best of them, and what parts of it stood for."""

    total: int
    hits: tuple[KeywordHit, ...]
    expanded: tuple[Expanded, ...]


class Keywords:
    """The keyword index and the vocabulary in the folder of an index, whose manifest lists the languages."""

    def __init__(self, folder: Path, languages: Sequence[str]) -> None:
        self.index, self.languages = KeywordIndex(folder / "keywords"), tuple(languages)
        self._folder = folder / "vocabulary"
        self._late = threading.Semaphore(MOST_LATE)
        self._roots = Roots(self.index.spelt, self.index.words)
        # An index does not change while it is open, and a query of tantivy may be part of many, in any thread.
        self.stems = lru_cache(REMEMBERED_WORDS)(self._stems)
        self.stems_of = lru_cache(REMEMBERED_WORDS)(self._stems_of)
        self.pages_with = lru_cache(4 * REMEMBERED_WORDS)(self.index.searcher.doc_freq)
        self.word_queries = lru_cache(REMEMBERED_WORDS)(self._word_queries)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the crawl, which only some queries need."""
        from pagekin.stores.vocabulary_store import Vocabulary

        return Vocabulary(self._folder)

    def search(self, node: Node, k: int = 10, deadline: float | None = None, snippets: bool = True) -> Found:
        """The k best pages; QueryTimeout if they are not found when `time.monotonic()` reaches the deadline."""
        planner = _Planner(self, deadline)
        query, every = planner.plan(node)
        total, ranked = self._best(query, k, deadline, planner.cost)
        if every is not None:
            ranked = _with_all_wishes(ranked, self._best(every, k, deadline, planner.cost)[1])[:k]
        if not snippets:
            hits = [KeywordHit(page, score) for page, score, _ in ranked]
        else:
            finder = Finder(planner.sought, self._roots)
            hits = [self._shown(hit, finder, deadline) for hit in ranked]
        return Found(total, tuple(hits), tuple(planner.expanded.values()))

    def _shown(self, hit: Ranked, finder: Finder, deadline: float | None) -> KeywordHit:
        _check_time(deadline)
        return KeywordHit(hit.page, hit.score, self._snippet(hit, finder))

    def _stems(self, word: str) -> list[str]:
        """The stems of a word in each language."""
        return [marked_stems((word,), *place)[0] for place in enumerate(self.languages)]

    def _stems_of(self, words: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The stems of some words, all of them in each language."""
        return list(zip(*map(self.stems, words), strict=True))

    def _word_queries(self, text: str, fields: tuple[str, ...]) -> WordQueries:
        queries, cost = [], 0.0
        for field in fields:
            weight = FIELD_WEIGHTS[field]
            for stem in self.stems(text):
                if pages := self.index.searcher.doc_freq(field, stem):
                    cost += A_PAGE * pages
                    query = Query.term_query(self.index.schema, field, stem, "freq")
                    queries.append(query if weight == 1 else Query.boost_query(query, weight))
        return WordQueries(tuple(queries), cost)

    def _best(self, query: Query, k: int, deadline: float | None, cost: float) -> Best:
        _check_time(deadline)
        if deadline is None or cost < LITTLE:
            return self.index.best(query, k)
        if not self._late.acquire(timeout=_seconds_to(deadline)):
            raise QueryTimeout("the query was not begun: too many searches that took too long still run; try later")
        return _in_time(lambda: self.index.best(query, k), deadline, self._late)

    def _snippet(self, hit: Ranked, finder: Finder) -> Snippet:
        """A passage of the page or, if it has none of the words, what links say."""
        stored = self.index.stored(hit.address)
        known = known_language(stored.language)
        language = known if known in self.languages else ""
        of_page = finder.snippet(stored.body, (language,))
        return (
            of_page or finder.snippet(stored.anchor, self.languages) or finder.beginning(stored.body or stored.anchor)
        )


def _with_all_wishes(some: Iterable[Ranked], every: Iterable[Ranked]) -> list[Ranked]:
    """The best of pages that fulfil some wishes and of those that fulfil all, whose scores are sums as yet.

    If the k best of each are given, the k best of all pages are among them.
    """
    hits = {hit.page: hit for hit in some}
    for page, score, address in every:
        hits[page] = Ranked(page, score + ALL_WISHES, address)
    return sorted(hits.values(), key=lambda hit: (-hit[1], hit[0]))


# --- time ---------------------------------------------------------------------------------------------------


def _seconds_to(deadline: float) -> float:
    return min(max(deadline - time.monotonic(), 0.0), LONGEST_WAIT)


def _check_time(deadline: float | None) -> None:
    if deadline is not None and time.monotonic() > deadline:
        raise QueryTimeout("the query took longer than it may; ask for rarer words, or give it more time")


def _in_time(search: Callable[[], Best], deadline: float, late: threading.Semaphore) -> Best:
    """What a search gives, in a thread of its own: tantivy cannot be stopped, but it need not be waited for."""
    answers: list[Best] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(search())
        except BaseException as fault:  # a panic of tantivy is no Exception
            faults.append(fault)
        finally:
            late.release()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(_seconds_to(deadline))
    for fault in faults:
        raise fault
    if not answers:
        raise QueryTimeout("the query took longer than it may; ask for rarer words, or give it more time")
    return answers[0]


# --- from trees to queries ----------------------------------------------------------------------------------


class _Planner:
    """Makes the queries of one tree, and keeps what it met on the way."""

    def __init__(self, keywords: Keywords, deadline: float | None) -> None:
        self._keywords, self._deadline = keywords, deadline
        self._schema = keywords.index.schema
        self._sets: dict[Expanding, list[tuple[float, list[str]]]] = {}
        self._excluding = False
        self._ways = 0
        self._words: set[str] = set()
        self._forms: set[str] = set()
        self.expanded: dict[Expanding, Expanded] = {}
        self.cost = 0.0  # about how many seconds the queries take

    @property
    def sought(self) -> Sought:
        """What is to be marked on pages that are found."""
        return Sought(frozenset(self._words), frozenset(self._forms))

    def plan(self, node: Node) -> tuple[Query, Query | None]:
        """The query of a tree; and one for the pages that fulfil all wishes, if there are several."""
        wishing = _wishing(node)
        if wishing is None:
            return _either(self.ways(node, FIELDS)), None
        required, optional, excluded = self._sides(wishing, FIELDS)
        if wishing is node:
            some = _together(required, optional, excluded)
        else:  # a page needs one of the wishes
            some = _together([*required, _either([way for ways in optional for way in ways])], [], excluded)
        if not all(optional):
            return some, None  # no page fulfils all
        return some, _together([*required, *map(_either, optional)], [], excluded)

    def ways(self, node: Node, fields: tuple[str, ...]) -> Sequence[Query]:
        """The ways to match a part in some fields, any of which will do, and which add up."""
        match node:
            case Word(text, False):
                return self._word(text, fields)
            case Either(nodes):
                return [way for part in nodes for way in self.ways(part, fields)]
            case Together((), (_, *_) as wishes, ()):
                return [way for part in wishes for way in self.ways(part, fields)]
            case Together():
                return [_together(*self._sides(node, fields))]
            case Boost(Site() | Language() | Date() as part, factor):
                return [Query.const_score_query(self._filter(part), factor)]
            case Boost(part, factor):
                return [Query.boost_query(_either(self.ways(part, fields)), factor)]
            case InField(field, part):
                return self.ways(part, (field,))
            case Site() | Language() | Date():
                return [Query.const_score_query(self._filter(node), 0.0)]
            case Phrase((text,)):
                return self.ways(Word(text), fields)
            case _:
                _check_time(self._deadline)
                self._mark(node)
                return [way for field in fields for way in self._in_field(node, field)]

    def _sides(self, node: Together, fields: tuple[str, ...]) -> Sides:
        """The queries of what is required, the ways of each wish, and the queries of what is excluded."""
        required = [_either(self.ways(part, fields)) for part in node.required]
        optional = [self.ways(part, fields) for part in node.optional]
        before, self._excluding = self._excluding, True
        excluded = [_either(self.ways(part, fields)) for part in node.excluded]
        self._excluding = before
        return required, optional, excluded

    def _filter(self, node: Site | Language | Date) -> Query:
        match node:
            case Site(name):
                return Query.term_query(self._schema, SITE, name, "basic")
            case Language(code):
                return Query.term_query(self._schema, LANGUAGE, code, "basic")
            case Date(None, None):
                return Query.exists_query(CAPTURED)
            case Date(first, end):
                low = None if first is None else _microseconds(first)
                high = None if end is None else _microseconds(end) - 1
                return Query.range_query(self._schema, CAPTURED, FieldType.Integer, low, high)

    def _mark(self, node: Word | Phrase | Near | Expanding) -> None:
        """Remember what is to be marked in snippets."""
        if self._excluding:
            return
        match node:
            case Word(text, exact):
                (self._forms if exact else self._words).add(text)
            case Phrase(words):
                self._words.update(words)
            case Near(first, second):
                self._words.update((first, second))
            case _:
                self._forms.update(word for _, words in self._forms_of(node) for word in words)

    def _word(self, text: str, fields: tuple[str, ...]) -> Sequence[Query]:
        if not self._excluding:
            self._words.add(text)
        queries, cost = self._keywords.word_queries(text, fields)
        self.cost += cost
        return queries

    def _in_field(self, node: Word | Phrase | Near | Expanding, field: str) -> Iterator[Query]:
        """What is looked for in a field; pages that match any of it match."""
        weight = FIELD_WEIGHTS[field]
        for query in self._plain(node, field):
            yield query if weight == 1 else Query.boost_query(query, weight)

    def _plain(self, node: Word | Phrase | Near | Expanding, field: str) -> Iterator[Query]:
        match node:
            case Word(text):
                yield Query.term_query(self._schema, forms_of(field), text, "basic")
            case Phrase(words, slop):
                ways = self._counted(_phrase_ways(len(words), slop))
                for stems in self._by_language(field, words, A_PAGE_OF_A_PHRASE * len(ways)):
                    yield from self._phrases(field, stems, ways)
            case Near(first, second, distance):
                for stems in self._by_language(field, (first, second), A_PAGE_OF_A_PHRASE):
                    yield from self._near(field, stems, distance)
            case _:
                yield from self._forms_by_distance(node, field)

    # --- stems

    def _by_language(self, field: str, words: Sequence[str], page_cost: float) -> Iterator[tuple[str, ...]]:
        """The stems of words in each language in which the field has all of them."""
        for stems in self._keywords.stems_of(tuple(words)):
            if fewest := self._fewest_pages(field, stems):
                self.cost += page_cost * len(stems) * fewest
                yield stems

    def _fewest_pages(self, field: str, stems: Sequence[str]) -> int:
        """How many pages have the rarest stem in a field."""
        pages_with = self._keywords.pages_with
        fewest = pages_with(field, stems[0])
        for stem in stems[1:]:
            if not fewest:
                break
            fewest = min(fewest, pages_with(field, stem))
        return fewest

    def _counted(self, ways: Sequence[Way]) -> Sequence[Way]:
        """The same ways, if a query may have so many."""
        self._ways += len(ways)
        if self._ways > MOST_WAYS_IN_ALL:
            raise QueryError(
                f"the phrases of this query can stand in more than {MOST_WAYS_IN_ALL:,} ways, counted in each field; "
                "give them less slop, or ask for fewer"
            )
        return ways

    def _phrases(self, field: str, stems: Sequence[str], ways: Sequence[Way]) -> Iterator[Query]:
        for places, slack in ways:
            yield Query.phrase_query(self._schema, field, list(zip(places, stems, strict=True)), slack)

    def _near(self, field: str, stems: Sequence[str], distance: int) -> Iterator[Query]:
        if stems[0] == stems[1]:
            return self._phrases(field, stems, _pair_ways(1, distance))
        return self._phrases(field, stems, [((0, 0), distance)])

    # --- forms

    def _forms_by_distance(self, node: Expanding, field: str) -> Iterator[Query]:
        """Sets of the words that a part stands for, those of one distance together."""
        for distance, words in self._forms_of(node):
            self.cost += A_FORM * len(words)
            query = Query.term_set_query(self._schema, forms_of(field), words)
            yield Query.const_score_query(query, 1 / (1 + distance))

    def _forms_of(self, node: Expanding) -> list[tuple[float, list[str]]]:
        """The words that a part stands for, which will be told, by their distances."""
        if node not in self._sets:
            expansion = self._expansion(node)
            self.expanded[node] = Expanded(node, tuple(match.word for match in expansion.matches), expansion.total)
            by_distance = groupby(expansion.matches, lambda match: match.distance)
            self._sets[node] = [(distance, [match.word for match in same]) for distance, same in by_distance]
        return self._sets[node]

    def _expansion(self, node: Expanding) -> Expansion:
        vocabulary = self._keywords.vocabulary
        match node:
            case Wildcard(pattern):
                return vocabulary.matching(pattern, MOST_EXPANDED, self._deadline)
            case Fuzzy(text, distance):
                return vocabulary.within(text, distance, MOST_EXPANDED, self._deadline)
            case Sounds(text):
                return vocabulary.sounding_like(text, MOST_EXPANDED, self._deadline)
            case Editex(text, distance):
                return vocabulary.editex(text, distance, MOST_EXPANDED, self._deadline)
            case Like(text):
                return vocabulary.like(text, MOST_EXPANDED, self._deadline)


@lru_cache
def _wishing(node: Node) -> Together | None:
    """The wishes of a query with all that it requires, if there are several: its own, or those beside filters alone."""
    if not isinstance(node, Together):
        return None
    if len(node.optional) > 1:
        return node
    filters = tuple(part for part in node.required if isinstance(part, Site | Language | Date))
    others = [part for part in node.required if part not in filters]
    if node.optional or len(others) != 1 or not isinstance(others[0], Together):
        return None
    inner = others[0]
    is_wish = len(inner.optional) > 1 and not inner.required and not inner.excluded
    return Together(filters, inner.optional, node.excluded) if is_wish else None


def _phrase_ways(words: int, slop: int) -> tuple[Way, ...]:
    """The ways in which the words of a phrase may stand."""
    if words == 2:
        return tuple(_pair_ways(1, slop + 1))
    if math.comb(slop + words - 1, slop) > MOST_WAYS:
        raise QueryError(
            f"a phrase of {words} words with a slop of {slop} can stand in more than {MOST_WAYS} ways, which "
            "are not looked for; give it less slop, or join pairs of its words by NEAR"
        )
    return tuple(((0, *places), 0) for places in combinations(range(1, words + slop), words - 1))


def _pair_ways(least: int, most: int) -> list[Way]:
    """The ways in which the second of two words stands so many places after the first.

    >>> _pair_ways(1, 3), _pair_ways(1, 4)
    ([((0, 2), 1)], [((0, 2), 1), ((0, 4), 0)])
    """
    slack, odd = divmod(most - least, 2)
    return [((0, least + slack), slack), *([((0, most), 0)] if odd else [])]


def _microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


def _either(queries: Sequence[Query]) -> Query:
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _together(required: Sequence[Query], optional: Sequence[Sequence[Query]], excluded: Sequence[Query]) -> Query:
    """A query for all that is required and nothing that is excluded, with the ways of each wish."""
    if not required and not optional:
        required = [Query.const_score_query(Query.all_query(), 0.0)]
    # A wish that no page can fulfil has no ways; were there nothing else, all pages would match.
    wishes = [way for ways in optional for way in ways] or [Query.empty_query() for _ in optional[:1]]
    sides = (Occur.Must, required), (Occur.Should, wishes), (Occur.MustNot, excluded)
    return Query.boolean_query([(occur, query) for occur, queries in sides for query in queries])
