"""Which pages are copies of one another: the table DUPLICATES of an index, read when it is first needed."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.stores.verified import readable
from pagekin.tables import DUPLICATES


class Clusters:
    """The clusters of an index; none in one of a format that had no copies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts = sorted(folder.glob("*.parquet"))

    @cached_property
    def _copies(self) -> tuple[NDArray[np.int64], ...]:
        """The pages that are copies, ascending, and what stands for each; then that in order, and the copies so."""
        names = ["page", "representative"]
        with readable(self._folder):
            tables = [pq.read_table(part, columns=names) for part in self._parts]
        table = pa.concat_tables(tables) if tables else DUPLICATES.empty_table()
        page, representative = (table[name].to_numpy() for name in names)
        order = np.argsort(representative, kind="stable")
        return page, representative, representative[order], page[order]

    def others(self, page: int) -> list[int]:
        """The other pages of the cluster that a page is in."""
        copies, stands_for, representatives, copies_of = self._copies
        place = int(np.searchsorted(copies, page))
        stands = int(stands_for[place]) if place < len(copies) and copies[place] == page else page
        first, last = np.searchsorted(representatives, stands), np.searchsorted(representatives, stands, side="right")
        return [each for each in (stands, *copies_of[first:last].tolist()) if each != page]
