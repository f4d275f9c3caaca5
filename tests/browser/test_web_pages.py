"""The web pages in a browser, as a person uses them, with scripts and without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import pytest

import pagekin
from pagekin.server.options import ServeOptions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from .conftest import Opens

NARROW = {"viewport": {"width": 390, "height": 800}}
SERIOUS = ("serious", "critical")  # faults, as axe calls them
MOST_BYTES = 100_000  # of the first page with all that it loads


@pytest.fixture(scope="session")
def asked(sample: Path) -> str:
    """The address of a page with related ones."""
    index = pagekin.open(sample)
    urls = [index._documents.text("url", number) for number in range(len(index)) if index._documents.fetched[number]]
    return next(url for url in urls if len(index.related(url).results) == 10)


@pytest.fixture(scope="session")
def paths(asked: str) -> dict[str, str]:
    """Every kind of page by a name."""
    url = quote(asked, safe="")
    return {
        "home": "/",
        "related": f"/related?url={url}",
        "text": "/related?text=caves+and+ladders",
        "search": "/search?q=the+weather",
        "why": f"/why?url={url}&other={url}",
        "page": f"/page?url={url}",
        "blocks": f"/blocks?url={url}",
        "map": f"/map?url={url}",
        "embed": "/embed",
        "evaluation": "/evaluation",
        "error": "/search?q=%22never+closed",
    }


PATHS = ("home", "related", "text", "search", "why", "page", "blocks", "map", "embed", "evaluation", "error")


def path_of(page: Page) -> str:
    return urlsplit(page.url).path


# --- search


def test_words_lead_to_pages_that_have_them(opens: Opens, service: str) -> None:
    page = opens(service)
    page.get_by_label("An address, or words").fill("weather")
    page.get_by_role("button", name="Find").click()
    assert path_of(page) == "/search"
    assert page.locator(".results mark").count() > 0


def test_an_address_leads_to_its_related_pages(opens: Opens, service: str, asked: str) -> None:
    page = opens(service)
    page.get_by_label("An address, or words").fill(asked)
    page.keyboard.press("Enter")
    page.wait_for_url("**/related?**")
    assert page.locator(".results > li").count() == 10


def test_a_suggestion_is_chosen_by_keys(opens: Opens, service: str, asked: str) -> None:
    page = opens(service)
    page.get_by_role("combobox").press_sequentially(asked)
    page.wait_for_selector("[role=option]")
    page.keyboard.press("ArrowDown")
    assert page.locator("[role=option][aria-selected=true]").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/related?**")


def test_escape_closes_the_suggestions(opens: Opens, service: str, asked: str) -> None:
    page = opens(service)
    page.get_by_role("combobox").press_sequentially(asked)
    page.wait_for_selector("[role=option]")
    page.keyboard.press("Escape")
    assert page.get_by_role("combobox").get_attribute("aria-expanded") == "false"


# --- results


def test_why_unfolds_into_reasons(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"])
    page.locator(".why summary").first.click()
    page.wait_for_selector(".why .reasons .terms li")
    assert path_of(page) == "/related"


def test_a_bar_tells_its_kinds_of_evidence_in_words(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"])
    assert "same words" in (page.locator(".evidence-bar").first.get_attribute("aria-label") or "")


def test_results_lead_out_without_telling_from_where(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"])
    rels = page.locator(".results h2 a").evaluate_all("links => links.map(link => link.rel)")
    assert set(rels) == {"noopener noreferrer nofollow"}


def test_results_can_be_narrowed_to_other_sites(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"])
    own = urlsplit(page.locator(".subject .address").inner_text()).netloc.removeprefix("www.")
    page.get_by_text("Narrow down").click()
    page.get_by_label("Other sites only").check()
    page.get_by_role("button", name="Apply").click()
    assert own not in page.locator(".results .site").all_inner_texts()


# --- one page


def test_link_blocks_unfold(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["page"])
    page.get_by_text("Show the blocks").click()
    page.wait_for_selector("details .blocks")


# --- the map


def test_a_page_on_the_map_shows_what_it_is_joined_to(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["map"])
    page.locator("[data-node='1']").focus()
    assert page.locator("svg.lit [data-node='0'].near").count() == 1
    assert page.locator("line.near").count() < page.locator("line").count()


def test_a_page_on_the_map_is_dragged_with_its_lines(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["map"])
    node, line = page.locator("[data-node='1']"), page.locator("line[data-ends='0 1']")
    before = node.get_attribute("transform"), line.get_attribute("x2")
    box = node.locator(".dot").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    after = node.get_attribute("transform"), line.get_attribute("x2")
    assert before[0] != after[0] and before[1] != after[1]
    assert "/map" in page.url and page.locator("h1").count() == 1


def test_a_page_of_the_map_comes_to_its_middle_by_keys(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["map"])
    name = page.locator("[data-listed='1'] a").inner_text()
    page.locator("[data-node='1']").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("name => document.querySelector('h1').textContent.trim() === name", arg=name)


# --- the evaluation


def test_a_report_is_shown_in_its_own_style(opens: Opens, browser: Browser, sample: Path, tmp_path: Path) -> None:
    from .serving import serving

    (tmp_path / "index.html").write_text("<style>h1 { color: rgb(1, 2, 3) }</style><h1>How good</h1>", "utf-8")
    with serving(sample, ServeOptions(report=tmp_path)) as address:
        page = opens(f"{address}/evaluation")
        heading = page.frame_locator("iframe.report").locator("h1")
        assert heading.inner_text() == "How good"
        assert heading.evaluate("element => getComputedStyle(element).color") == "rgb(1, 2, 3)"


# --- light and dark


def ground(page: Page) -> Any:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system(opens: Opens, service: str) -> None:
    assert ground(opens(service, color_scheme="dark")) != ground(opens(service, color_scheme="light"))


def test_chosen_colours_are_kept(opens: Opens, service: str) -> None:
    page = opens(service, color_scheme="light")
    light = ground(page)
    page.get_by_role("button", name="Dark colours").click()
    page.goto(f"{service}/embed")
    assert ground(page) != light
    page.get_by_role("button", name="Light colours").click()
    assert ground(page) == light


# --- without scripts


def test_without_scripts_the_box_finds_pages(opens: Opens, service: str) -> None:
    page = opens(service, java_script_enabled=False)
    page.locator("input[name=q]").fill("weather")
    page.keyboard.press("Enter")
    page.wait_for_selector(".results > li")


def test_without_scripts_reasons_have_a_page(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"], java_script_enabled=False)
    page.locator(".why summary").first.click()
    page.get_by_role("link", name="Show the reasons").first.click()
    page.wait_for_selector("main .reasons")
    assert path_of(page) == "/why"


def test_without_scripts_the_map_is_drawn_and_leads_on(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["map"], java_script_enabled=False)
    assert page.locator("[data-map] a.node").count() > 8
    page.locator("[data-listed='1'] a").click()
    assert path_of(page) == "/map"


def test_without_scripts_nothing_is_offered_that_needs_them(opens: Opens, service: str) -> None:
    assert not opens(service, java_script_enabled=False).locator("[data-theme-switch]").is_visible()


# --- for everybody


def test_no_page_is_wider_than_a_narrow_screen(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page, widths = opens(service, **NARROW), {}
    for name, path in paths.items():
        page.goto(service + path)
        widths[name] = page.evaluate("document.documentElement.scrollWidth")
    assert set(widths.values()) == {390}, widths


def faults(page: Page, rules: str) -> list[tuple[str, str]]:
    """What axe finds that is serious."""
    found = page.evaluate(f"axe.run({rules}).then(found => found.violations)")
    return [(fault["id"], fault["nodes"][0]["html"]) for fault in found if fault["impact"] in SERIOUS]


@pytest.mark.parametrize("name", PATHS)
def test_axe_finds_no_serious_fault(opens: Opens, service: str, paths: dict[str, str], axe: str, name: str) -> None:
    page = opens(service + paths[name], color_scheme="light")
    if name in ("related", "page"):
        page.locator("details[data-fragment] > summary").first.click()
        page.wait_for_selector("details[data-filled]:not([aria-busy])")
    page.evaluate(axe)
    assert faults(page, "document") == []
    page.emulate_media(color_scheme="dark")  # in which nothing but the colours differs
    assert faults(page, "{runOnly: ['color-contrast']}") == []


def test_the_first_key_skips_to_the_content(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_all_that_is_reached_by_keys_is_seen_to_be(opens: Opens, service: str, paths: dict[str, str]) -> None:
    page = opens(service + paths["related"])
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) != "none", page.evaluate("document.activeElement.outerHTML")


# --- the first page


def test_the_first_page_is_small_and_of_one_piece(opens: Opens, service: str) -> None:
    page = opens("about:blank")
    sizes: dict[str, int] = {}
    page.on("requestfinished", lambda request: sizes.update({request.url: sum(request.sizes().values())}))
    page.goto(service, wait_until="networkidle")
    assert all(url.startswith(service) for url in sizes)
    assert len(sizes) > 3
    assert sum(sizes.values()) < MOST_BYTES
