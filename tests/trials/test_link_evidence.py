"""What is judged of links is what an index answers, and the peers see the same links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.evaluation.strategies import CITATIONS, Contender, changed
from pagekin.trials.bag_maker import BagMaker
from pagekin.trials.crawl_tables import index_tables
from pagekin.trials.evaluate import Truth, evaluate
from pagekin.trials.link_evidence import Floats, LinkEvidence, Numbers

BLOCKS = Contender(cocitation=1.0)


@pytest.fixture(scope="module")
def maker(index: Path, tmp_path_factory: pytest.TempPathFactory) -> BagMaker:
    return BagMaker(index_tables(index), tmp_path_factory.mktemp("links"), LocalEngine(1))


@pytest.fixture(scope="module")
def pages(maker: BagMaker) -> Numbers:
    urls = maker.tables.table("urls", ["page"])
    known: Numbers = urls["page"].to_numpy()
    return known


def all_scores(scores: Callable[[int], Floats], pages: Numbers) -> Iterator[Floats]:
    return (scores(source) for source in range(len(pages)))


def test_blocks_score_as_the_index_answers(index: Path, maker: BagMaker, pages: Numbers) -> None:
    opened, scores = pagekin.open(index), LinkEvidence(maker).scores(BLOCKS, pages)
    urls = dict(zip(pages.tolist(), maker.tables.table("urls", ["url"])["url"].to_pylist(), strict=True))
    numbers = {url: number for number, url in enumerate(urls.values())}
    compared = 0
    for number, url in list(enumerate(urls.values()))[::7]:
        for found in opened.related(url, weights={"cocitation": 1}, k=3).results if url in bagged(opened, urls) else ():
            assert scores(number)[numbers[found.url]] == pytest.approx(found.score, abs=1e-6)
            compared += 1
    assert compared > 30


def bagged(opened: pagekin.Index, urls: dict[int, str]) -> set[str]:
    """The addresses of the documents."""
    return {opened._documents.text("url", number) for number in range(len(opened))}


@pytest.mark.parametrize("citations", CITATIONS)
def test_every_method_scores_from_0_to_1_and_finds_something(maker: BagMaker, pages: Numbers, citations: str) -> None:
    scores = LinkEvidence(maker).scores(changed(BLOCKS, {"citations": citations}), pages)
    found = np.array([row.max() for row in all_scores(scores, pages)])
    assert found.min() >= 0 and found.max() <= 1
    assert np.count_nonzero(found) > len(pages) / 4


def test_pages_of_a_judge_may_be_any(maker: BagMaker, pages: Numbers) -> None:
    some = pages[::3]
    for citations in ("blocks", "traditional"):
        contender = changed(BLOCKS, {"citations": citations})
        few, every = (LinkEvidence(maker).scores(contender, known) for known in (some, pages))
        for source in range(0, len(some), 11):
            one, other = few(source), every(3 * source)[::3]
            assert np.array_equal(np.flatnonzero(one), np.flatnonzero(other))


def test_links_within_a_site_count_only_if_there_is_but_one(maker: BagMaker) -> None:
    evidence = LinkEvidence(maker)
    _, between, within = evidence._graph(evidence._sites(BLOCKS), BLOCKS)
    assert not within
    own = changed(BLOCKS, {"cocitation.own_site": "yes"})
    _, all_links, within = evidence._graph(evidence._sites(own), own)
    assert within and len(all_links.target) > len(between.target) > 0


def test_blocks_are_better_than_traditional_cocitation_on_the_sample_web(index: Path, directory: Path) -> None:
    traditional = changed(BLOCKS, {"citations": "traditional"})
    found = evaluate(index, Truth(directory), [BLOCKS, traditional], engine=LocalEngine(1))
    ours, theirs = (outcome.measures for outcome in found.outcomes)
    for measure in ("sibling_gamma", "precision_at_10", "r_score_at_10"):
        assert ours[measure].value > theirs[measure].value
