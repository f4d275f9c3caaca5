"""What is written down is one JSON object a line, or a line for a person; what others sent cannot break a line."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from pagekin.server.logs import NAMES, set_up_logs


@pytest.fixture
def written(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """What is written, plain or not."""
    stream, before = io.StringIO(), [(name, logging.getLogger(name).handlers) for name in NAMES]
    set_up_logs(request.param == "plain", stream)
    yield stream
    for name, handlers in before:
        logging.getLogger(name).handlers = handlers


def requests(stream: io.StringIO) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [line for line in lines if line["event"] == "request"]


@pytest.mark.parametrize("written", ["json"], indirect=True)
def test_a_request_is_one_object(client: TestClient, written: io.StringIO) -> None:
    sent = client.get("/api/suggest?q=a&k=0")
    [line] = requests(written)
    assert line.keys() == {"time", "level", "event", "method", "target", "status", "took_ms", "bytes", "client"}
    assert (line["target"], line["status"]) == ("/api/suggest?q=a&k=0", 422)
    assert line["bytes"] == len(sent.content)


@pytest.mark.parametrize("written", ["json"], indirect=True)
def test_what_machines_ask_every_second_is_not_written(client: TestClient, written: io.StringIO) -> None:
    for target in ("/healthz", "/metrics"):
        client.get(target)
    assert requests(written) == []


@pytest.mark.parametrize("written", ["plain"], indirect=True)
def test_a_plain_line_stays_one_line(written: io.StringIO) -> None:
    logging.getLogger("pagekin.server").info("request", extra={"fields": {"target": "/a\n12:00:00 \x1b[31mfalse"}})
    [line] = written.getvalue().splitlines()
    assert "target=/a 12:00:00  [31mfalse" in line


@pytest.mark.parametrize("written", ["json"], indirect=True)
def test_a_fault_of_ours_is_written_with_its_traceback(
    client: TestClient, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagekin.server.api.related_answer", None)
    client.post("/api/related", json={"text": "bees"})
    [fault] = [json.loads(line) for line in written.getvalue().splitlines() if '"fault"' in line]
    assert (fault["path"], "TypeError" in fault["traceback"]) == ("/api/related", True)
