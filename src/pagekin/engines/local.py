"""The engine for one machine: worker processes, files between the steps, bounded memory.

A table that a Fold reads is written as sorted runs; each range of keys is read from all runs, sorted, and given to
the step. The result does not depend on how many workers or runs there were. Every other table is a folder of Parquet
parts.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from pagekin.engines.protocol import Observer, Silent, Step
from pagekin.engines.tasks import Plan, Task, run_task
from pagekin.errors import StepFailed
from pagekin.freed_memory import keep_freed_memory


@dataclass
class LocalEngine:
    """Runs steps with `workers` processes within `memory` bytes (in this process if there is one worker)."""

    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    memory: int = 1 << 30
    observer: Observer = field(default_factory=Silent)

    def run(self, steps: Sequence[Step], splits: Sequence[Any], schemas: Mapping[str, pa.Schema], folder: Path) -> None:
        """Run all steps; each table is a folder of Parquet parts below `folder`, in the order of its key."""
        with _Workers(self.workers) as workers:
            for tasks in Plan(steps, splits, schemas, folder, self):
                if tasks:
                    self._run_tasks(tasks, workers)

    def share(self, parts: int) -> int:
        """A worker's memory, cut into so many parts."""
        return max(self.memory // (self.workers * parts), 1 << 20)

    @property
    def at_once(self) -> int:
        """How many tasks are done at the same time."""
        return self.workers

    @property
    def is_far(self) -> bool:
        """Files lie on this machine."""
        return False

    def _run_tasks(self, tasks: list[Task], workers: _Workers) -> None:
        self.observer.begin(tasks[0].step.name, max(sum(task.units for task in tasks), 1))
        for task in workers.done(run_task, tasks):
            self.observer.advance(task.units)
        self.observer.end()


# --- processes ----------------------------------------------------------------------------------------------


def _begin_worker() -> None:
    """What makes a process a good worker.

    Ctrl-C reaches every process of a terminal; only the first may answer it. A worker ends with the process that
    began it, even if that was killed, for another may go on with its work.
    """
    keep_freed_memory()
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

    def done(self, function: Callable[[Task], None], tasks: Sequence[Task]) -> Iterator[Task]:
        """Run a function on all tasks, the largest first; yields each when it is done."""
        ordered = sorted(tasks, key=lambda task: -task.units)
        if self.pool is None:
            for task in ordered:
                function(task)
                yield task
            return
        try:
            with _interrupts_held():  # a process that begins takes this over, and must not die of Ctrl-C half begun
                futures: dict[Future[None], Task] = {self.pool.submit(function, task): task for task in ordered}
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
