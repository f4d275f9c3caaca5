"""What the driver of all benchmarks does with their calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import run_all
from measuring import ROOT

BENCHMARKS = ROOT / "benchmarks"


def test_every_benchmark_is_a_script() -> None:
    for benchmark in run_all.BENCHMARKS:
        assert (BENCHMARKS / f"{benchmark.name}.py").exists()
    for script, *_ in run_all.TABLES.values():
        assert (BENCHMARKS / script).exists()


def test_every_script_that_measures_is_run() -> None:
    helpers = {"measuring", "write_documents", "peer_tables", "scaling_tables", "run_all"}
    known = {benchmark.name for benchmark in run_all.BENCHMARKS} | set(run_all.TABLES) | helpers
    # What chose the defaults is a search, and no measurement: docs/evaluation/defaults.md tells of it.
    assert {path.stem for path in BENCHMARKS.glob("*.py")} - known == {"defaults"}


def test_pages_that_are_missing_leave_a_benchmark_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_all, "real_pages", lambda name: None)
    assert run_all.arguments("--data {varied-pages}/..") is None
    assert run_all.arguments("--quick") == ["--quick"]


def test_pages_are_filled_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_all, "real_pages", lambda name: tmp_path / name)
    assert run_all.arguments("{a} --data {b}/..") == [str(tmp_path / "a"), "--data", str(tmp_path)]


def test_what_is_printed_loses_its_folders() -> None:
    assert (
        run_all.without_folders("see /a/b/c.kin, not http://site/a/b or 3/4") == "see c.kin, not http://site/a/b or 3/4"
    )
