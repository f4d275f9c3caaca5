"""A request that is too large or takes too long is told so, and others go on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from pagekin.server.app import create_app
from pagekin.server.limits import SizeLimit, TimeLimit
from pagekin.server.opened import Served
from pagekin.server.options import ServeOptions

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def small(index: Path) -> FastAPI:
    """A service of small limits, and one thread."""
    return create_app(index, ServeOptions(most_bytes=1000, timeout_seconds=0.3, threads=1))


def body(size: int) -> bytes:
    return b'{"text": "' + b"a" * (size - 12) + b'"}'


@pytest.mark.parametrize(("size", "status"), [(1000, 200), (1001, 413), (100_000, 413)])
def test_a_body_may_be_as_long_as_the_limit(small: FastAPI, size: int, status: int) -> None:
    answer = TestClient(small).post("/api/related", content=body(size), headers=JSON)
    assert answer.status_code == status


@pytest.mark.parametrize(("size", "status"), [(1000, 200), (1001, 413)])
def test_a_body_of_unknown_length_is_counted(small: FastAPI, size: int, status: int) -> None:
    def pieces() -> Iterator[bytes]:
        whole = body(size)
        yield from (whole[at : at + 100] for at in range(0, size, 100))

    answer = TestClient(small).post("/api/related", content=pieces(), headers=JSON)
    assert (answer.request.headers.get("Content-Length"), answer.status_code) == (None, status)


def test_who_sends_too_much_is_told_how_much_it_may_be(small: FastAPI) -> None:
    answer = TestClient(small).post("/api/related", content=body(2000), headers=JSON)
    assert answer.json() == {"error": "a request may have 1,000 bytes, this one has more"}


def test_what_takes_too_long_is_given_up_and_the_thread_is_used_again(
    small: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def slow(served: Served, _: object) -> dict[str, str]:
        ended.wait(30)
        return {"query": "late"}

    with TestClient(small) as client:
        with monkeypatch.context() as patched:
            patched.setattr("pagekin.server.api.related_answer", slow)
            answer = client.post("/api/related", json={"text": "bees"})
        ended.set()
        assert answer.status_code == 503
        assert answer.json() == {"error": "no answer within 0.3 seconds; ask for less, or later"}
        assert client.post("/api/related", json={"text": "bees"}).status_code == 200


async def _never(*_: object) -> None:
    await asyncio.sleep(60)


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def reading(scope: object, receive: object, send: object) -> None:
        await receive()  # type: ignore[operator]

    scope = {"type": "http", "headers": []}
    layers = SizeLimit(TimeLimit(reading, 0.05), 10)  # type: ignore[arg-type]
    asyncio.run(layers(scope, _never, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 503
