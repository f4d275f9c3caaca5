"""Another index takes the place of the one that answers, in services that run as they do for a person."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from pagekin.server.app import create_app
from pagekin.server.options import ServeOptions
from pagekin.server.reload import is_token

Site = Callable[[Path, str], Path]
Serving = Callable[..., AbstractContextManager[Any]]
TOKEN = "a token of the tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ASKED = "api/related?url=http://site/wax.html&explain=1"


def names(answer: dict[str, Any]) -> set[str]:
    """Which index the pages and the reasons of an answer are from."""
    found = [*answer["results"], *answer["copies"]]
    quotes = [why["quote"] for each in found for why in each["why"]]
    assert found and all(quotes)
    return {text.split()[-1] for each in found for text in [each["title"]]} | {
        name for name in ("old", "new") for quote in quotes if name in quote.split()
    }


class Asking:
    """Asks again and again in threads, and keeps what came."""

    def __init__(self, running: Any, threads: int = 4) -> None:
        self._running, self._is_over = running, threading.Event()
        self.answers: list[tuple[int, frozenset[str]]] = []
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(threads)]

    def __enter__(self) -> Asking:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        asked = 0
        while not self._is_over.is_set():
            asked += 1
            k = 1 + (asked * len(self._threads) + number) % 900  # so that few answers are remembered
            try:
                status, answer = self._running.ask(f"{ASKED}&k={k}")
                self.answers.append((status, frozenset(names(answer) if status == 200 else {str(answer)})))
            except OSError as error:
                self.answers.append((0, frozenset({str(error)})))

    def wait_for_more(self, count: int) -> None:
        """Until so many more answers came."""
        wanted = len(self.answers) + count
        self._running.wait_for(lambda: len(self.answers) >= wanted)


def _count(running: Any, text: str) -> int:
    return sum(text in line for line in running.lines())


# With two workers the one that is asked by POST tells the parent by SIGHUP, so that both ways are gone with both.
@pytest.mark.parametrize(("workers", "way"), [(1, "SIGHUP"), (2, "POST")])
def test_no_answer_is_lost_or_mixed_when_the_index_is_replaced(
    tmp_path: Path, build_site: Site, serving: Serving, workers: int, way: str
) -> None:
    changed = '"event": "reload", "changed": true'
    with serving(build_site(tmp_path, "old"), "--workers", str(workers)) as running, Asking(running) as asking:
        running.wait_for(lambda: _count(running, "Application startup complete") == workers)
        asking.wait_for_more(20)
        before = _count(running, changed)
        build_site(tmp_path, "new")
        asking.wait_for_more(20)
        if way == "POST":
            assert running.ask("admin/reload", "POST", **BEARER)[1]["changed"] is True
        else:
            running.process.send_signal(signal.SIGHUP)
        running.wait_for(lambda: _count(running, changed) == before + workers)
        asking.wait_for_more(20)
    assert set(asking.answers) == {(200, frozenset({"old"})), (200, frozenset({"new"}))}
    assert asking.answers[-1] == (200, frozenset({"new"}))


def test_an_index_that_cannot_be_used_does_not_replace_one(tmp_path: Path, site: Site, serving: Serving) -> None:
    path = site(tmp_path, "old")
    with serving(path) as running:
        shutil.rmtree(path)
        status, answer = running.ask("admin/reload", "POST", **BEARER)
        assert (status, "the old index goes on to answer" in answer["error"]) == (409, True)
        assert answer["error"].startswith("site.kin ") and str(tmp_path) not in answer["error"]
        running.process.send_signal(signal.SIGHUP)
        running.wait_for(lambda: _count(running, '"event": "reload", "error"') == 2)
        assert names(running.ask(ASKED)[1]) == {"old"}


def test_a_worker_that_dies_is_replaced(two_workers: Any) -> None:
    started = "Started server process ["
    two_workers.wait_for(lambda: _count(two_workers, started) == 2)
    [first, *_] = [json.loads(line)["event"] for line in two_workers.lines() if started in line]
    os.kill(int(first.partition("[")[2].partition("]")[0]), signal.SIGKILL)
    two_workers.wait_for(lambda: _count(two_workers, started) == 3)
    assert any('"event": "worker died"' in line for line in two_workers.lines())


def test_a_service_that_is_told_to_stop_ends(tmp_path: Path, site: Site, serving: Serving) -> None:
    with serving(site(tmp_path, "old")) as running:
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(60) in (0, -signal.SIGTERM)


# --- tokens


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"}]
)
def test_without_the_token_nothing_is_changed(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/admin/reload", headers=headers)
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_service_without_a_token_can_not_be_changed(index: Path) -> None:
    app: FastAPI = create_app(index, ServeOptions())
    answer = TestClient(app).post("/admin/reload", headers={"Authorization": "Bearer "})
    assert answer.status_code == 403


def test_a_token_may_be_of_any_letters() -> None:
    assert is_token("bearer žluť", "žluť")
    assert not is_token("Bearer zlut", "žluť")
