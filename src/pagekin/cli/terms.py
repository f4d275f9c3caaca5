"""pagekin terms: what stands for a page."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pagekin.cli.text import print_json


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("url")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="How many terms.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def terms(index: Path, url: str, k: int, as_json: bool) -> None:
    """Show the heaviest terms of the page at URL, each in its commonest form.

    The page need not have been fetched: the words around links to it stand for it.

    \b
    Example:
      pagekin terms site.kin https://www.example.org/weather
    """
    from pagekin.index import open_index  # loads the compiled kernels, which help does not need

    found = open_index(index).terms(url, k)
    if as_json:
        print_json({"url": found.url, "terms": [dataclasses.asdict(term) for term in found.terms]})
        return
    fetched = "" if found.fetched else "  (never fetched; by the links to it)"
    click.echo(f"{found.url}{fetched}")
    if not found.terms:
        click.echo("nothing is known of it but its address")
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right")
    table.add_column()
    table.add_column(style="green")
    heaviest = found.terms[0].weight or 1.0
    for term in found.terms:
        table.add_row(f"{term.weight:.3f}", escape(term.term), "█" * max(round(20 * term.weight / heaviest), 1))
    Console().print(table)
