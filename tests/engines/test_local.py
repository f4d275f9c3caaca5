"""The local engine against the obvious: all rows in one list, sorted, grouped."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import engine_steps as steps
import pyarrow as pa
import pytest
from engine_steps import Row, Rows
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.engines import local
from pagekin.engines.local import LocalEngine, read_table, table_parts
from pagekin.engines.protocol import Fold, Map, Read, Step
from pagekin.errors import StepFailed

READ = Read("read", writes=("rows", "odd"), step=steps.read_rows)
COPY = Map("copy", reads="rows", writes=("copied",), step=steps.copied)
KEYS = ((), ("a",), ("a", "b"))

small = st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])
inputs = st.lists(st.lists(st.tuples(small, small, st.integers(-9, 9)), max_size=12), max_size=4)


@dataclass
class TinyEngine(LocalEngine):
    """An engine whose runs and ranges hold so many bytes."""

    share_bytes: int = 200
    workers: int = 1

    def _share(self, parts: int) -> int:
        return self.share_bytes


@pytest.fixture(autouse=True, scope="module")
def _small_grain() -> Iterator[None]:
    """A run of a few rows has several batches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "GRAIN_BYTES", 1)
        patch.setattr(local, "FEWEST_ROWS", 3)
        yield


def fold_by(key: tuple[str, ...], combine: bool = False) -> Fold:
    width = len(key)
    adding = partial(steps.summed, width=width, table="copied") if combine else None
    return Fold(
        "fold", reads="copied", writes=("sums",), key=key, step=partial(steps.summed, width=width), combine=adding
    )


def run(engine: LocalEngine, list_: Sequence[Step], splits: Sequence[Sequence[Row]], folder: Path) -> None:
    engine.run(list_, [Rows(tuple(split)) for split in splits], steps.SCHEMAS, folder)


def made(engine: LocalEngine, list_: Sequence[Step], splits: Sequence[Sequence[Row]], table: str) -> list[Row]:
    """The rows of a table, in their order, that the steps make of the splits."""
    with tempfile.TemporaryDirectory() as folder:
        run(engine, list_, splits, Path(folder))
        return table_rows(Path(folder), table)


def table_rows(folder: Path, table: str) -> list[Row]:
    return steps.rows_of(read_table(folder / table, steps.ROWS))


def sorted_sums(splits: Sequence[Sequence[Row]], width: int) -> list[Row]:
    """What a fold must make: sort all keys, add their values."""
    keyed = [((*row[:width], 0, 0)[:2], row[2]) for split in splits for row in split]
    return [(*key, sum(v for k, v in keyed if k == key)) for key in sorted({k for k, _ in keyed})]


@given(inputs, st.sampled_from(KEYS), st.integers(1, 400), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_fold_sorts_and_groups(splits: list[list[Row]], key: tuple[str, ...], size: int, combine: bool) -> None:
    engine = TinyEngine(share_bytes=size)
    assert made(engine, [READ, COPY, fold_by(key, combine)], splits, "sums") == sorted_sums(splits, len(key))


@given(inputs, st.integers(1, 400))
@settings(max_examples=30, deadline=None)
def test_a_map_keeps_all_rows(splits: list[list[Row]], size: int) -> None:
    again = Map("again", reads="copied", writes=("again",), step=steps.copied_again)
    rows = made(TinyEngine(share_bytes=size), [READ, COPY, again], splits, "again")
    assert rows == [row for split in splits for row in split]


@given(inputs)
@settings(max_examples=20, deadline=None)
def test_what_the_reader_sets_aside_is_kept(splits: list[list[Row]]) -> None:
    odd = made(TinyEngine(), [READ, COPY], splits, "odd")
    assert odd == [row for split in splits for row in split if row[2] % 2]


def test_a_side_table_is_given_whole(tmp_path: Path) -> None:
    side = Map("again", reads="sums", writes=("again",), step=steps.copied_with_side, uses=("sums",))
    splits = [[(number, 0, 1) for number in range(40)]]
    run(TinyEngine(), [READ, COPY, fold_by(("a",)), side], splits, tmp_path)
    assert len(table_parts(tmp_path / "sums")) > 1
    assert {row[2] for row in table_rows(tmp_path, "again")} == {40}


def test_tiny_memory_makes_many_runs_and_ranges(tmp_path: Path) -> None:
    splits = [[(number % 50, 0, 1) for number in range(100)]]
    run(TinyEngine(), [READ, COPY, fold_by(("a",))], splits, tmp_path)
    assert len(list((tmp_path / "copied").glob("*.arrow"))) > 5
    assert len(table_parts(tmp_path / "sums")) > 5


def test_combining_lets_fewer_rows_travel(tmp_path: Path) -> None:
    splits = [[(1, 2, number) for number in range(100)]]
    run(TinyEngine(share_bytes=10_000), [READ, COPY, fold_by(("a",), combine=True)], splits, tmp_path)
    (travelling,) = (tmp_path / "copied").glob("*.arrow")
    with pa.memory_map(str(travelling)) as file, pa.ipc.open_file(file) as rows:
        assert rows.read_all().num_rows == 1


@pytest.mark.parametrize("key", KEYS)
def test_no_input_gives_empty_tables(key: tuple[str, ...]) -> None:
    assert made(TinyEngine(), [READ, COPY, fold_by(key)], [], "sums") == []


def test_a_step_may_give_empty_batches() -> None:
    empty = Map("copy", reads="rows", writes=("copied",), step=steps.nothing)
    assert made(TinyEngine(), [READ, empty, fold_by(("a",))], [[(1, 1, 1)]], "sums") == []


def test_two_workers_give_what_one_gives() -> None:
    splits = [[(number % 7 - 3, number % 5, number) for number in range(part, 200, 4)] for part in range(4)]
    list_ = [READ, COPY, fold_by(("a", "b"))]
    assert made(LocalEngine(2, 1 << 20), list_, splits, "sums") == sorted_sums(splits, 2)


@given(inputs, st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_the_order_of_splits_makes_no_difference(
    splits: list[list[Row]],
    random: st.randoms,  # type: ignore[valid-type]
) -> None:
    shuffled = splits[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    list_ = [READ, COPY, fold_by(("a",))]
    assert made(TinyEngine(), list_, shuffled, "sums") == made(TinyEngine(), list_, splits, "sums")


# --- what goes wrong ----------------------------------------------------------------------------------------


def failing_map(flag: Path) -> Map:
    step = partial(steps.fail_at_seven, flag=flag, table="copied")
    return Map("copy", reads="rows", writes=("copied",), step=step)


def failing_fold(flag: Path) -> Fold:
    step = partial(steps.fail_at_seven, flag=flag, table="sums")
    return Fold("fold", reads="copied", writes=("sums",), key=("a",), step=step)


@pytest.fixture
def flag(tmp_path: Path) -> Path:
    path = tmp_path / "flag"
    path.touch()
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_a_step_that_raises_is_named(flag: Path, tmp_path: Path, workers: int) -> None:
    with pytest.raises(StepFailed, match=r"step copy failed: .*seven is not allowed.* in engine_steps.py:"):
        run(LocalEngine(workers), [READ, failing_map(flag)], [[(0, 0, 7)]], tmp_path)


def test_a_worker_that_dies_gives_advice(tmp_path: Path) -> None:
    dying = Map("copy", reads="rows", writes=("copied",), step=steps.die)
    with pytest.raises(StepFailed, match="--workers 1 or a smaller --memory, and --resume"):
        run(LocalEngine(2), [READ, dying], [[(0, 0, 0)]], tmp_path)


ROWS_WITH_SEVEN = [[(number, 0, 7 if number > 140 else 1) for number in range(start, 150, 3)] for start in range(3)]


def cut_short(first: LocalEngine, then: LocalEngine, make: Callable[[Path], list[Step]], folder: Path) -> None:
    """Run steps until they fail, then again with another engine when the cause is gone."""
    flag = folder / "flag"
    flag.touch()
    with pytest.raises(StepFailed):
        run(first, make(flag), ROWS_WITH_SEVEN, folder)
    flag.unlink()
    run(then, make(flag), ROWS_WITH_SEVEN, folder)


@pytest.mark.parametrize("then_bytes", [50, 200, 700, 100_000])
def test_a_fold_is_resumed_with_another_memory(tmp_path: Path, then_bytes: int) -> None:
    first, then = TinyEngine(share_bytes=200), TinyEngine(share_bytes=then_bytes)
    cut_short(first, then, lambda flag: [READ, COPY, failing_fold(flag)], tmp_path)
    assert table_rows(tmp_path, "sums") == sorted(row for split in ROWS_WITH_SEVEN for row in split)


@pytest.mark.parametrize("then_bytes", [50, 200, 700, 100_000])
def test_a_map_is_resumed_with_another_memory(tmp_path: Path, then_bytes: int) -> None:
    first, then = TinyEngine(share_bytes=200), TinyEngine(share_bytes=then_bytes)
    cut_short(first, then, lambda flag: [READ, failing_map(flag), fold_by(("a",))], tmp_path)
    assert table_rows(tmp_path, "sums") == sorted_sums(ROWS_WITH_SEVEN, 1)


def test_tasks_that_were_done_are_not_done_again(tmp_path: Path) -> None:
    splits = [[(1, 0, 1)], [(2, 0, 7)]]
    (tmp_path / "flag").touch()
    with pytest.raises(StepFailed):
        run(TinyEngine(), [READ, failing_map(tmp_path / "flag")], splits, tmp_path)
    (tmp_path / "flag").unlink()
    part = table_parts(tmp_path / "copied")[0]
    before = part.stat().st_mtime_ns
    run(TinyEngine(), [READ, failing_map(tmp_path / "flag")], splits, tmp_path)
    assert part.stat().st_mtime_ns == before
    assert table_rows(tmp_path, "copied") == [(1, 0, 1), (2, 0, 7)]


def test_the_observer_hears_of_every_step(tmp_path: Path) -> None:
    heard: list[tuple[str, int]] = []

    class Listener:
        def begin(self, step: str, total: int) -> None:
            heard.append((step, total))

        def advance(self, units: int) -> None:
            heard.append(("", -units))

        def end(self) -> None: ...

    run(LocalEngine(1, observer=Listener()), [READ, COPY], [[(1, 1, 1)] * 3, [(2, 2, 2)] * 4], tmp_path)
    assert heard[0] == ("copy", 7)
    assert sum(units for _, units in heard) == 0
