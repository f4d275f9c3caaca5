"""Tables of a sample web, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.pipelines import SCHEMAS, crawl_to_pages
from pagekin.sample import write_sample
from pagekin.settings import Settings

from .chain import Tables


@pytest.fixture(scope="session")
def sample_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample web of 2,000 pages: the WARC file, with its truth beside it."""
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, pages=2000, seed=1)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="session")
def sample_web(sample_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Its tables."""
    folder, settings = tmp_path_factory.mktemp("tables"), Settings()
    splits, _ = find_splits([str(sample_crawl)], settings.crawl)
    LocalEngine(1).run(crawl_to_pages(settings), splits, SCHEMAS, folder)
    return {name: read_table(folder / name, SCHEMAS[name]).combine_chunks() for name in ("pages", "urls")}
