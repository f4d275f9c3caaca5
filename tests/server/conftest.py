"""Indexes to be served, a client that needs no network, and services in processes of their own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import pagekin
from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.sample import write_sample
from pagekin.server.app import create_app
from pagekin.server.options import ServeOptions

TOKEN = "a token of the tests"
LONGEST_WAIT_SECONDS = 120
STOPPED = (0, -signal.SIGTERM)  # how a service ends that was told to
SERVE = [sys.executable, "-c", "from pagekin.cli.serve import serve; serve()"]
SOURCES = str(Path(pagekin.__file__).parents[1])

Site = Callable[[Path, str], Path]


def _build_site(folder: Path, name: str) -> Path:
    """Build the index of a few pages whose titles all end with a name; one that stands there is replaced."""
    pages = folder / "site"
    pages.mkdir(parents=True, exist_ok=True)
    for topic in ("honey", "wax", "pollen", "brood"):
        text = f"<title>{topic} {name}</title><p>swarm hive comb nectar queen {topic} {name} keeper meadow clover"
        (pages / f"{topic}.html").write_text(text, "utf-8")
    build(pages, folder / "site.kin", engine=LocalEngine(workers=1), force=True)
    return folder / "site.kin"


@pytest.fixture(scope="session")
def build_site() -> Site:
    """Builds a small index in a folder."""
    return _build_site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Puts a small index into a folder, a copy of one that was built before."""
    built = cache(lambda name: _build_site(tmp_path_factory.mktemp(name), name))

    def put(folder: Path, name: str) -> Path:
        shutil.rmtree(folder / "site.kin", ignore_errors=True)
        return Path(shutil.copytree(built(name), folder / "site.kin"))

    return put


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a small sample web; not to be changed."""
    folder = tmp_path_factory.mktemp("served")
    write_sample(folder, 300)
    build(folder / "sample.warc.gz", folder / "sample.kin", engine=LocalEngine(workers=1))
    return folder / "sample.kin"


@pytest.fixture(scope="session")
def app(index: Path) -> FastAPI:
    """The service of it."""
    return create_app(index, ServeOptions(token=TOKEN))


@pytest.fixture(scope="session")
def client(app: FastAPI) -> Iterator[TestClient]:
    """Asks it."""
    with TestClient(app) as asking:
        yield asking


@pytest.fixture(scope="session")
def url(client: TestClient) -> str:
    """A page of it that has copies and in-links."""
    clusters = client.get("/api/duplicates").json()["clusters"]
    return str(clusters[0]["representative"])


@dataclass
class Running:
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    address: str
    log: Path

    def ask(self, target: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, Any]:
        """The status and the document of an answer."""
        request = urllib.request.Request(self.address + target, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_WAIT_SECONDS) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def lines(self) -> list[str]:
        """What it has written down."""
        return self.log.read_text("utf-8").splitlines()

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Until something is so."""
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while not is_so():
            assert time.monotonic() < deadline and self.process.poll() is None, self.log.read_text("utf-8")
            time.sleep(0.05)

    def is_ready(self) -> bool:
        """Whether it says so."""
        return self.ask("healthz")[0] == 200


Serving = Callable[..., AbstractContextManager[Running]]


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Serving:
    """Begins a service, waits until it is ready, and ends it."""

    @contextmanager
    def serve(index: Path, *options: str) -> Iterator[Running]:
        log = tmp_path_factory.mktemp("service") / "log"
        environment = {**os.environ, "PYTHONPATH": SOURCES, "PAGEKIN_TOKEN": TOKEN}
        with log.open("w") as errors:
            process = subprocess.Popen(
                [*SERVE, str(index), "--port", "0", *options], env=environment, text=True,
                stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            assert " is served at " in said, log.read_text("utf-8")
            running = Running(process, said.split()[-1], log)
            running.wait_for(running.is_ready)
            yield running
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(LONGEST_WAIT_SECONDS)
            process.stdout.close()
        assert status in STOPPED, log.read_text("utf-8")

    return serve


@pytest.fixture(scope="session")
def two_workers(serving: Serving, index: Path) -> Iterator[Running]:
    """A service of two processes."""
    with serving(index, "--workers", "2") as running:
        yield running
