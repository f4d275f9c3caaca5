"""What a client has already is not sent again, and what was answered is not looked for again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from pagekin.server.app import create_app
from pagekin.server.opened import Remembered
from pagekin.server.options import ServeOptions


@pytest.fixture
def target(url: str) -> str:
    return f"/api/related?url={url}&k=3"


def remembered_count(client: TestClient) -> float:
    lines = client.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith("pagekin_remembered_total")).split()[1])


def test_who_has_the_answer_is_told_so(client: TestClient, target: str) -> None:
    tag = client.get(target).headers["ETag"]
    again = client.get(target, headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)


def test_a_tag_is_good_for_one_question(client: TestClient, target: str) -> None:
    tag = client.get(target).headers["ETag"]
    assert client.get(f"{target}&explain=1", headers={"If-None-Match": tag}).status_code == 200


def test_a_fault_has_no_tag(client: TestClient) -> None:
    assert "ETag" not in client.get("/api/related?url=http://nowhere.invalid/").headers


def test_another_index_has_other_tags(client: TestClient, tmp_path: Path, site: object) -> None:
    other = TestClient(create_app(site(tmp_path, "other")))  # type: ignore[operator]
    tags = {asked.get("/api/suggest?q=").headers["ETag"] for asked in (client, other)}
    assert len(tags) == 2


def test_an_answer_is_given_again_from_memory(client: TestClient, target: str) -> None:
    first, before = client.get(f"{target}&offset=1").json(), remembered_count(client)
    again = client.get(f"{target}&offset=1").json()
    assert remembered_count(client) == before + 1
    assert again | {"took_ms": 0} == first | {"took_ms": 0}


def test_what_is_posted_is_not_remembered(client: TestClient, url: str) -> None:
    before = remembered_count(client)
    for _ in range(2):
        client.post("/api/related", json={"url": url})
    assert remembered_count(client) == before


def test_faults_are_not_remembered(client: TestClient) -> None:
    before = remembered_count(client)
    for _ in range(2):
        assert client.get("/api/related?url=http://nowhere.invalid/").status_code == 404
    assert remembered_count(client) == before


def test_answers_are_compressed_for_who_can_read_that(client: TestClient, target: str) -> None:
    assert client.get(target, headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in client.get(target, headers={"Accept-Encoding": "identity"}).headers


def test_without_an_origin_no_script_of_another_site_may_ask(client: TestClient, target: str) -> None:
    answer = client.get(target, headers={"Origin": "https://example.org"})
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(("origin", "allowed"), [("https://example.org", True), ("https://evil.example", False)])
def test_an_origin_that_is_named_may_ask(index: Path, target: str, origin: str, allowed: bool) -> None:
    app: FastAPI = create_app(index, ServeOptions(origins=("https://example.org",)))
    answer = TestClient(app).get(target, headers={"Origin": origin})
    assert (answer.headers.get("Access-Control-Allow-Origin") == origin) is allowed


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.binary(min_size=1, max_size=8)), max_size=30))
def test_the_latest_answers_are_kept_up_to_a_size(asked: list[tuple[str, bytes]]) -> None:
    remembered, kept = Remembered(20), dict[str, bytes]()
    for name, answer in asked:
        remembered.keep((name, b"??"), answer)
        kept.pop(name, None)
        kept[name] = answer
        while sum(len(each) + 2 for each in kept.values()) > 20:
            kept.pop(next(iter(kept)))
    assert {name: remembered.get((name, b"??")) for name in "abcdef"} == {name: kept.get(name) for name in "abcdef"}


def test_an_answer_that_is_asked_for_is_kept_longer() -> None:
    remembered = Remembered(6)
    for name in ("a", "b"):
        remembered.keep((name, b"1"), b"12")
    remembered.get(("a", b"1"))
    remembered.keep(("c", b"1"), b"12")
    assert [name for name in "abc" if remembered.get((name, b"1"))] == ["a", "c"]


def test_the_time_of_an_answer_from_memory_is_its_own(client: TestClient, target: str) -> None:
    client.get(f"{target}&explain=1")
    began = time.perf_counter()
    took = client.get(f"{target}&explain=1").json()["took_ms"]
    assert took <= 1000 * (time.perf_counter() - began)
