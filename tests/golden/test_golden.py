"""The index that was kept of this format is still opened, and answers as it did."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.stores.manifest import FORMAT, damaged_files

GOLDEN = Path(__file__).resolve().parent
sys.path.insert(0, str(GOLDEN))

from make import QUESTIONS, answers  # noqa: E402

INDEX = GOLDEN / f"format-{FORMAT}.kin"
STORED: list[dict[str, Any]] = json.loads(INDEX.with_suffix(".json").read_text("utf-8"))


def test_the_golden_index_is_whole() -> None:
    assert damaged_files(INDEX, pagekin.open(INDEX).manifest) == []


def without_scores(found: Any) -> Any:
    """An answer without its numbers."""
    if isinstance(found, dict):
        return {name: without_scores(value) for name, value in found.items() if name not in ("score", "share")}
    return [without_scores(value) for value in found] if isinstance(found, list) else found


def scores(found: dict[str, Any]) -> list[float]:
    """The scores of an answer, and the shares of its reasons."""
    related = [*found["results"], *found["copies"]]
    return [r["score"] for r in related] + [s["share"] for r in related for s in r["why"]["shared"]]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_it_answers_as_it_did(number: int) -> None:
    found, stored = answers(pagekin.open(INDEX))[number], STORED[number]
    assert without_scores(found) == without_scores(stored)
    assert scores(found) == pytest.approx(scores(stored), abs=2e-4)
    assert found["results"]


def test_it_holds_no_path_of_the_machine_it_was_made_on() -> None:
    assert [given["path"] for given in pagekin.open(INDEX).manifest.inputs] == ["small.warc"]


def test_it_is_small() -> None:
    assert pagekin.open(INDEX).manifest.bytes < 100_000
