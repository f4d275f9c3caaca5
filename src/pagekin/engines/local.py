"""The engine for one machine: worker processes, files between the steps, bounded memory.

A table that a Fold reads is written as sorted *runs* (Arrow files); when all are written, the keys are cut into
ranges of about equal size, and each range is read from all runs, sorted, and given to the step. Nothing has to
be known beforehand, no range is larger than memory allows, and the result does not depend on how many workers
or runs there were. Every other table is a folder of Parquet parts.

A task that has ended leaves a mark. A build that was killed goes on with the tasks that have none.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.engines.protocol import Fold, Map, Named, Observer, Read, Silent, Step, batches_of
from pagekin.errors import PagekinError, StepFailed

GRAIN_BYTES = 1 << 16  # of a batch in a run, about: ranges are cut between batches
FEWEST_ROWS = 16  # of a batch
ROW_GROUP_ROWS, ROW_GROUP_BYTES = 4096, 8 << 20  # whichever is less: one row of an index is read with its group
LARGE_DICTIONARY = 8 << 20  # words and URLs repeat within a row group far more than Parquet's default allows for
KEY = NDArray[np.int64]


@dataclass(frozen=True)
class _Task:
    """One unit of work, complete in itself, so that any process can do it."""

    name: str
    number: int
    units: int
    step: Step
    folder: Path
    schemas: Mapping[str, pa.Schema]
    keys: Mapping[str, Fold]  # the tables that are written as runs, with the Fold that reads them
    run_bytes: int
    pieces: tuple[Any, ...]  # splits for Read; (file, row groups) for Map; (low, high) keys for Fold
    reader: Read | None = None

    @property
    def label(self) -> str:
        """How the names of all files of the task begin."""
        return f"{self.name}-{self.number:06}"

    @property
    def mark(self) -> Path:
        """The file that says that the task was done."""
        return self.folder / "done" / f"{self.label}.json"

    def files(self, pattern: str) -> list[Path]:
        """The files with such names in the tables that the step writes."""
        tables = {*self.step.writes, *(self.reader.writes if self.reader else ())}
        return [path for table in tables for path in (self.folder / table).glob(pattern)]


@dataclass
class LocalEngine:
    """Runs steps with `workers` processes within `memory` bytes (in this process if there is one worker)."""

    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    memory: int = 1 << 30
    observer: Observer = field(default_factory=Silent)

    def run(self, steps: Sequence[Step], splits: Sequence[Any], schemas: Mapping[str, pa.Schema], folder: Path) -> None:
        """Run all steps; each table is a folder of Parquet parts below `folder`, in the order of its key."""
        (folder / "done").mkdir(parents=True, exist_ok=True)
        assert len({step.name for step in steps}) == len(steps), "two steps of one name"
        keys = {step.reads: step for step in steps if isinstance(step, Fold)}
        reader: Read | None = None
        with _Workers(self.workers) as workers:
            for step in steps:
                if isinstance(step, Read):
                    reader = step
                    continue
                pieces = self._pieces(step, splits if reader else None, folder, schemas)
                tasks = [
                    _Task(step.name, i, units, step, folder, schemas, keys, self._share(8), piece, reader)
                    for i, (units, piece) in enumerate(pieces)
                ]
                self._run_tasks(step.name, _tasks_left(tasks), workers)
                reader = None

    def _share(self, parts: int) -> int:
        """A worker's memory, cut into so many parts."""
        return max(self.memory // (self.workers * parts), 1 << 20)

    def _pieces(
        self, step: Map | Fold, splits: Sequence[Any] | None, folder: Path, schemas: Mapping[str, pa.Schema]
    ) -> list[tuple[int, tuple[Any, ...]]]:
        if splits is not None:
            return [(split.bytes, (split,)) for split in splits]
        if isinstance(step, Map):
            # Parquet tells the size of encoded rows; in memory, and with what a step makes of them, it is threefold.
            return _row_group_lots(table_parts(folder / step.reads), self._share(24))
        return _key_ranges(folder / step.reads, len(step.key), self._share(6), self.workers)

    def _run_tasks(self, name: str, tasks: list[_Task], workers: _Workers) -> None:
        self.observer.begin(name, max(sum(task.units for task in tasks), 1))
        for task in workers.done(_run_task, tasks):
            self.observer.advance(task.units)
        self.observer.end()


def _tasks_left(tasks: list[_Task]) -> list[_Task]:
    """The tasks of a step that were not done yet.

    How a step is cut into tasks depends on memory and workers, which may be others when a build is resumed. Then
    a step that was not finished begins anew: its parts would not fit together.
    """
    if not tasks:
        return []
    name, done = tasks[0].name, tasks[0].folder / "done"
    path, marks = done / f"{name}.json", sorted(done.glob(f"{name}-*.json"))
    cut = {
        "tasks": len(tasks),
        "pieces": hashlib.sha256(repr([t.pieces for t in tasks]).encode()).hexdigest(),
    }
    former = json.loads(path.read_text("utf-8")) if path.exists() else None
    if former is not None and len(marks) == former["tasks"]:
        return []
    if former != cut:
        for file in [*marks, *tasks[0].files(f"{name}-*")]:
            file.unlink()
        _write_whole(path, json.dumps(cut).encode())
    return [task for task in tasks if not task.mark.exists()]


def table_parts(folder: Path) -> list[Path]:
    """The Parquet parts of a table, in order."""
    return sorted(folder.glob("*.parquet"))


def read_table(folder: Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """A whole table, or some of its columns."""
    tables = [pq.read_table(part, columns=columns) for part in table_parts(folder)]
    return pa.concat_tables(tables) if tables else schema.empty_table().select(columns or schema.names)


# --- processes ----------------------------------------------------------------------------------------------


def _begin_worker() -> None:
    """What makes a process a good worker.

    Ctrl-C reaches every process of a terminal; only the first may answer it. A worker ends with the process that
    began it, even if that was killed, for another may go on with its work.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until this is over."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Workers:
    """A pool of processes, or this process alone."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Workers:
        if self.number > 1:
            # What Arrow frees goes back to the system: its own allocator was found to keep 300 MB of a worker.
            os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
            context = multiprocessing.get_context("spawn")
            self.pool = ProcessPoolExecutor(self.number, context, _begin_worker)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.pool is None:
            return
        if kind is not None:
            for process in list((self.pool._processes or {}).values()):
                process.terminate()
        self.pool.shutdown(wait=True, cancel_futures=True)

    def done(self, function: Callable[[_Task], None], tasks: Sequence[_Task]) -> Iterator[_Task]:
        """Run a function on all tasks, the largest first; yields each when it is done."""
        ordered = sorted(tasks, key=lambda task: -task.units)
        if self.pool is None:
            for task in ordered:
                function(task)
                yield task
            return
        with _interrupts_held():  # a process that begins takes this over, and must not die of Ctrl-C half begun
            futures: dict[Future[None], _Task] = {self.pool.submit(function, task): task for task in ordered}
        try:
            while futures:
                finished, _ = wait(futures, return_when=FIRST_COMPLETED)
                for future in finished:
                    task = futures.pop(future)
                    future.result()
                    yield task
        except BrokenProcessPool:
            raise StepFailed(
                "a worker process was ended from outside, most likely because memory ran out; "
                "give --workers 1 or a smaller --memory, and --resume to go on from here"
            ) from None


def _run_task(task: _Task) -> None:
    try:
        for leftover in task.files(f"{task.label}[-.]*"):  # of an attempt that was ended early
            leftover.unlink()
        with _Writers(task) as writers:
            for table, batch in _output(task):
                writers.write(table, batch)
        _write_whole(task.mark, json.dumps(writers.rows).encode())
    except (PagekinError, KeyboardInterrupt):
        raise
    except OSError as error:
        raise StepFailed(f"step {task.name}: {error.strerror or error} ({error.filename or task.folder})") from None
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise StepFailed(f"step {task.name} failed: {error!r} in {Path(where.filename).name}:{where.lineno}") from error


def _write_whole(path: Path, data: bytes) -> None:
    beside = path.with_suffix(".tmp")
    beside.write_bytes(data)
    beside.rename(path)


# --- input of a task ----------------------------------------------------------------------------------------


def _output(task: _Task) -> Iterator[Named]:
    step = task.step
    assert not isinstance(step, Read)
    sides = {name: read_table(task.folder / name, task.schemas[name]) for name in step.uses}
    if task.reader is not None:
        yield from _read_and_map(task.reader, step, task.pieces, sides)
    elif isinstance(step, Map):
        yield from step.step(_row_groups(task.pieces, step.columns), **sides)
    else:
        yield from step.step(_sorted_range(task.folder / step.reads, step.key, task.pieces), **sides)


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


def _row_group_lots(parts: Sequence[Path], lot_bytes: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Row groups, in order, in lots of about so many bytes."""
    lots: list[tuple[int, tuple[Any, ...]]] = []
    lot: list[tuple[Path, int]] = []
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


def _row_groups(pieces: Iterable[tuple[Path, int]], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    for part, group in pieces:
        with pq.ParquetFile(part) as file:
            yield from batches_of(file.read_row_group(group, columns))


# --- runs and ranges ----------------------------------------------------------------------------------------


def key_columns(table: pa.Table | pa.RecordBatch, key: Sequence[str]) -> list[KEY]:
    """The columns of a key as arrays."""
    return [table[name].to_numpy() for name in key]


def _sorted(table: pa.Table, key: Sequence[str]) -> pa.Table:
    if not key or table.num_rows < 2:
        return table
    order = np.lexsort(key_columns(table, key)[::-1])
    return table if (order[1:] > order[:-1]).all() else table.take(pa.array(order))


def _write_run(path: Path, table: pa.Table, key: Sequence[str]) -> None:
    """Write a sorted table as a run, with the first key and the size of each of its batches beside it."""
    grain = max(GRAIN_BYTES * table.num_rows // max(table.nbytes, 1), FEWEST_ROWS)
    batches = [table.slice(start, grain).combine_chunks() for start in range(0, table.num_rows, grain)]
    firsts = np.array([[column[0] for column in key_columns(batch, key)] for batch in batches], np.int64)
    sizes = np.array([batch.nbytes for batch in batches], np.int64)
    beside = path.with_suffix(".tmp")
    with pa.OSFile(str(beside), "wb") as file:
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_file(file, table.schema, options=options) as writer:
            for batch in batches:
                writer.write_table(batch)
    np.save(path.with_suffix(".npy"), np.column_stack([firsts.reshape(len(batches), len(key)), sizes]))
    beside.rename(path)


def _key_ranges(folder: Path, width: int, range_bytes: int, least: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Ranges of keys that hold about so many bytes each; all rows in one range if there is no key."""
    grains = [np.load(path.with_suffix(".npy")) for path in sorted(folder.glob("*.arrow"))]
    if not grains:
        return [(1, (None, None))]
    grain = np.concatenate(grains)
    size = int(grain[:, -1].sum())
    if width == 0:
        return [(size, (None, None))]
    grain = grain[np.lexsort(grain[:, :width].T[::-1])]
    wanted = max(-(-size // range_bytes), least if size > (4 << 20) else 1)
    places = np.searchsorted(np.cumsum(grain[:, -1]), [size * i // wanted for i in range(1, wanted)])
    cuts = sorted({tuple(int(k) for k in grain[place, :width]) for place in places})
    return [(size // (len(cuts) + 1) + 1, pair) for pair in zip([None, *cuts], [*cuts, None], strict=True)]


def _not_before(columns: Sequence[KEY], key: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which rows have a key that is not smaller than this one."""
    answer = np.ones(len(columns[0]), np.bool_)
    for column, value in zip(reversed(columns), reversed(key), strict=True):
        answer = (column > value) | ((column == value) & answer)
    return answer


def _range_of_run(path: Path, key: Sequence[str], low: Any, high: Any) -> Iterator[pa.Table]:
    """The rows of a run whose keys are in [low, high)."""
    firsts = np.load(path.with_suffix(".npy"))[:, : len(key)]
    columns = list(firsts.T)
    begin, end = 0, len(firsts)
    if low is not None:
        begin = max(int(np.argmax(np.append(_not_before(columns, low), True))) - 1, 0)
    if high is not None:
        end = int(np.argmax(np.append(_not_before(columns, high), True)))
    with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as run:
        for number in range(begin, end):
            batch = run.get_batch(number)
            inside = np.ones(batch.num_rows, np.bool_)
            if low is not None:
                inside &= _not_before(key_columns(batch, key), low)
            if high is not None:
                inside &= ~_not_before(key_columns(batch, key), high)
            kept = batch if inside.all() else batch.filter(pa.array(inside))
            if kept.num_rows:
                yield pa.Table.from_batches([kept])


def _sorted_range(folder: Path, key: Sequence[str], bounds: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
    low, high = bounds
    runs = sorted(folder.glob("*.arrow"))
    tables = [table for run in runs for table in _range_of_run(run, key, low, high)]
    if tables:
        yield from batches_of(_sorted(pa.concat_tables(tables), key))


# --- output of a task ---------------------------------------------------------------------------------------


def _group_rows(batch: pa.RecordBatch) -> int:
    """How many rows of a batch make a row group."""
    rows: int = ROW_GROUP_BYTES * batch.num_rows // max(batch.nbytes, 1)
    return max(min(rows, ROW_GROUP_ROWS), 1)


class _Writers:
    """The files that one task writes; they appear under their names when the task has ended."""

    def __init__(self, task: _Task) -> None:
        self.task = task
        self.rows: dict[str, int] = {}
        self.parts: dict[str, pq.ParquetWriter] = {}
        self.waiting: dict[str, list[pa.RecordBatch]] = {}
        self.runs: dict[str, int] = {}

    def __enter__(self) -> _Writers:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for table, writer in self.parts.items():
            writer.close()
            if kind is None:
                self._path(table, ".tmp").rename(self._path(table, ".parquet"))
        if kind is None:
            for table in list(self.waiting):
                self._end_run(table)

    def write(self, table: str, batch: pa.RecordBatch) -> None:
        """Add rows to a table."""
        self.rows[table] = self.rows.get(table, 0) + batch.num_rows
        if table in self.task.keys:
            waiting = self.waiting.setdefault(table, [])
            waiting.append(batch)
            if sum(rows.nbytes for rows in waiting) > self.task.run_bytes:
                self._end_run(table)
        else:
            self._part(table).write_table(pa.Table.from_batches([batch]), _group_rows(batch))

    def _path(self, table: str, suffix: str) -> Path:
        folder = self.task.folder / table
        folder.mkdir(exist_ok=True)
        return folder / f"{self.task.label}{suffix}"

    def _part(self, table: str) -> pq.ParquetWriter:
        if table not in self.parts:
            self.parts[table] = pq.ParquetWriter(
                self._path(table, ".tmp"),
                self.task.schemas[table],
                compression="zstd",
                dictionary_pagesize_limit=LARGE_DICTIONARY,
                write_statistics=False,
            )
        return self.parts[table]

    def _end_run(self, table: str) -> None:
        rows = self.waiting.pop(table)
        fold = self.task.keys[table]
        run = _sorted(pa.Table.from_batches(rows), fold.key)
        if fold.combine is not None:
            run = pa.Table.from_batches([batch for _, batch in fold.combine(batches_of(run))], run.schema)
        number = self.runs[table] = self.runs.get(table, -1) + 1
        _write_run(self._path(table, f"-{number:04}.arrow"), run, fold.key)
