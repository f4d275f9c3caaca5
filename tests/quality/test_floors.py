"""The defaults are as good as they were: on the sample web always, on real crawls where they are at hand."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagekin.engines.local import LocalEngine
from pagekin.evaluation.strategies import settled_contender
from pagekin.sample import write_sample
from pagekin.settings import Settings
from pagekin.trials.evaluate import Truth, evaluate

FLOORS: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "floors.toml").read_text("utf-8"))
TEXT = "text"  # what measures of the text alone begin with


def digest(path: Path) -> str:
    """A short name for what a file holds."""
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


def too_low(name: str, crawl: Path, truth: Truth) -> list[str]:
    """The measures that are below their floors, of the defaults and of their text alone."""
    floors = FLOORS[name]
    assert digest(Path(truth.directory or truth.related or "")) == floors["truth"], "another truth: measure anew"
    whole = settled_contender(Settings())
    contenders = {"default": whole, TEXT: type(whole)(whole.strategy, whole.cosine)}
    found = evaluate(crawl, truth, list(contenders.values()), engine=LocalEngine(1))
    values = {
        f"{kind}.{key}": outcome.measures[key].value
        for kind, outcome in zip(contenders, found.outcomes, strict=True)
        for key in floors[kind]
    }
    wanted = {f"{kind}.{key}": floor for kind in contenders for key, floor in floors[kind].items()}
    return [f"{key} is {values[key]:.4f}, below {floor}" for key, floor in wanted.items() if values[key] < floor]


def test_the_sample_web(tmp_path: Path) -> None:
    write_sample(tmp_path, 1000)
    assert too_low("sample", tmp_path / "sample.warc.gz", Truth(directory=tmp_path / "directory.tsv")) == []


@pytest.mark.slow
def test_an_encyclopedia(real_data: Callable[[str], Path]) -> None:
    folder = real_data("schools-wikipedia")
    truth = Truth(directory=folder / "directory.tsv", depth=2, sources=600)
    assert too_low("schools-wikipedia", folder, truth) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scipy-docs", "sklearn-docs"])
def test_documentation(real_data: Callable[[str], Path], name: str) -> None:
    folder = real_data("see-also-docs") / name
    assert too_low(name, folder, Truth(related=folder / "related.tsv")) == []
