"""RINGS as they lie in an index, in arrays that can be followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.stores.verified import readable
from pagekin.tables import RINGS

Numbers = NDArray[np.int64]


class RingStore(NamedTuple):
    """Row i has [site_ends[i], site_ends[i + 1]) of `sites`, and links to [ends[i], ends[i + 1]) of `leads_to`."""

    site_ends: Numbers
    sites: Numbers
    ends: Numbers
    leads_to: Numbers  # each a row above


def open_rings(folder: Path) -> RingStore:
    """The rings of an index; none in one of a format that had no rings."""
    with readable(folder):
        parts = [pq.read_table(part, columns=RINGS.names).cast(RINGS) for part in sorted(folder.glob("*.parquet"))]
        table = pa.concat_tables(parts) if parts else RINGS.empty_table()
        return RingStore(*_lists(table["sites"]), *_lists(table["leads_to"]))


def _lists(column: pa.ChunkedArray) -> tuple[Any, Any]:
    """Where each list ends, 0 before them, and all lists in one."""
    lists = column.combine_chunks()
    ends = np.append(0, np.cumsum(lists.value_lengths().to_numpy(zero_copy_only=False)))
    return ends.astype(np.int64), lists.flatten().to_numpy()
