"""The local engine against the obvious: all rows in one list, sorted, grouped."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import engine_steps as steps
import pyarrow as pa
import pytest
from engine_steps import Row
from hypothesis import given, settings
from hypothesis import strategies as st
from small_pipelines import COPY, KEYS, READ, fold_by, run, sorted_sums, table_rows
from tiny_engines import TinyLocal

from pagekin.engines import runs, tasks
from pagekin.engines.local import LocalEngine, _Workers
from pagekin.engines.parts import read_table, table_parts
from pagekin.engines.protocol import Fold, Map, Step
from pagekin.errors import StepFailed

small = st.integers(-3, 3) | st.sampled_from([-(2**63), 2**63 - 1])
inputs = st.lists(st.lists(st.tuples(small, small, st.integers(-9, 9)), max_size=12), max_size=4)


@pytest.fixture(autouse=True, scope="module")
def _small_grain() -> Iterator[None]:
    """A run of a few rows has several batches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "GRAIN_BYTES", 1)
        patch.setattr(runs, "FEWEST_ROWS", 3)
        yield


def made(engine: LocalEngine, list_: Sequence[Step], splits: Sequence[Sequence[Row]], table: str) -> list[Row]:
    """The rows of a table, in their order, that the steps make of the splits."""
    with tempfile.TemporaryDirectory() as folder:
        run(engine, list_, splits, Path(folder))
        return table_rows(Path(folder), table)


@given(inputs, st.sampled_from(KEYS), st.integers(1, 400), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_fold_sorts_and_groups(splits: list[list[Row]], key: tuple[str, ...], size: int, combine: bool) -> None:
    engine = TinyLocal(share_bytes=size)
    assert made(engine, [READ, COPY, fold_by(key, combine)], splits, "sums") == sorted_sums(splits, len(key))


@given(inputs, st.integers(1, 400))
@settings(max_examples=30, deadline=None)
def test_a_map_keeps_all_rows(splits: list[list[Row]], size: int) -> None:
    again = Map("again", reads="copied", writes=("again",), step=steps.copied_again)
    rows = made(TinyLocal(share_bytes=size), [READ, COPY, again], splits, "again")
    assert rows == [row for split in splits for row in split]


@given(inputs)
@settings(max_examples=20, deadline=None)
def test_what_the_reader_sets_aside_is_kept(splits: list[list[Row]]) -> None:
    odd = made(TinyLocal(), [READ, COPY], splits, "odd")
    assert odd == [row for split in splits for row in split if row[2] % 2]


@pytest.fixture
def _rows_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """What steps read of a table is not removed when they have."""
    monkeypatch.setattr(tasks, "drop_rows", lambda folder: None)


@pytest.mark.usefixtures("_rows_stay")
def test_tiny_memory_makes_many_runs_and_ranges(tmp_path: Path) -> None:
    splits = [[(number % 50, 0, 1) for number in range(100)]]
    run(TinyLocal(), [READ, COPY, fold_by(("a",))], splits, tmp_path)
    assert len(list((tmp_path / "copied").glob("*.arrow"))) > 5
    assert len(table_parts(tmp_path / "sums")) > 5


def test_what_steps_have_read_goes_and_its_parts_stay(tmp_path: Path) -> None:
    again = Map("again", reads="sums", writes=("again",), step=steps.copied_again)
    run(TinyLocal(), [READ, COPY, fold_by(("a",)), again], [[(1, 2, 3), (4, 5, 6)]], tmp_path)
    left = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".parquet", ".json"}
    assert table_rows(tmp_path, "sums") == table_rows(tmp_path, "again") == [(1, 0, 3), (4, 0, 6)]


@pytest.mark.usefixtures("_rows_stay")
def test_what_is_mapped_is_what_the_parts_hold(tmp_path: Path) -> None:
    again = Map("again", reads="sums", writes=("again",), step=steps.copied_again, columns=steps.ROWS.names)
    run(TinyLocal(), [READ, COPY, fold_by(("a",)), again], [[(1, 2, 3), (4, 5, 6)]], tmp_path)
    mapped = read_table(tmp_path / "sums", steps.ROWS)
    copies = list((tmp_path / "sums").glob("*.mapped"))
    for path in copies:
        path.unlink()
    assert copies and mapped.equals(read_table(tmp_path / "sums", steps.ROWS))


@pytest.mark.usefixtures("_rows_stay")
def test_combining_lets_fewer_rows_travel(tmp_path: Path) -> None:
    splits = [[(1, 2, number) for number in range(100)]]
    run(TinyLocal(share_bytes=10_000), [READ, COPY, fold_by(("a",), combine=True)], splits, tmp_path)
    (travelling,) = (tmp_path / "copied").glob("*.arrow")
    with pa.memory_map(str(travelling)) as file, pa.ipc.open_file(file) as rows:
        assert rows.read_all().num_rows == 1


@given(inputs, st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_the_order_of_splits_makes_no_difference(
    splits: list[list[Row]],
    random: st.randoms,  # type: ignore[valid-type]
) -> None:
    shuffled = splits[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    list_ = [READ, COPY, fold_by(("a",))]
    assert made(TinyLocal(), list_, shuffled, "sums") == made(TinyLocal(), list_, splits, "sums")


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
    first, then = TinyLocal(share_bytes=200), TinyLocal(share_bytes=then_bytes)
    cut_short(first, then, lambda flag: [READ, COPY, failing_fold(flag)], tmp_path)
    assert table_rows(tmp_path, "sums") == sorted(row for split in ROWS_WITH_SEVEN for row in split)


@pytest.mark.parametrize("then_bytes", [50, 200, 700, 100_000])
def test_a_map_is_resumed_with_another_memory(tmp_path: Path, then_bytes: int) -> None:
    first, then = TinyLocal(share_bytes=200), TinyLocal(share_bytes=then_bytes)
    cut_short(first, then, lambda flag: [READ, failing_map(flag), fold_by(("a",))], tmp_path)
    assert table_rows(tmp_path, "sums") == sorted_sums(ROWS_WITH_SEVEN, 1)


def test_tasks_that_were_done_are_not_done_again(tmp_path: Path) -> None:
    splits = [[(1, 0, 1)], [(2, 0, 7)]]
    (tmp_path / "flag").touch()
    with pytest.raises(StepFailed):
        run(TinyLocal(), [READ, failing_map(tmp_path / "flag")], splits, tmp_path)
    (tmp_path / "flag").unlink()
    part = table_parts(tmp_path / "copied")[0]
    before = part.stat().st_mtime_ns
    run(TinyLocal(), [READ, failing_map(tmp_path / "flag")], splits, tmp_path)
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


def test_a_worker_that_was_ended_between_two_steps_is_told() -> None:
    """Then no task fails: the next cannot even be handed out."""
    tasks = [SimpleNamespace(units=1), SimpleNamespace(units=2)]
    with _Workers(2) as workers:
        assert len(list(workers.done(str, tasks))) == 2
        assert workers.pool is not None
        for process in list(workers.pool._processes.values()):
            process.kill()
            process.join()
        while not workers.pool._broken:
            time.sleep(0.01)
        with pytest.raises(StepFailed, match="was ended from outside"):
            list(workers.done(str, tasks))
