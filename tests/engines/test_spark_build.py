"""An index that Spark builds is the one that this machine builds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from equal_indexes import answers, differences

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.errors import TargetExists
from pagekin.exports.rows import Choice, RelatedPages, pairs
from pagekin.sample import write_sample
from pagekin.settings import Settings, read_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGES = 3000


def built(crawl: Path, folder: Path, settings: Settings | None = None) -> tuple[Path, Path]:
    """The indexes of both engines."""
    from pagekin.engines.spark import SparkEngine

    local, spark = folder / "local.kin", folder / "spark.kin"
    pagekin.build(crawl, local, settings, engine=LocalEngine(2))
    pagekin.build(crawl, spark, settings, engine=SparkEngine(memory=1 << 27))
    return local, spark


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, PAGES, seed=5)
    return folder


@pytest.fixture(scope="module")
def indexes(web: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    settings = read_settings(assignments=["crawl.split_bytes=1000000", "similarity.shard_documents=1000"])
    return built(web / "sample.warc.gz", tmp_path_factory.mktemp("indexes"), settings)


def some_urls(index: Path, count: int) -> list[str]:
    documents = pagekin.open(index)._documents
    return [documents.text("url", number) for number in range(0, len(documents), len(documents) // count)]


def test_a_web_of_3000_pages_gives_the_same_index(indexes: tuple[Path, Path]) -> None:
    assert differences(*indexes) == []


def test_it_has_several_shards_and_gives_the_same_answers(indexes: tuple[Path, Path]) -> None:
    local, spark = indexes
    assert len(list((spark / "shards").iterdir())) > 3
    asked = some_urls(local, 25), ["water", "the city", '"of the"', "wat*", "histry~"]
    assert answers(local, *asked) == answers(spark, *asked)


def test_the_school_encyclopedia_gives_the_same_index(
    real_data: Callable[[str], Path], spark: SparkSession, tmp_path: Path
) -> None:
    local, other = built(real_data("schools-wikipedia"), tmp_path)
    assert differences(local, other) == []
    asked = some_urls(local, 25), ["volcano", '"solar system"', "napol*", "einstien~", "queen AND england"]
    assert answers(local, *asked) == answers(other, *asked)


def test_export_gives_the_rows_of_the_local_one(indexes: tuple[Path, Path], tmp_path: Path) -> None:
    from pagekin.engines.spark import SparkEngine
    from pagekin.exports.partitions import export_on_spark

    index, choice, out = pagekin.open(indexes[1]), Choice(k=3, fetched_only=True), tmp_path / "related"
    rows = export_on_spark(index, choice, str(out), SparkEngine())
    expected = sorted(pairs(RelatedPages(index, choice)))
    found = pq.read_table(out).to_pylist()
    assert rows == len(found)
    assert sorted(tuple(row.values()) for row in found) == expected
    with pytest.raises(TargetExists, match="--force"):
        export_on_spark(index, choice, str(out), SparkEngine())
