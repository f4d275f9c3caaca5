"""How many requests does the service answer in a second, and how long does one wait?

    python benchmarks/serve.py
    python benchmarks/serve.py --index site.kin --requests 100000 --workers 2

Asked for are the related pages of documents of the index (by default that of a sample web), over loopback:

- *in process*: `Index.related` alone, one thread, no HTTP;
- *constant*: a FastAPI application of one route that returns a constant, which is what HTTP costs at the least;
- *new*: every question is asked once, so that none is remembered;
- *repeated*: questions by Zipf's law, the n-th with a probability that falls as 1/n, as people ask.

Connections ask one question after another as fast as they are answered; that gives the requests a second. Then
questions come at random moments, at 80 % of that rate, whoever still waits; that gives the waiting times, which count
from the moment at which a question should have been asked. At the end are all answers that were no good ones, and what
the processes of the service have in memory of their own before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import quote

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.index import Index, open_index
from pagekin.sample import write_sample

PAGES = 2000
IN_PROCESS = 300
LOAD = 0.8
DIFFERENT = 10_000  # questions, of which some are asked again and again
CONSTANT = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.get("/api/related")
async def constant(url: str, k: int = 10) -> dict[str, str]:
    return {"query": "constant"}
uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_level="warning", workers=None)
"""


@dataclass
class Load:
    """What came of some requests."""

    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    faults: int = 0

    @property
    def rate(self) -> float:
        return len(self.waits) / self.seconds

    def percentile(self, share: float) -> float:
        ordered = sorted(self.waits)
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


class Connection:
    """One connection that is kept open."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> Connection:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def is_good(self, target: str) -> bool:
        """Ask, read the whole answer, and say whether it is a good one."""
        self.writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        await self.reader.readexactly(length)
        return head.startswith(b"http/1.1 200")


async def flooded(port: int, targets: Sequence[str], connections: int) -> Load:
    """Ask as fast as answers come."""
    load, waiting = Load(), iter(targets)

    async def ask(connection: Connection) -> None:
        for target in waiting:
            began = time.perf_counter()
            load.faults += not await connection.is_good(target)
            load.waits.append(time.perf_counter() - began)

    opened = [await Connection(port).open() for _ in range(connections)]
    began = time.perf_counter()
    await asyncio.gather(*map(ask, opened))
    load.seconds = time.perf_counter() - began
    return load


async def steady(port: int, targets: Sequence[str], rate: float, connections: int) -> Load:
    """Ask at random moments, on any connection that is free."""
    load, free, random = Load(), asyncio.Queue[Connection](), Random(1)
    for _ in range(connections):
        free.put_nowait(await Connection(port).open())

    async def ask(target: str, due: float) -> None:
        connection = await free.get()
        load.faults += not await connection.is_good(target)
        load.waits.append(time.perf_counter() - due)
        free.put_nowait(connection)

    began = due = time.perf_counter()
    tasks = []
    for target in targets:
        due += random.expovariate(rate)
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        tasks.append(asyncio.create_task(ask(target, due)))
    await asyncio.gather(*tasks)
    load.seconds = time.perf_counter() - began
    return load


@contextmanager
def service(command: Sequence[str], port: int) -> Iterator[int]:
    """A service in a process of its own, by its id, once it answers."""
    process = subprocess.Popen([*command], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        asyncio.run(_answering(port))
        yield process.pid
    finally:
        process.terminate()
        process.wait()


async def _answering(port: int) -> None:
    for _ in range(600):
        try:
            connection = await Connection(port).open()
            if await connection.is_good("/healthz") or await connection.is_good("/api/related?url=x"):
                return
        except (OSError, asyncio.IncompleteReadError):
            pass
        await asyncio.sleep(0.1)
    raise SystemExit("the service does not answer")


def own_mebibytes(process: int) -> float:
    """The memory of a process and its children that is not of files."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    pids = [process, *map(int, found.stdout.split())]
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def related_targets(index: Index, count: int) -> list[str]:
    """Requests for documents by chance, no two alike as long as there are enough."""
    numbers = Random(7).sample(range(len(index)), len(index))
    rounds = ((number, k) for k in itertools.count(10) for number in numbers)
    pairs = itertools.islice(rounds, count)
    return [f"/api/related?url={quote(index._documents.text('url', n), safe='')}&k={k}" for n, k in pairs]


def by_zipf(targets: Sequence[str], count: int) -> list[str]:
    weights = [1 / place for place in range(1, len(targets) + 1)]
    return Random(8).choices(targets, weights, k=count)


def in_process(index: Index, targets: int) -> Load:
    numbers = Random(9).sample(range(len(index)), min(targets, len(index)))
    urls, load = [index._documents.text("url", number) for number in numbers], Load()
    index.related(urls[0])
    for url in urls:
        began = time.perf_counter()
        index.related(url)
        load.waits.append(time.perf_counter() - began)
    load.seconds = sum(load.waits)
    return load


def print_load(name: str, load: Load, constant: float) -> None:
    figures = " ".join(f"{load.percentile(share):9.2f}" for share in (0.5, 0.9, 0.99))
    print(f"{name:22} {len(load.waits):9,} {load.rate:11,.0f} {load.rate / constant:8.2f} {figures} {load.faults:7}")


def measured(name: str, port: int, targets: Sequence[str], constant: float, connections: int) -> float:
    """Both kinds of load, each with half of the requests; the requests a second."""
    half = len(targets) // 2
    load = asyncio.run(flooded(port, targets[:half], connections))
    print_load(name, load, constant or load.rate)
    calm = asyncio.run(steady(port, targets[half:], LOAD * load.rate, 8 * connections))
    print_load("  at 80 %", calm, constant or load.rate)
    return load.rate


def compared(path: Path, arguments: argparse.Namespace) -> None:
    index, port = open_index(path), arguments.port
    print(f"{path.name}: {len(index):,} documents; {arguments.workers} worker(s), {arguments.connections} connections")
    heads = ("requests", "a second", "÷ const", "median ms", "90 % ms", "99 % ms", "faults")
    print("{:22} {:>9} {:>11} {:>8} {:>9} {:>9} {:>9} {:>7}".format("", *heads))
    connections = arguments.connections
    with service([sys.executable, "-c", CONSTANT, str(port)], port):
        constant = measured("constant", port, ["/api/related?url=x"] * 10_000, 0.0, connections)
    print_load("in process", in_process(index, IN_PROCESS), constant)
    new = related_targets(index, arguments.new)
    serve = "from pagekin.cli.serve import serve; serve()"
    options = ["--port", str(port + 1), "--workers", str(arguments.workers)]
    with service([sys.executable, "-c", serve, str(path), *options], port + 1) as process:
        asyncio.run(flooded(port + 1, new[:100], connections))
        measured("new", port + 1, new[100:], constant, connections)
        before = own_mebibytes(process)
        measured(
            "repeated", port + 1, by_zipf(related_targets(index, 10_000), arguments.requests), constant, connections
        )
        print(f"memory {before:.0f} MiB before the repeated questions, {own_mebibytes(process):.0f} MiB after")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--index", type=Path)
    parser.add_argument("--new", type=int, default=4000, help="questions that are asked once")
    parser.add_argument("--requests", type=int, default=20_000, help="questions by Zipf's law")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--port", type=int, default=8765)
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if arguments.index:
        compared(arguments.index, arguments)
        return
    with tempfile.TemporaryDirectory(prefix="pagekin-serve-") as folder:
        write_sample(Path(folder), PAGES)
        build(Path(folder) / "sample.warc.gz", Path(folder) / "sample.kin", engine=LocalEngine(workers=1))
        compared(Path(folder) / "sample.kin", arguments)


if __name__ == "__main__":
    main()
