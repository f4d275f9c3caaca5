"""The routes give the JSON of the commands, and say in a sentence what is wrong with a question."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.testclient import TestClient

import pagekin
from pagekin.answers import plain, related_document, search_document
from pagekin.query.cocited import CitedTogether
from pagekin.query.explain import Reason
from pagekin.query.linked import SharedLinks
from pagekin.query.page_facts import PageFacts
from pagekin.query.records import Answer, Effort, Related
from pagekin.query.top_k.protocol import Accesses, LeftOut
from pagekin.server import models
from pagekin.server.app import create_app
from pagekin.server.options import ServeOptions


def without_time(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "took_ms"}


def documented(model: type[BaseModel], document: dict[str, Any]) -> None:
    """Raises if a document is not as OpenAPI says, or has a key, however deep, of which it says nothing."""
    read = model.model_validate_json(json.dumps(document), strict=True)
    assert read.model_dump(mode="json", exclude_unset=True) == document


# --- related


def test_related_is_what_the_command_gives(client: TestClient, index: Path, url: str) -> None:
    answer = client.get("/api/related", params={"url": url, "k": 5, "explain": True})
    expected = plain(related_document(pagekin.open(index).related(url, k=5, explain=True)))
    assert without_time(answer.json()) == expected


def test_the_time_that_it_took_comes_last(client: TestClient, url: str) -> None:
    document = client.get("/api/related", params={"url": url, "k": 6}).json()
    assert list(document)[-1] == "took_ms"
    assert document["took_ms"] > 0


@pytest.mark.parametrize(("offset", "k"), [(0, 4), (3, 4), (7, 1), (500, 2)])
def test_an_offset_leaves_out_the_first(client: TestClient, url: str, offset: int, k: int) -> None:
    every = client.get("/api/related", params={"url": url, "k": offset + k}).json()["results"]
    some = client.get("/api/related", params={"url": url, "k": k, "offset": offset}).json()["results"]
    assert some == every[offset:]


def test_a_question_by_post_is_one_by_get(client: TestClient, url: str) -> None:
    choice = {"url": url, "k": 4, "per_site": 1, "other_sites": True, "copies": True}
    assert without_time(client.post("/api/related", json=choice).json()) == without_time(
        client.get("/api/related", params=choice).json()
    )


def test_weights_are_those_of_the_index(client: TestClient, index: Path, url: str) -> None:
    answer = client.get("/api/related", params={"url": url, "weights": "text=1,concepts=0.5"}).json()
    expected = pagekin.open(index).related(url, weights={"text": 1, "concepts": 0.5})
    assert [(r["url"], r["score"]) for r in answer["results"]] == [(r.url, r.score) for r in expected.results]


def test_about_adds_words(client: TestClient, index: Path, url: str) -> None:
    answer = client.get("/api/related", params={"url": url, "about": "guide", "k": 3}).json()
    assert without_time(answer) == plain(related_document(pagekin.open(index).related(url, about="guide", k=3)))


@pytest.mark.parametrize("kind", ["text", "html"])
def test_what_is_in_no_index_can_be_asked_for(client: TestClient, index: Path, kind: str) -> None:
    text = "<p>a short guide to gardening and compost"
    answer = client.post("/api/related", json={kind: text, "k": 3}).json()
    given: dict[str, Any] = {"html": text.encode()} if kind == "html" else {"text": text}
    assert answer["results"] == plain(related_document(pagekin.open(index).related(**given, k=3)))["results"]


def test_scores_are_those_of_the_related_pages(client: TestClient, url: str) -> None:
    results = client.get("/api/related", params={"url": url, "k": 5}).json()["results"]
    asked = [*(found["url"] for found in results), "http://nowhere.invalid/"]
    answer = client.post("/api/scores", json={"url": url, "urls": asked}).json()
    assert answer["scores"] == [*(found["score"] for found in results), None]


# --- the other routes


@pytest.mark.parametrize("explain", [False, True])
def test_search_is_what_the_command_gives(client: TestClient, index: Path, explain: bool) -> None:
    answer = client.get("/api/search", params={"q": "guid* +short", "k": 4, "explain": explain})
    expected = plain(search_document(pagekin.open(index).search("guid* +short", 4), explain))
    assert without_time(answer.json()) == expected


def test_search_that_finds_nothing_is_an_answer(client: TestClient) -> None:
    answer = client.get("/api/search", params={"q": "qqqqqqqq"})
    assert (answer.status_code, answer.json()["total"], answer.json()["results"]) == (200, 0, [])


def test_a_page_has_its_terms(client: TestClient, index: Path, url: str) -> None:
    answer = client.get("/api/page", params={"url": url, "k": 7}).json()
    assert [(t["term"], t["weight"]) for t in answer["terms"]] == [
        (t.term, t.weight) for t in pagekin.open(index).terms(url, 7).terms
    ]


def test_duplicates_come_in_parts(client: TestClient) -> None:
    every = client.get("/api/duplicates", params={"k": 1000}).json()
    assert every["total"] == len(every["clusters"]) > 3
    some = client.get("/api/duplicates", params={"k": 2, "offset": 1}).json()
    assert some["clusters"] == every["clusters"][1:3]


def test_suggestions_have_an_address_and_a_title(client: TestClient, index: Path, url: str) -> None:
    answer = client.get("/api/suggest", params={"q": url, "k": 1}).json()
    title = client.get("/api/page", params={"url": url}).json()["title"]
    assert answer["suggestions"] == [{"url": url, "title": title}]


def test_health_names_the_index(client: TestClient, index: Path) -> None:
    health = client.get("/healthz").json()
    assert (health["status"], health["documents"]) == ("ready", len(pagekin.open(index)))


# --- what OpenAPI says


@pytest.mark.parametrize(
    ("path", "params", "model"),
    [
        ("/api/related", {"explain": True, "k": 3}, models.RelatedAnswer),
        ("/api/page", {}, models.PageAnswer),
    ],
)
def test_answers_on_a_page_are_as_described(
    client: TestClient, url: str, path: str, params: dict[str, Any], model: type[BaseModel]
) -> None:
    documented(model, client.get(path, params={"url": url, **params}).json())


@pytest.mark.parametrize(
    ("target", "model"),
    [
        ("/api/search?q=guid*&explain=1", models.SearchAnswer),
        ("/api/duplicates", models.DuplicatesAnswer),
        ("/api/suggest?q=g", models.SuggestAnswer),
        ("/healthz", models.Health),
    ],
)
def test_answers_are_as_described(client: TestClient, target: str, model: type[BaseModel]) -> None:
    documented(model, client.get(target).json())


@pytest.mark.parametrize(
    ("record", "model"),
    [
        (Answer, models.RelatedAnswer),
        (Related, models.Related),
        (Effort, models.Effort),
        (Accesses, models.Accesses),
        (LeftOut, models.LeftOut),
        (Reason, models.Reason),
        (SharedLinks, models.SharedLinks),
        (CitedTogether, models.CitedTogether),
        (PageFacts, models.PageAnswer),
    ],
)
def test_a_record_is_described_with_all_that_it_has(record: Any, model: type[BaseModel]) -> None:
    assert {field.name for field in dataclasses.fields(record)} == model.model_fields.keys() - {"took_ms"}


def test_an_explained_answer_says_what_it_took_and_how_links_tie(client: TestClient, url: str) -> None:
    answer = client.get("/api/related", params={"url": url, "explain": True, "k": 50}).json()
    assert {each["source"] for each in answer["effort"]["accesses"]} == answer["results"][0]["shares"].keys()
    assert any(why["linked"] for found in answer["results"] for why in found["why"])


def test_the_shares_of_a_page_are_its_score(client: TestClient, url: str) -> None:
    for found in client.get("/api/related", params={"url": url, "k": 20}).json()["results"]:
        assert sum(found["shares"].values()) == pytest.approx(found["score"], abs=1e-5)


def test_every_route_of_the_api_says_what_it_is_for(app: FastAPI) -> None:
    for methods in app.openapi()["paths"].values():
        for route in methods.values():
            assert route["summary"] and route["description"] and "200" in route["responses"]


# --- faults


@pytest.mark.parametrize(
    ("target", "status", "said"),
    [
        ("/api/related?url=http://nowhere.invalid/", 404, "http://nowhere.invalid/ is not in this index"),
        ("/api/related", 422, "url is missing"),
        ("/api/related?url=x&k=0", 422, "k should be greater than or equal to 1, found '0'"),
        ("/api/related?url=x&k=ten", 422, "k should be a valid integer"),
        ("/api/related?url=x&kk=3", 422, "there is no parameter 'kk'"),
        ("/api/related?url=x&weights=text", 422, "weights has not the form that /docs shows, found 'text'"),
        ("/api/search?q=%20", 422, "q has not the form that /docs shows"),
        ("/api/search?q=(bees", 400, "the query cannot be read"),
        ("/api/page?url=http://nowhere.invalid/", 404, "is not in this index"),
        ("/api/nothing", 404, "there is nothing here"),
    ],
)
def test_a_fault_is_a_sentence(client: TestClient, target: str, status: int, said: str) -> None:
    answer = client.get(target)
    assert answer.status_code == status
    assert answer.json().keys() == {"error"}
    assert said in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "the body is no JSON"),
        (b"{}", "give one of url, html, text and terms"),
        (b'{"url": "x", "text": "y"}', "give one of url, html, text and terms"),
        (b'{"text": "\\ud800"}', "text should be a valid string"),
        (b'{"text": ""}', "text should have at least 1 character"),
        (b"[]", "the body should be a valid dictionary"),
    ],
)
def test_a_wrong_body_is_told_in_a_sentence(client: TestClient, body: bytes, said: str) -> None:
    answer = client.post("/api/related", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_a_source_that_the_index_lacks_is_told_without_where_it_lies(client: TestClient, url: str) -> None:
    answer = client.get("/api/related", params={"url": url, "weights": "words=1"})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("sample.kin has no words")


def test_a_wrong_method_is_told(client: TestClient) -> None:
    answer = client.delete("/api/related")
    assert (answer.status_code, answer.headers["Allow"], answer.json().keys()) == (405, "GET, POST", {"error"})


def test_a_fault_of_ours_shows_no_traceback(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(index)
    monkeypatch.setattr(app.state.calls, "run", None)
    answer = TestClient(app, raise_server_exceptions=False).get("/api/suggest?q=a")
    assert (answer.status_code, answer.json().keys()) == (500, {"error"})
    assert "NoneType" not in answer.text


def test_before_an_index_is_open_every_question_is_told_to_wait(index: Path) -> None:
    waiting = TestClient(create_app(index, ServeOptions(open_later=True)))
    for target in ("/healthz", "/api/suggest?q=a", f"/api/related?url={quote('http://x/')}"):
        answer = waiting.get(target)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert "being opened" in answer.json()["error"]


# --- /docs


def test_the_docs_list_every_route(client: TestClient, app: FastAPI) -> None:
    page = client.get("/docs").text
    assert all(f" {path}</code>" in page for path in app.openapi()["paths"])


def test_the_docs_need_nothing_from_elsewhere(client: TestClient) -> None:
    answer = client.get("/docs")
    assert re.findall(r'(?:href|src)="?([^" >]*)', answer.text) == ["/openapi.json"]
    assert "<script" not in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
