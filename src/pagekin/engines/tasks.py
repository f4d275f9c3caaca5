"""The steps of a build cut into tasks, each complete in itself, so that any process on any machine can do it.

A task that has ended leaves a mark. A build that was killed goes on with the tasks that have none. A task may be
done twice, even at the same time: what it writes appears under its name only when it is whole, and is the same each
time.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import pyarrow as pa

from pagekin.engines.parts import MAPPED, PartWriter, read_row_groups, read_table, row_group_lots, table_parts
from pagekin.engines.protocol import Fold, Map, Named, Read, Step, Write, batches_of
from pagekin.engines.runs import key_ranges, sorted_range, sorted_rows, write_run
from pagekin.errors import PagekinError, StepFailed

LEAST_ROOM_BYTES = 1 << 16  # with less, a disk is full
Pieces = list[tuple[int, Any]]  # how much work each is, and what


@dataclass(frozen=True)
class Task:
    """One unit of work."""

    number: int
    units: int
    step: Map | Fold | Write
    folder: Path
    schemas: Mapping[str, pa.Schema]
    folds: Mapping[str, Fold]  # the tables that are written as runs, with the Fold that reads them
    copied: frozenset[str]  # those that steps read again, of which mapped copies are written
    passing: frozenset[str]  # those that do not stay, and are not worth to be made small
    run_bytes: int
    compression: str | None  # of runs
    piece: Any  # splits for Read; row groups for Map; a range of keys for Fold; whatever a Write cuts its work into
    reader: Read | None = None

    @property
    def label(self) -> str:
        """How the names of all files of the task begin."""
        return f"{self.step.name}-{self.number:06}"

    @property
    def mark(self) -> Path:
        """The file that says that the task was done."""
        return self.folder / "done" / f"{self.label}.json"

    def files(self, pattern: str) -> list[Path]:
        """The files with such names in the tables that the step writes."""
        tables = {*self.step.writes, *(self.reader.writes if self.reader else ())}
        return [path for table in tables for path in (self.folder / table).glob(pattern)]


# --- cutting a build into tasks -----------------------------------------------------------------------------


class Sizes(Protocol):
    """How large the pieces are that an engine wants."""

    def share(self, parts: int) -> int:
        """The memory of a task, in bytes, cut into so many parts."""

    @property
    def at_once(self) -> int:
        """How many tasks it can do at the same time."""

    @property
    def is_far(self) -> bool:
        """Whether files lie on other machines: then bytes are dearer than the time to compress them."""


@dataclass
class Plan:
    """The steps of a build in order, each with the tasks of it that are left to do when its turn comes."""

    steps: Sequence[Step]
    splits: Sequence[Any]
    schemas: Mapping[str, pa.Schema]
    folder: Path
    sizes: Sizes
    folds: Mapping[str, Fold] = field(init=False)
    last_readers: Mapping[str, Step] = field(init=False)

    def __post_init__(self) -> None:
        assert len({step.name for step in self.steps}) == len(self.steps), "two steps of one name"
        self.folds = {step.reads: step for step in self.steps if isinstance(step, Fold)}
        self.last_readers = _last_readers(self.steps)

    def __iter__(self) -> Iterator[list[Task]]:
        (self.folder / "done").mkdir(parents=True, exist_ok=True)
        reader: Read | None = None
        for step in self.steps:
            if isinstance(step, Read):
                reader = step
                continue
            yield _tasks_left(self._tasks(step, reader))
            reader = None
            for table in (name for name, last in self.last_readers.items() if last is step):
                drop_rows(self.folder / table)

    def _tasks(self, step: Map | Fold | Write, reader: Read | None) -> list[Task]:
        pieces = [(split.bytes, (split,)) for split in self.splits] if reader else self._pieces(step)
        how = (self._copied, self._passing, self.sizes.share(8), "lz4" if self.sizes.is_far else None)
        return [
            Task(number, units, step, self.folder, self.schemas, self.folds, *how, piece, reader)
            for number, (units, piece) in enumerate(pieces)
        ]

    @property
    def _copied(self) -> frozenset[str]:
        return frozenset() if self.sizes.is_far else frozenset(self.last_readers)

    @property
    def _passing(self) -> frozenset[str]:
        """None without a Write: then all tables stay."""
        kept = [table for step in self.steps if isinstance(step, Write) for table in step.keeps]
        return frozenset(self.schemas) - frozenset(kept) if kept and not self.sizes.is_far else frozenset()

    def _pieces(self, step: Map | Fold | Write) -> Pieces:
        if isinstance(step, Write):
            return list(step.pieces(self.folder, self.sizes.at_once))
        if isinstance(step, Map):
            # Parquet tells the size of encoded rows; in memory, and with what a step makes of them, it is threefold.
            return list(row_group_lots(table_parts(self.folder / step.reads), self.sizes.share(24)))
        return list(key_ranges(self.folder / step.reads, len(step.key), self.sizes.share(6), self.sizes.at_once))


def _last_readers(steps: Sequence[Step]) -> dict[str, Step]:
    """For each table that these steps write and read again, the last that reads it."""
    written = {table for step in steps for table in step.writes}
    readers = {
        table: step for step in steps if isinstance(step, Map | Fold) for table in (step.reads, *step.uses)
    }  # of several, the last stays
    return {table: step for table, step in readers.items() if table in written}


def drop_rows(folder: Path) -> None:
    """Remove what was written of a table for steps to read; its Parquet parts stay."""
    for pattern in ("*.arrow", "*.npy", f"*{MAPPED}"):
        for path in folder.glob(pattern):
            path.unlink()


def _tasks_left(tasks: list[Task]) -> list[Task]:
    """The tasks of a step that were not done yet.

    How a step is cut into tasks, and what they write into runs, depends on memory and workers, which may be others when
    a build is resumed. Then a step that was not finished begins anew: its parts would not fit together.
    """
    if not tasks:
        return []
    name, done = tasks[0].step.name, tasks[0].folder / "done"
    path, marks = done / f"{name}.json", sorted(done.glob(f"{name}-*.json"))
    cut = {
        "tasks": len(tasks),
        "run_bytes": tasks[0].run_bytes,
        "pieces": hashlib.sha256(repr([task.piece for task in tasks]).encode()).hexdigest(),
    }
    former = json.loads(path.read_text("utf-8")) if path.exists() else None
    if former is not None and len(marks) == former["tasks"]:
        return []
    if former != cut:
        for file in [*marks, *tasks[0].files(f"{name}-*")]:
            file.unlink()
        _write_whole(path, json.dumps(cut).encode())
    return [task for task in tasks if not task.mark.exists()]


def results(folder: Path, step: str) -> list[Any]:
    """What the tasks of a step have returned, in their order."""
    marks = sorted((folder / "done").glob(f"{step}-*.json"))
    return [json.loads(mark.read_text("utf-8")) for mark in marks]


def _write_whole(path: Path, data: bytes) -> None:
    beside = path.with_name(f"{path.name}.{uuid4().hex}.tmp")
    beside.write_bytes(data)
    beside.rename(path)


# --- doing a task -------------------------------------------------------------------------------------------


def run_task(
    task: Task, rows: Iterable[pa.RecordBatch] | None = None, sides: Mapping[str, pa.Table] | None = None
) -> None:
    """Do a task; rows and side tables that are not given are read from the folder of the build."""
    try:
        if isinstance(task.step, Write):
            result = task.step.write(task.folder, task.piece)
        else:
            result = _write_tables(task, rows, sides or {})
        _write_whole(task.mark, json.dumps(result).encode())
    except (PagekinError, KeyboardInterrupt):
        raise
    except OSError as error:
        name = task.step.name
        raise StepFailed(f"step {name}: {error.strerror or error} ({error.filename or task.folder})") from None
    except Exception as error:
        if shutil.disk_usage(task.folder).free < LEAST_ROOM_BYTES:  # which not every library tells by OSError
            raise StepFailed(f"step {task.step.name}: {os.strerror(errno.ENOSPC)} ({task.folder})") from None
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        raise StepFailed(f"step {task.step.name} failed: {error!r} in {place}") from error


def _write_tables(task: Task, rows: Iterable[pa.RecordBatch] | None, sides: Mapping[str, pa.Table]) -> dict[str, int]:
    with _Writers(task) as writers:
        for table, batch in _output(task, rows, sides):
            writers.write(table, batch)
    return writers.rows


def _output(task: Task, rows: Iterable[pa.RecordBatch] | None, given: Mapping[str, pa.Table]) -> Iterator[Named]:
    step = task.step
    assert not isinstance(step, Write)
    rest = (name for name in step.uses if name not in given)
    sides = {**given, **{name: read_table(task.folder / name, task.schemas[name]) for name in rest}}
    if task.reader is not None:
        yield from _read_and_map(task.reader, step, task.piece, sides)
    elif rows is not None:
        yield from step.step(rows, **sides)
    elif isinstance(step, Map):
        yield from step.step(read_row_groups(task.piece, step.columns), **sides)
    else:
        yield from step.step(sorted_range(task.folder / step.reads, step.key, task.piece), **sides)


def _read_and_map(
    reader: Read, step: Map | Fold, splits: Iterable[Any], sides: Mapping[str, pa.Table]
) -> Iterator[Named]:
    """Give what a step reads to it at once, and pass on what it does not read."""
    aside: list[Named] = []

    def wanted() -> Iterator[pa.RecordBatch]:
        for split in splits:
            for name, batch in reader.step(split):
                if name == step.reads:
                    yield batch
                else:
                    aside.append((name, batch))

    for named in step.step(wanted(), **sides):
        yield named
        yield from aside
        aside.clear()
    yield from aside


class _Writers:
    """The files that one task writes; they appear under their names when they are whole."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.rows: dict[str, int] = {}
        self.parts: dict[str, PartWriter] = {}
        self.waiting: dict[str, list[pa.RecordBatch]] = {}
        self.waiting_bytes: Counter[str] = Counter()
        self.runs: dict[str, int] = {}

    def __enter__(self) -> _Writers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for part in self.parts.values():
            part.close(whole=kind is None)
        if kind is None:
            for table in list(self.waiting):
                self._end_run(table)

    def write(self, table: str, batch: pa.RecordBatch) -> None:
        """Add rows to a table."""
        self.rows[table] = self.rows.get(table, 0) + batch.num_rows
        if table in self.task.folds:
            self.waiting.setdefault(table, []).append(batch)
            self.waiting_bytes[table] += batch.nbytes
            if self.waiting_bytes[table] > self.task.run_bytes:
                self._end_run(table)
        else:
            self._part(table).write(batch)

    def _path(self, table: str, suffix: str) -> Path:
        folder = self.task.folder / table
        folder.mkdir(exist_ok=True)
        return folder / f"{self.task.label}{suffix}"

    def _part(self, table: str) -> PartWriter:
        if table not in self.parts:
            path, schema = self._path(table, ".parquet"), self.task.schemas[table]
            mapped, stays = table in self.task.copied, table not in self.task.passing
            self.parts[table] = PartWriter(path, schema, mapped, stays)
        return self.parts[table]

    def _end_run(self, table: str) -> None:
        rows = self.waiting.pop(table)
        del self.waiting_bytes[table]
        fold = self.task.folds[table]
        run = combined(sorted_rows(pa.Table.from_batches(rows), fold.key), fold)
        number = self.runs[table] = self.runs.get(table, -1) + 1
        write_run(self._path(table, f"-{number:04}.arrow"), run, fold.key, self.task.compression)


def combined(rows: pa.Table, fold: Fold) -> pa.Table:
    """Sorted rows, those of one key made fewer if the fold can do that before they travel."""
    if fold.combine is None:
        return rows
    return pa.Table.from_batches([batch for _, batch in fold.combine(batches_of(rows))], rows.schema)
