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

    >>> cocitation_text({"pairs": 1200, "least": 0.0, "mirrors": 1})
    '1,200 kept for all pages, the weakest too, since the crawl is small; 1 host is a mirror'
    """
    least, mirrors = found["least"], found["mirrors"]
    kept = f"those of a total of {least:g} or more" if least else "the weakest too, since the crawl is small"
    hosts = "1 host is a mirror" if mirrors == 1 else f"{mirrors:,} hosts are mirrors"
    pairs = f"{found['pairs']:,} kept for all pages, {kept}" if found["pairs"] else "none"
    return pairs + (f"; {hosts}" if mirrors else "")
