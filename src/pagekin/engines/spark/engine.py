"""The engine for a cluster: the tasks of a build as they are, run by Spark (Shen et al., "Parallel implementation").

Tasks read and write a folder that all machines see. What a Fold reads goes through Spark's shuffle. What was done
leaves a mark, so that a task that Spark runs twice counts once, and a build whose driver was killed can be resumed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame, SparkSession

from pagekin.engines.parts import read_table, table_bytes, table_rows
from pagekin.engines.protocol import Fold, Lookup, Map, Observer, Silent, Step, batches_of
from pagekin.engines.runs import KeyRange, range_of_run, sorted_rows, table_runs
from pagekin.engines.spark import parcels
from pagekin.engines.spark.session import FAULTS, open_session, told
from pagekin.engines.spark.sides import Everywhere, Join, NoRows, Side, task_done
from pagekin.engines.tasks import Plan, Task, combined, run_task
from pagekin.freed_memory import keep_freed_memory

BROADCAST = "spark.sql.autoBroadcastJoinThreshold"  # side tables up to so many bytes go to all machines
HEAVY = 2  # a range of so many times the wanted size has a key that many say something of
DONE = "task int, received long"  # what a task tells the driver: that it was done, and how many bytes came for it
POLL_SECONDS = 0.25

Rows = Iterator[pa.RecordBatch]


@dataclass
class SparkEngine:
    """Runs steps on Spark, at `master` or on all cores of this machine; a task uses about `memory` bytes."""

    master: str = ""
    memory: int = 1 << 29
    settings: Mapping[str, str] = field(default_factory=dict)  # of Spark, such as spark.executor.memory
    observer: Observer = field(default_factory=Silent)
    cores: int = field(default=1, init=False)
    shuffled: dict[str, int] = field(default_factory=dict, init=False)  # how many bytes travelled for each step

    def run(self, steps: Sequence[Step], splits: Sequence[Any], schemas: Mapping[str, pa.Schema], folder: Path) -> None:
        """Run all steps; each table is a folder of Parquet parts below `folder`, which every machine must see."""
        with open_session(self.master, self.settings) as spark:
            self.cores = spark.sparkContext.defaultParallelism
            jobs = _Jobs(spark, self.observer, self.share(6), self.shuffled)
            for tasks in Plan(steps, splits, schemas, folder.absolute(), self):
                if tasks:
                    jobs.run(tasks)

    def write_rows(
        self, make: Callable[[Any], Rows], pieces: Sequence[Any], types: str, out: str, force: bool = False
    ) -> int:
        """Write what is made of each piece as Parquet files in a folder that Spark can write; returns how many rows."""
        with open_session(self.master, self.settings) as spark:
            jobs = _Jobs(spark, self.observer, self.share(6), self.shuffled)
            made = jobs.numbers(len(pieces)).mapInArrow(partial(_make_rows, make=make, pieces=pieces), types)
            self.observer.begin("export", len(pieces))
            try:
                with jobs.progress():
                    made.write.mode("overwrite" if force else "error").parquet(out)
                rows: int = spark.read.parquet(out).count()
            except FAULTS as error:
                raise told(error, f"see that Spark can write to {out}") from None
            self.observer.end()
            return rows

    def share(self, parts: int) -> int:
        """The memory of a task, cut into so many parts."""
        return max(self.memory // parts, 1 << 20)

    @property
    def at_once(self) -> int:
        """How many tasks are done at the same time."""
        return self.cores

    @property
    def is_far(self) -> bool:
        """Whether files lie on other machines, as they do on a cluster."""
        return not (self.master or "local").startswith("local")


@dataclass
class _Jobs:
    """The jobs of a build, a step each."""

    spark: SparkSession
    observer: Observer
    range_bytes: int
    shuffled: dict[str, int]
    broadcasts: dict[str, Broadcast[bytes]] = field(default_factory=dict)

    def run(self, tasks: list[Task]) -> None:
        """Do the tasks of a step."""
        ordered = sorted(tasks, key=lambda task: -task.units)
        name = tasks[0].step.name
        self.observer.begin(name, len(tasks))
        self.spark.sparkContext.setJobDescription(name)  # which is shown in the interface of Spark
        try:
            with self.progress():
                self._count(name, self._job(ordered))
        except FAULTS as error:
            raise told(error) from None
        self.observer.end()

    def _count(self, name: str, done: DataFrame) -> None:
        """Have tasks done, and note what came for them."""
        [row] = done.agg({"received": "sum"}).collect()
        self.shuffled[name] = self.shuffled.get(name, 0) + (row[0] or 0)

    def _job(self, tasks: list[Task]) -> DataFrame:
        sides = self._sides(tasks)
        if isinstance(tasks[0].step, Fold):
            return self._folded(tasks, tasks[0].step, sides)
        return self.numbers(len(tasks)).mapInArrow(partial(_do_tasks, tasks=tasks, sides=sides), DONE)

    def numbers(self, count: int) -> DataFrame:
        """So many rows, each a partition of its own."""
        return self.spark.range(0, count, 1, count)

    # --- folds

    def _folded(self, tasks: list[Task], fold: Fold, sides: Mapping[str, Side]) -> DataFrame:
        """Send the rows of each range of keys to one partition, and fold them there."""
        runs = table_runs(tasks[0].folder / fold.reads)
        heavy = {place for place, task in enumerate(tasks) if self._is_heavy(task, fold)}
        addresses = [_Address(place, task.piece) for place, task in enumerate(tasks) if place not in heavy]
        rows = self._sent(runs, fold, addresses)
        if heavy:
            rows = rows.unionAll(self._salted(runs, fold, {place: tasks[place] for place in heavy}))
        fold_there = partial(_fold_rows, tasks=tasks, sides=sides)
        return rows.repartitionById(len(tasks), "place").mapInArrow(fold_there, DONE)

    def _is_heavy(self, task: Task, fold: Fold) -> bool:
        return fold.combine is not None and task.units > HEAVY * self.range_bytes

    def _sent(self, runs: Sequence[Path], fold: Fold, addresses: Sequence[_Address]) -> DataFrame:
        send = partial(_send_runs, runs=runs, key=fold.key, addresses=addresses)
        return self.numbers(max(len(runs), 1)).mapInArrow(send, parcels.TYPES)

    def _salted(self, runs: Sequence[Path], fold: Fold, heavy: Mapping[int, Task]) -> DataFrame:
        """The rows of keys that are too many for one partition: combined in several, by who sent them, on their way."""
        addresses: list[_Address] = []
        places: list[int] = []
        for place, task in heavy.items():
            salts = -(-task.units // self.range_bytes)
            addresses += [_Address(len(places) + salt, task.piece, salt, salts) for salt in range(salts)]
            places += [place] * salts
        spread = self._sent(runs, fold, addresses).repartitionById(len(places), "place")
        return spread.mapInArrow(partial(_combine_rows, fold=fold, places=places), parcels.TYPES)

    # --- side tables

    def _sides(self, tasks: list[Task]) -> dict[str, Side]:
        """How each side table of a step reaches its tasks, but for those that they read where they lie.

        A small one goes to all machines. Of a large one each task gets the rows that it looks up, if it can be known
        beforehand which they are.
        """
        step = tasks[0].step
        if not isinstance(step, Map | Fold):
            return {}
        lookups = {lookup.table: lookup for lookup in step.lookups} if isinstance(step, Map) else {}
        sides: dict[str, Side] = {}
        for name in (*(name for name in step.uses if name not in lookups), *lookups):
            side = self._side(name, lookups.get(name), tasks, sides)
            if side is not None:
                sides[name] = side
        return sides

    def _side(self, name: str, lookup: Lookup | None, tasks: list[Task], before: Mapping[str, Side]) -> Side | None:
        folder, schema = tasks[0].folder / name, tasks[0].schemas[name]
        if lookup is not None and not lookup.by:
            return NoRows(schema, table_rows(folder))
        if table_bytes(folder) <= int(str(self.spark.conf.get(BROADCAST))):
            return self._everywhere(name, folder, schema)
        if lookup is not None and tasks[0].reader is None:
            return self._looked_up(lookup, tasks, before)
        return None

    def _everywhere(self, name: str, folder: Path, schema: pa.Schema) -> Side:
        if name not in self.broadcasts:
            self.broadcasts[name] = self.spark.sparkContext.broadcast(parcels.packed(read_table(folder, schema)))
        return Everywhere(self.broadcasts[name])

    def _looked_up(self, lookup: Lookup, tasks: list[Task], before: Mapping[str, Side]) -> Side:
        """Bring the rows that tasks look up to a file for each: the keys and the table meet where their keys lead."""
        join = Join(lookup, tasks, dict(before), self.range_bytes)
        asked = self.numbers(len(tasks)).mapInArrow(join.ask, parcels.TYPES)
        offered = self.numbers(max(len(join.lots), 1)).mapInArrow(join.offer, parcels.TYPES)
        answers = asked.unionAll(offered).repartitionById(join.places, "place").mapInArrow(join.answer, parcels.TYPES)
        self._count(tasks[0].step.name, answers.repartitionById(len(tasks), "place").mapInArrow(join.keep, DONE))
        return join.files

    # --- telling

    @contextmanager
    def progress(self) -> Iterator[None]:
        """Tell the observer how many tasks are done for as long as the block runs."""
        ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(ended,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _watch(self, ended: threading.Event) -> None:
        tracker, told_of = self.spark.sparkContext.statusTracker(), 0
        while not ended.wait(POLL_SECONDS):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            done = max((stage.numCompletedTasks for stage in stages if stage), default=0)
            self.observer.advance(max(done - told_of, 0))
            told_of = max(done, told_of)


# --- what runs on workers -----------------------------------------------------------------------------------


class _Address(NamedTuple):
    """Where the rows of some keys go; with several salts, those of one run in so many."""

    place: int
    keys: KeyRange
    salt: int = 0
    salts: int = 1


def _do_tasks(batches: Rows, tasks: Sequence[Task], sides: Mapping[str, Side]) -> Rows:
    """Do the tasks whose numbers come."""
    keep_freed_memory()
    for batch in batches:
        for number in batch["id"].to_pylist():
            task = tasks[number]
            run_task(task, sides={name: side.table(task) for name, side in sides.items()})
            yield task_done(task)


def _make_rows(batches: Rows, make: Callable[[Any], Rows], pieces: Sequence[Any]) -> Rows:
    """What is made of the pieces whose numbers come."""
    for batch in batches:
        for number in batch["id"].to_pylist():
            yield from make(pieces[number])


def _send_runs(batches: Rows, runs: Sequence[Path], key: Sequence[str], addresses: Sequence[_Address]) -> Rows:
    """The rows of the runs whose numbers come, each to where its key belongs."""
    for batch in batches:
        for number in batch["id"].to_pylist():
            if number >= len(runs):  # a table without rows has no runs
                continue
            for place, keys, salt, salts in addresses:
                tables = list(range_of_run(runs[number], key, keys)) if number % salts == salt else []
                if tables:
                    yield from parcels.sent(place, number, pa.concat_tables(tables))


def _combine_rows(batches: Rows, fold: Fold, places: Sequence[int]) -> Rows:
    """What came here for some keys, made fewer, and sent on to where these belong."""
    came = parcels.received(batches)
    rows = parcels.joined(came)
    if rows is not None:
        slot = came[0].place
        yield from parcels.sent(places[slot], slot, combined(sorted_rows(rows, fold.key), fold))


def _fold_rows(batches: Rows, tasks: Sequence[Task], sides: Mapping[str, Side]) -> Rows:
    """Do the task of this partition with what came here for it."""
    keep_freed_memory()
    task = tasks[parcels.this_place()]
    assert isinstance(task.step, Fold)
    came = parcels.received(batches)
    rows = parcels.joined(came)
    given = batches_of(sorted_rows(rows, task.step.key)) if rows is not None else []
    run_task(task, given, {name: side.table(task) for name, side in sides.items()})
    yield task_done(task, parcels.total_size(came))
