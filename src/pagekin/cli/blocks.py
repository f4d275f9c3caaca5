"""pagekin blocks: how the links of one page are put into blocks."""

from __future__ import annotations

import dataclasses
import http.client
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from pagekin.cli.text import print_json
from pagekin.crawl.folder import file_url, folder_url
from pagekin.errors import CrawlError, UnknownPage
from pagekin.plain_text import shown
from pagekin.settings import Settings, read_settings

if TYPE_CHECKING:
    from pagekin.query.blocks import LinkBlock

SECONDS, MOST_BYTES = 20, 16 << 20  # that a page from the web may take


@click.command(no_args_is_help=True)
@click.argument("page", metavar="FILE|URL|-")
@click.option("--index", metavar="INDEX", type=click.Path(path_type=Path), help="Take the page at URL from an index.")
@click.option("--sections", is_flag=True, help="Show the sections before they are merged to blocks.")
@click.option(
    "--set", "assignments", metavar="KEY=VALUE", multiple=True, help="One setting, as cocitation.edges=false."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def blocks(page: str, index: Path | None, sections: bool, assignments: tuple[str, ...], as_json: bool) -> None:
    """Draw the link blocks of one page: an HTML FILE, the page at URL, or HTML on standard input (-).

    Pages that are cited in one block are related; a link that stands alone says nothing.

    \b
    Example:
      pagekin blocks links.html
      pagekin blocks http://www.example.org/links --index collection.kin
    """
    from pagekin.query.blocks import BlockReader  # loads the compiled kernels, which help does not need

    row, words, base = _row(page, index)
    settings = read_settings(None, assignments, base).cocitation
    found = BlockReader(row, words).blocks(settings, adjusted=not sections)
    if as_json:
        print_json({"url": row["url"], "title": row["title"], "blocks": [dataclasses.asdict(each) for each in found]})
    else:
        _draw(row, found)
    if not found:
        raise UnknownPage("the page has no link to another page")


def _row(page: str, index: Path | None) -> tuple[dict[str, Any], dict[int, str], Settings]:
    """The page as the scan gives it, its words, and the settings by which its blocks are made."""
    if index is not None:
        from pagekin.index import open_index

        opened = open_index(index)
        return (*opened.scanned(page), opened.settings)
    from pagekin.query.page import scanned_page

    body, url = _read(page)
    rows, words = scanned_page(body, url)
    if not rows.num_rows:
        raise CrawlError(f"{page}: {url} is no web address against which links can be read; rename the folder")
    return rows.slice(0, 1).to_pylist()[0], words, Settings()


def _read(page: str) -> tuple[bytes, str]:
    """The HTML of a page, and the address against which its links are read."""
    if page == "-":
        return sys.stdin.buffer.read(), "http://page.invalid/"
    if "://" in page:
        return _fetched(page)
    path = Path(page)
    return path.read_bytes(), file_url(folder_url(str(path.absolute().parent)), path.name)


def _fetched(url: str) -> tuple[bytes, str]:
    """A page from the web, and the address at which it was found in the end."""
    from pagekin.crawl.urls import document_url

    address = document_url(url)
    if not address:
        raise CrawlError(f"{url}: only pages at http and https addresses can be read")
    try:
        request = urllib.request.Request(address, headers={"User-Agent": "pagekin"})
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            return response.read(MOST_BYTES), response.url
    except urllib.error.HTTPError as error:
        error.close()
        raise CrawlError(f"{url} cannot be read: {error.code} {error.reason}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or f"{type(error).__name__} {error}"
        raise CrawlError(f"{url} cannot be read: {reason}; save the page and give the file") from None


def _panel(blocks: Iterable[LinkBlock], title: Text, style: str) -> Panel:
    links = [link for block in blocks for link in block.links]
    lines = [Text.assemble(shown(link.anchor) or "(no text)", (f"  {shown(link.url)}", "dim")) for link in links]
    return Panel(Text("\n").join(lines), title=title, title_align="left", border_style=style)


def _draw(row: dict[str, Any], found: list[LinkBlock]) -> None:
    """A frame for each block, and one for links in a row that each stand alone."""
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(Text.assemble((shown(row["title"]) or "(no title)", "bold"), f"  {shown(row['url'])}"))
    number = 0
    for is_block, group in groupby(found, lambda block: block.is_block):
        for run in ([block] for block in group) if is_block else [list(group)]:
            number += is_block
            heading = f": {shown(run[0].heading)}" if is_block and run[0].heading else ""
            title = f"block {number}{heading}" if is_block else "no block: each alone"
            console.print(_panel(run, Text(title), "green" if is_block else "dim"))
    links = sum(len(block.links) for block in found)
    console.print(f"{links} links in {number} blocks and {len(found) - number} alone")
