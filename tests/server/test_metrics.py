"""What Prometheus is told is what happened, in one process and in several."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

import pagekin
from pagekin.server.app import create_app


def samples(text: str) -> dict[tuple[str, ...], float]:
    """The value of each name with its labels, in the order of their names."""
    families = text_string_to_metric_families(text)
    return {
        (s.name, *(s.labels[name] for name in sorted(s.labels))): s.value for family in families for s in family.samples
    }


@pytest.fixture
def fresh(index: Path) -> TestClient:
    """A service that was not asked anything yet."""
    return TestClient(create_app(index))


def test_requests_are_counted_by_route_and_status(fresh: TestClient) -> None:
    for target in ("/api/suggest?q=a", "/api/suggest?q=a", "/api/suggest?q=b", "/api/suggest"):
        fresh.get(target)
    found = samples(fresh.get("/metrics").text)
    assert found["pagekin_requests_total", "GET", "/api/suggest", "200"] == 3
    assert found["pagekin_requests_total", "GET", "/api/suggest", "422"] == 1
    assert found["pagekin_errors_total", "GET", "/api/suggest", "422"] == 1
    assert found["pagekin_remembered_total",] == 1
    assert found["pagekin_request_seconds_count", "/api/suggest"] == 4


def test_addresses_that_are_no_routes_are_one(fresh: TestClient) -> None:
    for target in ("/no", "/such", "/thing"):
        fresh.get(target)
    assert samples(fresh.get("/metrics").text)["pagekin_requests_total", "GET", "other", "404"] == 3


def test_the_index_is_described(fresh: TestClient, index: Path) -> None:
    found, opened = samples(fresh.get("/metrics").text), pagekin.open(index)
    assert found["pagekin_ready",] == 1
    assert found["pagekin_index_documents",] == len(opened)
    assert found["pagekin_index_bytes",] == opened.manifest.bytes
    assert found["pagekin_index_age_seconds",] > 0


def test_several_workers_are_counted_together(two_workers: Any) -> None:
    for number in range(30):
        two_workers.ask(f"api/suggest?q={number}")
    with urlopen(two_workers.address + "metrics") as answer:
        found = samples(answer.read().decode())
    assert found["pagekin_requests_total", "GET", "/api/suggest", "200"] == 30
