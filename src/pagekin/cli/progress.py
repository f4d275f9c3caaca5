"""Progress bars on standard error, one a step, for as long as a person is looking."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from pagekin.engines.protocol import Observer


class _Bars:
    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.task = TaskID(0)

    def begin(self, step: str, total: int) -> None:
        self.task = self.progress.add_task(step, total=total)

    def advance(self, units: int) -> None:
        self.progress.advance(self.task, units)

    def end(self) -> None:
        self.progress.update(self.task, total=1, completed=1)


@contextmanager
def bars() -> Iterator[Observer]:
    """An observer that draws on a terminal and is silent elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        from pagekin.engines.protocol import Silent  # loads Arrow, which help does not need

        yield Silent()
        return
    columns = (
        TextColumn("{task.description:>12}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bars(progress)
