"""Sources in memory do what a source should, and what the modules show by example is so."""

from __future__ import annotations

import doctest
from importlib import import_module

import numpy as np
import pytest

from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.protocol import KINDS, Accesses, Aggregation
from pagekin.query.top_k.reading import Reader


def test_equals_come_by_their_numbers() -> None:
    assert MemorySource("", {3: 0.5, 1: 0.5, 2: 0.9}).next_best(9).documents.tolist() == [2, 1, 3]


def test_behind_the_end_of_a_list_nothing_is_left() -> None:
    source = MemorySource("", {1: 0.5})
    source.next_best(2)
    assert source.high == 0
    assert len(source.next_best(2).documents) == 0


def test_behind_the_cut_of_a_list_there_may_be_as_much() -> None:
    source = MemorySource("", {1: 0.5, 2: 0.4}, listed=1)
    source.next_best(2)
    assert source.high == 0.5
    assert source.scores(np.array([2, 9, 1])).tolist() == [0.4, 0.0, 0.5]


def test_a_source_without_documents_has_nothing() -> None:
    source = MemorySource("", {})
    assert len(source.next_best(1).documents) == 0
    assert source.scores(np.array([1, 2])).tolist() == [0, 0]


def test_a_reader_counts_documents_and_their_cost() -> None:
    reader = Reader(MemorySource("text", {1: 0.5, 2: 0.4, 3: 0.3}, 2.0, 10.0))
    reader.next_best(2)
    reader.scores(np.array([3]))
    assert (reader.accesses, reader.cost) == (Accesses("text", 2, 1), 14.0)


def test_a_list_has_ended_when_it_gives_less_than_was_wanted() -> None:
    reader = Reader(MemorySource("", {1: 0.5, 2: 0.4}))
    reader.next_best(2)
    assert not reader.ended
    reader.next_best(2)
    assert reader.ended


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sources", [1, 2, 3, 9])
def test_a_whole_score_is_the_same_to_the_last_bit_wherever_it_is_computed(kind: str, sources: int) -> None:
    scores = np.random.default_rng(sources).random((40, sources))
    aggregation = Aggregation(kind, np.resize([2.0, 0.3, 0.5, 1.0, 0.0, 3.0], sources))
    together = aggregation.of(scores).tolist()
    assert together == aggregation.of(np.asfortranarray(scores)).tolist()
    assert together == [float(aggregation.of(row)) for row in scores]
    assert together == [float(aggregation.of(scores[row : row + 1])[0]) for row in range(40)]


@pytest.mark.parametrize("name", ["protocol", "memory", "choosing"])
def test_the_examples_run(name: str) -> None:
    result = doctest.testmod(import_module(f"pagekin.query.top_k.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
