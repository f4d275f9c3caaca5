"""pagekin blocks: how the links of one page are put into blocks."""

from __future__ import annotations

import dataclasses
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
from pagekin.settings import read_settings

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

    row, words = _row(page, index)
    found = BlockReader(row, words).blocks(read_settings(None, assignments).cocitation, adjusted=not sections)
    if as_json:
        print_json({"url": row["url"], "title": row["title"], "blocks": [dataclasses.asdict(each) for each in found]})
    else:
        _draw(row, found)
    if not found:
        raise UnknownPage("the page has no link to another page")


def _row(page: str, index: Path | None) -> tuple[dict[str, Any], dict[int, str]]:
    """The page as the scan gives it, and its words."""
    if index is not None:
        from pagekin.index import open_index

        return open_index(index).scanned(page)
    from pagekin.query.page import scanned_page

    rows, words = scanned_page(*_read(page))
    return rows.slice(0, 1).to_pylist()[0], words


def _read(page: str) -> tuple[bytes, str]:
    """The HTML of a page, and the address against which its links are read."""
    if page == "-":
        return sys.stdin.buffer.read(), "http://page.invalid/"
    if "://" in page:
        return _fetched(page), page
    path = Path(page)
    return path.read_bytes(), file_url(folder_url(str(path.absolute().parent)), path.name)


def _fetched(url: str) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise CrawlError(f"{url}: only pages at http and https addresses can be read")
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "pagekin"})
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            body: bytes = response.read(MOST_BYTES)
            return body
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
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
