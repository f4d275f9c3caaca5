"""Tables on disk between the steps: each is a folder of Parquet parts, in the order of their names.

What steps read again is also written as it lies in memory (Arrow, not compressed), and mapped: to decode PAGES anew for
each of a dozen steps took longer than most of them. These copies go when no step is left that reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.engines.protocol import batches_of
from pagekin.tables import repeating_columns

ROW_GROUP_ROWS, ROW_GROUP_BYTES = 4096, 8 << 20  # whichever is less: one row of an index is read with its group
LARGE_DICTIONARY = 8 << 20  # words and URLs repeat within a row group far more than Parquet's default allows for
MAPPED = ".mapped"  # the copy of a part that is mapped into memory; its batches are the row groups of the part

RowGroup = tuple[Path, int]
Lot = tuple[int, tuple[RowGroup, ...]]  # how many bytes, and what


def table_parts(folder: Path) -> list[Path]:
    """The Parquet parts of a table, in order."""
    return sorted(folder.glob("*.parquet"))


def table_rows(folder: Path) -> int:
    """How many rows a table has; no row is read."""
    return sum(pq.read_metadata(part).num_rows for part in table_parts(folder))


def table_bytes(folder: Path) -> int:
    """How many bytes the rows of a table have before they are compressed, about; no row is read."""
    return sum(size for size, _ in row_group_lots(table_parts(folder), 1 << 62))


def read_table(folder: Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """A whole table, or some of its columns."""
    tables = [_read_part(part, columns) for part in table_parts(folder)]
    return pa.concat_tables(tables) if tables else schema.empty_table().select(columns or schema.names)


def _read_part(part: Path, columns: list[str] | None) -> pa.Table:
    mapped = part.with_suffix(MAPPED)
    if not mapped.exists():
        return pq.read_table(part, columns=columns)
    with pa.memory_map(str(mapped)) as file, pa.ipc.open_file(file) as rows:
        table = rows.read_all()
    return table.select(columns) if columns else table


def row_group_lots(parts: Sequence[Path], lot_bytes: int) -> list[Lot]:
    """Row groups, in order, in lots of about so many bytes."""
    lots: list[Lot] = []
    lot: list[RowGroup] = []
    size = 0
    for part in parts:
        metadata = pq.read_metadata(part)
        for group in range(metadata.num_row_groups):
            lot.append((part, group))
            size += metadata.row_group(group).total_byte_size
            if size >= lot_bytes:
                lots.append((size, tuple(lot)))
                lot, size = [], 0
    return [*lots, (size, tuple(lot))] if lot else lots


def read_row_groups(groups: Iterable[RowGroup], columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of some row groups, or some columns of them."""
    for part, of_part in groupby(groups, itemgetter(0)):
        numbers = [number for _, number in of_part]
        mapped = part.with_suffix(MAPPED)
        yield from _mapped_groups(mapped, numbers, columns) if mapped.exists() else _read_groups(part, numbers, columns)


def _read_groups(part: Path, numbers: Sequence[int], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(part) as file:
        for number in numbers:
            yield from batches_of(file.read_row_group(number, columns))


def _mapped_groups(mapped: Path, numbers: Sequence[int], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(mapped)) as file, pa.ipc.open_file(file) as rows:
        for number in numbers:
            batch = rows.get_batch(number)
            if batch.num_rows:
                yield batch.select(list(columns)) if columns else batch


# --- writing ------------------------------------------------------------------------------------------------


class PartWriter:
    """A part of a table that is being written, with the copy that is mapped if steps are to read it.

    Several processes may write the same part at once: each writes beside it.
    """

    def __init__(self, path: Path, schema: pa.Schema, mapped: bool, stays: bool) -> None:
        self.path = path
        self._beside = path.with_name(f"{path.name}.{uuid4().hex}.tmp")
        self._parquet = pq.ParquetWriter(
            self._beside,
            schema,
            compression="zstd" if stays else "none",
            use_dictionary=repeating_columns(schema) if stays else False,
            dictionary_pagesize_limit=LARGE_DICTIONARY,
            write_statistics=False,
        )
        self._copy = self._beside.with_suffix(f"{MAPPED}.tmp")
        self._mapped = pa.ipc.new_file(str(self._copy), schema) if mapped else None

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows to both."""
        rows = _group_rows(batch)
        self._parquet.write_table(pa.Table.from_batches([batch]), rows)
        if self._mapped is not None:
            for first in range(0, max(batch.num_rows, 1), rows):
                self._mapped.write_batch(batch.slice(first, rows))

    def close(self, whole: bool) -> None:
        """End both; they appear under their names if they are whole, the copy first."""
        self._parquet.close()
        if self._mapped is not None:
            self._mapped.close()
            if whole:
                self._copy.rename(self.path.with_suffix(MAPPED))
        if whole:
            self._beside.rename(self.path)
        for left in (self._beside, self._copy):
            with suppress(OSError):
                left.unlink()


def _group_rows(batch: pa.RecordBatch) -> int:
    """How many rows of a batch make a row group."""
    rows: int = ROW_GROUP_BYTES * batch.num_rows // max(batch.nbytes, 1)
    return max(min(rows, ROW_GROUP_ROWS), 1)
