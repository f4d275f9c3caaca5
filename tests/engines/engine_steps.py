"""Steps so simple that one sees what must come of them; in a module of their own, so that workers find them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from pagekin.engines.protocol import Named
from pagekin.side_tables import row_numbers, total_rows

ROWS = pa.schema([pa.field(name, pa.int64(), nullable=False) for name in ("a", "b", "value")])
SCHEMAS = {name: ROWS for name in ("rows", "copied", "sums", "again", "odd")}

Row = tuple[int, int, int]


@dataclass(frozen=True)
class Rows:
    """A piece of input that holds its rows itself."""

    rows: tuple[Row, ...]

    @property
    def bytes(self) -> int:
        return len(self.rows)


def batch_of(rows: Iterable[Row]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(zip(ROWS.names, row, strict=True)) for row in rows], schema=ROWS)


def rows_of(batch: pa.RecordBatch | pa.Table) -> list[Row]:
    return [tuple(row.values()) for row in batch.to_pylist()]


def read_rows(split: Rows) -> Iterator[Named]:
    """One batch a row, and each row with an odd value once more on the side."""
    for row in split.rows:
        yield "rows", batch_of([row])
        if row[2] % 2:
            yield "odd", batch_of([row])


def copied(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    for batch in batches:
        yield "copied", batch


def copied_again(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    for batch in batches:
        yield "again", batch


def nothing(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    for batch in batches:
        yield "copied", batch.slice(0, 0)


def summed(batches: Iterable[pa.RecordBatch], width: int, table: str = "sums") -> Iterator[Named]:
    """The sum of the values of each key of `width` columns, in the order in which the keys come."""
    sums: dict[tuple[int, ...], int] = {}
    for batch in batches:
        for *columns, value in rows_of(batch):
            key = (*columns[:width], 0, 0)[:2]
            sums[key] = sums.get(key, 0) + value
    yield table, batch_of((a, b, value) for (a, b), value in sums.items())


def copied_with_side(batches: Iterable[pa.RecordBatch], sums: pa.Table) -> Iterator[Named]:
    """The rows, each with the number of rows of the side table for its value."""
    for batch in batches:
        yield "again", batch_of((a, b, sums.num_rows) for a, b, _ in rows_of(batch))


def fail_at_seven(batches: Iterable[pa.RecordBatch], flag: Path, table: str) -> Iterator[Named]:
    """The rows, until a value of 7 comes while the flag is up."""
    for batch in batches:
        for row in rows_of(batch):
            if row[2] == 7 and flag.exists():
                raise ValueError("seven is not allowed")
            yield table, batch_of([row])


def die(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    for _ in batches:
        os._exit(1)
    yield "copied", batch_of([])


def told_of_nothing(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """How many rows there are."""
    yield "sums", batch_of([(0, 0, sum(batch.num_rows for batch in batches))])


def three_pieces(folder: Path, at_once: int) -> list[tuple[int, int]]:
    return [(1, piece) for piece in range(3)]


def write_file(folder: Path, piece: int) -> dict[str, int]:
    (folder / f"piece-{piece}").touch()
    return {"piece": piece}


def count_files(folder: Path, piece: None) -> int:
    return len(list(folder.glob("piece-*")))


def looked_up(batches: Iterable[pa.RecordBatch], sums: pa.Table) -> Iterator[Named]:
    """For each row the number of its key in the side table, and how many rows were given and are there in all."""
    keys, numbers = sums["a"].to_numpy(), row_numbers(sums)
    for batch in batches:
        places = np.searchsorted(keys, batch["a"].to_numpy())
        assert (keys[places] == batch["a"].to_numpy()).all()
        yield "again", batch_of((int(numbers[place]), sums.num_rows, total_rows(sums)) for place in places)


def looked_up_twice(batches: Iterable[pa.RecordBatch], sums: pa.Table, odd: pa.Table) -> Iterator[Named]:
    """What is looked up by the values of another side table."""
    rows = {value: a for a, _, value in rows_of(odd.select(ROWS.names))}
    for batch in batches:
        for a, b, _ in rows_of(batch):
            [value] = [value for key, _, value in rows_of(sums.select(ROWS.names)) if key == a]
            yield "again", batch_of([(a, b, rows.get(value, -1))])


def fail_the_first_time(batches: Iterable[pa.RecordBatch], folder: Path) -> Iterator[Named]:
    """The rows, but each task ends in a fault when it has written half of them, once."""
    for batch in batches:
        for row in rows_of(batch):
            yield "copied", batch_of([row])
            flag = folder / f"failed-{row[0]}"
            if not flag.exists():
                flag.touch()
                raise ConnectionError("the network is gone")


def numbers_twice(piece: int, folder: Path) -> Iterator[pa.RecordBatch]:
    """A number in two batches, but between them each piece ends in a fault, once."""
    yield batch_of([(piece, 0, 0)])
    flag = folder / f"failed-{piece}"
    if not flag.exists():
        flag.touch()
        raise ConnectionError("the network is gone")
    yield batch_of([(piece, 1, 0)])
