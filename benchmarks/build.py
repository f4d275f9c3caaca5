"""How much memory does a build take, and what does a second worker bring?

    python benchmarks/build.py --pages 100000

Makes a sample web in a temporary folder, builds its index with each number of workers in turn, and prints wall
time, processor time and the peak of memory of all processes together (resident sets added up every 0.1 s, so what
processes share is counted for each of them). Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PAGEKIN = [sys.executable, "-c", "from pagekin.cli import main; main()"]


def process_tree(root: int) -> list[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def resident_bytes(process: int) -> int:
    """What a process has in memory now; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0


class PeakMemory(threading.Thread):
    """Watches a process and its descendants until told to stop."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root, self.peak, self.stopped = root, 0, threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.1):
            self.peak = max(self.peak, sum(map(resident_bytes, process_tree(self.root))))


def measured(arguments: list[str]) -> dict[str, Any]:
    """Run a command of pagekin and measure it."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = subprocess.Popen([*PAGEKIN, *arguments], stdout=subprocess.PIPE)
    watch = PeakMemory(command.pid)
    watch.start()
    output = command.communicate()[0]
    seconds = time.monotonic() - started
    watch.stopped.set()
    watch.join()
    if command.returncode:
        sys.exit(f"pagekin {' '.join(arguments)} ended with status {command.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figures = {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "peak_bytes": watch.peak}
    return figures | {"pages": json.loads(output)["pages"]}


def build_figures(pages: int, workers: list[int], folder: Path) -> list[dict[str, Any]]:
    """Wall time, processor time and memory of a build, for each number of workers."""
    crawl = folder / "web"
    subprocess.run([*PAGEKIN, "sample", str(crawl), "--pages", str(pages)], check=True, stdout=subprocess.DEVNULL)
    inputs = [str(path) for path in sorted(crawl.glob("*.warc.gz"))]
    index = str(folder / "web.kin")
    measured(["build", inputs[0], "-o", index, "--json"])  # kernels are compiled, files are in the cache
    rows = []
    for number in workers:
        options = ["-o", index, "--force", "--json", "--workers", str(number)]
        rows.append({"workers": number} | measured(["build", *inputs, *options]))
    return rows


def print_rows(rows: list[dict[str, Any]]) -> None:
    """A table for a person."""
    print(f"{'workers':>8}{'pages':>10}{'wall s':>9}{'cpu s':>9}{'pages/s':>10}{'peak MiB':>10}{'speed-up':>10}")
    for row in rows:
        speed, peak = row["pages"] / row["seconds"], row["peak_bytes"] / (1 << 20)
        gain = rows[0]["seconds"] / row["seconds"]
        times = f"{row['seconds']:>9.1f}{row['cpu_seconds']:>9.1f}"
        print(f"{row['workers']:>8}{row['pages']:>10,}{times}{speed:>10,.0f}{peak:>10,.0f}{gain:>10.2f}")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagekin-build-") as folder:
        rows = build_figures(options.pages, options.workers, Path(folder))
    if options.json:
        print(json.dumps(rows))
    else:
        print_rows(rows)


if __name__ == "__main__":
    main()
