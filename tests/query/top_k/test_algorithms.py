"""All algorithms give the answer of sorting everything, for a thousand random source sets each."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from pagekin.errors import SettingsError
from pagekin.query.top_k.algorithms import ALGORITHMS, PARALLEL_ALGORITHMS
from pagekin.query.top_k.combined import combined_algorithm
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.no_random_access import no_random_access
from pagekin.query.top_k.protocol import SUM, Aggregation, TopK, TopKQuery
from pagekin.query.top_k.random_schedules import RANDOM_SCHEDULES
from pagekin.query.top_k.remote import as_remote
from pagekin.query.top_k.sorted_schedules import SORTED_SCHEDULES
from pagekin.query.top_k.source_types import typed_threshold_algorithm
from pagekin.query.top_k.threshold import threshold_algorithm
from pagekin.query.top_k.upper import upper

from .random_queries import BOTH, RANDOM, SORTED, Asked, queries, sorted_answer

thousand = settings(max_examples=1000, deadline=None)


def check(asked: Asked, found: TopK) -> None:
    """The documents and their order are right, their scores are within the bounds, and what was asked is counted."""
    everything = sorted_answer(replace(asked, query=replace(asked.query, k=1000)))
    expected, outside = everything[: asked.query.k], everything[asked.query.k :]
    assert found.documents.tolist() == [document for document, _ in expected]
    wholes = np.array([whole for _, whole in expected])
    assert np.all(found.worst <= wholes) and np.all(wholes <= found.best)
    assert all(whole <= found.threshold for _, whole in outside)
    costs = [
        made.sorted_cost * accesses.by_order + made.random_cost * accesses.at_random
        for made, accesses in zip(asked.made, found.accesses, strict=True)
    ]
    assert found.cost == pytest.approx(sum(costs))
    assert found.left_out == ()


def all_may_be_probed(asked: Asked) -> Asked:
    made = (replace(made, access=BOTH if made.access == SORTED else made.access) for made in asked.made)
    return replace(asked, made=tuple(made))


def all_by(asked: Asked, access: str) -> Asked:
    return replace(asked, made=tuple(replace(made, access=access) for made in asked.made))


@thousand
@given(queries)
def test_the_threshold_algorithm_finds_the_best(asked: Asked) -> None:
    asked = all_may_be_probed(asked)
    check(asked, threshold_algorithm(asked.query, asked.sources()))


@thousand
@given(queries)
def test_without_random_access_every_sorted_schedule_finds_the_best(asked: Asked) -> None:
    for schedule in SORTED_SCHEDULES.values():
        found = no_random_access(asked.query, all_by(asked, BOTH).sources(), schedule)
        assert not any(accesses.at_random for accesses in found.accesses)
        check(all_by(asked, SORTED), found)


@thousand
@given(queries)
def test_the_combined_algorithm_finds_the_best_by_every_random_schedule(asked: Asked) -> None:
    for schedule in RANDOM_SCHEDULES.values():
        check(asked, combined_algorithm(asked.query, asked.sources(), random_schedule=schedule))


@settings(max_examples=200, deadline=None)
@given(queries)
def test_the_combined_algorithm_finds_the_best_by_every_sorted_schedule(asked: Asked) -> None:
    for schedule in SORTED_SCHEDULES.values():
        check(asked, combined_algorithm(asked.query, asked.sources(), 2.0, schedule))


@thousand
@given(queries)
def test_the_source_type_aware_algorithm_finds_the_best(asked: Asked) -> None:
    check(asked, typed_threshold_algorithm(asked.query, asked.sources()))


@thousand
@given(queries)
def test_upper_finds_the_best(asked: Asked) -> None:
    check(asked, upper(asked.query, asked.sources()))


@thousand
@given(queries)
def test_parallel_algorithms_find_the_best(asked: Asked) -> None:
    for name, algorithm in PARALLEL_ALGORITHMS.items():
        usable = all_may_be_probed(asked) if name == "pTA" else asked
        remote = [as_remote(source, at_once=1 + place % 3) for place, source in enumerate(usable.sources())]
        check(usable, asyncio.run(algorithm(usable.query, remote, together=1 + asked.query.k % 2)))


# --- what cannot be


def two_sources(*accesses: str) -> list[MemorySource]:
    scores = {1: 0.5, 2: 0.25}
    costs = {SORTED: (1.0, None), RANDOM: (None, 1.0), BOTH: (1.0, 1.0)}
    return [MemorySource(access, scores, *costs[access]) for access in accesses]


QUERY = TopKQuery(Aggregation(SUM, np.array([1.0, 1.0])), 1)


def test_no_random_access_refuses_a_source_that_lists_nothing() -> None:
    with pytest.raises(SettingsError, match="needs sorted access to every source, and random has none"):
        no_random_access(QUERY, two_sources(BOTH, RANDOM))


def test_the_threshold_algorithm_refuses_a_source_that_only_lists() -> None:
    with pytest.raises(SettingsError, match="needs random access to every source, and sorted has none"):
        threshold_algorithm(QUERY, two_sources(BOTH, SORTED))


def test_the_parallel_threshold_algorithm_refuses_a_source_that_only_lists() -> None:
    with pytest.raises(SettingsError, match="needs random access to every source, and sorted has none"):
        asyncio.run(PARALLEL_ALGORITHMS["pTA"](QUERY, [as_remote(s) for s in two_sources(BOTH, SORTED)]))


@pytest.mark.parametrize("name", ["TA", "CA", "typed TA", "Upper"])
def test_a_query_needs_a_source_that_lists(name: str) -> None:
    with pytest.raises(SettingsError, match="no source lists documents"):
        ALGORITHMS[name](QUERY, two_sources(RANDOM, RANDOM))


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_documents_only_of_an_excluded_list_are_not_enough(name: str) -> None:
    with pytest.raises(SettingsError, match="no source lists documents"):
        ALGORITHMS[name](replace(QUERY, excluded=frozenset({0, 1})), two_sources(BOTH, BOTH))


WRONG = {
    "weights were given": {"aggregation": Aggregation(SUM, np.array([1.0]))},
    "0 or more": {"aggregation": Aggregation(SUM, np.array([1.0, -1.0]))},
    "aggregated by": {"aggregation": Aggregation("mean", np.array([1.0, 1.0]))},
    "k and batch must": {"k": 0},
    "must be 1 or more": {"batch": 0},
    "risk must be": {"risk": 1.0},
    "place of a source": {"required": frozenset({2})},
    "and not both": {"required": frozenset({1}), "excluded": frozenset({1})},
}


@pytest.mark.parametrize("message", list(WRONG))
@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_a_query_that_cannot_be_is_refused(name: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        ALGORITHMS[name](replace(QUERY, **WRONG[message]), two_sources(BOTH, BOTH))


@pytest.mark.parametrize("ratio", [0.5, float("nan")])
def test_a_cost_ratio_below_1_is_refused(ratio: float) -> None:
    with pytest.raises(SettingsError, match="cost ratio must be 1 or more"):
        combined_algorithm(QUERY, two_sources(BOTH, BOTH), ratio)


@pytest.mark.parametrize("wrong", [{"timeout_seconds": 0.0}, {"together": 0}])
def test_a_parallel_query_needs_time_and_documents(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingsError, match="needs more than 0 seconds"):
        asyncio.run(PARALLEL_ALGORITHMS["pUpper"](QUERY, [as_remote(s) for s in two_sources(BOTH, BOTH)], **wrong))
