"""What a step is to an engine. There are four kinds, and an engine needs no more.

`Read` brings captures out of a piece of the input, `Map` takes batches as they come, `Fold` takes rows sorted by a
key, all rows of one key together. These three open no file and know no engine; they yield named batches, since
a page gives rows to several tables. `Write` makes files of an index out of finished tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

Named = tuple[str, pa.RecordBatch]
Steps = Callable[..., Iterator[Named]]


@dataclass(frozen=True)
class Read:
    """`step(split)` yields the batches of one piece of the input; they go straight to the next Map."""

    name: str
    writes: tuple[str, ...]
    step: Steps


@dataclass(frozen=True)
class Lookup:
    """Of a side table a step needs only the rows whose `key` is among the values of some columns at hand.

    `by` names columns of the rows that the step reads, or, as `table.column`, of a side table that is looked up
    before. The key `row` is the number of the row. With no `by`, none of its rows is needed, only how many there are.
    An engine that brings a part of the table says so by `pagekin.side_tables`.
    """

    table: str
    key: str = ""
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Map:
    """`step(batches, **side_tables)` may be run on any part of the rows it reads."""

    name: str
    reads: str
    writes: tuple[str, ...]
    step: Steps
    uses: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None  # what it needs of the rows; by default all
    lookups: tuple[Lookup, ...] = ()  # of which side tables a part is enough; they may be too large to go everywhere


@dataclass(frozen=True)
class Fold:
    """`step(batches, **side_tables)` gets rows in the order of `key`, and never a part of a key's rows.

    With no key all rows come together. `combine` is run on what one worker has, before rows travel.
    """

    name: str
    reads: str
    writes: tuple[str, ...]
    key: tuple[str, ...]
    step: Steps
    uses: tuple[str, ...] = ()
    combine: Steps | None = None


@dataclass(frozen=True)
class Write:
    """`write(folder, piece)` makes files below `folder / "index"`; `pieces(folder, at_once)` says how work is cut.

    A piece comes with the units of work that it is. What `write` returns can be written as JSON; it is kept.
    """

    name: str
    write: Callable[[Path, Any], Any]
    pieces: Callable[[Path, int], Sequence[tuple[int, Any]]]
    keeps: tuple[str, ...] = ()  # the tables that stay as they are
    writes: tuple[str, ...] = ()  # no tables


def one_piece(folder: Path, at_once: int) -> list[tuple[int, None]]:
    """The pieces of a Write that is not cut."""
    return [(1, None)]


Step = Read | Map | Fold | Write


class Observer(Protocol):
    """Who is told how far a build is."""

    def begin(self, step: str, total: int) -> None:
        """A step begins that will take `total` units."""

    def advance(self, units: int) -> None:
        """So many units of it are done."""

    def end(self) -> None:
        """It is done."""


class Silent:
    """An observer that nobody reads."""

    def begin(self, step: str, total: int) -> None: ...

    def advance(self, units: int) -> None: ...

    def end(self) -> None: ...


class Engine(Protocol):
    """Runs steps in their order and leaves the tables they write in a folder."""

    observer: Observer

    def run(self, steps: Sequence[Step], splits: Sequence[Any], schemas: Mapping[str, pa.Schema], folder: Path) -> None:
        """Run all steps; each table is a folder of Parquet parts below `folder`, in the order of its key."""


def batches_of(table: pa.Table) -> Iterable[pa.RecordBatch]:
    """The one batch of a table, or none."""
    return table.combine_chunks().to_batches() if table.num_rows else []
