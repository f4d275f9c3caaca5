"""How many of the truly most related pages the signatures find."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from building import built_index

from pagekin.index import Index

Weights = dict[str, float] | None

LEAST_RECALL = 0.95


BLENDS = [pytest.param({"text": 1.0}, id="text"), pytest.param(None, id="blend")]


def recall_at_10(index: Index, questions: int, weights: Weights) -> float:
    """The share of the true ten that are found, over pages spread evenly."""
    asked = [answer.query for answer in index.related_all(k=1)][:: max(len(index) // questions, 1)]
    found = wanted = 0
    for url in asked:
        truth = {result.url for result in index.related(url, exact=True, weights=weights).results}
        found += len(truth & {result.url for result in index.related(url, weights=weights).results})
        wanted += len(truth)
    return found / wanted


@pytest.mark.parametrize("weights", BLENDS)
def test_on_the_sample_web(sample_index: Index, weights: Weights) -> None:
    assert recall_at_10(sample_index, 300, weights) >= LEAST_RECALL


@pytest.fixture(scope="module")
def school_index(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of 1,500 pages of a school encyclopedia."""
    folder = tmp_path_factory.mktemp("school")
    pages = real_data("schools-wikipedia")
    for path in sorted(pages.rglob("*.htm"))[::3][:1500]:
        copy = folder / "school" / path.relative_to(pages)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return built_index(folder / "school")


@pytest.mark.slow
@pytest.mark.parametrize("weights", BLENDS)
def test_on_a_school_encyclopedia(school_index: Index, weights: Weights) -> None:
    assert recall_at_10(school_index, 300, weights) >= LEAST_RECALL
