"""The tables of an index as they lie on disk: folders of Parquet parts, in the order of their key."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.stores.verified import readable


class SortedTable:
    """A table in which a row is found by an id; only the row group that holds it is read."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self.parts = sorted(folder.glob("part-*.parquet"))
        self.key = key

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        with readable(self.folder):
            columns = [pq.read_table(part, columns=[self.key])[self.key].to_numpy() for part in self.parts]
        self._unordered = np.concatenate(columns) if columns else np.empty(0, np.int64)
        return np.argsort(self._unordered, kind="stable")

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The ids of all rows, ascending."""
        order = self._order
        return self._unordered[order]

    @cached_property
    def _groups(self) -> tuple[list[int], list[tuple[Path, int]]]:
        """The number of the first row of each row group; its part, and its number there."""
        firsts, groups, first = [], [], 0
        for part in self.parts:
            with readable(part):
                metadata = pq.read_metadata(part)
            for group in range(metadata.num_row_groups):
                firsts.append(first)
                groups.append((part, group))
                first += metadata.row_group(group).num_rows
        return firsts, groups

    def has(self, key: int) -> bool:
        """Whether there is a row with this id."""
        place = int(np.searchsorted(self.keys, key))
        return place < len(self.keys) and bool(self.keys[place] == key)

    def row(self, key: int, columns: list[str] | None = None) -> dict[str, Any] | None:
        """The row with this id, or some columns of it, if there is one."""
        if not self.has(key):
            return None
        number = int(self._order[np.searchsorted(self.keys, key)])
        firsts, groups = self._groups
        at = bisect_right(firsts, number) - 1
        part, group = groups[at]
        with readable(part), pq.ParquetFile(part) as file:
            rows: list[dict[str, Any]] = file.read_row_group(group, columns).slice(number - firsts[at], 1).to_pylist()
        return rows[0]

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of all rows, in their order on disk."""
        with readable(self.folder):
            columns = [pq.read_table(part, columns=[name])[name] for part in self.parts]
        return pa.chunked_array(
            [chunk for column in columns for chunk in column.chunks], None if columns else pa.string()
        )
