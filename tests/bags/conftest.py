"""PAGES, LEXICON and URLS of a sample web and of real pages, made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.pipelines import SCHEMAS, crawl_to_pages
from pagekin.sample import write_sample
from pagekin.settings import Settings

from .chain import Tables


def scanned(crawl: list[str], folder: Path) -> Tables:
    """The tables that bags are made from."""
    settings = Settings()
    splits, _ = find_splits(crawl, settings.crawl)
    LocalEngine(workers=1).run(crawl_to_pages(settings), splits, SCHEMAS, folder)
    return {name: read_table(folder / name, SCHEMAS[name]) for name in ("pages", "lexicon", "urls")}


@pytest.fixture(scope="session")
def sample_crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sample web of 400 pages."""
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, pages=400, seed=3)
    return folder


@pytest.fixture(scope="session")
def sample_web(sample_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Its tables."""
    return scanned([str(sample_crawl / "sample.warc.gz")], tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="session")
def real_pages(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables of 200 pages of a school encyclopedia."""
    folder = real_data("schools-wikipedia") / "wp"
    shortest = sorted(folder.rglob("*.htm"), key=lambda path: (path.stat().st_size, path.name))
    chosen = tmp_path_factory.mktemp("wiki")
    for path in shortest[300:500]:
        place = chosen / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    return scanned([str(chosen)], tmp_path_factory.mktemp("tables"))
