"""pagekin build: from crawl files to an index."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.options import crawl_options, given_settings, local_engine, spark_engine, spark_options, work_options
from pagekin.cli.progress import bars
from pagekin.cli.text import cocitation_text, duplicates_text, print_facts, print_json, reasons_text, size_text

if TYPE_CHECKING:
    from pagekin.builder import BuildSummary


WITHOUT = {
    "keywords": "keywords.search=false",
    "duplicates": "duplicates.super_shingles=0",
    "concepts": "concepts.dimensions=0",
    "cocitation": "cocitation.pages=0",
    "links": "links.neighbours=0",
}  # the parts of an index that can be left out, and the setting that does it


@click.command(no_args_is_help=True)
@click.argument("crawl", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="INDEX",
    required=True,
    type=click.Path(path_type=Path),
    help="The index to write.",
)
@spark_options
@crawl_options
@click.option(
    "--without", metavar="PART", multiple=True, type=click.Choice(list(WITHOUT)),
    help=f"Leave out a part of the index: {', '.join(WITHOUT)}.",
)  # fmt: skip
@work_options
@click.option("--resume", is_flag=True, help="Go on with a build that was ended early.")
@click.option("--force", is_flag=True, help="Replace an index that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def build(
    crawl: tuple[str, ...],
    out: Path,
    engine: str,
    master: str | None,
    without: tuple[str, ...],
    workers: int | None,
    memory: int,
    resume: bool,
    force: bool,
    as_json: bool,
    **crawl_settings: Any,
) -> None:
    """Build an index of CRAWL: WARC, ARC and WACZ files, folders of HTML, globs, lists, URLs.

    \b
    Example:
      pagekin build site/ -o site.kin --base-url https://www.example.org/
      pagekin build 'crawl/*.warc.gz' more.wacz -o collection.kin
      pagekin build 'crawl/*.warc.gz' -o /shared/big.kin --engine spark --master spark://host:7077
    """
    crawl_settings["assignments"] = (*crawl_settings["assignments"], *(WITHOUT[part] for part in without))
    settings = given_settings(**crawl_settings)
    from pagekin.builder import build as build_index  # loads the compiled kernels, which help does not need
    from pagekin.hashing import hash_lower

    with bars() as observer:
        spark = spark_engine(engine, master, crawl_settings["assignments"], memory, observer)
        if spark and workers:
            raise click.UsageError("--workers is for the local engine; give Spark a --master such as 'local[2]'")
        used = spark or local_engine(workers, memory, observer, hash_lower)
        summary = build_index(list(crawl), out, settings, engine=used, resume=resume, force=force)
    if as_json:
        print_json(dataclasses.asdict(summary))
    else:
        _print_summary(summary)


def _print_summary(summary: BuildSummary) -> None:
    rejected = f"{summary.rejected:,}"
    if summary.rejected:
        rejected += f" ({reasons_text(summary.rejected_reasons)}; see {summary.index / 'rejected.parquet'})"
    copies = [("copies", duplicates_text(summary.duplicates))] if summary.duplicates else []
    cited = [("cited together", cocitation_text(summary.cocitation))] if summary.cocitation else []
    print_facts(
        [
            ("index", str(summary.index)),
            ("pages", f"{summary.pages:,}"),
            ("addresses", f"{summary.urls:,} known, fetched or linked to"),
            ("links", f"{summary.links:,}"),
            ("terms", f"{summary.terms:,} different ones"),
            *copies,
            *cited,
            ("set aside", rejected),
            ("size", size_text(summary.bytes)),
            ("time", f"{summary.seconds:.1f} s"),
        ]
    )
