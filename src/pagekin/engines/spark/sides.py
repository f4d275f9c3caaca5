"""How a side table reaches a task: whole, by broadcast, or the rows that the task looks up, by a join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark import Broadcast

from pagekin.engines.parts import Lot, read_row_groups, row_group_lots, table_bytes, table_parts, table_rows
from pagekin.engines.protocol import Lookup, Map
from pagekin.engines.spark import parcels
from pagekin.engines.tasks import Task
from pagekin.side_tables import ROW, a_part

Ints = NDArray[np.int64]
Rows = Iterator[pa.RecordBatch]

JOINED = "joined"  # in the folder of a build
KEYS = pa.schema([("key", pa.int64())])


class Side(Protocol):
    """A side table on its way."""

    def table(self, task: Task) -> pa.Table:
        """What a task is given of it."""


@dataclass(frozen=True)
class Everywhere:
    """A table that every machine has."""

    packed: Broadcast[bytes]

    def table(self, task: Task) -> pa.Table:
        """The whole table."""
        return parcels.unpacked(self.packed.value)


@dataclass(frozen=True)
class NoRows:
    """A table of which only the number of rows matters."""

    schema: pa.Schema
    total: int

    def table(self, task: Task) -> pa.Table:
        """A table without rows that says how many there are."""
        return a_part(self.schema.empty_table(), np.empty(0, np.int64), self.total)


@dataclass(frozen=True)
class SideFiles:
    """A table of which each task has the rows that it looks up, in a file of its own."""

    folder: Path

    def path(self, task: Task) -> Path:
        """The file of a task."""
        return self.folder / f"{task.label}.arrow"

    def table(self, task: Task) -> pa.Table:
        """The rows of a task."""
        with pa.memory_map(str(self.path(task))) as file, pa.ipc.open_file(file) as rows:
            return rows.read_all()


@dataclass(frozen=True)
class Join:
    """The join of a side table with what tasks look up in it.

    Keys are sent to places by their remainder. There they meet the rows of the table, and the rows that were asked for
    go to the task that did. The methods run on workers.
    """

    lookup: Lookup
    tasks: list[Task]
    before: dict[str, Side]  # the side tables that were looked up before, of which keys may come
    range_bytes: int

    @property
    def _folder(self) -> Path:
        return self.tasks[0].folder / self.lookup.table

    @cached_property
    def lots(self) -> list[tuple[int, Lot]]:
        """The row groups of the side table, in lots, each with the number of its first row."""
        lots = row_group_lots(table_parts(self._folder), self.range_bytes)
        firsts = np.cumsum([0, *map(_rows_of, lots)])
        return list(zip(firsts.tolist(), lots, strict=False))

    @cached_property
    def places(self) -> int:
        """How many places there are to meet in."""
        return max(-(-table_bytes(self._folder) // self.range_bytes), 2)

    @property
    def files(self) -> SideFiles:
        """What is made."""
        folder = self.tasks[0].folder / JOINED / self.tasks[0].step.name / self.lookup.table
        return SideFiles(folder)

    def ask(self, batches: Rows) -> Rows:
        """The keys of the tasks whose numbers come."""
        for number in _numbers(batches):
            keys = self._keys(self.tasks[number])
            yield from self._sent(-1 - number, pa.table([pa.array(keys)], schema=KEYS), keys)

    def _sent(self, sender: int, rows: pa.Table, keys: Ints) -> Rows:
        """Rows on their way to the places of their keys."""
        to = keys % self.places
        order = np.argsort(to, kind="stable")
        bounds = np.searchsorted(to[order], np.arange(self.places + 1))
        rows = rows.take(pa.array(order))
        for place in range(self.places):
            yield from parcels.sent(place, sender, rows.slice(bounds[place], bounds[place + 1] - bounds[place]))

    def _keys(self, task: Task) -> Ints:
        """All different values of the columns that the lookup goes by."""
        values = [np.empty(0, np.int64)]
        here = [column for column in self.lookup.by if "." not in column]
        assert isinstance(task.step, Map)
        for batch in read_row_groups(task.piece, here) if here else ():
            values += [np.unique(_flat(batch[column])) for column in here]
        for column in self.lookup.by:
            table, _, name = column.partition(".")
            if name:
                values.append(_flat(self.before[table].table(task)[name].combine_chunks()))
        return np.unique(np.concatenate(values).astype(np.int64))

    def offer(self, batches: Rows) -> Rows:
        """The rows of the lots of the side table whose numbers come."""
        for number in _numbers(batches):
            if number >= len(self.lots):  # a table without rows has no lots
                continue
            first, (_, groups) = self.lots[number]
            table = pa.Table.from_batches(read_row_groups(groups))
            rows = table.append_column(ROW, pa.array(np.arange(first, first + table.num_rows)))
            yield from self._sent(number, rows, rows[self.lookup.key].to_numpy())

    def answer(self, batches: Rows) -> Rows:
        """Of the rows that came here, those that each task asked for."""
        came = parcels.received(batches)
        rows = parcels.joined(parcel for parcel in came if parcel.sender >= 0)
        if rows is None:
            return
        rows = rows.sort_by(self.lookup.key)
        key = rows[self.lookup.key].to_numpy()
        for asked in came:
            if asked.sender < 0:
                wanted = rows.take(pa.array(_places(key, asked.rows["key"].to_numpy())))
                yield from parcels.sent(-1 - asked.sender, asked.place, wanted)

    def keep(self, batches: Rows) -> Rows:
        """Write the rows of the task of this partition, in the order of the table."""
        task = self.tasks[parcels.this_place()]
        came = parcels.received(batches)
        rows = parcels.joined(came)
        if rows is None:
            rows = task.schemas[self.lookup.table].append(pa.field(ROW, pa.int64())).empty_table()
        rows = rows.take(pa.array(np.argsort(rows[ROW].to_numpy())))
        part = a_part(rows.drop_columns([ROW]), rows[ROW].to_numpy(), table_rows(self._folder))
        _write_file(self.files.path(task), part)
        yield task_done(task, parcels.total_size(came))


def task_done(task: Task, received: int = 0) -> pa.RecordBatch:
    """What is told of a task that was done."""
    columns = [pa.array([task.number], pa.int32()), pa.array([received], pa.int64())]
    return pa.record_batch(columns, names=["task", "received"])


def _numbers(batches: Rows) -> Iterator[int]:
    for batch in batches:
        yield from batch["id"].to_pylist()


def _flat(column: pa.Array) -> Ints:
    values = column.flatten() if pa.types.is_list(column.type) else column
    numbers: Ints = values.to_numpy(zero_copy_only=False)
    return numbers


def _rows_of(lot: Lot) -> int:
    """How many rows a lot has."""
    return sum(pq.read_metadata(part).row_group(group).num_rows for part, group in lot[1])


def _places(key: Ints, wanted: Ints) -> Ints:
    """The places of all rows that have one of some keys, in rows sorted by their key.

    >>> _places(np.array([1, 3, 3, 5]), np.array([3, 4, 5])).tolist()
    [1, 2, 3]
    """
    first, last = np.searchsorted(key, wanted), np.searchsorted(key, wanted, "right")
    counts = last - first
    places: Ints = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return places


def _write_file(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{uuid4().hex}.tmp")
    with pa.OSFile(str(beside), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    beside.rename(path)
