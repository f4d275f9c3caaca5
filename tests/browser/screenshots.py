"""Pictures of the web pages for the documents, light and dark, wide and narrow.

python -m tests.browser.screenshots INDEX URL [--words WORDS] [-o docs/images]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page

from .serving import chromium, serving

WIDE, NARROW = (1100, 760), (390, 800)
LONGEST = 1600  # pixels of a page that are kept


def pictured(url: str, words: str) -> dict[str, str]:
    """The pages by the names of their pictures."""
    asked = quote(url, safe="")
    return {
        "home": "/",
        "related": f"/related?url={asked}",
        "search": f"/search?q={quote(words)}",
        "page": f"/page?url={asked}",
        "map": f"/map?url={asked}",
        "embed": "/embed",
        "evaluation": "/evaluation",
        "error": "/search?q=%22never+closed",
    }


def take_pictures(browser: Browser, address: str, pages: dict[str, str], folder: Path, only: set[str]) -> None:
    """Write a picture of each page in each way, or of `only` those that are named."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for width, (across, down) in {"wide": WIDE, "narrow": NARROW}.items():
            context = browser.new_context(viewport={"width": across, "height": down}, color_scheme=theme)  # type: ignore[arg-type]
            page = context.new_page()
            for name, path in pages.items():
                if not only or f"{name}-{theme}-{width}" in only:
                    page.goto(address + path)
                    _unfold(page, name)
                    _take(page, folder / f"web-{name}-{theme}-{width}.png", across)
            context.close()


def _unfold(page: Page, name: str) -> None:
    """Open the first reasons, or the blocks."""
    if name in ("related", "page"):
        page.locator("details[data-fragment] > summary").first.click()
        page.wait_for_selector("details[data-filled]:not([aria-busy]) > div")
    page.mouse.move(0, 0)


def _take(page: Page, path: Path, across: int) -> None:
    down = min(page.evaluate("document.documentElement.scrollHeight"), LONGEST)
    clip = {"x": 0, "y": 0, "width": across, "height": down}
    page.screenshot(path=path, full_page=True, clip=clip)  # type: ignore[arg-type]


def main() -> None:
    """Take the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("url")
    parser.add_argument("--words", default="water")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME-light-wide")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/images"))
    asked = parser.parse_args()
    with serving(asked.index) as address, chromium() as browser:
        take_pictures(browser, address, pictured(asked.url, asked.words), asked.output, set(asked.only))


if __name__ == "__main__":
    main()
