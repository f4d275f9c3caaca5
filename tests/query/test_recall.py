"""How many of the truly most related pages the signatures find."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from building import built_index

from pagekin.index import Index

LEAST_RECALL = 0.95


def recall_at_10(index: Index, questions: int) -> float:
    """The share of the true ten that are found, over pages spread evenly."""
    asked = [answer.query for answer in index.related_all(k=1)][:: max(len(index) // questions, 1)]
    found = wanted = 0
    for url in asked:
        truth = {result.url for result in index.related(url, exact=True).results}
        found += len(truth & {result.url for result in index.related(url).results})
        wanted += len(truth)
    return found / wanted


def test_on_the_sample_web(sample_index: Index) -> None:
    assert recall_at_10(sample_index, 300) >= LEAST_RECALL


@pytest.mark.slow
def test_on_a_school_encyclopedia(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    pages = real_data("schools-wikipedia")
    for path in sorted(pages.rglob("*.htm"))[::3][:1500]:
        copy = tmp_path / "school" / path.relative_to(pages)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    assert recall_at_10(built_index(tmp_path / "school"), 300) >= LEAST_RECALL
