"""`related` as a top-k query: the same as scoring all that any source lists, and right without a source that fails."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import pagekin
from pagekin.crawl.urls import site_of
from pagekin.errors import IndexUnusable, QueryTimeout, SettingsError
from pagekin.index import Index
from pagekin.query.records import Choice, Question
from pagekin.query.top_k.algorithms import ALGORITHMS
from pagekin.query.top_k.protocol import SUM, Aggregation, TopKQuery

BEES = "http://garden.example/bees-0.html"
TEN = Choice(10)
WEIGHTS = [
    None,
    {"text": 1.0},
    {"links": 1.0},
    {"concepts": 1.0, "cocitation": 1.0},
    {"text": 1.0, "authority": 0.5},
    {"text": 0.2, "concepts": 0.2, "cocitation": 0.2, "links": 0.2, "authority": 0.2},
]


def some_pages(index: Index, count: int) -> list[str]:
    return [index._documents.text("url", number) for number in range(0, len(index), len(index) // count)]


def scored_union(
    index: Index, url: str, weights: dict[str, float] | None, choice: Choice = TEN
) -> list[tuple[float, str]]:
    """The slow and obvious way: all candidates of all sources, each scored by all of them."""
    posed = index._posed(Question(url, None, None, None), None, weights)
    sources = index._sources(posed, choice, max(index.similarity_settings.candidates, choice.k))
    listed = np.unique(np.concatenate([source.listed.documents for source in sources]))
    listed = listed[index._rings.admitted(posed.asked.document, listed)]
    parts = [share * index._signal(name, posed).likeness(listed) for name, share in posed.blend.items()]
    own = {posed.asked.document, *index._cluster(posed.asked).tolist()}
    text = index._signal("text", posed).likeness(listed)
    rows = zip(np.sum(parts, axis=0).tolist(), text.tolist(), listed.tolist(), strict=True)
    copy = index.similarity_settings.copy
    found = [(-s, index._documents.text("url", d)) for s, t, d in rows if d not in own and t < copy and s > 0]
    return spread(index, [(round(-score, 6), address) for score, address in sorted(found)], url, choice)


def spread(index: Index, ranked: list[tuple[float, str]], url: str, choice: Choice) -> list[tuple[float, str]]:
    """The first pages: one of several copies, so many of each site, and none of the own if that is wanted."""
    kept, sites, shown = [], Counter[str](), set[int]()
    for score, address in ranked:
        site, stands = site_of(address), int(index._documents.representatives[index._document(address)])
        is_wanted = stands not in shown and not (choice.other_sites and site == site_of(url))
        if is_wanted and sites[site] < (choice.per_site or len(ranked)):
            sites[site] += 1
            shown.add(stands)
            kept.append((score, address))
    return kept[: choice.k]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_it_is_the_best_of_all_that_any_source_lists(sample_index: Index, weights: dict[str, float] | None) -> None:
    for url in some_pages(sample_index, 40):
        found = [(each.score, each.url) for each in sample_index.related(url, weights=weights).results]
        assert found == scored_union(sample_index, url, weights)


@pytest.mark.parametrize(
    "choice", [Choice(10, per_site=1), Choice(10, other_sites=True), Choice(10, True, 2), Choice(60), Choice(700)]
)
@pytest.mark.parametrize("weights", [None, {"links": 1.0, "concepts": 1.0}])
def test_it_is_so_for_any_choice_of_pages(
    sample_index: Index, weights: dict[str, float] | None, choice: Choice
) -> None:
    for url in some_pages(sample_index, 25):
        options = {"k": choice.k, "per_site": choice.per_site, "other_sites": choice.other_sites}
        found = [(each.score, each.url) for each in sample_index.related(url, weights=weights, **options).results]
        expected = scored_union(sample_index, url, weights, choice)
        if len(expected) < choice.k:  # the candidates leave too few to choose from
            exact = sample_index.related(url, weights=weights, exact=True, **options).results
            expected = [(each.score, each.url) for each in exact]
        assert found == expected


def test_few_of_the_candidates_are_looked_at(sample_index: Index) -> None:
    [url] = some_pages(sample_index, 1)[:1]
    effort = sample_index.related(url, explain=True).effort
    assert effort is not None
    looks = {each.source: each.by_order for each in effort.accesses}
    assert looks.keys() == {"text", "concepts", "cocitation", "links"}
    assert max(looks.values()) < sample_index.similarity_settings.candidates
    assert effort.cost > 0 and effort.least >= effort.threshold > 0


@pytest.mark.parametrize("name", ["TA", "CA", "typed TA", "Upper"])
def test_every_algorithm_finds_the_same_in_the_sources_of_an_index(sample_index: Index, name: str) -> None:
    for url in some_pages(sample_index, 10):
        posed = sample_index._posed(Question(url, None, None, None), None, None)
        sources = sample_index._sources(posed, Choice(10), 400)
        query = TopKQuery(Aggregation(SUM, np.array(list(posed.blend.values()))), 10, batch=50)
        expected = ALGORITHMS["TA"](query, [source.rewound() for source in sources])
        found = ALGORITHMS[name](query, [source.rewound() for source in sources])
        assert found.documents.tolist() == expected.documents.tolist()


def damaged(index: Index, folder: Path, *files: str) -> Index:
    """A copy of an index of which some files are lost once it is open."""
    shutil.copytree(index.path, folder / "damaged.kin")
    opened = pagekin.open(folder / "damaged.kin")
    for file in files:
        (folder / "damaged.kin" / file).unlink()
    return opened


@pytest.mark.parametrize(
    ("source", "file"),
    [("links", "links/ends.i64"), ("cocitation", "cocited/ends.i64"), ("concepts", "concepts/vectors.f16")],
)
@pytest.mark.parametrize("exact", [False, True])
def test_a_source_that_fails_is_left_out_and_told(
    small_index: Index, tmp_path: Path, source: str, file: str, exact: bool
) -> None:
    answer = damaged(small_index, tmp_path, file).related(BEES, exact=exact, explain=True)
    assert [left.source for left in answer.left_out] == [source]
    assert answer.left_out[0].reason
    shares = small_index.related(BEES).results[0].shares
    rest = {name: 1.0 for name in shares if name != source}
    settings = small_index.similarity_settings
    every = {
        "text": 1 - settings.concepts - settings.cocitation - settings.linked,
        "concepts": settings.concepts,
        "cocitation": settings.cocitation,
        "links": settings.linked,
    }
    expected = small_index.related(BEES, exact=exact, weights={name: every[name] for name in rest})
    assert [(r.url, r.score) for r in answer.results] == [(r.url, r.score) for r in expected.results]


def test_words_that_take_too_long_are_left_out_and_told(small_index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*_: object) -> None:
        raise QueryTimeout("it would take longer than 5 seconds")

    monkeypatch.setattr(small_index._search, "best", too_long)
    answer = small_index.related(BEES, about="honey")
    assert [(left.source, left.reason) for left in answer.left_out] == [
        ("keywords", "it would take longer than 5 seconds")
    ]
    assert answer.results == small_index.related(BEES).results


@pytest.mark.parametrize("file", ["links/ends.i64", "cocited/ends.i64"])
def test_scores_and_reasons_do_without_a_source_that_fails(small_index: Index, tmp_path: Path, file: str) -> None:
    broken = damaged(small_index, tmp_path, file)
    [found] = broken.related(BEES, k=1).results
    assert broken.scores([found.url], BEES) == [found.score]
    assert broken.why(found.url, BEES).score == found.score


def test_lost_words_are_left_out_and_told(small_index: Index, tmp_path: Path) -> None:
    broken = damaged(
        small_index, tmp_path, *(f"keywords/{file.name}" for file in (small_index.path / "keywords").iterdir())
    )
    assert [left.source for left in broken.related(BEES, about="honey").left_out] == ["keywords"]


@pytest.mark.parametrize("asked", [{"k": 0}, {"k": -1}, {"offset": -1}, {"per_site": 0}])
def test_numbers_that_cannot_be_are_refused(small_index: Index, asked: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match="must be 1 or more"):
        small_index.related(BEES, **asked)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_terms_of_odd_weights_are_refused(small_index: Index, weight: float) -> None:
    with pytest.raises(SettingsError, match="terms must weigh"):
        small_index.related(terms={"honey": weight})


def test_authority_names_no_page_in_exact_answers_either(small_index: Index) -> None:
    weights = {"text": 1.0, "authority": 1.0}
    assert small_index.related(text="xqzwvkj", weights=weights, exact=True).results == ()


def test_a_copy_has_the_links_of_what_stands_for_it(small_index: Index) -> None:
    shown = small_index.related(BEES, k=30, copies=True, weights={"links": 1.0}).results
    stands = small_index._documents.representatives
    numbers = {each.url: small_index._document(each.url) for each in shown}
    by_standing: dict[int, set[float]] = {}
    for each in shown:
        by_standing.setdefault(int(stands[numbers[each.url]]), set()).add(each.score)
    assert all(len(scores) == 1 for scores in by_standing.values())


def test_if_all_sources_fail_there_is_no_answer(small_index: Index, tmp_path: Path) -> None:
    broken = damaged(small_index, tmp_path, "links/ends.i64")
    with pytest.raises(IndexUnusable, match="cannot be asked: links"):
        broken.related(BEES, weights={"links": 1.0})


def test_authority_by_itself_finds_nothing(small_index: Index) -> None:
    with pytest.raises(SettingsError, match="finds none"):
        small_index.related(BEES, weights={"authority": 1.0})


def test_the_first_pages_can_be_left_out(sample_index: Index) -> None:
    for url in some_pages(sample_index, 5):
        whole = sample_index.related(url, k=10).results
        assert sample_index.related(url, k=4, offset=6).results == whole[6:]


def test_the_score_of_any_page_is_that_of_the_ranking(sample_index: Index) -> None:
    for url in some_pages(sample_index, 10):
        ranked = sample_index.related(url, k=10).results
        scores = sample_index.scores([each.url for each in ranked], url)
        assert scores == [each.score for each in ranked]


def test_the_page_itself_and_unknown_ones_have_no_score(small_index: Index) -> None:
    assert small_index.scores([BEES, "http://nowhere.test/"], BEES) == [None, None]


def test_terms_ask_as_their_page_does(sample_index: Index) -> None:
    [url] = some_pages(sample_index, 1)[:1]
    terms = {term.term: term.weight for term in sample_index.terms(url, 160).terms}
    by_terms = {each.url for each in sample_index.related(terms=terms, k=10).results}
    by_page = {each.url for each in sample_index.related(url, k=10).results}
    assert len(by_terms & by_page) >= 5


def test_why_explains_a_page_of_any_rank(sample_index: Index) -> None:
    [url] = some_pages(sample_index, 1)[:1]
    found = sample_index.related(url, k=10, explain=True).results[-1]
    why = sample_index.why(found.url, url)
    assert (why.url, why.score, why.evidence, why.why) == (found.url, found.score, found.evidence, found.why)


def test_shared_links_are_told(small_index: Index) -> None:
    found = small_index.related(BEES, explain=True, weights={"links": 1}).results
    said = [each.why.linked for each in found if each.why]
    assert any(links is not None and (links.links_to or links.linked_from or links.neighbours) for links in said)
