"""What every engine does with the same steps."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import engine_steps as steps
import pytest
from small_pipelines import COPY, KEYS, READ, fold_by, run, sorted_sums, table_rows

from pagekin.engines.parts import table_parts
from pagekin.engines.protocol import Engine, Fold, Map, Write, one_piece
from pagekin.engines.tasks import results
from pagekin.errors import StepFailed

SPLITS = [[(number % 7 - 3, number % 5, number) for number in range(part, 200, 4)] for part in range(4)]


@pytest.mark.parametrize("combine", [False, True])
@pytest.mark.parametrize("key", KEYS)
def test_a_fold_sorts_and_groups(engine: Engine, key: tuple[str, ...], combine: bool, tmp_path: Path) -> None:
    run(engine, [READ, COPY, fold_by(key, combine)], SPLITS, tmp_path)
    assert table_rows(tmp_path, "sums") == sorted_sums(SPLITS, len(key))


def test_one_key_with_nearly_all_rows_is_added_up(engine: Engine, tmp_path: Path) -> None:
    splits = [[(7, number % 30, 1) for number in range(60)] + [(split, 0, 1)] for split in range(4)]
    run(engine, [READ, COPY, fold_by(("a",), combine=True)], splits, tmp_path)
    assert table_rows(tmp_path, "sums") == sorted_sums(splits, 1)


def test_a_map_keeps_all_rows_in_order(engine: Engine, tmp_path: Path) -> None:
    again = Map("again", reads="copied", writes=("again",), step=steps.copied_again)
    run(engine, [READ, COPY, again], SPLITS, tmp_path)
    assert table_rows(tmp_path, "again") == [row for split in SPLITS for row in split]


def test_what_the_reader_sets_aside_is_kept(engine: Engine, tmp_path: Path) -> None:
    run(engine, [READ, COPY], SPLITS, tmp_path)
    assert table_rows(tmp_path, "odd") == [row for split in SPLITS for row in split if row[2] % 2]


def test_a_side_table_is_given_whole(engine: Engine, tmp_path: Path) -> None:
    side = Map("again", reads="sums", writes=("again",), step=steps.copied_with_side, uses=("sums",))
    splits = [[(number, 0, 1) for number in range(40)]]
    run(engine, [READ, COPY, fold_by(("a",)), side], splits, tmp_path)
    assert len(table_parts(tmp_path / "sums")) > 1
    assert {row[2] for row in table_rows(tmp_path, "again")} == {40}


@pytest.mark.parametrize("key", KEYS)
def test_no_input_gives_empty_tables(engine: Engine, key: tuple[str, ...], tmp_path: Path) -> None:
    run(engine, [READ, COPY, fold_by(key)], [], tmp_path)
    assert table_rows(tmp_path, "sums") == []


def test_a_step_may_give_empty_batches(engine: Engine, tmp_path: Path) -> None:
    empty = Map("copy", reads="rows", writes=("copied",), step=steps.nothing)
    run(engine, [READ, empty, fold_by(("a",))], [[(1, 1, 1)]], tmp_path)
    assert table_rows(tmp_path, "sums") == []


def test_a_fold_of_nothing_is_run_all_the_same(engine: Engine, tmp_path: Path) -> None:
    told = Fold("told", reads="copied", writes=("sums",), key=(), step=steps.told_of_nothing)
    run(engine, [READ, COPY, told], [], tmp_path)
    assert table_rows(tmp_path, "sums") == [(0, 0, 0)]


def test_files_are_written_in_pieces_and_tell_something(engine: Engine, tmp_path: Path) -> None:
    write = Write("files", steps.write_file, steps.three_pieces)
    run(engine, [write, Write("last", steps.count_files, one_piece)], [], tmp_path)
    assert results(tmp_path, "files") == [{"piece": 0}, {"piece": 1}, {"piece": 2}]
    assert results(tmp_path, "last") == [3]


def test_a_step_that_raises_is_named(engine: Engine, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    failing = Map(
        "copy", reads="rows", writes=("copied",), step=partial(steps.fail_at_seven, flag=flag, table="copied")
    )
    with pytest.raises(StepFailed, match=r"step copy failed: .*seven is not allowed.* in engine_steps.py:"):
        run(engine, [READ, failing], [[(0, 0, 7)]], tmp_path)


def test_what_was_done_is_not_done_again(engine: Engine, tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    failing = Fold(
        "fold", reads="copied", writes=("sums",), key=("a",), step=partial(steps.fail_at_seven, flag=flag, table="sums")
    )
    splits = [[(number, 0, 7 if number > 140 else 1) for number in range(start, 150, 3)] for start in range(3)]
    with pytest.raises(StepFailed):
        run(engine, [READ, COPY, failing], splits, tmp_path)
    flag.unlink()
    marks = {path: path.stat().st_mtime_ns for path in (tmp_path / "done").glob("copy-*.json")}
    run(engine, [READ, COPY, failing], splits, tmp_path)
    assert table_rows(tmp_path, "sums") == sorted(row for split in splits for row in split)
    assert {path: path.stat().st_mtime_ns for path in marks} == marks
