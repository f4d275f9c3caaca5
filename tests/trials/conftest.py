"""A small sample web, its truth, and its index under any strategy, made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.evaluation.strategies import SHARES, Contender, settled_contender
from pagekin.sample import write_sample
from pagekin.settings import Settings, SimilaritySettings
from pagekin.trials.bag_maker import BagMaker
from pagekin.trials.crawl_tables import index_tables


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sample web of 400 pages, with its truth."""
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, 400)
    return folder


@pytest.fixture(scope="session")
def built(web: Path) -> Callable[[Contender], Path]:
    """Gives the index of the sample web under a strategy; not to be changed."""
    indexes: dict[Contender, Path] = {}

    def index(contender: Contender) -> Path:
        if contender not in indexes:
            shares = {share: getattr(contender, share) for share in SHARES}
            similarity = SimilaritySettings(**shares, rings=False)  # which is of answers, not of scores
            settings = Settings(strategy=contender.strategy, similarity=similarity, concepts=contender.vectors)
            path = web / f"{len(indexes)}.kin"
            build(web / "sample.warc.gz", path, settings, engine=LocalEngine(1))
            indexes[contender] = path
        return indexes[contender]

    return index


@pytest.fixture(scope="session")
def index(built: Callable[[Contender], Path]) -> Path:
    """Its index under the default settings; not to be changed."""
    return built(settled_contender(Settings()))


@pytest.fixture(scope="session")
def directory(web: Path) -> Path:
    """The topics of its pages."""
    return web / "directory.tsv"


@pytest.fixture(scope="session")
def related(web: Path, directory: Path) -> Path:
    """Pairs of neighbours in the directory, as if an editor had listed them."""
    rows = [line.split("\t") for line in directory.read_text("utf-8").splitlines()]
    by_topic: dict[str, list[str]] = {}
    for address, topic in rows:
        by_topic.setdefault(topic, []).append(address)
    pairs = [pair for pages in by_topic.values() for pair in pairwise(pages)]
    path = web / "related.tsv"
    path.write_text("".join(f"{page}\t{other}\n" for page, other in pairs), "utf-8")
    return path


@pytest.fixture(scope="module")
def maker(index: Path, tmp_path_factory: pytest.TempPathFactory) -> BagMaker:
    """Makes the bags of the sample web."""
    return BagMaker(index_tables(index), tmp_path_factory.mktemp("work"), LocalEngine(1))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which temporary ones are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
