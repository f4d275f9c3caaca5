"""Which page stands for each page: what DUPLICATES says, looked up for many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.kernels import kernel
from pagekin.number_set import find, number_set

Ints = NDArray[np.int64]


@kernel
def _fill(slots: Ints, pages: Ints, others: Ints, values: Ints) -> None:
    for i in range(len(pages)):
        values[find(slots, len(slots), pages[i])] = others[i]


@kernel
def _look_up(pages: Ints, slots: Ints, values: Ints, out: Ints) -> None:
    for i in range(len(pages)):
        slot = find(slots, len(slots), pages[i])
        out[i] = values[slot] if slots[slot] == pages[i] else pages[i]


def representatives(pages: Ints, duplicates: pa.Table) -> Ints:
    """Each page, or the one that stands for it and its copies.

    >>> representatives(np.array([7, 8]), pa.table({"page": [8], "representative": [5]})).tolist()
    [7, 5]
    """
    if not duplicates.num_rows:
        return pages
    copies, others = (duplicates[name].to_numpy() for name in ("page", "representative"))
    slots = number_set(copies)
    values, out = np.zeros(len(slots), np.int64), np.empty(len(pages), np.int64)
    _fill(slots, copies, others, values)
    _look_up(np.ascontiguousarray(pages), slots, values, out)
    return out
