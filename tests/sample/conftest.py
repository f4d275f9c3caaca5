"""One sample web of 600 pages, written once, and its captures as a reader finds them."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from pagekin.sample import write_sample

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # FastWARC 1.1.0 warns of itself when it is imported
    from fastwarc.warc import ArchiveIterator

PAGES = 600


@dataclass(frozen=True)
class Capture:
    """A record of the sample web, its body as sent and as decoded."""

    kind: str
    url: str
    date: str
    headers: dict[str, str]
    status: int
    http: dict[str, str]
    body: bytes
    digests_right: bool

    @property
    def text(self) -> str:
        declared = re.search(rb"charset=\"?([\w-]+)", self.http.get("Content-Type", "").encode() + self.body)
        if self.body.startswith(b"\xff\xfe"):
            return self.body.decode("utf-16")
        return self.body.decode(declared[1].decode() if declared else "utf-8")

    @property
    def links(self) -> list[str]:
        base = re.search(r'<base href="([^"]+)"', self.text)
        hrefs = re.findall(r'<a href="?([^" >]+)', self.text, re.I)
        return [urljoin(base[1] if base else self.url, unescape(href)) for href in hrefs]


def read_captures(path: Path) -> list[Capture]:
    """Every record of a WARC file; it is read twice, because to check a digest is to leave the body coded."""
    with path.open("rb") as file:
        right = [_digests_right(record) for record in ArchiveIterator(file, parse_http=False)]
    with path.open("rb") as file:
        records = ArchiveIterator(file, parse_http=False)
        return [_capture(*pair) for pair in zip(records, right, strict=True)]


def _digests_right(record: Any) -> bool:
    right = record.verify_block_digest()
    record.parse_http()
    return right and (record.headers["WARC-Type"] != "response" or record.verify_payload_digest())


def _capture(record: Any, right: bool) -> Capture:
    record.parse_http(auto_decode="transfer")
    headers, http = dict(record.headers.items()), record.http_headers
    response = http is not None and headers["WARC-Type"] != "request"
    return Capture(
        headers["WARC-Type"], headers.get("WARC-Target-URI", ""), headers["WARC-Date"], headers,
        http.status_code if response else 0, dict(http.items()) if response else {},
        _uncompressed(record.reader.read(), http.get("Content-Encoding") if response else None), right,
    )  # fmt: skip


def _uncompressed(body: bytes, coding: str | None) -> bytes:
    """Without FastWARC's own way, which ends the file at a body that is deflated and in chunks (1.1.0)."""
    return zlib.decompress(body, wbits=47) if body and coding else body


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the sample web."""
    directory = tmp_path_factory.mktemp("web")
    write_sample(directory, PAGES, seed=1)
    return directory


@pytest.fixture(scope="session")
def captures(web: Path) -> list[Capture]:
    """Every record of the sample web."""
    return read_captures(web / "sample.warc.gz")


@pytest.fixture(scope="session")
def pages(captures: list[Capture]) -> dict[str, Capture]:
    """The newest good capture of each page whose server calls it HTML or does not say."""
    found: dict[str, Capture] = {}
    for capture in sorted(captures, key=lambda capture: capture.date):
        html = capture.http.get("Content-Type", "text/html").startswith("text/html")
        if capture.kind == "response" and capture.status == 200 and html:
            found[capture.url] = capture
    return found


@pytest.fixture(scope="session")
def rows(web: Path) -> Callable[[str], list[list[str]]]:
    """The rows of a file of truth."""
    return lambda name: [line.split("\t") for line in (web / name).read_text("utf-8").splitlines()]
