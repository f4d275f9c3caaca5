"""Indexes to ask: of the sample web, and of a web of thirty pages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pagekin.index import Index
from pagekin.sample import write_sample

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("golden", "query", "query_language")]  # what these tests share


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sample web of 2,000 pages, with its truth."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, 2000)
    return folder


@pytest.fixture(scope="session")
def sample_index(sample: Path) -> Index:
    """Its index."""
    from building import built_index

    return built_index(sample / "sample.warc.gz")


@pytest.fixture(scope="session")
def small_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The WARC file of the small web."""
    from small_web import write_small_web

    return write_small_web(tmp_path_factory.mktemp("small") / "small.warc")


@pytest.fixture(scope="session")
def small_index(small_crawl: Path) -> Index:
    """Its index."""
    from building import built_index

    return built_index(small_crawl)
