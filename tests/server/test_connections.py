"""A connection has to ask for something in time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import uvicorn

from pagekin.server import connections
from pagekin.server.app import create_app
from pagekin.server.connections import PromptProtocol


@pytest.fixture
def port(index: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    config = uvicorn.Config(create_app(index), host="127.0.0.1", port=0, log_level="error", http=PromptProtocol)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def said(port: int, *sent: bytes) -> bytes:
    """All that the service says until it ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        for each in sent:
            client.sendall(each)
            time.sleep(0.1)
        data = b""
        while block := client.recv(1 << 16):
            data += block
        return data


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_one_that_does_not_ask_is_ended(port: int, sent: bytes) -> None:
    assert said(port, sent) == b""


def test_one_that_asks_slowly_once_more_is_ended(port: int) -> None:
    whole = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    assert said(port, whole, b"GET /he").count(b"HTTP/1.1 200 OK") == 1


def test_one_that_asks_in_pieces_is_answered(port: int) -> None:
    pieces = b"GET /healthz HTTP/1.1\r\n", b"Host: x\r\nConnection: close\r\n\r\n"
    assert said(port, *pieces).startswith(b"HTTP/1.1 200 OK")


def test_a_head_without_end_is_refused(port: int) -> None:
    with suppress(ConnectionError):  # it may be ended before all was sent, and with it what was said
        assert said(port, b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000).startswith(b"HTTP/1.1 4")
    assert said(port, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
