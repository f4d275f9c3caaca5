"""Crawl files as the tests need them, and what pagekin reads from them."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pagekin.crawl.captures import read_captures
from pagekin.crawl.inputs import CrawlSettings, find_splits

Row = dict[str, Any]


def warc_record(url: str, block: bytes, kind: str = "response", length: int | None = None, **headers: str) -> bytes:
    """A WARC record; other headers by name with `_` for `-`."""
    content_type = {"resource": "text/html"}.get(kind, f"application/http; msgtype={kind}")
    named = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:test:{zlib.crc32(url.encode() + block)}>",
        "WARC-Date": "2020-02-01T10:00:00Z",
        "WARC-Target-URI": url,
        "Content-Type": content_type,
        **{name.replace("_", "-"): value for name, value in headers.items()},
        "Content-Length": str(len(block) if length is None else length),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def http_response(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """An HTTP response as it comes over the wire."""
    named = {"Content_Type": "text/html; charset=utf-8", **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def page(name: str, body: bytes | None = None, **headers: str) -> bytes:
    """The WARC record of a page http://a.test/NAME."""
    html = f"<html><p>page {name}</html>".encode() if body is None else body
    return warc_record(f"http://a.test/{name}", http_response(html, **headers))


def arc_record(url: str, block: bytes) -> bytes:
    """An ARC record."""
    return f"{url} 1.2.3.4 20200201100000 text/html {len(block)}\n".encode() + block + b"\n"


@dataclass
class Crawl:
    """A folder to write crawl files to, and the way to read them."""

    folder: Path

    def write(self, name: str, *parts: bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(parts))
        return str(path)

    def read(self, *inputs: str, **settings: Any) -> tuple[list[Row], list[Row]]:
        """Captures and rejections."""
        chosen = CrawlSettings(**settings)
        splits, rejections = find_splits(inputs, chosen)
        rows: dict[str, list[Row]] = {"captures": [], "rejected": [r._asdict() for r in rejections]}
        for split in splits:
            for kind, batch in read_captures(split, chosen):
                batch.validate(full=True)
                rows[kind] += batch.to_pylist()
        return rows["captures"], rows["rejected"]

    def names(self, *inputs: str, **settings: Any) -> str:
        """The last parts of the URLs that were captured, in order."""
        return " ".join(row["url"].rpartition("/")[2] for row in self.read(*inputs, **settings)[0])

    def reasons(self, *inputs: str, **settings: Any) -> list[str]:
        return [row["reason"] for row in self.read(*inputs, **settings)[1]]


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    return Crawl(tmp_path)


@pytest.fixture
def make() -> type[Make]:
    return Make


class Make:
    """The makers of records, for tests to reach."""

    record = staticmethod(warc_record)
    response = staticmethod(http_response)
    page = staticmethod(page)
    arc = staticmethod(arc_record)

    @staticmethod
    def members(*records: bytes) -> bytes:
        """Each record as a gzip member, as in a .warc.gz."""
        return b"".join(gzip.compress(record, mtime=0) for record in records)
