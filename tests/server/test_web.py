"""The web pages as HTTP: which status, which headers, and what leads where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi", reason="no FastAPI here: pip install 'pagekin[serve]'")

from fastapi.testclient import TestClient

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.server.app import create_app
from pagekin.server.html import Links, outside
from pagekin.server.options import ServeOptions
from pagekin.server.static_files import static_files
from pagekin.server.web import FIXED, QUESTIONS
from pagekin.settings import Settings

PAGES = {
    "bees": '<html lang=en><title>Bees & <b>hives</title><p>Bees make honey in a hive. <a href="honey.html">Honey</a>',
    "honey": '<html lang=en><title>Honey</title><p>Honey is made by bees in a hive. <a href="bees.html">Bees</a>',
    "wax": "<html lang=en><title>Wax</title><p>Wax is made by bees in a hive; honey is kept in it.",
}
BEES = quote("http://site/bees.html", safe="")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three pages."""
    folder = tmp_path_factory.mktemp("web")
    (folder / "site").mkdir()
    for name, html in PAGES.items():
        (folder / "site" / f"{name}.html").write_text(html, "utf-8")
    pagekin.build(folder / "site", folder / "bees.kin", Settings(), engine=LocalEngine(1))
    return folder / "bees.kin"


@pytest.fixture(scope="module")
def web(index: Path) -> Iterator[TestClient]:
    """A client of the service, which follows no redirection."""
    with TestClient(create_app(index), follow_redirects=False) as client:
        yield client


PATHS = (
    "/",
    "/search?q=honey",
    f"/related?url={BEES}",
    "/related?text=honey",
    f"/why?url={BEES}&other=http://site/wax.html",
    f"/page?url={BEES}",
    f"/blocks?url={BEES}",
    f"/map?url={BEES}",
    "/evaluation",
    "/embed",
)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_html_that_may_run_nothing_from_elsewhere(web: TestClient, path: str) -> None:
    answer = web.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_no_script_or_style_of_its_own(web: TestClient, path: str) -> None:
    html = web.get(path).text
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src=)", html)


@pytest.mark.parametrize("path", PATHS)
def test_all_that_a_page_loads_is_ours(web: TestClient, path: str) -> None:
    loaded = re.findall(r'(?:src|<link[^>]* href)="([^"]*)"', web.get(path).text)
    assert len(loaded) > 3
    assert all(web.get(each.replace("&amp;", "&")).status_code == 200 for each in loaded)


def test_titles_are_escaped(web: TestClient) -> None:
    assert "Bees &amp; &lt;b&gt;hives" in web.get("/search?q=honey").text


def test_the_first_page_tells_what_the_index_holds(web: TestClient) -> None:
    assert "<dt>pages</dt><dd>3</dd>" in web.get("/").text


def test_an_address_in_the_box_leads_to_its_related_pages(web: TestClient) -> None:
    for asked in ("http://site/bees.html", "site/bees.html"):
        answer = web.get("/search", params={"q": asked})
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/related?url=")


def test_a_word_with_a_dot_that_is_no_page_is_searched_for(web: TestClient) -> None:
    assert web.get("/search", params={"q": "honey.bees"}).status_code == 200


def test_nothing_in_the_box_leads_to_the_first_page(web: TestClient) -> None:
    assert web.get("/search", params={"q": "  "}).headers["location"] == "/"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/related?url=http://site/none.html", 404),
        ("/page?url=javascript:alert(1)", 404),
        (f"/why?url={BEES}&other=http://site/none.html", 404),
        ("/search?q=%22never+closed", 400),
        ("/related", 400),
        (f"/related?url={BEES}&text=honey", 400),
        (f"/related?url={BEES}&k=0", 400),
        (f"/related?url={BEES}&per_site=x", 400),
        ("/static/none.css", 404),
        ("/static/..%2fweb.py", 404),
        ("/evaluation/report", 404),
    ],
)
def test_what_cannot_be_answered_is_told_on_a_page(web: TestClient, path: str, status: int) -> None:
    answer = web.get(path)
    assert answer.status_code == status
    if "%2f" not in path:
        assert "<h1>" in answer.text and "content-security-policy" in answer.headers


def test_the_fault_in_a_query_is_shown_under_its_place(web: TestClient) -> None:
    assert "\n^ expected another quote" in web.get("/search?q=%22never+closed").text


def test_the_reasons_alone_are_a_fragment(web: TestClient) -> None:
    fragment = web.get(f"/why?url={BEES}&other=http://site/wax.html&fragment=true").text
    assert fragment.lstrip().startswith('<div class="reasons">') and "<html" not in fragment
    assert "honey" in fragment


def test_a_static_file_asked_for_by_its_digest_never_changes(web: TestClient) -> None:
    file = static_files()["pagekin.css"]
    assert "immutable" in web.get(f"/static/pagekin.css?v={file.digest}").headers["cache-control"]
    assert web.get("/static/pagekin.css?v=other").headers["cache-control"] == "no-cache"


def test_a_static_file_that_is_known_is_not_sent_again(web: TestClient) -> None:
    tag = web.get("/static/pagekin.css").headers["etag"]
    assert web.get("/static/pagekin.css", headers={"If-None-Match": tag}).status_code == 304


def test_the_web_pages_are_no_part_of_the_api(web: TestClient) -> None:
    described = web.get("/openapi.json").json()["paths"]
    assert not {*QUESTIONS, *FIXED} & described.keys()


def test_a_report_is_shown_and_may_run_nothing(index: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>Γ</h1>", "utf-8")
    with TestClient(create_app(index, ServeOptions(report=tmp_path))) as client:
        assert 'src="/evaluation/report"' in client.get("/evaluation").text
        report = client.get("/evaluation/report")
    assert report.text == "<h1>Γ</h1>"
    assert "script-src" not in report.headers["content-security-policy"]
    assert report.headers["content-security-policy"].startswith("default-src 'none'")


def test_behind_a_proxy_links_begin_with_its_path(index: Path) -> None:
    client = TestClient(create_app(index, ServeOptions(root_path="/kin")))
    for path in ("/", "/search?q=honey", "/docs", "/nothing"):
        links = re.findall(r'(?:href|src|action)="(/[^"]*)"', client.get(path, headers={"Accept": "text/html"}).text)
        assert links and all(link.startswith("/kin/") for link in links), path


def test_behind_a_proxy_the_api_and_the_bookmarklet_know_its_path(index: Path) -> None:
    client = TestClient(create_app(index, ServeOptions(root_path="/kin")))
    assert client.get("/openapi.json").json()["servers"] == [{"url": "/kin"}]
    assert "http://testserver/kin/related?url=" in client.get("/embed").text


def test_no_other_site_may_read_the_related_pages_unless_it_is_allowed(index: Path) -> None:
    ours = {"Origin": "https://ours.test"}
    for origins, allowed in ((), None), (("https://ours.test",), "https://ours.test"), (("https://other.test",), None):
        with TestClient(create_app(index, ServeOptions(origins=origins))) as client:
            answer = client.get(f"/embed.json?url={BEES}", headers=ours)
        assert answer.headers.get("access-control-allow-origin") == allowed
        assert {row["url"] for row in answer.json()["related"]} == {"http://site/honey.html", "http://site/wax.html"}


def test_a_page_that_is_not_known_has_no_related_pages_to_embed(web: TestClient) -> None:
    assert web.get("/embed.json?url=http://far.test/").json()["related"] == []


def test_the_host_that_is_asked_for_cannot_break_out_of_the_bookmarklet(web: TestClient) -> None:
    html = web.get("/embed", headers={"Host": "evil.test'+alert(1)+'\"><script>"}).text
    assert "'+alert(1)" not in html and "<script>" not in html.replace("&lt;script", "")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//far.test", "", " http://far.test", "ftp://x"]
)
def test_links_lead_to_web_addresses_alone(url: str) -> None:
    assert outside(url) == ""


def test_links_leave_out_what_has_no_value() -> None:
    assert Links("/kin")("/related", url="http://a/?b&c", text=None) == "/kin/related?url=http%3A%2F%2Fa%2F%3Fb%26c"
