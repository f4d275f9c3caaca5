"""What does a page cost on each engine, how does that grow, and what would a cluster need for millions?

    python benchmarks/scaling.py --json benchmarks/results/scaling.json
    python benchmarks/scaling.py --sizes 1000 3000

Builds sample webs of growing size on the local engine and on Spark, with two processes each, every build in a process
of its own. The time of the clock is told by step; processor time is that of all processes of a build together, Java
among them, added up from /proc every 0.1 s (a process that ends in between loses no more than that). What travels
through Spark's shuffle is counted where it arrives. Kernels are compiled, and loaded once, before anything is
measured. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from measuring import CACHE, result, write_or_print

SIZES = (10_000, 30_000, 100_000)
ENGINES = ("local", "spark")
CORES = 2
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


# --- one build, in a process of its own ---------------------------------------------------------------------


class Clock:
    """An observer that notes how long each step takes."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self.tasks: dict[str, int] = {}  # of Spark, whose total is the number of tasks
        self._name, self._began = "", 0.0

    def begin(self, step: str, total: int) -> None:
        self._name, self._began, self.tasks[step] = step, time.monotonic(), total

    def advance(self, units: int) -> None: ...

    def end(self) -> None:
        self.steps[self._name] = round(time.monotonic() - self._began, 3)


def build_once(engine_name: str, crawl: Path, index: Path) -> dict[str, Any]:
    """Build, and tell what it took."""
    import pagekin
    from pagekin.engines.local import LocalEngine

    clock, shuffled = Clock(), {}
    if engine_name == "spark":
        from pagekin.engines.spark import SparkEngine

        engine = SparkEngine(f"local[{CORES},4]", observer=clock)
        shuffled = engine.shuffled
    else:
        engine = LocalEngine(CORES, observer=clock)
    started = time.monotonic()
    summary = pagekin.build(crawl, index, engine=engine, force=True)
    return {
        "pages": summary.pages,
        "urls": summary.urls,
        "seconds": round(time.monotonic() - started, 2),
        "index_bytes": summary.bytes,
        "steps": clock.steps,
        "tasks": clock.tasks if engine_name == "spark" else {},
        "shuffled": shuffled,
    }


# --- from outside -------------------------------------------------------------------------------------------


class Watch:
    """Adds up what all processes of a session take, while they live."""

    def __init__(self, session: int) -> None:
        self.session, self.seconds, self.peak_bytes = session, {}, 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.1):
            resident = 0
            for stat in Path("/proc").glob("[0-9]*/stat"):
                try:
                    fields = stat.read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[3]) == self.session:
                    self.seconds[stat.parent.name] = (int(fields[11]) + int(fields[12])) / TICKS
                    resident += int(fields[21]) * PAGE_BYTES
            self.peak_bytes = max(self.peak_bytes, resident)

    def end(self) -> dict[str, float]:
        """What was seen."""
        self._ended.set()
        self._thread.join()
        return {"processor_seconds": round(sum(self.seconds.values()), 2), "peak_bytes": self.peak_bytes}


def measured_build(engine: str, crawl: Path) -> dict[str, Any]:
    """One build, with what it took of the machine."""
    with tempfile.TemporaryDirectory(prefix="pagekin-scaling-") as folder:
        command = [sys.executable, __file__, "--one", engine, str(crawl), str(Path(folder) / "index.kin")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        watch = Watch(process.pid)
        told, _ = process.communicate()
        if process.returncode:
            sys.exit(f"a build of {crawl} on {engine} ended with status {process.returncode}")
        return {"engine": engine, **json.loads(told.splitlines()[-1]), **watch.end()}


def sample_web(pages: int) -> Path:
    """The WARC files of a sample web, as a pattern; they are made once."""
    from pagekin.sample import write_sample

    files = CACHE / f"sample-{pages}" / "*.warc.gz"
    if not list(files.parent.glob(files.name)):
        write_sample(files.parent, pages, seed=1)
    return files


def crawl_bytes(crawl: Path) -> int:
    """How much the files of a pattern take."""
    return sum(file.stat().st_size for file in crawl.parent.glob(crawl.name))


def figures(sizes: list[int]) -> dict[str, Any]:
    """All builds, the engines of one size one after the other."""
    warm = sample_web(300)
    for engine in ENGINES:
        measured_build(engine, warm)
    rows = []
    for pages in sizes:
        crawl = sample_web(pages)
        for engine in ENGINES:
            row = measured_build(engine, crawl) | {"crawl_bytes": crawl_bytes(crawl)}
            times = f"{row['seconds']:>8.1f} s by the clock {row['processor_seconds']:>8.1f} s of the processor"
            told = f"{engine:6} {row['pages']:>8,} pages {times}"
            print(told, file=sys.stderr, flush=True)
            rows.append(row)
    return {"cores": CORES, "builds": rows}


def main() -> None:
    """Read the options, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="PAGES")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the result goes; by default it is printed")
    parser.add_argument("--one", nargs=3, metavar=("ENGINE", "CRAWL", "INDEX"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        engine, crawl, index = options.one
        print(json.dumps(build_once(engine, Path(crawl), Path(index))))
        return
    document = result(figures(options.sizes), ["pyspark", "pandas"])
    write_or_print(options.json, document)


if __name__ == "__main__":
    main()
