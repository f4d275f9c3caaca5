"""Builds that are interrupted or killed: no process and no half index stay, and `--resume` makes the same tables."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]
SMALL_TASKS = ("--workers", "2", "--set", "crawl.split_bytes=40000")
LONGEST_WAIT_SECONDS = 120


def waited_for(condition: Callable[[], bool]) -> bool:
    """Whether something became true in time."""
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def is_gone(group: int) -> bool:
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def tables(index: Path) -> dict[str, pa.Table]:
    folders = sorted({path.parent for path in index.rglob("*.parquet")})
    return {
        folder.name: pa.concat_tables(map(pq.read_table, sorted(folder.glob("*.parquet")))) for folder in folders[1:]
    }


@pytest.fixture
def building(sample: Path, tmp_path: Path, started: Start) -> Iterator[subprocess.Popen[str]]:
    process = started("build", sample, "-o", tmp_path / "a.kin", *SMALL_TASKS)
    yield process
    if not is_gone(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def marks(tmp_path: Path, step: str) -> int:
    """How many tasks of a step were done."""
    return len(list((tmp_path / "a.kin.building" / "done").glob(f"{step}-*.json")))


def check_resumed(pagekin: Run, sample: Path, index: Path, tmp_path: Path, *options: str) -> None:
    done = pagekin("build", sample, "-o", tmp_path / "a.kin", *SMALL_TASKS, "--resume", *options)
    assert (done.returncode, done.stderr) == (0, "")
    found, expected = tables(tmp_path / "a.kin"), tables(index)
    assert found.keys() == expected.keys()
    assert all(found[name].equals(expected[name]) for name in expected)
    assert [path.name for path in tmp_path.iterdir()] == ["a.kin"]


def test_ctrl_c_ends_all_and_leaves_no_index(
    building: subprocess.Popen[str], pagekin: Run, sample: Path, index: Path, tmp_path: Path
) -> None:
    assert waited_for(lambda: marks(tmp_path, "scan") >= 2 or building.poll() is not None)
    os.killpg(building.pid, signal.SIGINT)  # as a terminal does: to every process
    _, said = building.communicate()
    assert building.returncode == 130
    assert said.strip() == "pagekin: interrupted; nothing was changed, and build --resume goes on from here"
    assert waited_for(lambda: is_gone(building.pid))
    assert not (tmp_path / "a.kin").exists()
    check_resumed(pagekin, sample, index, tmp_path)


def test_ctrl_c_while_the_workers_begin_is_quiet(building: subprocess.Popen[str], tmp_path: Path) -> None:
    assert waited_for(lambda: (tmp_path / "a.kin.building" / "done").exists() or building.poll() is not None)
    time.sleep(0.3)
    os.killpg(building.pid, signal.SIGINT)
    _, said = building.communicate()
    assert building.returncode == 130
    assert "Traceback" not in said
    assert waited_for(lambda: is_gone(building.pid))


@pytest.mark.parametrize(("step", "number"), [("scan", 2), ("lexicon", 1)])
def test_a_build_that_was_killed_is_resumed(
    building: subprocess.Popen[str], pagekin: Run, sample: Path, index: Path, tmp_path: Path, step: str, number: int
) -> None:
    assert waited_for(lambda: marks(tmp_path, step) >= number or building.poll() is not None)
    os.kill(building.pid, signal.SIGKILL)
    building.wait()
    assert waited_for(lambda: is_gone(building.pid)), "a worker outlives its build"
    assert not (tmp_path / "a.kin").exists()
    check_resumed(pagekin, sample, index, tmp_path, "--workers", "1", "--memory", "100M")
