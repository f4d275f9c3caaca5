"""Side tables of which a step is given a part: what the rest would have told.

An engine may bring only the rows that a step looks up. It then adds the numbers that these rows have in the whole table
as a column, and how many rows that has to the schema.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Ints = NDArray[np.int64]

ROW = "row"  # the column of numbers
_TOTAL = b"rows of the whole"


def row_numbers(table: pa.Table) -> Ints:
    """The number that each row has in the whole table.

    >>> row_numbers(pa.table({"page": [7, 8, 9]})).tolist()
    [0, 1, 2]
    >>> row_numbers(a_part(pa.table({"page": [9]}), np.array([2]), 3)).tolist()
    [2]
    """
    if ROW in table.column_names:
        numbers: Ints = table[ROW].to_numpy()
        return numbers
    return np.arange(table.num_rows)


def total_rows(table: pa.Table) -> int:
    """How many rows the whole table has.

    >>> total_rows(a_part(pa.table({"page": [9]}), np.array([2]), 3))
    3
    """
    return int((table.schema.metadata or {}).get(_TOTAL, table.num_rows))


def a_part(rows: pa.Table, numbers: Ints, total: int) -> pa.Table:
    """Some rows of a table of so many, that have these numbers there."""
    numbered = rows.append_column(ROW, pa.array(numbers, pa.int64()))
    return numbered.replace_schema_metadata({**(rows.schema.metadata or {}), _TOTAL: str(total).encode()})
