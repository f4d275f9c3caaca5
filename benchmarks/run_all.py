"""Runs every benchmark in one go and keeps what each says, then writes the documents.

    python benchmarks/run_all.py                        everything at full size: hours on a small machine
    python benchmarks/run_all.py --quick                smaller sizes
    python benchmarks/run_all.py --only scan bags       some of them

What a benchmark prints becomes a JSON file in `benchmarks/results`, with its command, the machine, the day and the
versions; `write_documents.py` makes the documents of these files. A benchmark that fails leaves its former result as
it is, and the run ends with a status that says so. Those that need the pages of others, which are no part of the
repository, say which, and are left out without them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from measuring import ONE_THREAD, RESULTS, ROOT, USUAL, plain_path, real_pages, result, write_result
from write_documents import write_documents

HERE = ROOT / "benchmarks"
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
PACKAGES = ("selectolax", "tantivy", "usearch", "scipy", "scikit-learn", "datasketch", "rensa", "duckdb", "faiss-cpu")


@dataclass(frozen=True)
class Benchmark:
    """A script, and what it is called with; a word in braces is a set of real pages."""

    name: str
    full: str = ""
    quick: str = ""
    peers: bool = False  # whether it compares with packages that only the environment of peers has


BENCHMARKS = (
    Benchmark("scan", *2 * ("{schools-wikipedia} {see-also-docs} {uci-crawl} {varied-pages}",)),
    Benchmark("bags", "{uci-crawl}", "{uci-crawl} --pages 5000"),
    Benchmark("index", "--plot docs/images/index-growth.svg", "--quick", peers=True),
    Benchmark("concepts", "", "--quick", peers=True),
    Benchmark("segmentation", *2 * ("--data {varied-pages}/..",)),
    Benchmark("cocitation", "--memory --plot docs/images/cocitation-growth.svg", "--quick --memory", peers=True),
    Benchmark("duplicates", "", "--pages 1000", peers=True),
    Benchmark("blend", "--documents 1000000", "--documents 50000"),
    Benchmark("pruning", "", "--questions 100"),
    Benchmark("keywords", "--data {schools-wikipedia}", "--queries 50"),
    Benchmark("vocabulary", "--data {schools-wikipedia}", "--data {schools-wikipedia} --questions 10"),
    Benchmark("topk", "", "--quick"),
    Benchmark("serve", "", "--new 300 --requests 2000"),
    Benchmark("verifying"),
)
TABLES = {
    "build": ("build.py", "--json {RESULTS}/build.json", "--sizes 1000 3000 10000 30000 --json {RESULTS}/build.json"),
    "peers": ("peers/run.py", "--rebuild", "--rebuild --cached"),
    "scaling": ("scaling.py", "--json {RESULTS}/scaling.json", "--sizes 1000 3000 --json {RESULTS}/scaling.json"),
    "skew": ("skew.py", "--json {RESULTS}/skew.json", "--in-links 1000000 --json {RESULTS}/skew.json"),
}  # these write results of their own


def arguments(given: str) -> list[str] | None:
    """The arguments of a call, paths of pages filled in; None if some are not at hand."""
    found = []
    for word in given.replace("{RESULTS}", str(RESULTS)).split():
        name = re.match(r"\{(.+?)\}", word)
        path = real_pages(name[1]) if name else None
        if name and path is None:
            return None
        found.append(str(Path(f"{path}{word[name.end() :]}").resolve()) if name and path else word)
    return found


def said(benchmark: Benchmark, quick: bool) -> str:
    """Run a benchmark and keep what it prints; returns what went wrong, if anything did."""
    given = arguments(benchmark.quick if quick else benchmark.full)
    if given is None:
        print(f"{benchmark.name} is left out: its pages are not here (no ../shared/data)", file=sys.stderr)
        return ""
    python = PEERS_PYTHON if benchmark.peers and PEERS_PYTHON.exists() else Path(sys.executable)
    script = HERE / f"{benchmark.name}.py"
    print(f"{benchmark.name} {' '.join(map(plain_path, given))}", file=sys.stderr, flush=True)
    environment = os.environ | ONE_THREAD
    run = subprocess.run([python, script, *given], stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
    if run.returncode:
        return f"{benchmark.name} ended with status {run.returncode}"
    call = " ".join(["python", f"benchmarks/{benchmark.name}.py", *map(plain_path, given)])
    figures = {"output": without_folders(run.stdout).splitlines()}
    told = result(figures, given=call) | {"versions": versions_in(python)}
    write_result(RESULTS / f"{benchmark.name}.json", told)
    return ""


def versions_in(python: Path) -> dict[str, str]:
    """The versions of what an environment has of the packages that benchmarks use."""
    ask = f"import json, measuring; print(json.dumps(measuring.versions({[*USUAL, *PACKAGES]!r})))"
    found = subprocess.run([python, "-c", ask], cwd=HERE, check=True, stdout=subprocess.PIPE).stdout
    return dict(json.loads(found))


def without_folders(text: str) -> str:
    """What was printed, without the folders of this machine.

    >>> without_folders("read /somewhere/else/pages.warc.gz 12")
    'read pages.warc.gz 12'
    """
    return re.sub(r"(?<![\w:/.])/(?:[\w.~-]+/)+", "", text)


def run_table(name: str, quick: bool) -> str:
    """Run a benchmark that writes its own result; returns what went wrong, if anything did."""
    script, *sizes = TABLES[name]
    given = arguments(sizes[quick]) or []
    run = subprocess.run([sys.executable, HERE / script, *given], stdout=sys.stderr)
    return f"{name} ended with status {run.returncode}" if run.returncode else ""


def run_benchmarks(names: Iterable[str], quick: bool) -> list[str]:
    """Run some, in their order; returns what went wrong."""
    known = {benchmark.name: benchmark for benchmark in BENCHMARKS}
    faults = [said(known[name], quick) if name in known else run_table(name, quick) for name in names]
    return [fault for fault in faults if fault]


def main() -> None:
    """Read the options, run, write the documents."""
    every = [*(benchmark.name for benchmark in BENCHMARKS), *TABLES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, larger errors")
    parser.add_argument("--only", nargs="+", choices=every, default=every, metavar="NAME", help=", ".join(every))
    options = parser.parse_args()
    faults = run_benchmarks(options.only, options.quick)
    write_documents()
    sys.exit("; ".join(faults) or 0)


if __name__ == "__main__":
    main()
