"""What is Spark's alone: joins, salts, attempts that fail; and what is told when something is missing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import engine_steps as steps
import pyarrow.parquet as pq
import pytest
from engine_steps import Row, Rows
from small_pipelines import COPY, READ, fold_by, run, sorted_sums, table_rows
from tiny_engines import tiny_spark

from pagekin.engines.protocol import Lookup, Map
from pagekin.errors import StepFailed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pagekin.engines.spark import SparkEngine

MANY = [[(number, 0, number % 3) for number in range(start, 60, 2)] for start in range(2)]


def joining() -> SparkEngine:
    """An engine for which no side table is small enough to go everywhere."""
    return tiny_spark(**{"spark.sql.autoBroadcastJoinThreshold": "-1"})


def looking_up(*lookups: Lookup) -> Map:
    return Map("again", reads="sums", writes=("again",), step=steps.looked_up, uses=("sums",), lookups=lookups)


def test_a_large_side_table_is_joined(spark: SparkSession, tmp_path: Path) -> None:
    run(joining(), [READ, COPY, fold_by(("a",)), looking_up(Lookup("sums", "a", ("a",)))], MANY, tmp_path)
    found = table_rows(tmp_path, "again")
    assert [number for number, _, _ in found] == list(range(60))
    assert {total for _, _, total in found} == {60}
    assert max(given for _, given, _ in found) < 60


def test_a_small_side_table_is_broadcast(spark: SparkSession, tmp_path: Path) -> None:
    run(tiny_spark(), [READ, COPY, fold_by(("a",)), looking_up(Lookup("sums", "a", ("a",)))], MANY, tmp_path)
    assert {given for _, given, _ in table_rows(tmp_path, "again")} == {60}
    assert not (tmp_path / "joined").exists()


def test_rows_are_joined_by_their_numbers(spark: SparkSession, tmp_path: Path) -> None:
    run(joining(), [READ, COPY, fold_by(("a",)), looking_up(Lookup("sums", "row", ("a",)))], MANY, tmp_path)
    assert [number for number, _, _ in table_rows(tmp_path, "again")] == list(range(60))


def test_keys_may_come_from_another_side_table(spark: SparkSession, tmp_path: Path) -> None:
    lookups = (Lookup("sums", "a", ("a",)), Lookup("odd", "value", ("sums.value",)))
    twice = Map(
        "again", reads="sums", writes=("again",), step=steps.looked_up_twice, uses=("sums", "odd"), lookups=lookups
    )
    splits: list[list[Row]] = [[(1, 0, 1), (2, 0, 5), (3, 0, 4)]]
    run(joining(), [READ, COPY, fold_by(("a",)), twice], splits, tmp_path)
    assert table_rows(tmp_path, "again") == [(1, 0, 1), (2, 0, 2), (3, 0, -1)]


def test_a_key_of_many_rows_is_salted(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pagekin.engines.spark import engine as module

    salted: list[int] = []
    original = module._Jobs._salted

    def noted(self: module._Jobs, runs: object, fold: object, heavy: dict[int, object]) -> object:
        salted.extend(heavy)
        return original(self, runs, fold, heavy)  # type: ignore[arg-type]

    monkeypatch.setattr(module._Jobs, "_salted", noted)
    splits = [[(7, number, 1) for number in range(60)] + [(split, 0, 1)] for split in range(9)]
    run(tiny_spark(), [READ, COPY, fold_by(("a",), combine=True)], splits, tmp_path)
    assert table_rows(tmp_path, "sums") == sorted_sums(splits, 1)
    assert len(salted) == 1


def test_a_task_that_fails_is_tried_again_and_counts_once(spark: SparkSession, tmp_path: Path) -> None:
    failing = Map("copy", reads="rows", writes=("copied",), step=partial(steps.fail_the_first_time, folder=tmp_path))
    splits: list[list[Row]] = [[(split, 0, number) for number in range(5)] for split in range(4)]
    tiny_spark().run([READ, failing, fold_by(("a",))], [Rows(tuple(s)) for s in splits], steps.SCHEMAS, tmp_path)
    assert table_rows(tmp_path, "sums") == sorted_sums(splits, 1)


def test_rows_of_an_export_that_is_tried_again_count_once(spark: SparkSession, tmp_path: Path) -> None:
    make, out = partial(steps.numbers_twice, folder=tmp_path), tmp_path / "out"
    rows = tiny_spark().write_rows(make, range(3), "a long, b long, value long", str(out))
    found = sorted(steps.rows_of(pq.read_table(out)))
    assert found == [(piece, number, 0) for piece in range(3) for number in range(2)]
    assert rows == len(found)


@pytest.mark.parametrize("out", ["nonsense://host/out", "/dev/null/out"])
def test_a_place_that_cannot_be_written_to_is_told_in_a_sentence(spark: SparkSession, tmp_path: Path, out: str) -> None:
    make = partial(steps.numbers_twice, folder=tmp_path)
    with pytest.raises(StepFailed, match=rf"^Spark gave up: .+; see that Spark can write to {out}$"):
        tiny_spark().write_rows(make, range(3), "a long, b long, value long", out)
