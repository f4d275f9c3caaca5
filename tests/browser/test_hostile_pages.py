"""Pages that mean harm to whoever looks at what the index says of them: nothing of theirs runs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from .conftest import built

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from .conftest import Opens

PWN = "window.pwned=1"
TITLES = (
    f"<script>{PWN}</script>",
    f"<img src=x onerror={PWN}>",
    f'" onmouseover="{PWN}" autofocus onfocus="{PWN}',
    f"</title><svg onload={PWN}>",
    f"{{{{ ''.__class__ }}}} {{% include 'base.html' %}} ${{{PWN}}}",
    "safe\u202egpj.exe\u2066\u0007",
    "long " * 2000,
    "w" * 3000,
)
WORDS = "bees keep honey in hives of wax and dance to tell where flowers are"


def hostile_page(number: int, title: str) -> str:
    """A page that says what the others say, with a title and with links that mean harm."""
    others = "".join(f'<li><a href="{other}.html">{escape(title)} {other}</a>' for other in range(len(TITLES)))
    links = f'<a href="javascript:{PWN}">honey</a> <a href="data:text/html,<script>{PWN}</script>">wax</a>'
    named = "<title>" + title.replace("</title>", "&lt;/title&gt;") + "</title>"
    return f"<html lang=en>{named}<h1>{escape(title)}</h1><p>{WORDS} {number} {links}<ul>{others}</ul>"


@pytest.fixture(scope="module")
def hostile(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service for an index of such pages."""
    from .serving import serving

    site = tmp_path_factory.mktemp("hostile") / "site"
    site.mkdir()
    for number, title in enumerate(TITLES):
        (site / f"{number}.html").write_text(hostile_page(number, title), "utf-8")
    (site / f'" onmouseover="{PWN.replace("=", "")}.html').write_text(hostile_page(99, TITLES[0]), "utf-8")
    with serving(built(site, site.with_name("hostile.kin"))) as address:
        yield address


def pages_of_the_service() -> list[str]:
    urls = [quote(f"http://site/{number}.html", safe="") for number in range(len(TITLES))]
    kinds = [f"/{kind}?url={url}" for kind in ("related", "page", "map", "blocks") for url in urls]
    pairs = [f"/why?url={urls[0]}&other={url}" for url in urls[1:]]
    return ["/", "/search?q=honey&k=20", *kinds, *pairs]


ATTACKS = (
    "/search?q={}",
    "/related?text={}",
    "/related?url={}",
    "/page?url={}",
    "/page?url=javascript:{}",
    "/why?url=http://site/0.html&other={}",
    "/related?url=http://site/0.html&about={}",
    "/related?url=http://site/0.html&per_site={}",
)


def test_the_attacks_are_in_the_index(opens: Opens, hostile: str) -> None:
    page = opens(f"{hostile}/page?url=http://site/0.html")
    assert page.locator("h1").inner_text() == TITLES[0]


def is_harmed(page: Page) -> bool:
    """Whether anything of a hostile page has run, or could."""
    has_run = page.evaluate("window.pwned") is not None
    return has_run or page.locator("main script, main img, [onmouseover], [onload]").count() > 0


def test_nothing_of_the_pages_runs_and_every_link_leads_to_a_web_address(opens: Opens, hostile: str) -> None:
    page = opens(hostile)
    for path in pages_of_the_service():
        page.goto(hostile + path)
        for summary in page.locator("details[data-fragment] > summary").all()[:2]:
            summary.click()
        page.wait_for_function("() => !document.querySelector('[aria-busy]')")
        for link in page.locator("main a").all()[:2]:
            link.hover(force=True, timeout=2000)
        assert not is_harmed(page), path
        schemes = page.locator("main a").evaluate_all(
            "all => all.map(link => link.protocol || new URL(link.href.baseVal, location).protocol)"
        )
        assert set(schemes) <= {"http:", "https:"}, path


@pytest.mark.parametrize("path", ATTACKS)
def test_nothing_that_is_asked_for_runs(opens: Opens, hostile: str, path: str) -> None:
    page = opens("about:blank")
    for attack in TITLES[:5]:
        page.goto(hostile + path.format(quote(attack, safe="")))
        assert not is_harmed(page), attack


def test_a_title_cannot_turn_the_direction_of_what_follows(opens: Opens, hostile: str) -> None:
    page = opens(f"{hostile}/search?q=honey&k=20")
    assert "safe gpj.exe" in page.locator("main").inner_text()
    assert "\u202e" not in page.content()


def test_long_titles_do_not_widen_a_narrow_screen(opens: Opens, hostile: str) -> None:
    for path in ("/search?q=honey&k=20", "/page?url=http://site/7.html", "/map?url=http://site/6.html"):
        page = opens(hostile + path, viewport={"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_were_a_text_not_escaped_the_policy_would_still_let_nothing_run(browser: Browser, hostile: str) -> None:
    page = browser.new_page()
    page.goto(hostile)
    page.evaluate(f"document.querySelector('main').innerHTML = {TITLES[1]!r}")
    page.evaluate(f"location.href = 'javascript:{PWN}'")
    page.wait_for_timeout(200)
    assert page.evaluate("window.pwned") is None
    page.close()
