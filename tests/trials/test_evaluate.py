"""What is evaluated is what an index answers; how the work is done changes no number, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagekin.engines.local import LocalEngine
from pagekin.errors import SettingsError, TruthError
from pagekin.evaluation.results import Evaluation, Tally
from pagekin.evaluation.scores import Bags, scores_of, term_lists
from pagekin.evaluation.strategies import Contender
from pagekin.index import Index
from pagekin.settings import Settings, SimilaritySettings, Strategy
from pagekin.stores.manifest import described_files
from pagekin.trials.bag_maker import BagMaker
from pagekin.trials.crawl_tables import index_tables, matcher
from pagekin.trials.evaluate import Trial, Truth, evaluate, opened_trial

HUBS = "http://pointers-*"  # the sites of the sample web whose pages are lists of links
PLAIN = Contender(Strategy(content=0.0, anchors=1.0, frequency="none", bag_size=0))
LINKS = Contender(Strategy(content=0.0, anchors=0.0, links=1.0, frequency="none"))

# An index stores frequencies within 2.2 percent. The errors of the terms of a bag mostly cancel out: here no score is
# off by more than 0.006, while another strategy moves some by more than 0.05.
QUANTISATION = 0.01


def numbers(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation without what may differ: how long it took, and what the crawl is called."""
    document = evaluation.document()
    for row in document["strategies"]:
        row.pop("seconds")
    return {key: value for key, value in document.items() if key != "crawl"}


@contextmanager
def trial_on(crawl: Path, truth: Truth) -> Iterator[Trial]:
    with opened_trial(crawl, truth, engine=LocalEngine(1)) as trial:
        yield trial


def small_evaluation(crawl: Path, truth: Truth, *contenders: Contender, workers: int = 1) -> Evaluation:
    return evaluate(crawl, truth, contenders, engine=LocalEngine(workers))


# --- what is evaluated is what is answered ------------------------------------------------------------------


@pytest.mark.parametrize(
    "contender",
    [
        Contender(),
        PLAIN,
        LINKS,
        Contender(Strategy(frequency="sqrt", metric="cosine")),
        Contender(Strategy(), 0.5),
        Contender(Strategy(bag_size=20), 1.0),
    ],
    ids=lambda contender: contender.name,
)
def test_scores_are_those_of_an_index(
    contender: Contender, built: Callable[[Contender], Path], maker: BagMaker
) -> None:
    index = Index(built(contender))
    urls = maker.tables.table("urls", ["page", "url"])
    bags = maker.bags(contender, urls["page"].to_numpy())
    lists, names = term_lists(bags), urls["url"].to_pylist()
    asked = np.flatnonzero(np.diff(bags.ends))[::40].tolist()
    assert len(asked) >= 8
    for source in asked:
        answer = index.related(names[source], k=len(names), exact=True, copies=True)
        found = {related.url: related.score for related in (*answer.results, *answer.copies)}
        scores = scores_of(bags, lists, source).tolist()
        expected = [found.get(name, 0.0) for name in names]
        expected[source] = scores[source]
        assert scores == pytest.approx(expected, abs=QUANTISATION)
        assert {name for name, score in zip(names, scores, strict=True) if score > 1e-6} - {names[source]} <= set(found)


@pytest.mark.parametrize(
    "other", [Contender(Strategy(frequency="none")), Contender(Strategy(), 0.5), Contender(Strategy(window="4"))]
)
def test_scores_of_another_strategy_are_not(other: Contender, maker: BagMaker) -> None:
    pages = maker.tables.table("urls", ["page"])["page"].to_numpy()
    own, others = maker.bags(Contender(), pages), maker.bags(other, pages)
    lists, other_lists = term_lists(own), term_lists(others)
    asked = np.flatnonzero(np.diff(own.ends))[::40].tolist()  # as above
    moved = [np.abs(scores_of(own, lists, s) - scores_of(others, other_lists, s)).max() for s in asked]
    assert max(moved) > 5 * QUANTISATION


def test_the_excerpts_are_the_answers(index: Path, directory: Path) -> None:
    evaluation = small_evaluation(index, Truth(directory))
    opened = Index(index)
    for excerpt in evaluation.outcomes[0].excerpts:
        answer = opened.related(excerpt.source, k=len(opened), exact=True)
        found = {related.url: related.score for related in (*answer.results, *answer.copies)}
        for ranked in excerpt.ranked:
            assert found[ranked.address] == pytest.approx(ranked.score, abs=QUANTISATION)


# --- the numbers --------------------------------------------------------------------------------------------


def plain_scores(bags: Bags, source: int) -> list[float]:
    """The bag Jaccard of one page and all others, by its definition."""
    spans = list(zip(bags.ends[:-1].tolist(), bags.ends[1:].tolist(), strict=True))
    whole = [dict(zip(bags.terms[a:b].tolist(), bags.jaccard[a:b].tolist(), strict=True)) for a, b in spans]
    own, scores = whole[source], []
    for bag in whole:
        terms = own.keys() | bag.keys()
        least = sum(min(own.get(term, 0.0), bag.get(term, 0.0)) for term in terms)
        most = sum(max(own.get(term, 0.0), bag.get(term, 0.0)) for term in terms)
        scores.append(round(least / most, 6) if most else 0.0)
    return scores


def plain_distance(one: str, other: str) -> int:
    """How many of the three levels of two topics differ, from the first that does."""
    names, others = one.split("/"), other.split("/")
    return next((3 - level for level in range(3) if names[level] != others[level]), 0)


def plain_pairs(scores: list[float], topics: list[str], source: int, distance: int) -> tuple[int, int]:
    """Concordant less discordant pairs, and all that are ordered, one by one."""
    near = [i for i, topic in enumerate(topics) if topic == topics[source] and i != source]
    far = [i for i, topic in enumerate(topics) if plain_distance(topics[source], topic) == distance]
    signs = [int(np.sign(scores[a] - scores[b])) for a, b in product(near, far)]
    return sum(signs), sum(map(abs, signs))


def topics_of(index: Path, directory: Path) -> dict[int, str]:
    """The topic of each page, those that have moved included."""
    opened = Index(index)
    rows = [line.split("\t") for line in directory.read_text("utf-8").splitlines()]
    return {opened.page(address): topic for address, topic in rows}


def test_the_tally_is_that_of_all_pairs(index: Path, directory: Path) -> None:
    topic_of = topics_of(index, directory)
    with trial_on(index, Truth(directory, sources=15)) as trial:
        tally: Tally = trial.outcomes([PLAIN])[0].tally
        pages, sources = trial.judges[0].pages, trial.judges[0].sources.tolist()
        bags = trial.maker.bags(PLAIN, pages)
    topics = [topic_of[page] for page in pages.tolist()]
    assert len(sources) == 15
    for n, source in enumerate(sources):
        scores = plain_scores(bags, source)
        for distance, kin in ((1, "sibling"), (2, "cousin"), (3, "unrelated")):
            above, below = plain_pairs(scores, topics, source, distance)
            found = tally[f"{kin}_gamma"]
            assert (found.above[n], found.below[n]) == (above, below)


def test_both_truths_give_their_measures(index: Path, directory: Path, related: Path) -> None:
    both = small_evaluation(index, Truth(directory, related)).outcomes[0].measures
    one, other = (
        small_evaluation(index, truth).outcomes[0].measures for truth in (Truth(directory), Truth(related=related))
    )
    assert both == {**one, **other}
    assert {"sibling_gamma", "precision_at_10"} <= one.keys()
    assert {"recall_at_10", "mrr", "ndcg_at_10"} == other.keys()


def test_strategies_come_in_the_order_given(index: Path, directory: Path) -> None:
    contenders = [LINKS, Contender(), PLAIN, LINKS]
    found = small_evaluation(index, Truth(directory, sources=5), *contenders)
    assert [outcome.contender for outcome in found.outcomes] == contenders


def test_by_default_the_strategy_of_the_index_is_tried_and_then_each_of_its_sources_alone(
    built: Callable[[Contender], Path], directory: Path
) -> None:
    contender = Contender(Strategy(), 0.5, concepts=0.25)
    found = small_evaluation(built(contender), Truth(directory, sources=5))
    text, concepts = Contender(Strategy(), 0.5), Contender(Strategy(), 0.5, concepts=1.0)
    assert [outcome.contender for outcome in found.outcomes] == [contender, text, concepts]


# --- how the work is done -----------------------------------------------------------------------------------


def test_an_index_and_its_crawl_give_the_same(web: Path, index: Path, directory: Path, related: Path) -> None:
    truth = Truth(directory, related, sources=100)
    contenders = (Contender(), PLAIN, LINKS)
    crawled = small_evaluation(web / "sample.warc.gz", truth, *contenders)
    assert numbers(crawled) == numbers(small_evaluation(index, truth, *contenders))


def test_the_index_may_have_any_strategy(built: Callable[[Contender], Path], index: Path, directory: Path) -> None:
    truth = Truth(directory, sources=50)
    other = built(Contender(Strategy(anchors=0.0, stemming="nostem", numbers=True)))
    one, two = (small_evaluation(path, truth, PLAIN, LINKS) for path in (index, other))
    assert numbers(one) == numbers(two)


def test_the_number_of_workers_makes_no_difference(
    index: Path, directory: Path, related: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = Truth(directory, related, sources=100)
    one = small_evaluation(index, truth, Contender(), LINKS)
    monkeypatch.setattr("pagekin.trials.evaluate.FEW_BYTES", 0)  # so that bags are made by two processes, too
    assert numbers(small_evaluation(index, truth, Contender(), LINKS, workers=2)) == numbers(one)


def test_one_seed_one_sample(index: Path, directory: Path, related: Path) -> None:
    def sources(seed: int) -> list[list[int]]:
        with trial_on(index, Truth(directory, related, sources=30, seed=seed)) as trial:
            return [judge.sources.tolist() for judge in trial.judges]

    assert [len(chosen) for chosen in sources(1)] == [30, 30]
    assert sources(1) == sources(1) != sources(2)


def test_no_limit_asks_for_all(index: Path, directory: Path) -> None:
    facts = small_evaluation(index, Truth(directory, sources=0)).truths.directory
    assert facts is not None
    topics = list(topics_of(index, directory).values())
    assert facts["used"] == len(topics)
    assert facts["sources"] == sum(topics.count(topic) > 1 for topic in topics) > 200


def test_an_index_is_not_changed(index: Path, directory: Path, related: Path) -> None:
    before, paths = described_files(index), sorted(index.rglob("*"))
    small_evaluation(index, Truth(directory, related, exclude=(HUBS,), sources=20), Contender(), LINKS, workers=2)
    assert described_files(index) == before
    assert sorted(index.rglob("*")) == paths


@pytest.mark.parametrize("exclude", [(), (HUBS,)])
def test_nothing_is_left_behind(
    web: Path, index: Path, directory: Path, temporary: Path, exclude: tuple[str, ...]
) -> None:
    for crawl in (index, web / "sample.warc.gz"):
        small_evaluation(crawl, Truth(directory, exclude=exclude, sources=5))
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_behind_of_what_failed(web: Path, temporary: Path) -> None:
    with pytest.raises(TruthError):
        small_evaluation(web / "sample.warc.gz", Truth(web / "missing.tsv"))
    assert list(temporary.iterdir()) == []


def test_no_truth_is_refused(index: Path) -> None:
    with pytest.raises(SettingsError, match="nothing to judge by; give --directory"):
        small_evaluation(index, Truth())


def test_an_index_cannot_be_read_in_another_way(index: Path, directory: Path) -> None:
    settings = index_tables(index).settings
    cut = replace(settings, crawl=replace(settings.crawl, cut="p"))
    with pytest.raises(SettingsError, match="is an index, whose pages have been read"):
        evaluate(index, Truth(directory), settings=cut, engine=LocalEngine(1))


def test_an_index_can_be_weighed_in_another_way(index: Path, directory: Path) -> None:
    similarity = SimilaritySettings(cosine=0.0, concepts=0.0, cocitation=0.0, linked=0.0, authority=0.0)
    settings = replace(index_tables(index).settings, strategy=PLAIN.strategy, similarity=similarity)
    found = evaluate(index, Truth(directory, sources=5), settings=settings, engine=LocalEngine(1))
    assert [outcome.contender for outcome in found.outcomes] == [PLAIN]


def test_crawl_files_are_read_by_the_settings(web: Path, directory: Path) -> None:
    def pages(settings: Settings) -> int:
        truth = Truth(directory, sources=5)
        return evaluate(web / "sample.warc.gz", truth, settings=settings, engine=LocalEngine(1)).pages

    small = Settings(crawl=replace(Settings().crawl, max_page_bytes=4000))
    assert 0 < pages(small) < pages(Settings())


# --- excluded pages -----------------------------------------------------------------------------------------


def page_numbers(trial: Trial, pattern: str) -> dict[int, int]:
    """The pages whose address matches, with their places among all."""
    urls = trial.maker.tables.table("urls", ["page", "url", "fetched"]).to_pylist()
    excluded = matcher([pattern])
    return {row["page"]: place for place, row in enumerate(urls) if excluded(row["url"])}


def test_excluded_pages_are_not_asked_for_and_not_ranked_by_a_directory(index: Path, directory: Path) -> None:
    site = directory.read_text("utf-8").split("/")[2]
    with trial_on(index, Truth(directory)) as whole, trial_on(index, Truth(directory, exclude=(f"*{site}*",))) as part:
        gone = page_numbers(whole, f"*{site}*").keys() & set(whole.judges[0].pages.tolist())
        assert len(gone) > 3
        assert set(part.judges[0].pages.tolist()) == set(whole.judges[0].pages.tolist()) - gone


def test_excluded_pages_are_not_ranked_among_related_pages(index: Path, related: Path) -> None:
    with trial_on(index, Truth(related=related, exclude=(HUBS,))) as trial:
        hubs = page_numbers(trial, HUBS)
        assert len(hubs) > 5
        assert not hubs.keys() & set(trial.judges[0].pages.tolist())


def test_the_links_of_excluded_pages_are_no_evidence(index: Path, directory: Path) -> None:
    with trial_on(index, Truth(directory)) as whole, trial_on(index, Truth(directory, exclude=(HUBS,))) as part:
        pages = whole.maker.tables.table("urls", ["page"])["page"].to_numpy()
        hubs = page_numbers(whole, HUBS)
        sizes, left = (np.diff(trial.maker.bags(LINKS, pages).ends) for trial in (whole, part))
        others = ~np.isin(pages, list(hubs))
        assert (left <= sizes).all()
        assert left[others].sum() < sizes[others].sum()


def test_the_words_around_links_of_excluded_pages_are_no_evidence(index: Path, directory: Path) -> None:
    with trial_on(index, Truth(directory)) as whole, trial_on(index, Truth(directory, exclude=(HUBS,))) as part:
        pages = whole.judges[0].pages
        before, after = (trial.maker.bags(PLAIN, pages) for trial in (whole, part))
        assert before.ends[-1] > after.ends[-1] > 0


def test_excluded_pages_have_no_words_of_their_own(index: Path, directory: Path) -> None:
    content = Contender(Strategy(anchors=0.0))
    with trial_on(index, Truth(directory)) as whole, trial_on(index, Truth(directory, exclude=(HUBS,))) as part:
        hubs = np.array(sorted(page_numbers(whole, HUBS)))
        assert whole.maker.bags(content, hubs).ends[-1] > 0
        assert part.maker.bags(content, hubs).ends[-1] == 0


def test_what_matches_no_pattern_stays_as_it_is(index: Path, directory: Path) -> None:
    truth = Truth(directory, sources=50)
    nothing = replace(truth, exclude=("*/no/such/page/*",))
    assert numbers(small_evaluation(index, nothing)) == numbers(small_evaluation(index, truth))
