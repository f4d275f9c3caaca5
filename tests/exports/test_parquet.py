"""Parquet is read back by Arrow."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pagekin.exports.parquet import write_parquet
from pagekin.exports.rows import COLUMNS, PageRow, Pair


@pytest.mark.parametrize("group_rows", [1, 2, 100])
def test_all_pairs_are_there_in_any_size_of_groups(
    rows: list[PageRow], expected: list[Pair], tmp_path: Path, group_rows: int
) -> None:
    write_parquet(rows, tmp_path / "related.parquet", group_rows)
    table = pq.read_table(tmp_path / "related.parquet")
    assert tuple(table.column_names) == COLUMNS
    assert [tuple(row.values()) for row in table.to_pylist()] == expected


def test_no_rows_are_a_table_too(tmp_path: Path) -> None:
    write_parquet([], tmp_path / "related.parquet")
    assert pq.read_table(tmp_path / "related.parquet").num_rows == 0
