"""Tries every fault in its long form, and writes down what was survived.

python tests/reliability/soak.py [--scale 0.5] [--jobs 2]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from faults import Fault, Outcome  # noqa: E402

WORK = HERE.parents[1] / "build" / "soak"
TABLE = HERE.parents[1] / "docs" / "reliability.md"
HEAD = """# What pagekin survives

A row is a fault that tests inflict on it. *Tries* is how often that was done, *survived* how often nothing was lost.
`make soak` tries everything at length and writes this document; `make test` tries each row in a short form, by the same
code in `tests/reliability/`. What each group is defended against, and how: [SECURITY.md](../SECURITY.md).

"""
Row = tuple[Fault, Outcome, float]
NAMED = ("numba", "numpy", "pyarrow", "tantivy", "uvicorn")


def every_fault() -> list[Fault]:
    """All rows, in the order of the table."""
    import crashes
    import damages
    import formats
    import hostility
    import services
    import spam_farms

    modules = (crashes, damages, formats, hostility, spam_farms, services)
    return [fault for module in modules for fault in module.FAULTS]


def tried(fault: Fault, scale: float, seed: int) -> tuple[Outcome, float]:
    """A fault in its long form, and how many seconds that took."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pagekin-soak-") as folder:
        outcome = fault.run(max(round(fault.long * scale), 1), Path(folder), seed)
    return outcome, time.monotonic() - begun


def written(rows: list[Row], command: str) -> str:
    """The document."""
    lines = [
        HEAD + "| group | fault | what it is to survive it | tries | survived | lost | |",
        "|---|---|---|--:|--:|--:|--:|",
    ]
    for fault, outcome, _ in rows:
        lost, kept = len(outcome.lost), outcome.tries - len(outcome.lost)
        counts = f"{outcome.tries:,} | {kept:,} | {lost:,} | {100 * kept / max(outcome.tries, 1):.4g} %"
        lines.append(f"| {fault.group} | {fault.name} | {fault.survived} | {counts} |")
    notes = [f"- {fault.name}: {outcome.note}." for fault, outcome, _ in rows if outcome.note]
    longest = "; ".join(f"{fault.name} {seconds:.0f} s" for fault, _, seconds in rows)
    told = [_measured(rows, command), "", f"Time: {longest}.", ""]
    return "\n".join([*lines, "", *notes, *([""] if notes else []), *told])


def _measured(rows: list[Row], command: str) -> str:
    minutes = sum(seconds for *_, seconds in rows) / 60
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("pagekin", *NAMED))
    machine = (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    )
    when = f"Measured on {datetime.now(UTC):%Y-%m-%d} by `{command}`, {minutes:.0f} minutes of all rows together"
    return f"{when}: {machine}; {versions}."


def try_one(asked: argparse.Namespace) -> None:
    """Try the one fault that is named, tell how it went, and keep its row."""
    [fault] = [fault for fault in every_fault() if fault.name == asked.one]
    outcome, seconds = tried(fault, asked.scale, asked.seed)
    print(f"{fault.name}: {outcome.tries} tries, {len(outcome.lost)} lost, {seconds:.0f} s", flush=True)
    print("".join(f"  {said}\n" for said in outcome.lost[:10]), end="", flush=True)
    row_file(asked.work, fault).write_text(json.dumps({**vars(outcome), "seconds": seconds}), "utf-8")


def row_file(work: Path, fault: Fault) -> Path:
    """Where the row of a fault is kept until all are there."""
    return work / f"{re.sub(r'[^a-z0-9]+', '-', fault.name.lower())}.json"


def try_apart(asked: argparse.Namespace, faults: list[Fault]) -> None:
    """Try faults, each in a process of its own and some at the same time; those that were tried before are kept."""
    asked.work.mkdir(parents=True, exist_ok=True)
    given = ["--scale", str(asked.scale), "--seed", str(asked.seed), "--work", str(asked.work)]
    waiting = [fault for fault in faults if not row_file(asked.work, fault).exists()]
    with ThreadPoolExecutor(asked.jobs) as threads:
        list(threads.map(lambda f: subprocess.run([sys.executable, __file__, *given, "--one", f.name]), waiting))


def kept_row(asked: argparse.Namespace, fault: Fault) -> Row:
    """What was found out about a fault; one whose process has ended was lost."""
    file = row_file(asked.work, fault)
    if not file.exists():
        return fault, Outcome(1, ["the process that tried it ended"]), 0.0
    row = json.loads(file.read_text("utf-8"))
    return fault, Outcome(row["tries"], row["lost"], row["note"]), row["seconds"]


def main() -> None:
    """Try all and write the table; the status says whether anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the long form: 0.1 tries a tenth")
    parser.add_argument("--jobs", type=int, default=2, help="faults that are tried at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=WORK, help="where rows are kept, for a run that goes on")
    parser.add_argument("--one", help="try this fault alone, and write no table")
    asked = parser.parse_args()
    if asked.one:
        try_one(asked)
        return
    faults = every_fault()
    try_apart(asked, sorted(faults, key=lambda fault: fault.group != "spam"))  # which takes longest
    rows = [kept_row(asked, fault) for fault in faults]
    given = " ".join(["python tests/reliability/soak.py", *sys.argv[1:]])
    TABLE.write_text(written(rows, given if len(sys.argv) > 1 else "make soak"), "utf-8")
    shutil.rmtree(asked.work)
    sys.exit(any(len(outcome.lost) > fault.most_lost * outcome.tries for fault, outcome, _ in rows))


if __name__ == "__main__":
    main()
