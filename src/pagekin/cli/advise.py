"""pagekin advise: what the owner of a site could do for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.progress import bars
from pagekin.cli.text import print_json
from pagekin.plain_text import shown

if TYPE_CHECKING:
    from pagekin.advice import Advice, CopyGroup, MissingLink
    from pagekin.engines.protocol import Observer

LISTED_COPIES = 5
KINDS = ("missing_links", "orphans", "copies", "bare")


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.option("--site", "host", metavar="HOST", default="", help="Pages of this host alone; by default, of all.")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="How many of each kind.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def advise(index: Path, host: str, k: int, as_json: bool) -> None:
    """List pages that are related but not linked, pages that nobody links to, copies, and pages of hardly a word.

    Links that more than half of the pages of a host have, such as menus, make no two pages linked.

    \b
    Example:
      pagekin advise site.kin
      pagekin advise crawl.kin --site www.example.org -k 50
    """
    from pagekin.advice import advise as advice_on  # loads the compiled kernels, which help does not need
    from pagekin.index import open_index

    opened = open_index(index)
    with bars() as observer:
        found = advice_on(opened, host, _Progress(observer).advanced)
    if as_json:
        print_json(_document(found, k))
    else:
        _print_advice(found, k)


class _Progress:
    """Tells an observer how many pages are done."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def advanced(self, done: int, total: int) -> None:
        """So many of all are done; the first call begins the bar."""
        if done == 1:
            self._observer.begin("advise", total)
        self._observer.advance(1)


def _document(found: Advice, k: int) -> dict[str, Any]:
    lists = {kind: [dataclasses.asdict(each) for each in getattr(found, kind)[:k]] for kind in KINDS}
    totals = {kind: len(getattr(found, kind)) for kind in KINDS}
    return {"site": found.site, "pages": found.pages, "totals": totals, **lists}


def _print_advice(found: Advice, k: int) -> None:
    where = f" of {shown(found.site)}" if found.site else ""
    pages = "1 page" if found.pages == 1 else f"{found.pages:,} pages"
    click.echo(f"{pages}{where} looked at")
    _print_part(
        "related, but not linked", "link one to the other", found.missing_links, map(_missing, found.missing_links), k
    )
    _print_part("no page links to these", "link to them from a page that is related", found.orphans, _orphans(found), k)
    copies = map(_copies, found.copies)
    _print_part(
        "say the same", "keep the first, redirect the others or name it by rel=canonical", found.copies, copies, k
    )
    bare = (f"{shown(page.url)}  {_counted(page.words, 'word')}" for page in found.bare)
    _print_part("hardly a word beside the title", "write more there, or remove them", found.bare, bare, k)
    if not any(getattr(found, kind) for kind in KINDS):
        click.echo("nothing to advise")


def _print_part(name: str, what_to_do: str, every: tuple[object, ...], lines: Iterable[str], k: int) -> None:
    if not every:
        return
    click.echo(f"\n{name}: {len(every):,}; {what_to_do}")
    for line, _ in zip(lines, range(k), strict=False):
        click.echo(f"  {line}")
    if len(every) > k:
        click.echo(f"  and {len(every) - k:,} more; -k N shows N of them")


def _missing(link: MissingLink) -> str:
    note = "  (only a menu links them)" if link.in_template else ""
    return f"{link.score:.3f}  {shown(link.url)}{note}\n         {shown(link.other_url)}"


def _orphans(found: Advice) -> Iterable[str]:
    for orphan in found.orphans:
        related = f"\n    related: {', '.join(map(shown, orphan.link_from))}" if orphan.link_from else ""
        yield f"{shown(orphan.url)}{related}"


def _copies(group: CopyGroup) -> str:
    named = "\n".join(f"    copy: {shown(url)}" for url in group.copies[:LISTED_COPIES])
    more = f"\n    and {len(group.copies) - LISTED_COPIES:,} more" if len(group.copies) > LISTED_COPIES else ""
    return f"{shown(group.keep)}\n{named}{more}"


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
