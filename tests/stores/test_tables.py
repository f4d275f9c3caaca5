"""Rows of a table by their ids."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.stores.tables import SortedTable

IDS = [-50, -3, 0, 8, 9, 100, 2**62]


def written(folder: Path, parts: list[list[int]]) -> SortedTable:
    """A table in parts, with row groups of two rows."""
    for number, ids in enumerate(parts):
        table = pa.table({"page": pa.array(ids, pa.int64()), "text": [f"page {i}" for i in ids]})
        pq.write_table(table, folder / f"part-{number:06}.parquet", row_group_size=2)
    return SortedTable(folder, "page")


@pytest.mark.parametrize("parts", [[IDS], [IDS[:3], IDS[3:]], [IDS[4:], [], IDS[1:4], IDS[:1]]])
def test_every_row_is_found(tmp_path: Path, parts: list[list[int]]) -> None:
    table = written(tmp_path, parts)
    assert [table.row(i) for i in IDS] == [{"page": i, "text": f"page {i}"} for i in IDS]


@pytest.mark.parametrize("key", [-(2**63), -51, 1, 10, 2**63 - 1])
def test_a_row_that_is_not_there_is_none(tmp_path: Path, key: int) -> None:
    assert written(tmp_path, [IDS]).row(key) is None


def test_keys_ascend_and_columns_are_as_on_disk(tmp_path: Path) -> None:
    table = written(tmp_path, [IDS[4:], IDS[:4]])
    assert table.keys.tolist() == IDS
    assert table.column("text").to_pylist() == [f"page {i}" for i in IDS[4:] + IDS[:4]]


def test_a_table_without_rows_has_no_parts(tmp_path: Path) -> None:
    table = SortedTable(tmp_path, "page")
    assert (table.row(3), table.keys.tolist(), table.column("text").to_pylist()) == (None, [], [])
