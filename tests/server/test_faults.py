"""What went wrong is told to programs as JSON and to people on a page, and tells nobody where the index lies."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from pagekin.server.app import create_app
from pagekin.server.joined import create_joined_app
from pagekin.server.opened import without_place
from pagekin.server.options import ServeOptions

Site = Callable[[Path, str], Path]
PERSON = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
WAX = "http://site/wax.html"


# --- for people and for programs


def test_a_person_is_told_on_a_page_that_there_is_no_such_page(client: TestClient) -> None:
    answer = client.get("/nothing", headers=PERSON)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is no such page." in answer.text and "Content-Security-Policy" in answer.headers


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_a_program_is_told_in_json_that_there_is_nothing(client: TestClient, accept: str) -> None:
    answer = client.get("/nothing", headers={"Accept": accept})
    assert (answer.status_code, answer.json().keys()) == (404, {"error"})


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/api/related?url=http://nowhere.invalid/", "/admin/nothing"])
def test_the_api_speaks_json_to_everybody(client: TestClient, path: str) -> None:
    answer = client.get(path, headers=PERSON)
    assert (answer.status_code, answer.json().keys()) == (404, {"error"})


def test_what_only_begins_like_the_api_is_no_part_of_it(client: TestClient) -> None:
    assert "<h1>" in client.get("/apiary", headers=PERSON).text


def test_a_service_without_pages_speaks_json_to_everybody() -> None:
    joined = TestClient(create_joined_app(ServeOptions(join=("http://a.test", "http://b.test"))))
    answer = joined.get("/nothing", headers=PERSON)
    assert (answer.status_code, answer.json().keys()) == (404, {"error"})


def test_a_page_that_is_asked_for_in_a_wrong_way_says_so(client: TestClient) -> None:
    answer = client.post("/related", headers=PERSON)
    assert (answer.status_code, "This page is not asked for in this way." in answer.text) == (405, True)


@pytest.mark.parametrize("path", ["/", "/search?q=honey", "/embed.json?url=http://a.test/"])
def test_before_an_index_is_open_a_page_says_that_one_has_to_wait(index: Path, path: str) -> None:
    answer = TestClient(create_app(index, ServeOptions(open_later=True))).get(path, headers=PERSON)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert "sample.kin is being opened" in answer.text and "<h1>Not now</h1>" in answer.text


def test_a_page_that_takes_too_long_is_given_up_on_a_page(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app, ended = create_app(index, ServeOptions(timeout_seconds=0.2)), threading.Event()
    monkeypatch.setattr(app.state.opened.index, "terms", lambda *_: ended.wait(30))
    with TestClient(app) as client:
        answer = client.get("/page", params={"url": app.state.opened.served.suggestions.likeliest}, headers=PERSON)
        ended.set()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert "No answer within 0.2 seconds; ask for less, or later." in answer.text


def test_a_search_on_a_page_may_take_as_long_as_a_request(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(index, ServeOptions(timeout_seconds=7.5))
    given: list[float] = []
    search = app.state.opened.index.search
    monkeypatch.setattr(
        app.state.opened.index,
        "search",
        lambda *asked, **how: (given.append(how["timeout_seconds"]), search(*asked))[1],
    )
    TestClient(app).get("/search?q=guide")
    assert given == [7.5]


# --- where the index lies


def test_no_answer_tells_where_the_index_lies(app: FastAPI, client: TestClient, index: Path, url: str) -> None:
    places = {str(index.parent), str(app.state.opened.index.path)}
    asked = [f"{path}?url={url}" for path in ("/api/related", "/api/page", "/related", "/page", "/blocks", "/map")]
    asked += [f"{path}?url=nowhere.invalid" for path in ("/api/related", "/api/page", "/related", "/page", "/blocks")]
    asked += [f"{path}?q=%22never+closed" for path in ("/api/search", "/search")]
    asked += [f"/api/related?url={url}&weights=words=1", f"/why?url={url}&other={url}", "/api/duplicates", "/nothing"]
    asked += ["/", "/healthz", "/metrics", "/docs", "/openapi.json", "/embed", "/evaluation", "/static/none.css"]
    for target in asked:
        answer = client.get(target, headers=PERSON)
        assert not [place for place in places if place in answer.text or place in str(answer.headers)], target


@pytest.fixture
def damaged(tmp_path: Path, site: Site) -> FastAPI:
    """A service that loses a part of its index while it answers."""
    app = create_app(site(tmp_path, "old"))
    index = app.state.opened.index
    index.__dict__.pop("_concepts")  # so that it is opened again
    for part in (index.path / "concepts").iterdir():
        part.unlink()
    return app


def test_why_a_source_is_left_out_is_told_without_where_it_lies(damaged: FastAPI) -> None:
    answer = TestClient(damaged).get("/api/related", params={"url": WAX}).json()
    [left] = answer["left_out"]
    assert left["source"] == "concepts" and "'site.kin/concepts/" in left["reason"]
    assert str(damaged.state.opened.index.path) not in left["reason"]


def test_a_page_tells_the_same_of_a_source_that_is_left_out(damaged: FastAPI) -> None:
    text = TestClient(damaged).get("/related", params={"url": WAX}).text
    assert "same topics ([Errno 2] No such file or directory: &#39;site.kin/concepts/" in text


@pytest.mark.parametrize("path", ["/data/site.kin", "data/site.kin", "site.kin"])
def test_a_place_becomes_a_name(path: str) -> None:
    resolved = Path(path).resolve()
    said = without_place(f"{path} is damaged, {resolved}/terms is missing", Path(path))
    assert said == "site.kin is damaged, site.kin/terms is missing"


def test_a_place_without_a_name_stays(tmp_path: Path) -> None:
    assert without_place("a. b.", Path(".")) == "a. b."
