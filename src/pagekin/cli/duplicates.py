"""pagekin duplicates: which pages are copies of others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.answers import duplicates_document, plain
from pagekin.cli.options import FILE, crawl_options, local_engine, work_options
from pagekin.cli.progress import bars
from pagekin.cli.text import print_facts, print_json
from pagekin.cli.truth import trial_settings
from pagekin.plain_text import shown

if TYPE_CHECKING:
    from pagekin.settings import Settings
    from pagekin.trials.duplicates import Cluster, Copy, Difference, Duplicates

COPIES = 10  # of a cluster that are listed


@click.command(no_args_is_help=True)
@click.argument("crawl", metavar="CRAWL…|INDEX", nargs=-1, required=True)
@click.option("--threshold", type=click.FloatRange(0, 1), help="From which resemblance on pages are copies.  [0.9]")
@click.option("--keep", metavar="FILE", type=FILE, help="Write the addresses of pages to keep, one a line.")
@click.option("--drop", metavar="FILE", type=FILE, help="Write those of copies that another page stands for.")
@click.option(
    "--examples", metavar="N", type=click.IntRange(min=0), default=10, show_default=True,
    help="Clusters that are shown, the largest.",
)  # fmt: skip
@crawl_options
@work_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def duplicates(
    crawl: tuple[str, ...],
    threshold: float | None,
    keep: Path | None,
    drop: Path | None,
    examples: int,
    workers: int | None,
    memory: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Show which pages are copies or near-copies of others, in an index or in crawl files.

    One page stands for all its copies: the one that most links lead to. A page that stands within a much larger one is
    named as a part of it, and is no copy.

    \b
    Example:
      pagekin duplicates site.kin
      pagekin duplicates crawl.warc.gz --keep keep.txt --drop drop.txt
    """
    settings = _settings(crawl, threshold, options)
    from pagekin.duplicates.sketches import least_values  # loads the compiled kernels, which help does not need
    from pagekin.trials.duplicates import duplicates as find_duplicates
    from pagekin.trials.outputs import check_writable

    for file in filter(None, (keep, drop)):
        check_writable(file)
    with bars() as observer:
        engine = local_engine(workers, memory, observer, least_values)
        found = find_duplicates(crawl, settings, engine, examples=examples)
    for path, urls in ((keep, found.kept), (drop, found.dropped)):
        if path is not None:
            path.write_text("".join(f"{url}\n" for url in urls), "utf-8", newline="\n")
    if as_json:
        print_json(plain(duplicates_document(found)))
    else:
        _print_summary(found, settings)
        _print_clusters(found.clusters, examples)


def _settings(crawl: tuple[str, ...], threshold: float | None, options: dict[str, Any]) -> Settings:
    settings = trial_settings(crawl, options)
    if threshold is None:
        return settings
    return dataclasses.replace(settings, duplicates=dataclasses.replace(settings.duplicates, threshold=threshold))


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _print_summary(found: Duplicates, settings: Settings) -> None:
    facts = [("pages", f"{found.pages:,}")]
    if found.clusters:
        clusters = _counted(len(found.clusters), "cluster", "clusters")
        facts += [("copies", f"{len(found.dropped):,} in {clusters}; {len(found.kept):,} pages are left without them")]
    else:
        facts += [("copies", f"none: no two pages have a resemblance of {settings.duplicates.threshold:g} or more")]
    facts += [
        ("parts", f"{part.url} is contained in {part.whole} ({part.containment:.0%})") for part in found.parts[:3]
    ]
    if len(found.parts) > 3:
        facts += [("", f"and {_counted(len(found.parts) - 3, 'part', 'parts')} more; --json names all")]
    for mirror in found.mirrors:
        pages = f"{mirror.alike:,} pages alike, of {mirror.pages:,} and {mirror.original_pages:,}"
        facts += [("mirrors", f"{mirror.host} of {mirror.original}: {pages}")]
    if found.capped:
        lists = _counted(found.capped, "number was", "numbers were")
        facts += [("capped", f"{lists} shared by so many pages that they were compared with one of them only")]
    print_facts([(name, shown(value)) for name, value in facts])


def _print_clusters(clusters: Iterable[Cluster], examples: int) -> None:
    every = list(clusters)
    for cluster in every[:examples]:
        copies = _counted(len(cluster.copies), "copy", "copies")
        click.echo(f"\n{shown(cluster.representative)} stands for {copies}:")
        for copy in cluster.copies[:COPIES]:
            click.echo(f"  {_likeness(copy):>14}  {shown(copy.url)}{_contained(copy)}")
            for difference in copy.differences:
                click.echo(f"{'':16}  {_passage(difference)}")
        if len(cluster.copies) > COPIES:
            click.echo(f"{'':16}  and {len(cluster.copies) - COPIES:,} more")
    if len(every) > examples > 0:
        click.echo(f"\nand {_counted(len(every) - examples, 'cluster', 'clusters')} more; --examples N shows N of them")


def _likeness(copy: Copy) -> str:
    return "the same words" if copy.resemblance == 1 else f"{copy.resemblance:.3f} alike"


def _contained(copy: Copy) -> str:
    """Which of two pages contains the other, where one has clearly more than the other has of it."""
    if copy.resemblance == 1 or copy.containment is None or copy.containing is None:
        return ""
    if copy.containment > copy.containing:
        return f"  is contained in it ({copy.containment:.0%})"
    return f"  contains it ({copy.containing:.0%})" if copy.containing > copy.containment else ""


def _passage(difference: Difference) -> str:
    here, there = shown(difference.here), shown(difference.there)
    if not here or not there:
        return f"adds “{here}”" if here else f"lacks “{there}”"
    return f"has “{here}” for “{there}”"
