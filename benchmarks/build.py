"""How fast does a crawl become an index, step by step; how does that grow; and what is the least it could take?

    python benchmarks/build.py --json results/build.json      up to 300,000 pages: most of an hour on a small machine
    python benchmarks/build.py --sizes 1000 10000 --real 10000 --workers 1

Builds sample webs of growing size, and a real crawl (45,449 pages of a university in a WARC, if it is at hand), from
WARC to a finished index, each in a process of its own: with one worker and with more, and with one worker without the
keyword index. What one worker takes is told by step. Beside the largest of each kind, in the same run:

- *gunzip*: `gzip -dc` of the same files, which is the least that any reader of them takes;
- *lexbor*: the HTML of the same pages, already in memory, parsed by selectolax, and nothing done with the trees;
- *read* and *scan*: the first two things that a build does, alone and into memory: records of the WARC become pages in
  UTF-8, pages become rows of PAGES;
- *tantivy*: what the thread of tantivy takes to make a keyword index of the same pages, without the links to them;
- *BeautifulSoup and scikit-learn*: the route that people write first: read the WARC, `BeautifulSoup(html, "lxml")`, its
  text into a TfidfVectorizer; of some of the pages, in the environment of peers (`.venv-peers`);
- *BeautifulSoup and embeddings*: the same with all-MiniLM-L6-v2 in the place of tf-idf.

Times are processor time, all processes of a build together, so that a busy machine does not count; loading libraries
and compiled kernels is told apart. The peak of memory is that of all processes together (resident sets added up every
0.1 s, so what processes share is counted for each of them); their *own* memory is what no file is behind, for what is
mapped from files can be taken back at any time. Growth is the exponent of a straight line through the logarithms, from
10,000 pages on, below which fixed costs count, and of memory from 30,000 on. Linux only: it reads /proc.
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
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from measuring import (
    CACHE,
    ONE_THREAD,
    ROOT,
    folder_bytes,
    processor_seconds,
    processor_time,
    real_pages,
    result,
    write_result,
)

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
GROWING_FROM = 10_000  # pages: below that, fixed costs count
FLAT_FROM = 30_000  # pages: from there on, memory should not grow
FIRST_PAGES = 300  # of the build that is not measured
ROUTE_PAGES = {"tf_idf": 1000, "embeddings": 100}
KINDS = {
    "default": [],
    "without keywords": ["keywords"],
    "text only": ["concepts", "cocitation", "links", "keywords"],
}  # builds, by the parts that they leave out
MIB = 1 << 20
# Compiled kernels of the last few versions are kept; a checkout of another version must not remove them meanwhile.
OWN_KERNELS = {"XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(CACHE)}


# --- one build, in a process of its own ---------------------------------------------------------------------


class StepTimes:
    """An observer that adds up the processor time of each step, and of what stands between steps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since, self._between = processor_seconds(), "between steps"

    def _count(self, name: str) -> None:
        now = processor_seconds()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    def begin(self, step: str, total: int) -> None:
        """What came before was no step."""
        self._count(self._between)
        self._step = step

    def advance(self, units: int) -> None:
        """Nothing is counted here."""

    def end(self) -> None:
        """The step has ended."""
        self._count(self._step)


def one_build(inputs: list[str], out: Path, workers: int, without: list[str]) -> dict[str, Any]:
    """Build, and tell what it took; called in a process of its own.

    A small build comes first: it loads every library and kernel that the measured one needs.
    """
    from pagekin.builder import build
    from pagekin.cli.build import WITHOUT
    from pagekin.engines.local import LocalEngine
    from pagekin.freed_memory import keep_freed_memory
    from pagekin.sample import write_sample
    from pagekin.settings import read_settings

    keep_freed_memory()  # as the command does

    settings = read_settings(assignments=[WITHOUT[part] for part in without])
    with tempfile.TemporaryDirectory(prefix="pagekin-build-") as folder:
        write_sample(Path(folder) / "web", FIRST_PAGES)
        build(str(Path(folder) / "web" / "*.warc.gz"), Path(folder) / "first.kin", settings, engine=LocalEngine(1))
    loaded, started = processor_seconds(), time.monotonic()
    times = StepTimes()
    summary = build(inputs, out, settings, engine=LocalEngine(workers, observer=times), force=True)
    times._count("between steps")
    return {
        "pages": summary.pages,
        "bytes": folder_bytes(out),
        "wall_seconds": round(time.monotonic() - started, 3),
        "loading_seconds": round(loaded, 3),
        "steps": {name: round(seconds, 3) for name, seconds in times.seconds.items()} if workers == 1 else {},
    }


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


def memory_of(process: int) -> tuple[int, int]:
    """How many bytes a process has in memory now, and how many of them no file is behind; 0 if it has ended."""
    try:
        resident, shared = map(int, Path(f"/proc/{process}/statm").read_text().split()[1:3])
    except (OSError, ValueError):
        return 0, 0
    return resident * PAGE_BYTES, (resident - shared) * PAGE_BYTES


class PeakMemory(threading.Thread):
    """Watches a process and its descendants until told to stop."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root, self.peak, self.own, self.stopped = root, 0, 0, threading.Event()

    def run(self) -> None:
        """Look, ten times a second."""
        while not self.stopped.wait(0.1):
            now = [memory_of(process) for process in process_tree(self.root)]
            self.peak = max(self.peak, sum(resident for resident, _ in now))
            self.own = max(self.own, sum(own for _, own in now))


def measured(inputs: list[Path], out: Path, workers: int, kind: str) -> dict[str, Any]:
    """A build in a process of its own, measured from outside."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    given = json.dumps({"inputs": [str(path) for path in inputs], "out": str(out), "workers": workers})
    run = [sys.executable, __file__, "--one", given, kind]
    command = subprocess.Popen(run, stdout=subprocess.PIPE, env=os.environ | ONE_THREAD | OWN_KERNELS)
    watch = PeakMemory(command.pid)
    watch.start()
    output = command.communicate()[0]
    watch.stopped.set()
    watch.join()
    if command.returncode:
        sys.exit(f"a build of {inputs[0].name} ended with status {command.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = json.loads(output)
    return {
        "kind": kind,
        "workers": workers,
        **found,
        "cpu_seconds": round(cpu - found["loading_seconds"], 3),
        "peak_bytes": watch.peak,
        "own_bytes": watch.own,
    }


# --- crawls -------------------------------------------------------------------------------------------------


def sample_web(pages: int, folder: Path) -> list[Path]:
    """The WARC files of a sample web, kept for the next run."""
    from pagekin.sample import write_sample

    web = folder / f"web-{pages}"
    if not (web / "directory.tsv").exists():
        write_sample(web, pages)
    return sorted(web.glob("*.warc.gz"))


def real_crawl(pages: int, folder: Path) -> list[Path]:
    """The first records of the real crawl, so many pages of them; none if it is not at hand."""
    whole = real_pages("uci-crawl")
    if whole is None:
        return []
    cut = folder / f"uci-{pages}.warc.gz"
    if not cut.exists():
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        end = whole.stat().st_size
        records = ArchiveIterator(str(whole), record_types=WarcRecordType.response)
        for number, record in enumerate(records):
            if number == pages:
                end = record.stream_pos
                break
        cut.write_bytes(whole.read_bytes()[:end])
    return [cut]


# --- floors -------------------------------------------------------------------------------------------------


def gunzip_seconds(inputs: list[Path]) -> float:
    """Processor time of unpacking."""
    run = ["gzip", "-dc", *map(str, inputs)]
    return processor_time(lambda: subprocess.run(run, stdout=subprocess.DEVNULL, check=True))[0]


def page_seconds(inputs: list[Path]) -> tuple[dict[str, float], int]:
    """Processor time of reading all pages, of scanning them and of parsing them by lexbor; and how many they are."""
    from selectolax.lexbor import LexborHTMLParser

    from pagekin.crawl.captures import read_captures
    from pagekin.crawl.inputs import find_splits
    from pagekin.scan.page import scan_captures
    from pagekin.settings import CrawlSettings

    settings = CrawlSettings(split_bytes=4 << 20)
    seconds, pages = dict.fromkeys(("lexbor", "read", "scan"), 0.0), 0
    for split in find_splits([str(path) for path in inputs], settings)[0]:
        taken, found = processor_time(lambda held=split: list(read_captures(held, settings)))
        seconds["read"] += taken
        captures = [batch for name, batch in found if name == "captures"]
        if pages == 0:
            deque(scan_captures(captures), 0)  # loads the kernels
        seconds["scan"] += processor_time(lambda held=captures: deque(scan_captures(held), 0))[0]
        bodies = [html for batch in captures for html in batch["html"].to_pylist() if html]
        seconds["lexbor"] += processor_time(lambda held=bodies: [LexborHTMLParser(html) and None for html in held])[0]
        pages += len(bodies)
    return seconds, pages


def tantivy_seconds(index: Path) -> float:
    """Processor time of tantivy's own thread, while a keyword index of the pages of an index is made."""
    from pagekin.stores.keyword_index import keyword_rows, write_keyword_part

    pages, lexicon = (sorted((index / name).glob("*.parquet")) for name in ("pages", "lexicon"))
    languages = json.loads((index / "manifest.json").read_text("utf-8"))["languages"]
    with tempfile.TemporaryDirectory(prefix="pagekin-build-") as folder:
        before = time.process_time() - time.thread_time()
        write_keyword_part(Path(folder) / "part", keyword_rows(pages), iter([]), lexicon, languages)
        return time.process_time() - time.thread_time() - before


def route(inputs: list[Path], kind: str) -> dict[str, Any] | None:
    """What a typical route takes of some of the pages; None without the environment of peers."""
    if not PEERS_PYTHON.exists():
        return None
    command = [PEERS_PYTHON, "-m", "peers.typical_route", inputs[0], kind, str(ROUTE_PAGES[kind])]
    environment = os.environ | ONE_THREAD
    run = subprocess.run(command, cwd=ROOT / "benchmarks", check=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(run.stdout)


def floors(inputs: list[Path], index: Path, routes: bool) -> dict[str, Any]:
    """What the same pages take of others, for each page in milliseconds; `index` was built of them."""
    seconds, pages = page_seconds(inputs)
    seconds |= {"gunzip": gunzip_seconds(inputs), "tantivy": tantivy_seconds(index)}
    rows = {name: taken * 1000 / pages for name, taken in seconds.items()}
    for kind in ROUTE_PAGES if routes else ():
        found = route(inputs, kind)
        if found is not None:
            rows[kind] = found["seconds"] * 1000 / found["pages"]
    return {"pages": pages, "ms_per_page": {name: round(value, 4) for name, value in rows.items()}}


# --- growth -------------------------------------------------------------------------------------------------


def exponent(sizes: list[int], values: list[float]) -> float | None:
    """The exponent of growth: the slope of a straight line through the logarithms; None for less than two sizes.

    >>> exponent([10, 100, 1000], [3.0, 30.0, 300.0])
    1.0
    """
    if len(sizes) < 2:
        return None
    return round(float(np.polyfit(np.log(sizes), np.log(values), 1)[0]), 3)


def growth(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    """How time, memory and bytes grow with pages, of builds by default with one worker."""
    some = [
        row for row in rows if row["workers"] == 1 and row["kind"] == "default" and row["pages"] >= GROWING_FROM / 2
    ]
    large = [row for row in some if row["pages"] >= FLAT_FROM * 0.9]
    rows_of = {"cpu_seconds": some, "bytes": some, "peak_bytes": large, "own_bytes": large}
    return {key: exponent([row["pages"] for row in rows], [row[key] for row in rows]) for key, rows in rows_of.items()}


def crawl_figures(name: str, crawls: list[list[Path]], options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """All builds of one kind of pages, growing, and the floors beside the largest."""
    rows = []
    for inputs in crawls:
        plans = [(number, "default") for number in options.workers] + [(1, "without keywords")]
        for number, kind in plans:
            rows.append(measured(inputs, folder / "built.kin", number, kind))
            print(json.dumps({key: value for key, value in rows[-1].items() if key != "steps"}), file=sys.stderr)
    return {
        "crawl": name,
        "rows": rows,
        "growth": growth(rows),
        "floors": floors(crawls[-1], folder / "built.kin", options.routes),
    }


def print_rows(crawl: dict[str, Any]) -> None:
    """A table for a person."""
    print(f"\n{crawl['crawl']}")
    print(f"{'build':>18}{'workers':>8}{'pages':>9}{'cpu s':>9}{'pages/s':>9}{'peak MiB':>10}{'B/page':>8}")
    for row in crawl["rows"]:
        speed, peak = row["pages"] / row["cpu_seconds"], row["peak_bytes"] / MIB
        sizes = f"{speed:>9,.0f}{peak:>10,.0f}{row['bytes'] / row['pages']:>8,.0f}"
        print(f"{row['kind']:>18}{row['workers']:>8}{row['pages']:>9,}{row['cpu_seconds']:>9.1f}{sizes}")
    print(f"ms a page: {crawl['floors']['ms_per_page']}; exponents {crawl['growth']}")


def main() -> None:
    """Read the options, measure, print, write."""
    if sys.argv[1:2] == ["--one"]:
        given = json.loads(sys.argv[2])
        print(json.dumps(one_build(given["inputs"], Path(given["out"]), given["workers"], KINDS[sys.argv[3]])))
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 3000, 10_000, 30_000, 100_000, 300_000])
    parser.add_argument("--real", type=int, nargs="*", default=[10_000, 45_449], help="pages of the real crawl")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--no-routes", dest="routes", action="store_false", help="leave out BeautifulSoup and its like")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there, too")
    options = parser.parse_args()
    kept = CACHE / "crawls"
    kept.mkdir(parents=True, exist_ok=True)
    kinds = {
        "sample web": [sample_web(size, kept) for size in options.sizes],
        "a university": [found for size in options.real if (found := real_crawl(size, kept))],
    }
    with tempfile.TemporaryDirectory(prefix="pagekin-build-") as folder:
        work = Path(folder)
        for crawls in kinds.values():
            if crawls:  # kernels are compiled, and files are in the cache
                measured(crawls[0], work / "warm.kin", 1, "default")
                break
        found = [crawl_figures(name, crawls, options, work) for name, crawls in kinds.items() if crawls]
    for crawl in found:
        print_rows(crawl)
    if options.json:
        write_result(options.json, result(found, ("selectolax", "fastwarc", "tantivy")))


if __name__ == "__main__":
    main()
