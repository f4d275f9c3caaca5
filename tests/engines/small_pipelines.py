"""Small pipelines of the steps of these tests, and what must come of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import engine_steps as steps
from engine_steps import Row, Rows

from pagekin.engines.parts import read_table
from pagekin.engines.protocol import Engine, Fold, Map, Read, Step

READ = Read("read", writes=("rows", "odd"), step=steps.read_rows)
COPY = Map("copy", reads="rows", writes=("copied",), step=steps.copied)
KEYS = ((), ("a",), ("a", "b"))


def fold_by(key: tuple[str, ...], combine: bool = False) -> Fold:
    """The sums of the values of each key."""
    adding = partial(steps.summed, width=len(key), table="copied") if combine else None
    step = partial(steps.summed, width=len(key))
    return Fold("fold", reads="copied", writes=("sums",), key=key, step=step, combine=adding)


def run(engine: Engine, list_: Sequence[Step], splits: Sequence[Sequence[Row]], folder: Path) -> None:
    """Run steps on rows."""
    engine.run(list_, [Rows(tuple(split)) for split in splits], steps.SCHEMAS, folder)


def table_rows(folder: Path, table: str) -> list[Row]:
    """The rows of a table, in their order."""
    return steps.rows_of(read_table(folder / table, steps.ROWS))


def sorted_sums(splits: Sequence[Sequence[Row]], width: int) -> list[Row]:
    """What a fold must make: sort all keys, add their values."""
    keyed = [((*row[:width], 0, 0)[:2], row[2]) for split in splits for row in split]
    return [(*key, sum(v for k, v in keyed if k == key)) for key in sorted({k for k, _ in keyed})]
