"""pagekin search: the pages that have certain words."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pagekin.answers import plain, search_document
from pagekin.cli.options import FILE
from pagekin.cli.text import print_json
from pagekin.errors import UnknownPage
from pagekin.plain_text import shown
from pagekin.query_language.printing import query_text

if TYPE_CHECKING:
    from pagekin.query.keywords import Expanded
    from pagekin.query.search import Hit, SearchAnswer

LISTED_WORDS = 20  # that a part of the query stood for


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("query")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="How many pages.")
@click.option("--copies", is_flag=True, help="Show every copy of a page that is found.")
@click.option("--explain", is_flag=True, help="Say which words the parts of the query stood for.")
@click.option("--thesaurus", metavar="FILE", type=FILE, help="Synonyms: TSV, or a data file of WordNet.")
@click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), default=5.0, show_default=True,
    help="Give up after this long.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def search(
    index: Path,
    query: str,
    k: int,
    copies: bool,
    explain: bool,
    thesaurus: Path | None,
    timeout: float,
    as_json: bool,
) -> None:
    """Show the pages that have the words of QUERY, the best first.

    \b
    Example:
      pagekin search site.kin 'honey bees'
      pagekin search site.kin '+weather -forecast "high pressure"'
      pagekin search site.kin 'title:weath* site:example.org'
      pagekin search site.kin 'java NEAR/5 compiler OR microsoft~2'
    """
    from pagekin.index import open_index
    from pagekin.query_language.thesaurus import read_thesaurus

    opened = open_index(index)
    synonyms = read_thesaurus(thesaurus) if thesaurus else None
    started = time.perf_counter()
    answer = opened.search(query, k, timeout_seconds=timeout, thesaurus=synonyms, copies=copies)
    took = round(1000 * (time.perf_counter() - started), 3)
    if as_json:
        print_json(plain(search_document(answer, explain)) | {"took_ms": took})
    else:
        _print_answer(answer, explain)
    if not answer.total:
        meant = f"; did you mean {shown(answer.meant)} ?" if answer.meant else ""
        raise UnknownPage(f"no page has that{meant}")


def _print_answer(answer: SearchAnswer, explain: bool) -> None:
    console = Console(markup=False, emoji=False, highlight=False)  # a title may hold [brackets] and :colons:
    if explain:
        for each in answer.expanded:
            console.print(_expanded(each))
    if answer.total:
        pages = "1 page" if answer.total == 1 else f"{answer.total:,} pages"
        console.print(Text.assemble(f"{pages} for ", (shown(answer.query), "bold")))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(justify="right", style="dim")
    table.add_column(overflow="fold")
    for hit in answer.results:
        table.add_row(str(hit.rank), _described(hit))
    console.print(table)


def _expanded(each: Expanded) -> Text:
    words = ", ".join(shown(word) for word in each.words[:LISTED_WORDS]) or "no word of this crawl"
    more = f", and {each.total - LISTED_WORDS:,} more" if each.total > LISTED_WORDS else ""
    unused = f"; only the first {len(each.words):,} were looked for" if each.total > len(each.words) else ""
    return Text.assemble((shown(query_text(each.part)), "bold"), (" stood for ", "green"), f"{words}{more}{unused}")


def _described(hit: Hit) -> Text:
    counted = "and 1 copy" if hit.copies == 1 else f"and {hit.copies:,} copies"
    lines = [Text(shown(hit.title), "bold"), Text(shown(hit.url), "dim"), Text(counted if hit.copies else "", "green")]
    lines.append(_marked(hit))
    return Text("\n").join(line for line in lines if line)


def _marked(hit: Hit) -> Text:
    """The snippet with what was sought in bold; and between asterisks, for there may be no bold."""
    if shown(hit.snippet) != hit.snippet:
        return Text(shown(hit.snippet))
    text, last = Text(), 0
    for first, end in hit.marks:
        text.append(hit.snippet[last:first])
        text.append(f"*{hit.snippet[first:end]}*", "bold green")
        last = end
    return text.append(hit.snippet[last:])
