"""The indexes that were kept of each format are still opened, and answer as they did."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.stores.manifest import FORMAT, READABLE, damaged_files

GOLDEN = Path(__file__).resolve().parent
sys.path.insert(0, str(GOLDEN))

from make import QUESTIONS, answers  # noqa: E402

INDEX = GOLDEN / f"format-{FORMAT}.kin"
EVERY = [GOLDEN / f"format-{number}.kin" for number in READABLE]


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name)
def test_a_golden_index_is_whole(path: Path) -> None:
    assert damaged_files(path, pagekin.open(path).manifest) == []


def kept(found: Any, stored: Any) -> Any:
    """An answer without what was not there when the other was stored."""
    if isinstance(stored, dict):
        return {name: kept(found[name], value) for name, value in stored.items()}
    if isinstance(stored, list):
        assert len(found) == len(stored)
        return [kept(*pair) for pair in zip(found, stored, strict=True)]
    return found


def without_scores(found: Any) -> Any:
    """An answer without its numbers."""
    if isinstance(found, dict):
        numbers = ("score", "share", "evidence")
        return {name: without_scores(value) for name, value in found.items() if name not in numbers}
    return [without_scores(value) for value in found] if isinstance(found, list) else found


def scores(found: dict[str, Any]) -> list[float]:
    """The scores of an answer, and the shares of its reasons."""
    related = [*found["results"], *found["copies"]]
    return [r["score"] for r in related] + [s["share"] for r in related for s in r["why"]["shared"]]


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name)
@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_it_answers_as_it_did(path: Path, number: int) -> None:
    stored = json.loads(path.with_suffix(".json").read_text("utf-8"))[number]
    found = kept(answers(pagekin.open(path))[number], stored)
    assert without_scores(found) == without_scores(stored)
    assert scores(found) == pytest.approx(scores(stored), abs=2e-4)
    assert found["results"]


def test_it_holds_no_path_of_the_machine_it_was_made_on() -> None:
    assert [given["path"] for given in pagekin.open(INDEX).manifest.inputs] == ["small.warc"]


def test_it_is_small() -> None:
    assert pagekin.open(INDEX).manifest.bytes < 200_000
