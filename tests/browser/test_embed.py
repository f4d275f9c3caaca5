"""A box of related pages on a page of another site."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pagekin.server.options import ServeOptions

from .conftest import built

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from .conftest import Opens

TITLES = {"bees": "Bees", "honey": "<img src=x onerror=window.pwned=1>", "wax": "Wax of bees"}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Another site: its address and its folder."""
    folder = tmp_path_factory.mktemp("site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of pages about bees."""
    crawl = tmp_path_factory.mktemp("embedded") / "crawl"
    crawl.mkdir()
    for name, title in TITLES.items():
        html = f"<html lang=en><title>{title}</title><p>Bees make honey and wax in a hive; {name}."
        (crawl / f"{name}.html").write_text(html, "utf-8")
    return built(crawl, crawl.with_name("bees.kin"))


@pytest.fixture(scope="module")
def allowed(browser: Browser, index: Path, site: tuple[str, Path]) -> Iterator[str]:
    """A service that lets the other site ask."""
    from .serving import serving

    with serving(index, ServeOptions(origins=(site[0],))) as address:
        yield address


def put(site: tuple[str, Path], service: str, more: str = "", name: str = "page.html") -> str:
    """Write a page with the line of HTML, and give its address."""
    line = f'<script src="{service}/embed.js" async data-url="http://crawl/bees.html" {more}></script>'
    (site[1] / name).write_text(f"<!doctype html><link rel=icon href=data:,><body><p>A page</p>{line}", "utf-8")
    return f"{site[0]}/{name}"


def test_one_line_puts_a_box_of_related_pages_into_a_page(opens: Opens, site: tuple[str, Path], allowed: str) -> None:
    page = opens(put(site, allowed))
    page.wait_for_selector("aside.pagekin-related li a")
    assert "Wax of bees" in page.locator("aside.pagekin-related").inner_text()


def test_titles_are_put_in_as_text(opens: Opens, site: tuple[str, Path], allowed: str) -> None:
    page = opens(put(site, allowed, name="text.html"))
    page.wait_for_selector("aside.pagekin-related li a")
    assert TITLES["honey"] in page.locator("aside.pagekin-related").inner_text()
    assert page.locator("img").count() == 0


def test_the_line_says_how_many_and_under_which_heading(opens: Opens, site: tuple[str, Path], allowed: str) -> None:
    page = opens(put(site, allowed, 'data-k="1" data-title="See also"', "many.html"))
    page.wait_for_selector("aside.pagekin-related")
    assert page.locator("aside h2").inner_text() == "See also"
    assert page.locator("aside li").count() == 1


def test_a_site_that_may_not_ask_gets_no_box(browser: Browser, site: tuple[str, Path], index: Path) -> None:
    from .serving import serving

    with serving(index) as closed:
        page = browser.new_page()
        refused: list[str] = []
        page.on("requestfailed", lambda request: refused.append(request.url))
        page.goto(put(site, closed, name="closed.html"), wait_until="networkidle")
        assert page.locator("aside").count() == 0
        assert any("embed.json" in url for url in refused)
        page.close()


def test_the_bookmarklet_leads_to_the_related_pages(opens: Opens, allowed: str) -> None:
    page = opens(f"{allowed}/embed")
    script = page.locator("[data-bookmarklet]").get_attribute("href") or ""
    page.goto("about:blank")
    page.evaluate(script.removeprefix("javascript:").replace("location.href)", "'http://crawl/bees.html')"))
    page.wait_for_url("**/related?url=http**")
    assert page.locator("h1").inner_text() == "Bees"


def test_the_bookmarklet_does_nothing_when_it_is_chosen_where_it_stands(opens: Opens, allowed: str) -> None:
    page = opens(f"{allowed}/embed")
    page.locator("[data-bookmarklet]").click()
    assert page.locator("[data-bookmarklet-hint]").is_visible()
