"""Tables of a sample web, made once, and the steps of co-citation run on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.sample import write_sample

from .webs import Tables, scanned


@pytest.fixture(scope="session")
def sample_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The WARC file of a sample web of 400 pages."""
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, pages=400, seed=3)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="session")
def sample_folder(sample_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where its tables stand."""
    folder = tmp_path_factory.mktemp("tables")
    scanned([str(sample_crawl)], folder)
    return folder


@pytest.fixture(scope="session")
def sample_web(sample_folder: Path) -> Tables:
    """Its tables."""
    return Tables(sample_folder)
