"""The search along axes, and the halves of the sources: one that chooses, one that reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.evaluation.results import Ratio
from pagekin.evaluation.search import (
    LEAST_GAIN,
    ROUNDS,
    Axis,
    axes,
    chosen_half,
    coordinate_search,
    is_idle,
    part_of,
)
from pagekin.evaluation.strategies import OF_CONCEPTS, SHARES, Contender, changed, settled_contender
from pagekin.settings import ConceptSettings, Settings, Strategy, changed_section

AXES = axes(4.0, 1.5)
START = settled_contender(Settings())

COSINE = "cosine"


def axis(name: str) -> Axis:
    return next(each for each in AXES if each.name == name)


class Record:
    """Values by a function of a contender, and who was told what."""

    def __init__(self, worth: Callable[[Contender], float]) -> None:
        self.worth = worth
        self.asked: list[Contender] = []
        self.found: list[Contender] = []

    def values(self, contenders: Sequence[Contender]) -> list[float]:
        self.asked += contenders
        return [self.worth(contender) for contender in contenders]

    def search(self, along: Sequence[Axis] = AXES, start: Contender = START) -> Contender:
        return coordinate_search(start, along, self.values, self.found.append)


def separable(contender: Contender) -> float:
    """Best with stopstem, sqrt, windows of 16, 640 terms, a share of 0.3, and content alone counting little."""
    strategy = contender.strategy
    return (
        (strategy.stemming == "stopstem")
        + {"sqrt": 2.0, "log": 1.0}.get(strategy.frequency, 0.0)
        + (strategy.window == "16")
        - abs(strategy.bag_size - 640) / 1000
        - abs(contender.cosine - 0.3)
        - abs(strategy.content - 0.3)
    )


def test_a_search_finds_the_best_of_a_separable_function() -> None:
    found = Record(separable).search()
    strategy = Strategy(content=0.3, anchors=1.0, stemming="stopstem", frequency="sqrt", window="16", bag_size=640)
    assert found == replace(START, strategy=strategy, cosine=0.3)


def test_a_search_goes_along_the_shares_and_the_vectors_of_concepts() -> None:
    def worth(contender: Contender) -> float:
        return 2 * contender.concepts - 3 * contender.concepts**2 + 0.1 * (contender.vectors.dimensions == 200)

    found = Record(worth).search(start=changed(START, {"concepts": 0.0}))
    assert (found.concepts, found.vectors) == (0.3, ConceptSettings(dimensions=200))


def test_a_search_ends_where_it_began_if_nothing_is_better() -> None:
    record = Record(lambda contender: float(contender == START))
    assert record.search() == START
    assert record.found == []


def test_a_round_without_a_gain_is_the_last() -> None:
    record = Record(lambda contender: 0.0)
    record.search([axis("stemming")])
    assert len(record.asked) == 1 + 3


def test_a_search_goes_round_again_after_a_gain() -> None:
    """Cosines are good only without numbers, and numbers are tried last."""
    record = Record(lambda contender: (not contender.strategy.numbers) * (1 + contender.cosine))
    start = changed(START, {"numbers": True})
    assert record.search([axis(COSINE), axis("numbers")], start).cosine == 1.0


def test_a_search_ends_after_some_rounds() -> None:
    def climb(contender: Contender) -> float:
        return float(len(set(record.asked)))  # the later, the better

    record = Record(climb)
    record.search([axis("stemming")])
    assert len(record.asked) <= 1 + 3 * ROUNDS


def test_each_improvement_is_told_in_rising_order() -> None:
    record = Record(separable)
    best = record.search()
    worths = [separable(START), *map(separable, record.found)]
    assert record.found[-1] == best
    assert all(later >= earlier + LEAST_GAIN for earlier, later in pairwise(worths))


def test_what_is_told_was_asked_for_before() -> None:
    record = Record(separable)
    record.search()
    assert set(record.found) <= set(record.asked)


@pytest.mark.parametrize(("gain", "taken"), [(0.5, False), (2.0, True)])
def test_a_gain_that_is_too_small_is_none(gain: float, taken: bool) -> None:
    record = Record(lambda contender: 1.0 + gain * LEAST_GAIN * (contender.strategy.stemming == "nostem"))
    found = record.search([axis("stemming")])
    assert (found.strategy.stemming == "nostem") == taken
    assert len(record.found) == taken


def test_two_gains_that_are_too_small_do_not_add_up_to_one() -> None:
    def worth(contender: Contender) -> float:
        return 0.6 * LEAST_GAIN * ((contender.strategy.stemming == "nostem") + contender.strategy.numbers)

    assert Record(worth).search([axis("stemming"), axis("numbers")]) == START


def test_of_equal_values_the_first_is_taken() -> None:
    record = Record(lambda contender: float(contender.strategy.window in ("8", "64")))
    assert record.search().strategy.window == "8"


def test_idle_axes_are_not_tried() -> None:
    record = Record(lambda contender: 0.0)
    start = Contender(Strategy(content=1.0, anchors=0.0, frequency="log", metric="cosine"))
    idle = ("window", "distance", "repeats", "mu", "sigma", COSINE, "concepts.dimensions", "concepts.links")
    record.search([axis(name) for name in idle], start)
    assert record.asked == [start]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("window", {"anchors": 0.0}),
        ("distance", {"anchors": 0.0}),
        ("repeats", {"anchors": 0.0}),
        ("template_links", {"anchors": 0.0}),
        ("mu", {"frequency": "log"}),
        ("sigma", {"frequency": "tf-idf"}),
        (COSINE, {"metric": "cosine"}),
        ("concepts.dimensions", {"concepts": 0.0}),
        ("concepts.frequency", {"concepts": 0.0}),
    ],
)
def test_an_axis_is_idle_only_where_it_changes_nothing(name: str, change: dict[str, Any]) -> None:
    assert is_idle(axis(name), changed(START, change))
    assert not is_idle(axis(name), START)


def test_no_axis_but_those_of_idle_fields_is_skipped_for_the_default() -> None:
    assert [each.name for each in AXES if is_idle(each, START)] == []


def test_variants_differ_in_the_axis_alone_and_have_the_contender_itself_first() -> None:
    variants = axis("window").variants(START)
    assert variants[0] == START
    assert len(variants) == len(set(variants)) == 8
    assert {changed(variant, {"window": "32"}) for variant in variants} == {START}


def test_every_value_on_an_axis_is_one_that_settings_allow() -> None:
    known = {field.name for field in fields(Strategy)}
    for change in (change for each in axes(4.0, 1.5, has_words=True) for change in each.changes):
        shares = {name: value for name, value in change.items() if name in SHARES}
        vectors = {name: value for name, value in change.items() if name.startswith(OF_CONCEPTS)}
        strategy = {name: value for name, value in change.items() if name not in shares | vectors}
        assert strategy.keys() <= known
        changed_section(Strategy(), "strategy", strategy, "an axis")
        changed_section(Settings().similarity, "similarity", shares, "an axis")
        of_concepts = {name.removeprefix(OF_CONCEPTS): value for name, value in vectors.items()}
        changed_section(ConceptSettings(), "concepts", of_concepts, "an axis")


def test_word_vectors_are_tried_only_where_they_are_installed() -> None:
    words = [each for each in axes(4.0, 1.5, has_words=True) if each not in AXES]
    assert [each.name for each in words] == ["words"]


def test_mu_and_sigma_are_tried_around_those_of_the_crawl() -> None:
    mus, sigmas = ([next(iter(change.values())) for change in axis(name).changes] for name in ("mu", "sigma"))
    assert mus == [0.0, 2.8, 3.4, 4.6, 5.2]
    assert sigmas == [0.0, 0.9, 1.2, 1.875, 2.4, 3.0]


# --- halves -------------------------------------------------------------------------------------------------


@given(st.integers(0, 200), st.integers(0, 5))
def test_half_of_the_sources_choose(sources: int, seed: int) -> None:
    assert chosen_half(sources, seed).sum() == (sources + 1) // 2


@given(st.integers(0, 200), st.integers(0, 5))
def test_each_source_either_chooses_or_reports(sources: int, seed: int) -> None:
    tally = {"mrr": Ratio(np.arange(sources, dtype=float), np.ones(sources))}
    choose, report = (part_of(tally, seed, chooses)["mrr"].above.tolist() for chooses in (True, False))
    assert sorted(choose + report) == list(range(sources))
    assert not set(choose) & set(report)


def test_what_is_above_and_below_the_line_stays_together() -> None:
    tally = {"mrr": Ratio(np.arange(50.0), np.arange(50.0) + 100)}
    for chooses in (True, False):
        part = part_of(tally, 1, chooses)["mrr"]
        assert (part.below - part.above).tolist() == [100.0] * 25


def test_all_measures_of_the_same_sources_are_split_alike() -> None:
    tally = {key: Ratio(np.arange(50.0), np.ones(50)) for key in ("mrr", "ndcg_at_10")}
    part = part_of(tally, 1, True)
    assert part["mrr"].above.tolist() == part["ndcg_at_10"].above.tolist()


def test_another_seed_lets_others_choose() -> None:
    assert chosen_half(100, 1).tolist() == chosen_half(100, 1).tolist()
    assert chosen_half(100, 1).tolist() != chosen_half(100, 2).tolist()


def test_links_in_templates_matter_to_link_terms_too() -> None:
    axis = next(axis for axis in axes(4.0, 1.5) if axis.name == "template_links")
    assert is_idle(axis, Contender(Strategy(anchors=0.0, links=0.0)))
    assert not is_idle(axis, Contender(Strategy(anchors=0.0, links=1.0)))


def test_without_dimensions_concepts_are_not_tried() -> None:
    axis = next(axis for axis in axes(4.0, 1.5) if axis.name == "concepts")
    assert is_idle(axis, Contender(vectors=ConceptSettings(dimensions=0)))
    assert not is_idle(axis, Contender())
