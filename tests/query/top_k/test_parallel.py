"""Sources that fail, are slow, or take few questions at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.query.top_k.algorithms import PARALLEL_ALGORITHMS
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.parallel import query_without
from pagekin.query.top_k.parallel_threshold import parallel_threshold
from pagekin.query.top_k.parallel_upper import parallel_upper
from pagekin.query.top_k.protocol import (
    LEAST,
    SUM,
    Aggregation,
    Floats,
    LeftOut,
    Numbers,
    RemoteSource,
    Scored,
    TopK,
    TopKQuery,
)
from pagekin.query.top_k.remote import DelayedSource, as_remote

from .random_queries import BOTH, Asked, queries, sorted_answer
from .small_example import BEST, both, counts

algorithms = pytest.mark.parametrize("name", list(PARALLEL_ALGORITHMS))


def asked_of(name: str, query: TopKQuery, sources: list[RemoteSource], timeout_seconds: float = 10.0) -> TopK:
    return asyncio.run(PARALLEL_ALGORITHMS[name](query, sources, timeout_seconds))


class FailingSource(DelayedSource):
    """A source that fails after so many accesses."""

    def __init__(self, source: MemorySource, accesses: int) -> None:
        super().__init__(source, 2, lambda: 0.0)
        self._left = accesses

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise ConnectionError("the line is dead")

    async def next_best(self, count: int) -> Scored:
        self._count()
        return await super().next_best(count)

    async def scores(self, documents: Numbers) -> Floats:
        self._count()
        return await super().scores(documents)


class WatchedSource(DelayedSource):
    """A source that remembers how many questions it had at once."""

    peak = 0

    async def scores(self, documents: Numbers) -> Floats:
        self.peak = max(self.peak, self._running + 1)
        return await super().scores(documents)


def test_parallel_upper_asks_as_upper_does_where_all_answer_at_once() -> None:
    found = asyncio.run(parallel_upper(BEST, [as_remote(source) for source in both()]))
    assert found.documents.tolist() == [2]
    assert counts(found) == [(2, 1), (2, 1)]


def test_parallel_threshold_asks_for_all_that_was_listed_before() -> None:
    # 3 comes with the second round, by which the answer is certain: what TA still asks about it is not waited for
    found = asyncio.run(parallel_threshold(BEST, [as_remote(source) for source in both()]))
    assert found.documents.tolist() == [2]
    assert counts(found) == [(2, 1), (2, 1)]


@algorithms
@settings(max_examples=300, deadline=None)
@given(asked=queries, ends=st.lists(st.sampled_from((0, 1, 2, 4, 99)), min_size=4, max_size=4))
def test_the_answer_is_that_of_the_sources_that_did_not_fail(name: str, asked: Asked, ends: list[int]) -> None:
    asked = asked.by(BOTH)
    sources = [FailingSource(source, end) for source, end in zip(asked.sources(), ends, strict=False)]
    found = asked_of(name, asked.query, sources)
    names = [source.name for source in sources]
    failed = frozenset(names.index(left_out.source) for left_out in found.left_out)
    assert all(ends[place] < 99 for place in failed)
    rest = asked.without(failed)
    assert found.documents.tolist() == [document for document, _ in sorted_answer(rest)]
    assert [accesses.source for accesses in found.accesses] == names


@algorithms
def test_a_source_that_raises_is_named_with_its_reason(name: str) -> None:
    first, second = both()
    found = asked_of(name, BEST, [as_remote(first), FailingSource(second, 0)])
    assert found.left_out == (LeftOut("second", "ConnectionError: the line is dead"),)
    assert (found.documents.tolist(), found.worst.tolist()) == ([1], [1.8])  # 0.9 with the weight of both


@algorithms
def test_a_source_that_is_too_slow_is_left_out(name: str) -> None:
    first, second = both()
    found = asked_of(name, BEST, [as_remote(first), DelayedSource(second, 1, lambda: 60.0)], timeout_seconds=0.05)
    assert found.left_out == (LeftOut("second", "it took longer than 0.05 seconds"),)
    assert found.documents.tolist() == [1]


@algorithms
def test_if_all_fail_nothing_is_found(name: str) -> None:
    found = asked_of(name, BEST, [FailingSource(source, 0) for source in both()])
    assert [left_out.source for left_out in found.left_out] == ["first", "second"]
    assert len(found.documents) == 0


@algorithms
def test_a_source_that_gives_too_few_scores_is_left_out(name: str) -> None:
    class Short(DelayedSource):
        async def scores(self, documents: Numbers) -> Floats:
            return np.empty(0)

    first, second = both(second=(None, 1.0))
    found = asked_of(name, BEST, [as_remote(first), Short(second, 1, lambda: 0.0)])
    assert found.left_out == (LeftOut("second", "ValueError: 0 scores came for 1 documents"),)


@algorithms
def test_a_source_is_asked_as_much_at_once_as_it_takes_and_no_more(name: str) -> None:
    first, second = both(second=(None, 1.0))
    watched = WatchedSource(second, 3, lambda: 0.001)
    found = asked_of(name, replace(BEST, k=4, batch=5), [as_remote(first), watched])
    assert found.left_out == ()
    assert watched.peak == 3


def test_documents_asked_for_together_take_one_question() -> None:
    first, second = both(second=(None, 1.0))
    watched = WatchedSource(second, 1, lambda: 0.0)
    query = replace(BEST, k=5, batch=5)
    found = asyncio.run(parallel_threshold(query, [as_remote(first), watched], together=5))
    assert found.documents.tolist() == [2, 3, 1, 4, 5]
    assert counts(found) == [(5, 0), (0, 5)]
    assert watched.peak == 1


@algorithms
def test_nothing_goes_on_when_the_answer_is_known(name: str) -> None:
    async def tasks_left() -> int:
        await PARALLEL_ALGORITHMS[name](BEST, [DelayedSource(source, 4, lambda: 0.001) for source in both()])
        return len(asyncio.all_tasks())

    assert asyncio.run(tasks_left()) == 1


def test_a_delayed_source_refuses_what_is_too_much() -> None:
    async def ask_twice() -> list[object]:
        source = DelayedSource(both()[0], 1, lambda: 0.001)
        one = np.array([1])
        return await asyncio.gather(source.scores(one), source.scores(one), return_exceptions=True)

    assert isinstance(asyncio.run(ask_twice())[1], RuntimeError)


def test_in_a_sum_the_weights_of_the_rest_have_the_same_total() -> None:
    query = TopKQuery(Aggregation(SUM, np.array([0.5, 0.25, 0.25])), 1, frozenset({0, 1}), frozenset({2}))
    rest = query_without(query, frozenset({0}))
    assert rest.aggregation.weights.tolist() == [0.5, 0.5]
    assert (rest.required, rest.excluded) == (frozenset({0}), frozenset({1}))


def test_other_weights_stay_as_they_are() -> None:
    query = TopKQuery(Aggregation(LEAST, np.array([0.5, 0.25])), 1)
    assert query_without(query, frozenset({0})).aggregation.weights.tolist() == [0.25]
