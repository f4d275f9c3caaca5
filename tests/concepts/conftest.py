"""The tables of a sample web that concepts are made from, made once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.pipelines import SCHEMAS, whole_build
from pagekin.sample import write_sample
from pagekin.settings import ConceptSettings, Settings

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "concepts"), str(TESTS / "golden")]  # what these tests share

from hand_made import Tables  # noqa: E402

SETTINGS = Settings(concepts=ConceptSettings(dimensions=40))


@pytest.fixture(scope="session")
def sample_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The WARC file of a sample web of 600 pages."""
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, pages=600, seed=5)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="session")
def sample_tables(sample_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Its tables, as the steps leave them."""
    folder = tmp_path_factory.mktemp("tables")
    splits, _ = find_splits([str(sample_crawl)], SETTINGS.crawl)
    LocalEngine(workers=1).run(whole_build(SETTINGS), splits, SCHEMAS, folder)
    names = ("urls", "terms", "featured", "feature_counts", "basis", "concepts")
    return {name: read_table(folder / name, SCHEMAS[name]) for name in names}
