"""A small web built on Spark as a large one would be: read from a server, and with no side table sent everywhere."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from equal_indexes import differences

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.sample import write_sample
from pagekin.settings import read_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGES = 300
SETTINGS = read_settings(assignments=["crawl.split_bytes=100000"])


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, PAGES, seed=3)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="module")
def expected(web: Path, spark: SparkSession) -> Path:
    index = web.with_name("local.kin")
    pagekin.build(web, index, SETTINGS, engine=LocalEngine(2))
    return index


class RangeHandler(http.server.BaseHTTPRequestHandler):
    """Serves one file, or the part of it that is asked for, and notes which."""

    data: bytes
    asked: list[tuple[int, int]]

    def do_HEAD(self) -> None:
        self._answer(200, len(self.data))

    def do_GET(self) -> None:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        first, last = (int(found[1]), min(int(found[2]) + 1, len(self.data))) if found else (0, len(self.data))
        self._answer(206 if found else 200, last - first, f"bytes {first}-{last - 1}/{len(self.data)}")
        self.wfile.write(self.data[first:last])
        if found:
            self.asked.append((first, last))

    def _answer(self, status: int, length: int, part: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", part)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def served(web: Path) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """The address of the crawl, and the parts of it that were asked for."""
    handler = type("Handler", (RangeHandler,), {"data": web.read_bytes(), "asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{web.name}", handler.asked
        server.shutdown()


@pytest.mark.skipif(not find_spec("aiohttp"), reason="crawls at http:// need aiohttp: pip install 'pagekin[http]'")
def test_workers_read_their_pieces_of_a_crawl_from_a_server(
    expected: Path, served: tuple[str, list[tuple[int, int]]], tmp_path: Path
) -> None:
    from pagekin.engines.spark import SparkEngine

    (address, asked), index = served, tmp_path / "far.kin"
    pagekin.build(address, index, SETTINGS, engine=SparkEngine())
    assert differences(expected, index) == []
    assert len(asked) >= 6  # one of 600,000 bytes is cut into six pieces and a rest


def test_what_is_looked_up_may_be_joined_in_every_step(web: Path, expected: Path, tmp_path: Path) -> None:
    from pagekin.engines.spark import SparkEngine

    index, nothing_is_small = tmp_path / "joined.kin", {"spark.sql.autoBroadcastJoinThreshold": "-1"}
    pagekin.build(web, index, SETTINGS, engine=SparkEngine(memory=1 << 27, settings=nothing_is_small))
    assert differences(expected, index) == []
