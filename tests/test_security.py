"""SECURITY.md names tests that exist."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
sys.path.insert(0, str(ROOT / "tests" / "reliability"))

from soak import every_fault  # noqa: E402


def test_the_test_files_that_are_named_exist_and_hold_tests() -> None:
    named = re.findall(r"`(tests/[^`]+)`", TEXT)
    assert len(named) > 10
    assert [name for name in named if "def test_" not in (ROOT / name).read_text("utf-8")] == []


def test_the_rows_that_are_named_are_tried() -> None:
    named = set(re.findall(r"(?<![*\w])\*([^*|]+)\*(?!\*)", TEXT)) - {"italics"}
    assert len(named) > 10
    assert named <= {fault.name for fault in every_fault()}


def test_every_row_but_those_of_builds_is_named() -> None:
    of_service = {"a reload in the middle of load", "an index deleted under it"}  # which no stranger does
    wanted = {fault.name for fault in every_fault() if fault.group != "crash"} - of_service
    assert sorted(name for name in wanted if f"*{name}*" not in TEXT) == []
