"""Pages by words."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import combinations, product
from pathlib import Path
from random import Random
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.crawl.urls import host_of, page_id, site_of
from pagekin.errors import QueryError, QueryTimeout
from pagekin.hashing import hash_text
from pagekin.languages import stemmer
from pagekin.query import keywords as module
from pagekin.query.keywords import ALL_WISHES, Found, Keywords
from pagekin.query_language.nodes import Date, Either, InField, Near, Node, Phrase, Together, Wildcard, Word
from pagekin.query_language.parser import parse_query
from pagekin.query_language.words import page_words
from pagekin.vocabulary.likeness import LEAST_LIKENESS

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "keywords"), str(TESTS / "query_language")]

from generated import random_query  # noqa: E402
from hand_made_pages import HandMade, Link, rows_of_anchors, urls_table, write_keyword_index  # noqa: E402
from reference import Page, Reference, is_phrase_by_all_ways  # noqa: E402

RINGS, JAVA, TEA, SCRIPT = (f"http://{name}.test/" for name in ("rings", "java", "tea", "script"))
NEVER_FETCHED = "http://www.far.test/coffee_beans"
PAGES = [
    HandMade(RINGS, "the lord of the rings was found and other findings", "a tale of rings"),
    HandMade(JAVA, "java compilers find errors in applets", "java", links=(Link(TEA, "hot drinks"),)),
    HandMade(TEA, "tea grows on java like coffee", "tea", captured_at=datetime(2021, 5, 1, tzinfo=UTC)),
    HandMade(SCRIPT, "ein skript in java und finden", language="de", links=(Link(NEVER_FETCHED, "kaffee"),)),
]


@pytest.fixture(scope="module")
def keywords(tmp_path_factory: pytest.TempPathFactory) -> Keywords:
    languages = ("en", "de", "")
    return Keywords(write_keyword_index(tmp_path_factory.mktemp("index") / "small", PAGES, languages), languages)


def pages_of(found: Found) -> set[str]:
    names = {page_id(url): url for url in (RINGS, JAVA, TEA, SCRIPT, NEVER_FETCHED)}
    assert found.total == len(found.hits)
    return {names[hit.page] for hit in found.hits}


KINDS = {
    "findings": {RINGS, JAVA},
    "finden": {SCRIPT},
    "=findings": {RINGS},
    '"lord of the rings"': {RINGS},
    '"lord rings"~1': set(),
    '"lord rings"~2': {RINGS},
    '"rings lord"~5': set(),
    "rings NEAR/3 lord": {RINGS},
    "rings NEAR/2 lord": set(),
    "java -tea": {JAVA, SCRIPT},
    "java AND (coffee OR applets)": {JAVA, TEA},
    "title:java": {JAVA},
    "body:tale": set(),
    "anchor:drinks": {TEA},
    "kaffee -lang:de": {NEVER_FETCHED},
    "url:beans": {NEVER_FETCHED},
    "site:far.test": {NEVER_FETCHED},
    "site:www.far.test": {NEVER_FETCHED},
    "lang:de": {SCRIPT},
    "java lang:en": {JAVA, TEA},
    "date:2021": {TEA},
    "comp*ers": {JAVA},
    "*indings": {RINGS},
    "compliers~1": {JAVA},
    "sounds:jafa": {JAVA, TEA, SCRIPT},
    "editex:tee~2 -site:java.test -site:script.test": {RINGS, TEA},
    "like:applet": {JAVA},
    "nothing": set(),
    "-java": {RINGS, NEVER_FETCHED},
}


@pytest.mark.parametrize("query", KINDS)
def test_every_kind_of_query_finds_its_pages(keywords: Keywords, query: str) -> None:
    assert pages_of(keywords.search(parse_query(query))) == KINDS[query]


def test_a_title_counts_more_than_a_body(keywords: Keywords) -> None:
    assert keywords.search(Word("java")).hits[0].page == page_id(JAVA)


def test_pages_that_fulfil_all_wishes_come_first(keywords: Keywords) -> None:
    found = keywords.search(parse_query("java coffee"))
    assert found.hits[0].page == page_id(TEA) and found.total == 4
    assert found.hits[0].score > ALL_WISHES > found.hits[1].score


def test_scores_fall(keywords: Keywords) -> None:
    scores = [hit.score for hit in keywords.search(parse_query("java the tea find OR coffee^3")).hits]
    assert scores == sorted(scores, reverse=True)


def test_a_boost_makes_a_page_better(keywords: Keywords) -> None:
    assert keywords.search(parse_query("lord OR applets^9")).hits[0].page == page_id(JAVA)
    assert keywords.search(parse_query("lord^9 OR applets")).hits[0].page == page_id(RINGS)


def test_a_nearer_word_counts_more(keywords: Keywords) -> None:
    found = keywords.search(parse_query("body:tea~2"))
    assert found.hits[0].page == page_id(TEA) and found.total > 1


def test_no_more_than_k_pages_are_given_and_all_counted(keywords: Keywords) -> None:
    found = keywords.search(parse_query("java coffee"), k=2)
    assert (len(found.hits), found.total) == (2, 4)


def test_it_is_told_what_a_part_stood_for(keywords: Keywords) -> None:
    (expanded,) = keywords.search(parse_query("find* -java")).expanded
    assert (expanded.part, set(expanded.words), expanded.total) == (
        Wildcard("find*"), {"find", "findings", "finden"}, 3,
    )  # fmt: skip


def test_no_more_than_so_many_words_are_looked_up(keywords: Keywords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EXPANDED", 1)
    (expanded,) = keywords.search(parse_query("find*")).expanded
    assert (len(expanded.words), expanded.total) == (1, 3)


def test_the_words_are_marked_where_they_stand(keywords: Keywords) -> None:
    (hit,) = keywords.search(parse_query("findings site:rings.test")).hits
    assert hit.snippet is not None
    assert [hit.snippet.text[slice(*mark)] for mark in hit.snippet.marks] == ["findings"]


def test_what_is_excluded_is_not_marked(keywords: Keywords) -> None:
    (hit, *_) = keywords.search(parse_query("coffee -lord")).hits
    assert hit.snippet is not None
    assert [hit.snippet.text[slice(*mark)] for mark in hit.snippet.marks] == ["coffee"]


def test_of_a_page_that_was_not_fetched_a_link_is_shown(keywords: Keywords) -> None:
    (hit,) = keywords.search(parse_query("url:beans")).hits
    assert hit.snippet is not None and hit.snippet.text == "kaffee"


def test_moments_are_told_apart_to_the_microsecond(keywords: Keywords) -> None:
    moment, later = datetime(2021, 5, 1, tzinfo=UTC), datetime(2021, 5, 1, 0, 0, 0, 1, UTC)
    assert pages_of(keywords.search(Date(moment, later))) == {TEA}
    assert TEA not in pages_of(keywords.search(Date(None, moment)))
    assert pages_of(keywords.search(Date(later, None))) == set()


def test_an_empty_wish_does_not_let_all_pages_in(keywords: Keywords) -> None:
    node = Together(optional=(InField("title", Word("nothing")),), excluded=(Word("java"),))
    assert keywords.search(node).total == 0


def test_a_query_that_is_too_late_is_not_answered(keywords: Keywords) -> None:
    with pytest.raises(QueryTimeout):
        keywords.search(parse_query("java"), deadline=time.monotonic() - 1)


def test_nobody_waits_for_a_slow_search(keywords: Keywords, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(module, "LITTLE", 0.0)
    monkeypatch.setattr(keywords.index, "best", lambda query, k: (over.wait(60), [])[1])
    with pytest.raises(QueryTimeout):
        keywords.search(parse_query("java"), deadline=time.monotonic() + 0.05)
    over.set()


def test_searches_that_nobody_waits_for_are_few(keywords: Keywords, monkeypatch: pytest.MonkeyPatch) -> None:
    over, begun = threading.Event(), []
    monkeypatch.setattr(module, "LITTLE", 0.0)
    monkeypatch.setattr(keywords, "_late", threading.Semaphore(2))
    monkeypatch.setattr(keywords.index, "best", lambda query, k: (begun.append(1), over.wait(60))[1])
    for _ in range(5):
        with pytest.raises(QueryTimeout):
            keywords.search(parse_query("java"), deadline=time.monotonic() + 0.05)
    over.set()
    assert len(begun) == 2


def test_a_fault_in_a_thread_is_told(keywords: Keywords, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(query: object, k: int) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(module, "LITTLE", 0.0)
    monkeypatch.setattr(keywords.index, "best", broken)
    with pytest.raises(ValueError, match="broken"):
        keywords.search(parse_query("java"), deadline=time.monotonic() + 60)


def test_a_search_in_a_thread_finds_the_same(keywords: Keywords, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = keywords.search(parse_query("java coffee"))
    monkeypatch.setattr(module, "LITTLE", 0.0)
    assert keywords.search(parse_query("java coffee"), deadline=time.monotonic() + 60) == expected


def test_what_is_remembered_of_words_changes_no_answer(keywords: Keywords) -> None:
    fresh = []
    for query in KINDS:
        for remembered in (keywords.stems, keywords.stems_of, keywords.pages_with, keywords.word_queries):
            remembered.cache_clear()
        fresh.append(keywords.search(parse_query(query)))
    assert [keywords.search(parse_query(query)) for query in KINDS] == fresh


def test_several_threads_may_share_what_is_remembered(keywords: Keywords) -> None:
    nodes = [parse_query(query) for query in KINDS] * 5
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(keywords.search, nodes))
    assert answers == [keywords.search(node) for node in nodes]


def by_two_searches(keywords: Keywords, words: list[str], k: int) -> list[tuple[int, float]]:
    """The best pages for wishes: the sums of all, ALL_WISHES for pages that each word finds, and a sort."""
    sums = keywords.search(Either(tuple(map(Word, words))), k=100).hits
    found = [{hit.page for hit in keywords.search(Word(word), k=100).hits} for word in words]
    raised = [(hit.page, hit.score + ALL_WISHES * all(hit.page in pages for pages in found)) for hit in sums]
    return sorted(raised, key=lambda hit: (-hit[1], hit[0]))[:k]


@pytest.mark.parametrize("words", list(combinations(["java", "tea", "coffee", "find", "the", "nothing"], 3)))
def test_wishes_rank_as_their_rule_says(keywords: Keywords, words: tuple[str, ...]) -> None:
    hits = keywords.search(Together((), tuple(map(Word, words))), k=2).hits
    expected = by_two_searches(keywords, list(words), 2)
    assert [hit.page for hit in hits] == [page for page, _ in expected]
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in expected])


def test_a_phrase_that_may_stand_in_too_many_ways_is_refused(keywords: Keywords) -> None:
    with pytest.raises(QueryError, match="less slop"):
        keywords.search(Phrase(("a", "b", "c", "d"), 100))


def test_phrases_may_not_stand_in_too_many_ways_together(keywords: Keywords) -> None:
    phrase = Phrase(("the", "lord", "of"), 20)
    assert keywords.search(phrase).total == 1
    with pytest.raises(QueryError, match="fewer"):
        keywords.search(Together(optional=tuple(Phrase(("the", "lord", "of", str(n)), 8) for n in range(10))))


# --- against slow evaluators --------------------------------------------------------------------------------

BREAK = "|"  # stands between texts of one field
WORDS = "running runs ran dog dogs finding find findings cat the of java compiler compilers weather whether".split()


def random_pages(dice: Random) -> list[HandMade]:
    def some(most: int) -> str:
        return " ".join(dice.choices(WORDS, k=dice.randint(0, most)))

    urls = [f"http://{host}/{number}" for number in range(12) for host in ("www.example.org", "example.net")]
    return [
        HandMade(
            url, some(20), some(4), captured_at=datetime(dice.randint(2019, 2022), 3, 1, tzinfo=UTC), before=some(2),
            links=tuple(Link(dice.choice([*urls, "http://far.test/cats"]), some(3)) for _ in range(3)),
        )
        for url in urls
    ]  # fmt: skip


def joined(texts: list[list[str]]) -> list[str]:
    """The words of texts, parted as an index parts them."""
    return [word for text in texts if text for word in (BREAK, *text)][1:]


def reference(pages: list[HandMade]) -> Reference:
    """The slow evaluator on the same pages."""
    words = {hash_text(word): word for page in pages for word in page.words}
    said: dict[int, list[list[str]]] = {}
    for row in rows_of_anchors(pages).to_pylist():
        spans = zip([0, *row["text_last"]], row["text_last"], strict=False)
        said[row["page"]] = [[words[word] for word in row["words"][first:last]] for first, last in spans]
    fetched = {page.url: page for page in pages}
    urls = urls_table(pages).to_pylist()
    known = [row for row in urls if row["fetched"] or row["page"] in said]
    seen = [reference_page(row["url"], fetched.get(row["url"]), joined(said.get(row["page"], []))) for row in known]
    return Reference(seen, lambda word: stemmer("en")([word]), set(words.values()), LEAST_LIKENESS)


def reference_page(url: str, page: HandMade | None, anchor: list[str]) -> Page:
    fields = {"anchor": anchor, "url": page_words(unquote(url.partition("://")[2]))}
    if page is None:
        return Page(page_id(url), fields, site_of(url), host_of(url))
    title, before = page.title.split(), page.before.split()
    rest = page.words[len(before) + len(title) :]
    fields |= {"title": title, "body": joined([before, rest])}
    return Page(page_id(url), fields, site_of(url), host_of(url), page.language, page.captured_at)


@pytest.mark.parametrize("seed", range(3))
def test_random_queries_find_what_a_slow_evaluator_finds(tmp_path: Path, seed: int) -> None:
    dice = Random(seed)
    pages = random_pages(dice)
    keywords, slow = Keywords(write_keyword_index(tmp_path / "web", pages), ("en", "")), reference(pages)
    for _ in range(60):
        node = parse_query(random_query(dice, WORDS))
        assert {hit.page for hit in keywords.search(node, k=100).hits} == slow.matches(node), node


LETTERS = "abcd"
TEXTS = ["".join(letters) for length in (2, 3, 4, 5) for letters in product(LETTERS, repeat=length)][::3]
TEXTS += ["abbbbbbbbbbbc", "acbdacbdaabbccdd", "dddddddacddddbddd"]


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Keywords:
    """Pages of letters for words."""
    pages = [HandMade(f"http://t.test/{text}", " ".join(text)) for text in TEXTS]
    return Keywords(write_keyword_index(tmp_path_factory.mktemp("letters") / "web", pages), ("en", ""))


def same_pages(letters: Keywords, node: Node, is_match: Callable[[str], bool]) -> bool:
    found = {hit.page for hit in letters.search(InField("body", node), k=1000, snippets=False).hits}
    return found == {page_id(f"http://t.test/{text}") for text in TEXTS if is_match(text)}


def places(text: str, letter: str) -> list[int]:
    return [place for place, other in enumerate(text) if other == letter]


@settings(deadline=None)
@given(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4), st.integers(0, 5))
def test_slop_is_the_number_of_words_between(letters: Keywords, words: list[str], slop: int) -> None:
    node = Phrase(tuple(words), slop)
    assert same_pages(letters, node, lambda text: is_phrase_by_all_ways([places(text, w) for w in words], slop))


@settings(deadline=None)
@given(st.sampled_from(LETTERS), st.sampled_from(LETTERS), st.integers(1, 12))
def test_words_that_are_near_may_stand_in_any_order(letters: Keywords, one: str, other: str, most: int) -> None:
    def is_near(text: str) -> bool:
        return any(0 < abs(i - j) <= most for i in places(text, one) for j in places(text, other))

    assert same_pages(letters, Near(one, other, most), is_near)
