"""Every row of docs/reliability.md in its short form."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from faults import Fault  # noqa: E402
from soak import TABLE, every_fault  # noqa: E402


@pytest.mark.parametrize("fault", every_fault(), ids=lambda fault: fault.name)
def test_a_fault_is_survived(fault: Fault, tmp_path: Path) -> None:
    outcome = fault.run(fault.short, tmp_path, 2)
    assert len(outcome.lost) <= fault.most_lost * outcome.tries, outcome.lost
    assert outcome.tries >= fault.short


def test_the_table_has_a_row_for_every_fault_and_nothing_was_lost_that_could_be_kept() -> None:
    rows = [line.split("|") for line in TABLE.read_text("utf-8").splitlines() if re.match(r"\| (?!group)\w", line)]
    lost = {row[2].strip(): int(row[6].replace(",", "")) for row in rows}
    of_disks = {"a disk that is full", "a file that may not grow"}  # whichever a machine lets a test have
    assert lost.keys() - of_disks == {fault.name for fault in every_fault()} - of_disks
    assert [name for name, count in lost.items() if count and name not in OPEN] == []


OPEN = {fault.name for fault in every_fault() if fault.most_lost}
