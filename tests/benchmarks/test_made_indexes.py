"""Indexes that benchmarks make up are indexes: they are opened and asked as those of a build are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import blend
import index as index_benchmark
import pagekin

DOCUMENTS = 1200


def test_an_index_of_made_up_bags_answers(tmp_path: Path) -> None:
    index_benchmark.written_index(tmp_path / "made.kin", DOCUMENTS)
    answer = pagekin.open(tmp_path / "made.kin").related(index_benchmark.url_of(7), k=10)
    assert len(answer.results) == 10
    assert answer.results[0].score > 0


@pytest.mark.parametrize("source", ["text", "concepts", "cocitation", "links"])
def test_an_index_with_all_sources_answers_by_each(made: pagekin.Index, source: str) -> None:
    answer = made.related(index_benchmark.url_of(7), k=10, weights={source: 1.0})
    scores = np.array([found.score for found in answer.results])
    assert len(scores)
    assert (scores > 0).all()
    assert (np.diff(scores) <= 0).all()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Index:
    """The index that the blend is measured on."""
    return blend.made_index(tmp_path_factory.mktemp("made") / "made.kin", DOCUMENTS)
