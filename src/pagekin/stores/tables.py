"""The tables of an index as they lie on disk: folders of Parquet parts, in the order of their key."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray


class SortedTable:
    """A table in which a row is found by its key, an id; only the row group that holds it is read."""

    def __init__(self, folder: Path, key: str) -> None:
        self.parts = sorted(folder.glob("part-*.parquet"))
        self.key = key

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The keys of all rows, ascending."""
        columns = [pq.read_table(part, columns=[self.key])[self.key].to_numpy() for part in self.parts]
        return np.concatenate(columns) if columns else np.empty(0, np.int64)

    @cached_property
    def _groups(self) -> list[tuple[int, Path, int]]:
        """The number of the first row of each row group, its part, and its number there."""
        groups, first = [], 0
        for part in self.parts:
            metadata = pq.read_metadata(part)
            for group in range(metadata.num_row_groups):
                groups.append((first, part, group))
                first += metadata.row_group(group).num_rows
        return groups

    def row(self, key: int) -> dict[str, Any] | None:
        """The row with this key, if there is one."""
        number = int(np.searchsorted(self.keys, key))
        if number == len(self.keys) or self.keys[number] != key:
            return None
        first, part, group = [entry for entry in self._groups if entry[0] <= number][-1]
        with pq.ParquetFile(part) as file:
            rows: list[dict[str, Any]] = file.read_row_group(group).slice(number - first, 1).to_pylist()
        return rows[0]

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of all rows."""
        columns = [pq.read_table(part, columns=[name])[name] for part in self.parts]
        return pa.chunked_array(
            [chunk for column in columns for chunk in column.chunks],
            type=pa.string() if not columns else None,
        )
