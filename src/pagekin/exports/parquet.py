"""Parquet: one row for each pair of related pages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.exports.rows import COLUMNS, PageRow, pairs

_TYPES = (pa.string(), pa.string(), pa.int32(), pa.string(), pa.string(), pa.float64())
RELATED = pa.schema([pa.field(name, type_, nullable=False) for name, type_ in zip(COLUMNS, _TYPES, strict=True)])
GROUP_ROWS = 100_000


def write_parquet(rows: Iterable[PageRow], path: Path, group_rows: int = GROUP_ROWS) -> None:
    """Write all pairs, a row group at a time."""
    every = pairs(rows)
    with pq.ParquetWriter(path, RELATED, compression="zstd") as writer:
        while group := list(islice(every, group_rows)):
            columns = [pa.array(values, type_) for values, type_ in zip(zip(*group, strict=True), _TYPES, strict=True)]
            writer.write_table(pa.table(columns, schema=RELATED))
