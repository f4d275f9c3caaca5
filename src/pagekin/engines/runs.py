"""What a Fold reads, on disk: sorted *runs* (Arrow files), from which the rows of any range of keys can be read.

When all runs are written, the keys are cut into ranges of about equal size. Nothing has to be known beforehand, no
range is larger than memory allows (unless it is a single key), and the ranges do not depend on who wrote the runs.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.engines.protocol import batches_of

GRAIN_BYTES = 1 << 16  # of a batch in a run, about: ranges are cut between batches
FEWEST_ROWS = 16  # of a batch
FEW_BYTES = 4 << 20  # so much is one range, however many there are to share the work

Ints = NDArray[np.int64]
Key = tuple[int, ...]


class KeyRange(NamedTuple):
    """Keys from `low` on and below `high`; None is no bound."""

    low: Key | None = None
    high: Key | None = None


def table_runs(folder: Path) -> list[Path]:
    """The runs of a table, in order."""
    return sorted(folder.glob("*.arrow"))


def key_columns(table: pa.Table | pa.RecordBatch, key: Sequence[str]) -> list[Ints]:
    """The columns of a key as arrays."""
    return [table[name].to_numpy() for name in key]


def sorted_rows(table: pa.Table, key: Sequence[str]) -> pa.Table:
    """The rows in the order of a key; those of one key stay in the order they have."""
    if not key or table.num_rows < 2:
        return table
    order = np.lexsort(key_columns(table, key)[::-1])
    return table if (order[1:] > order[:-1]).all() else table.take(pa.array(order))


# --- writing ------------------------------------------------------------------------------------------------


def write_run(path: Path, table: pa.Table, key: Sequence[str], compression: str | None = None) -> None:
    """Write a sorted table as a run, with the first key and the size of each of its batches beside it.

    Several processes may write the same run at once; each file is there whole or not at all.
    """
    grain = max(GRAIN_BYTES * table.num_rows // max(table.nbytes, 1), FEWEST_ROWS)
    table = table.combine_chunks()  # each chunk of a slice would become a batch of its own
    batches = [table.slice(start, grain) for start in range(0, table.num_rows, grain)]
    firsts = np.array([[column[0] for column in key_columns(batch, key)] for batch in batches], np.int64)
    sizes = np.array([batch.nbytes for batch in batches], np.int64)
    beside = path.with_name(f"{path.name}.{uuid4().hex}.tmp")
    with pa.OSFile(str(beside), "wb") as file:
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.ipc.new_file(file, table.schema, options=options) as writer:
            for batch in batches:
                writer.write_table(batch)
    grains, held = beside.with_suffix(".npy"), io.BytesIO()
    np.save(held, np.column_stack([firsts.reshape(len(batches), len(key)), sizes]))
    grains.write_bytes(held.getvalue())  # numpy itself does not say why it cannot write a file
    grains.rename(path.with_suffix(".npy"))
    beside.rename(path)


# --- ranges -------------------------------------------------------------------------------------------------


def key_ranges(folder: Path, width: int, range_bytes: int, least: int) -> list[tuple[int, KeyRange]]:
    """Ranges of keys that hold about so many bytes each, with what they hold; one range if there is no key."""
    grains = [np.load(run.with_suffix(".npy")) for run in table_runs(folder)]
    if not grains:
        return [(1, KeyRange())]
    grain = np.concatenate(grains)
    size = int(grain[:, -1].sum())
    if width == 0:
        return [(size, KeyRange())]
    grain = grain[np.lexsort(grain[:, :width].T[::-1])]
    wanted = max(-(-size // range_bytes), least if size > FEW_BYTES else 1)
    places = np.searchsorted(np.cumsum(grain[:, -1]), [size * i // wanted for i in range(1, wanted)])
    cuts = sorted({tuple(int(k) for k in grain[place, :width]) for place in places})
    columns = list(grain[:, :width].T)
    begins = [0, *(first_place(columns, cut) for cut in cuts), len(grain)]
    sizes = np.diff(np.append(0, np.cumsum(grain[:, -1]))[begins])
    bounds = zip([None, *cuts], [*cuts, None], strict=True)
    return [(int(held) + 1, KeyRange(low, high)) for held, (low, high) in zip(sizes, bounds, strict=True)]


def first_place(columns: Sequence[Ints], key: Key) -> int:
    """The place of the first of some sorted rows whose key is not smaller than this one.

    >>> first_place([np.array([1, 1, 2]), np.array([4, 6, 5])], (1, 5))
    1
    """
    low, high = 0, len(columns[0])
    for column, value in zip(columns, key, strict=True):
        rows = column[low:high]
        low, high = low + int(np.searchsorted(rows, value)), low + int(np.searchsorted(rows, value, "right"))
    return low


def rows_of_range(rows: pa.Table | pa.RecordBatch, key: Sequence[str], keys: KeyRange) -> pa.Table | pa.RecordBatch:
    """Those of some sorted rows whose keys are in a range."""
    columns = key_columns(rows, key)
    first = first_place(columns, keys.low) if keys.low is not None else 0
    last = first_place(columns, keys.high) if keys.high is not None else rows.num_rows
    return rows.slice(first, last - first)


# --- reading ------------------------------------------------------------------------------------------------


def range_of_run(path: Path, key: Sequence[str], keys: KeyRange) -> Iterator[pa.Table]:
    """The rows of a run whose keys are in a range."""
    columns = list(np.load(path.with_suffix(".npy"))[:, : len(key)].T)
    with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as run:
        begin = max(first_place(columns, keys.low) - 1, 0) if keys.low is not None else 0
        end = first_place(columns, keys.high) if keys.high is not None else run.num_record_batches
        for number in range(begin, end):
            kept = rows_of_range(run.get_batch(number), key, keys)
            if kept.num_rows:
                yield pa.Table.from_batches([kept])


def sorted_range(folder: Path, key: Sequence[str], keys: KeyRange) -> Iterator[pa.RecordBatch]:
    """All rows of a range of keys, from all runs, in order; one batch, or none."""
    tables = [table for run in table_runs(folder) for table in range_of_run(run, key, keys)]
    if tables:
        yield from batches_of(sorted_rows(pa.concat_tables(tables), key))
