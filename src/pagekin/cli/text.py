"""How numbers and tables are put to a person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.table import Table


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, default=str)
    is_writable = text.isascii() or text == _writable(text)
    click.echo(text if is_writable else json.dumps(document, default=str))


def _writable(text: str) -> str:
    """The text without the lone surrogates that stand for bytes of a path which are no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def size_text(count: int) -> str:
    """A number of bytes in words.

    >>> size_text(35_916_022)
    '35.9 MB'
    """
    size, units = float(count), ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{count} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"


def print_facts(facts: list[tuple[str, str]]) -> None:
    """Names and values in two columns."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, _writable(value))
    Console(markup=False, emoji=False).print(table)  # a path may hold [brackets] and :colons:


def reasons_text(reasons: dict[str, int]) -> str:
    """How many things were set aside for which reason.

    >>> reasons_text({"not HTML": 3, "empty page": 1})
    'not HTML 3, empty page 1'
    """
    return ", ".join(f"{reason} {count:,}" for reason, count in reasons.items())


def cocitation_text(found: Mapping[str, Any]) -> str:
    """How many pages are kept as cited together with others, and from which total on.

    >>> cocitation_text({"pairs": 1200, "least": 0.0})
    '1,200 kept for all pages, the weakest too, since the crawl is small'
    """
    least = found["least"]
    kept = f"those of a total of {least:g} or more" if least else "the weakest too, since the crawl is small"
    return f"{found['pairs']:,} kept for all pages, {kept}" if found["pairs"] else "none"


def duplicates_text(found: Mapping[str, int]) -> str:
    """How many pages are copies of others, and how many hosts of hosts.

    >>> duplicates_text({"copies": 1200, "clusters": 800, "mirrors": 1, "capped": 0})
    '1,200 pages are copies of 800 others; 1 host is a mirror'
    """
    copies, clusters, mirrors = found["copies"], found["clusters"], found["mirrors"]
    pages = "1 page is a copy" if copies == 1 else f"{copies:,} pages are copies"
    others = "another" if clusters == 1 else f"{clusters:,} others"
    hosts = "1 host is a mirror" if mirrors == 1 else f"{mirrors:,} hosts are mirrors"
    return (f"{pages} of {others}" if copies else "none") + (f"; {hosts}" if mirrors else "")
