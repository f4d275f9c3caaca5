"""One page with hundreds of thousands of in-links: no task of Spark gets all that is said of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hub_crawl import HUB_SCHEMAS, hub_pipeline, pieces
from spark_tasks import largest_tasks
from tiny_engines import tiny_spark

from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

IN_LINKS = 200_000
RANGE_BYTES = 1 << 18  # that a task should get
# Co-citations are not among them: what all blocks say of a page is added up in one place (docs/scaling.md).
PARTED = ("urls", "bags", "neighbours", "anchor texts")
TABLES = ("urls", "counted", "totals", "neighbours", "anchor_texts")


@pytest.fixture(scope="module")
def folders(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What both engines make of it."""
    local, other = tmp_path_factory.mktemp("local"), tmp_path_factory.mktemp("spark")
    for folder, engine in ((local, LocalEngine(1)), (other, tiny_spark(RANGE_BYTES))):
        engine.run(hub_pipeline(), pieces(IN_LINKS, 16), HUB_SCHEMAS, folder)
    return local, other


@pytest.mark.parametrize("table", TABLES)
def test_both_engines_say_the_same_of_it(folders: tuple[Path, Path], table: str) -> None:
    local, spark = (read_table(folder / table, HUB_SCHEMAS[table]).combine_chunks() for folder in folders)
    assert local.num_rows and local.equals(spark)


def test_all_links_are_counted(folders: tuple[Path, Path]) -> None:
    assert read_table(folders[1] / "urls", HUB_SCHEMAS["urls"])["in_links"].to_pylist() == [IN_LINKS]
    assert read_table(folders[1] / "neighbours", HUB_SCHEMAS["neighbours"]).num_rows == IN_LINKS


@pytest.mark.parametrize("fold", PARTED)
def test_no_task_gets_all_that_is_said_of_it(folders: tuple[Path, Path], spark: SparkSession, fold: str) -> None:
    assert largest_tasks(spark)[fold] < 3 * RANGE_BYTES
