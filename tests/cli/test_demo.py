"""pagekin demo: works anywhere, leaves nothing behind unless told to."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_demo_leaves_nothing_behind(pagekin: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setitem(os.environ, "TMPDIR", str(tmp_path / "temporary"))
    done = pagekin("demo", "--pages", "400", cwd=tmp_path / "here")
    assert (done.returncode, done.stderr) == (0, "")
    assert "$ pagekin build" in done.stdout
    assert list((tmp_path / "here").iterdir()) == list((tmp_path / "temporary").iterdir()) == []


def test_the_demo_keeps_its_files_in_a_folder(pagekin: Run, tmp_path: Path) -> None:
    assert pagekin("demo", tmp_path / "demo", "--pages", "400").returncode == 0
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"web", "web.kin", "strategies.toml"}
    assert pagekin("info", tmp_path / "demo" / "web.kin", "--check").returncode == 0
