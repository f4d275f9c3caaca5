"""Parquet: one row for each pair of related pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.exports.rows import COLUMNS, PageRow, pairs

_TYPES = (pa.string(), pa.string(), pa.int32(), pa.string(), pa.string(), pa.float64())
RELATED = pa.schema([pa.field(name, type_, nullable=False) for name, type_ in zip(COLUMNS, _TYPES, strict=True)])
GROUP_ROWS = 100_000


def related_batches(rows: Iterable[PageRow], most: int = GROUP_ROWS) -> Iterator[pa.RecordBatch]:
    """All pairs, so many at a time."""
    every = pairs(rows)
    while group := list(islice(every, most)):
        columns = [pa.array(values, type_) for values, type_ in zip(zip(*group, strict=True), _TYPES, strict=True)]
        yield pa.record_batch(columns, schema=RELATED)


def write_parquet(rows: Iterable[PageRow], path: Path, group_rows: int = GROUP_ROWS) -> None:
    """Write all pairs, a row group at a time."""
    with pq.ParquetWriter(path, RELATED, compression="zstd") as writer:
        for batch in related_batches(rows, group_rows):
            writer.write_batch(batch)
