"""Rows of one key made one row."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa


def grouped(rows: pa.RecordBatch | pa.Table, key: Sequence[str], aggregations: Sequence[tuple[str, str]]) -> pa.Table:
    """One row a key, in the order of the keys; `aggregations` are pairs of a column and what to do with it.

    Arrow's own grouping gives its rows in no order, not even for sorted input.
    """
    table = pa.table(rows).group_by(list(key), use_threads=False).aggregate(list(aggregations))
    return table.sort_by([(name, "ascending") for name in key]).combine_chunks()
