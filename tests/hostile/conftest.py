"""Crawls that mean harm, and a build of them that is watched."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

MEMORY_LIMIT_BYTES = 3 << 29  # 1.5 GiB
GOOD = ("good-1", "good-2")

# Runs a build and tells the most memory that one of its processes had.
WATCHED = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", "from pagekin.cli import main; main()", *sys.argv[1:]])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps(peak))
sys.exit(done.returncode)
"""


def record(url: str, block: bytes, length: int | None = None) -> bytes:
    """A WARC record with an HTTP response."""
    size = len(block) if length is None else length
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:test:{zlib.crc32(url.encode())}>\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {size}"
    )
    return head.encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(body: bytes, headers: str = "") -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n{headers}\r\n".encode() + body


def page(name: str, body: bytes | None = None, headers: str = "", length: int | None = None) -> bytes:
    """The record of http://NAME.test/."""
    html = f"<title>{name}</title><p>a good page".encode() if body is None else body
    return record(f"http://{name}.test/", response(html, headers), length)


class Make:
    """The makers of records, for tests to reach."""

    record = staticmethod(record)
    response = staticmethod(response)
    page = staticmethod(page)


@pytest.fixture
def make() -> type[Make]:
    return Make


@dataclass
class Built:
    """What a build made of a hostile crawl."""

    summary: dict[str, Any]
    index: Path

    @property
    def names(self) -> list[str]:
        """The first parts of the hosts of all pages."""
        parts = sorted((self.index / "pages").glob("*.parquet"))
        urls = [url for part in parts for url in pq.read_table(part, columns=["url"])["url"].to_pylist()]
        return sorted(url.removeprefix("http://").partition(".")[0] for url in urls)

    @property
    def reasons(self) -> dict[str, int]:
        return dict(self.summary["rejected_reasons"])

    def column(self, name: str, column: str) -> Any:
        """What stands in a column for the page at http://NAME.test/."""
        for part in sorted((self.index / "pages").glob("*.parquet")):
            for row in pq.read_table(part, columns=["url", column]).to_pylist():
                if row["url"] == f"http://{name}.test/":
                    return row[column]
        raise KeyError(name)


Build = Callable[..., Built]


def built(inputs: Iterable[Path], index: Path, *options: str) -> Built:
    """Build in a process of its own, whose memory must stay within bounds."""
    arguments = ["build", *map(str, inputs), "-o", str(index), "--workers", "1", "--json", *options]
    done = subprocess.run([sys.executable, "-c", WATCHED, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    summary, peak = done.stdout.splitlines()
    assert int(peak) < MEMORY_LIMIT_BYTES
    return Built(json.loads(summary), index)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds an index of the records of one WARC."""

    def build_records(*records: bytes, name: str = "hostile.warc", options: tuple[str, ...] = ()) -> Built:
        (tmp_path / name).write_bytes(b"".join(records))
        return built([tmp_path / name], tmp_path / "a.kin", *options)

    return build_records


@pytest.fixture
def build_paths(tmp_path: Path) -> Build:
    """Builds an index of files that the test has written."""

    def build_files(*paths: Path) -> Built:
        return built(paths, tmp_path / "a.kin")

    return build_files
