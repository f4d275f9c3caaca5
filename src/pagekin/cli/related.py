"""pagekin related: the pages that are related to a page, a file or a text."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pagekin.answers import plain, related_document
from pagekin.cli.text import print_json
from pagekin.errors import UnknownPage
from pagekin.plain_text import shown

if TYPE_CHECKING:
    from pagekin.query.cocited import CitedTogether
    from pagekin.query.concepts import SharedConcept
    from pagekin.query.linked import SharedLinks
    from pagekin.query.records import Answer, Effort, Related

LONGEST_NAME = 32
LISTED_COPIES = 5


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("query", metavar="URL|FILE|-", required=False)
@click.option("--text", metavar="WORDS", help="Ask with a text in place of a page.")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="How many pages.")
@click.option("--explain", is_flag=True, help="Say why: the shared terms, and where they stand.")
@click.option("--other-sites", is_flag=True, help="Leave out the page's own site.")
@click.option("--per-site", metavar="N", type=click.IntRange(min=1), help="At most N pages of a site.")
@click.option("--copies", is_flag=True, help="Show every copy, not only the page that stands for them.")
@click.option("--about", metavar="QUERY", help="Words that the pages should have as well, as for search.")
@click.option("--weights", metavar="SOURCE=N,…", help="What counts how much: text=1,links=0.5.")
@click.option("--exact", is_flag=True, help="Compare with every page; slow, and the truth.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def related(
    index: Path,
    query: str | None,
    text: str | None,
    k: int,
    explain: bool,
    other_sites: bool,
    per_site: int | None,
    copies: bool,
    about: str | None,
    weights: str | None,
    exact: bool,
    as_json: bool,
) -> None:
    """Show the pages related to URL, to an HTML FILE, or to HTML on standard input (-).

    \b
    Example:
      pagekin related site.kin https://www.example.org/weather --explain
      pagekin related site.kin page.html
      pagekin related site.kin --text "solar panels on old roofs"
    """
    from pagekin.index import open_index  # loads the compiled kernels, which help does not need

    opened = open_index(index)
    asked = _asked(query, text)
    started = time.perf_counter()
    choice: dict[str, Any] = {"k": k, "other_sites": other_sites, "per_site": per_site, "copies": copies}
    answer = opened.related(**asked, **choice, about=about, weights=_weights(weights), explain=explain, exact=exact)
    took = round(1000 * (time.perf_counter() - started), 3)
    if as_json:
        print_json(plain(related_document(answer)) | {"took_ms": took})
    else:
        _print_answer(answer)
    if not answer.results and not answer.copies:
        raise UnknownPage("no page of this index is related to it")


def _asked(query: str | None, text: str | None) -> dict[str, Any]:
    """What to ask: a file if there is one of that name, else an address."""
    if (query is None) == (text is None):
        raise click.UsageError("give either URL|FILE|- or --text WORDS")
    if text is not None:
        return {"text": text}
    assert query is not None
    if query == "-":
        return {"html": sys.stdin.buffer.read()}
    if "://" not in query and Path(query).is_file():
        return {"html": Path(query).read_bytes()}
    return {"url": query}


def _weights(given: str | None) -> dict[str, float] | None:
    """Weights such as `text=1,concepts=0.5`."""
    if given is None:
        return None
    found = {}
    for part in given.split(","):
        name, _, number = part.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise click.UsageError(f"--weights {given}: expected SOURCE=NUMBER, such as text=1,concepts=0.5") from None
    return found


def _print_answer(answer: Answer) -> None:
    console = Console(markup=False, emoji=False, highlight=False)  # a title may hold [brackets] and :colons:
    console.print(Text.assemble("related to ", (shown(answer.query), "bold")))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(justify="right", style="dim")
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for found in answer.results:
        table.add_row(str(found.rank), f"{found.score:.3f}", _described(found))
    console.print(table)
    if answer.copies:
        urls = ", ".join(shown(copy.url) for copy in answer.copies[:LISTED_COPIES])
        what = "near-copy" if len(answer.copies) == 1 else "near-copies"
        more = ", …" if len(answer.copies) > LISTED_COPIES else ""
        console.print(f"and {len(answer.copies)} {what} of it: {urls}{more}")
    for left in answer.left_out:
        console.print(Text.assemble((f"without {left.source}", "yellow"), f", which failed: {shown(left.reason)}"))
    if answer.strangers:
        console.print(_strangers(answer.strangers))
    if answer.effort is not None:
        console.print(_effort(answer.effort))


def _strangers(pages: int) -> Text:
    """How many pages were no answer because of where links lead."""
    counted = "1 page" if pages == 1 else f"{pages:,} pages"
    why = f"{counted} of sites that link to one another, but that no link leads to from the page's site"
    return Text.assemble(("left out: ", "green"), why)


def _effort(effort: Effort) -> Text:
    """How much of each source was looked at, and by which bounds that was enough."""
    looks = [f"{each.source} {each.by_order} + {each.at_random}" for each in effort.accesses]
    bounds = f"; no other page has more than {effort.threshold:.3f}, the last one sought {effort.least:.3f}"
    return Text.assemble(("looked at, in order + at random: ", "green"), ", ".join(looks), bounds)


def _described(found: Related) -> Text:
    lines = [Text(shown(found.title), "bold"), Text(shown(found.url), "dim")]
    if found.copies:
        lines.append(_copies(found))
    if found.why is not None:
        shared = ", ".join(f"{shown(s.term)} {100 * s.share:.0f}%" for s in found.why.shared)
        lines.append(_evidence(found))
        lines.append(Text.assemble(("shares ", "green"), shared))
        lines += [_about(concept) for concept in found.why.concepts]
        if found.why.linked is not None:
            lines.append(_linked(found.why.linked))
        if found.why.cited is not None:
            lines += _cited(found.why.cited)
        if found.why.quote:
            lines.append(Text.assemble(("“", "green"), shown(found.why.quote), ("”", "green")))
    return Text("\n").join(line for line in lines if line)


def _evidence(found: Related) -> Text:
    """Which sources the score rests on, the one that gives most first."""
    total = sum(found.shares.values()) or 1.0
    order = sorted(found.shares, key=lambda name: -found.shares[name])
    parts = [f"{name} {100 * found.shares[name] / total:.0f}%" for name in order if found.shares[name] > 0]
    return Text.assemble(("rests on ", "green"), ", ".join(parts))


def _linked(links: SharedLinks) -> Text:
    """Which of two pages links to the other, and which neighbours both have."""
    ways = ["links to it"] * links.links_to + ["is linked from it"] * links.linked_from
    named = [_name(title or url) for title, url in zip(links.titles, links.pages, strict=True)]
    if links.neighbours:
        count = "1 neighbour" if links.neighbours == 1 else f"{links.neighbours} neighbours"
        ways.append(f"shares {count} by links: {', '.join(dict.fromkeys(named))}")
    return Text.assemble(("the page ", "green"), "; ".join(ways))


def _name(text: str) -> str:
    """The beginning of a title."""
    name = shown(text)
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME].rstrip() + "…"


def _copies(found: Related) -> Text:
    """How many copies there are, and where the first of them stand, if that is known."""
    counted = "and 1 copy" if found.copies == 1 else f"and {found.copies:,} copies"
    named = ", ".join(shown(url) for url in found.copied_at[:LISTED_COPIES])
    more = f", and {found.copies - LISTED_COPIES:,} more" if found.copies > LISTED_COPIES and named else ""
    return Text.assemble((counted, "green"), f": {named}{more}" if named else "")


def _cited(together: CitedTogether) -> list[Text]:
    """Who cites two pages in one block of links, under which heading, and what the links say."""
    what = "1 block of links" if together.blocks == 1 else f"{together.blocks} blocks of links"
    lines = [Text.assemble(("cited together in ", "green"), what)]
    for citation in together.citations:
        heading = f" under “{shown(citation.heading)}”" if citation.heading else ""
        named = " and ".join(f"“{shown(anchor)}”" for anchor in citation.anchors if anchor)
        said = f", as {named}" if named else ""
        lines.append(Text.assemble(("  on ", "green"), shown(citation.title or citation.url), heading, said))
        lines.append(Text(f"     {shown(citation.url)}", "dim"))
    return lines


def _about(concept: SharedConcept) -> Text:
    """What two pages are both about: its words, and pages that stand for it, by the beginnings of their titles."""
    names = dict.fromkeys(_name(title or url) for title, url in zip(concept.titles, concept.pages, strict=True))
    words = ", ".join(shown(word) for word in concept.words)
    about = (f"both are about ({100 * concept.share:.0f}%) ", "green")
    return Text.assemble(about, words, (" – as are ", "green"), ", ".join(names))
