"""What every benchmark tells beside its figures: the machine, the day, the versions, the command; and how it is kept.

A result is a JSON file in `benchmarks/results`. `write_documents.py` makes the documents of them, so that each figure
there can be traced to the run that gave it. Nothing but the standard library is used here: peers, which live in an
environment of their own, use it too.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
CACHE = Path(os.environ.get("PAGEKIN_BENCH") or Path.home() / ".cache" / "pagekin-bench")
SHARED = ROOT.parent / "shared" / "data"

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
# For the environment of a process that is measured: threads that wait for one another take time of the processor too.
ONE_THREAD = dict.fromkeys(THREADS, "1") | {"TOKENIZERS_PARALLELISM": "false"}

USUAL = ("pagekin", "numpy", "numba", "pyarrow")  # whose versions are always told


def machine() -> str:
    """The machine in a sentence."""
    return f"{_processor()}, {os.cpu_count()} cores, {_memory_gib()} GiB of memory, {platform.system()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30))


def versions(names: Iterable[str]) -> dict[str, str]:
    """The versions of packages, of those that are here; and of Python."""
    found = {"Python": platform.python_version()}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def processor_seconds() -> float:
    """What this process and the children that have ended took of the processor so far."""
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def processor_time(act: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor that a call took, all threads and children, and what it returned."""
    started = processor_seconds()
    found = act()
    return processor_seconds() - started, found


def median_milliseconds(asked: Callable[[Any], Any], questions: Iterable[Any]) -> dict[str, float]:
    """Processor time of one question: the median and the 99th percentile."""
    times = []
    for question in questions:
        started = time.process_time_ns()
        asked(question)
        times.append((time.process_time_ns() - started) / 1e6)
    times.sort()
    return {"median_ms": round(times[len(times) // 2], 4), "p99_ms": round(times[int(len(times) * 0.99)], 4)}


def folder_bytes(folder: Path) -> int:
    """How much the files of a folder take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def circumstances(packages: Iterable[str] = ()) -> dict[str, Any]:
    """When, on what and with what something is measured; the load is that of the minute before."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "load": round(os.getloadavg()[0], 1),
        "versions": versions([*USUAL, *packages]),
    }


def command() -> str:
    """How this benchmark was called, without the folders of this machine."""
    script = Path(sys.argv[0]).resolve()
    shown = script.relative_to(ROOT).as_posix() if script.is_relative_to(ROOT) else script.name
    return " ".join(["python", shown, *map(plain_path, sys.argv[1:])])


def plain_path(argument: str) -> str:
    """An argument of a command; of a path outside the repository only its end, which says what it is.

    >>> plain_path("/somewhere/data/uci-crawl.warc.gz")
    'uci-crawl.warc.gz'
    """
    path = Path(argument)
    if not path.is_absolute():
        return argument
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def result(figures: Any, packages: Iterable[str] = (), given: str | None = None) -> dict[str, Any]:
    """Figures with all that is to be told of them."""
    return {"command": given or command(), **circumstances(packages), "figures": figures}


def write_result(path: Path, document: Any) -> None:
    """Write a result, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    beside.rename(path)


def write_or_print(path: Path | None, document: Any) -> None:
    """Write a result, or print it where no file is named."""
    if path is None:
        print(json.dumps(document, indent=1))
    else:
        write_result(path, document)


def real_pages(name: str) -> Path | None:
    """The folder or file of a set of real pages, unpacked once; None if they are not at hand."""
    cache = Path(os.environ.get("PAGEKIN_DATA") or Path.home() / ".cache" / "pagekin-test-data")
    path = cache / ("uci-crawl.warc.gz" if name == "uci-crawl" else name)
    if not path.exists() and (SHARED / "unpack").exists():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, str(SHARED / "unpack"), str(cache), name], check=True)
    return path if path.exists() else None
