"""pagekin export: the related pages of all pages, for other programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pagekin.cli.options import FILE, spark_engine, spark_options
from pagekin.cli.progress import bars
from pagekin.cli.text import print_facts, print_json
from pagekin.plain_text import shown

if TYPE_CHECKING:
    from pagekin.engines.protocol import Observer
    from pagekin.exports.destinations import Destination
    from pagekin.exports.rows import PageRow, RelatedPages

FORMATS = ("jsonl", "csv", "parquet", "sqlite", "trec")
MAKERS = ("hugo", "jekyll", "sphinx")
NOT_FOR_A_TERMINAL = ("parquet", "sqlite")
STREAM = Path("-")
TASK_MEMORY = 1 << 29


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path))
@click.option("--format", "kind", type=click.Choice(FORMATS), help="What kind of file to write.")
@click.option("--for", "maker", type=click.Choice(MAKERS), help="Write ready files for a site that this makes.")
@click.option("--to", "address", metavar="postgresql://…", help="Write a table of a PostgreSQL database.")
@click.option("-o", "--output", "out", metavar="FILE|DIR|-", type=FILE, help="Where to; - is standard output.")
@click.option("--table", metavar="NAME", help="The table in PostgreSQL.  [pagekin_related]")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="How many pages for each.")
@click.option("--other-sites", is_flag=True, help="Leave out the page's own site.")
@click.option("--per-site", metavar="N", type=click.IntRange(min=1), help="At most N pages of a site.")
@click.option(
    "--least-score", metavar="X", type=click.FloatRange(0, 1), default=0.0, help="Name none of a lower score."
)
@click.option("--site", "host", metavar="HOST", help="Pages of this host alone; with --for, the largest by default.")
@click.option("--all-pages", is_flag=True, help="Export pages that were never fetched too, known by links.")
@click.option("--fetched-only", is_flag=True, help="Name only fetched pages as related; always so with --for.")
@spark_options
@click.option("--set", "assignments", metavar="spark.KEY=VALUE", multiple=True, help="One setting of Spark.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def export(
    index: Path,
    kind: str | None,
    maker: str | None,
    address: str | None,
    out: Path | None,
    table: str | None,
    k: int,
    other_sites: bool,
    per_site: int | None,
    least_score: float,
    host: str | None,
    all_pages: bool,
    fetched_only: bool,
    engine: str,
    master: str | None,
    assignments: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Write the related pages of all fetched pages: as a file, as a table, or as files for your site.

    \b
    Example:
      pagekin export site.kin --format jsonl -o related.jsonl
      pagekin export site.kin --format csv -k 5 -o -
      pagekin export site.kin --for hugo -o mysite/
      pagekin export site.kin --to postgresql://user@localhost/shop
      pagekin export big.kin --format parquet --engine spark --master spark://host:7077 -o /shared/related
    """
    asked = _Asked(kind, maker, address, out, table, force)
    asked.check(as_json)
    if engine == "spark" and (kind != "parquet" or out == STREAM):
        raise click.UsageError("--engine spark writes a folder of Parquet files; give --format parquet and -o a name")
    if maker and other_sites:
        raise click.UsageError("--for makes boxes of pages of one host; --other-sites would leave none")
    from pagekin.exports.rows import Choice, RelatedPages, largest_host  # loads the kernels, which help does not need
    from pagekin.index import open_index

    opened = open_index(index)
    host = host or (largest_host(opened) if maker else "")
    choice = Choice(k, other_sites, per_site, all_pages, fetched_only or maker is not None, host, least_score)
    started = time.perf_counter()
    with bars() as observer:
        spark = spark_engine(engine, master, assignments, TASK_MEMORY, observer)
        if spark:
            from pagekin.exports.partitions import export_on_spark

            rows = _Counts(len(RelatedPages(opened, choice)), export_on_spark(opened, choice, str(out), spark, force))
        else:
            rows = _written(RelatedPages(opened, choice), asked.destination(), observer)
    summary = {"pages": rows.pages, "rows": rows.rows, "seconds": round(time.perf_counter() - started, 3)}
    if as_json:
        print_json(summary)
    elif out != STREAM:
        _print_summary(asked, rows, summary["seconds"], host)


class _Asked(NamedTuple):
    """Where the rows should go, as it was given."""

    kind: str | None
    maker: str | None
    address: str | None
    out: Path | None
    table: str | None
    force: bool

    def check(self, as_json: bool) -> None:
        """Complain of options that do not go together."""
        if [self.kind, self.maker, self.address].count(None) != 2:
            raise click.UsageError("give one of --format, --for and --to")
        if self.address is not None:
            self._check_database(self.address)
            return
        if self.table is not None:
            raise click.UsageError("--table is for --to")
        if self.out is None:
            raise click.UsageError("give -o: a name, or - for standard output")
        if self.out == STREAM:
            self._check_stream(as_json)

    def _check_database(self, address: str) -> None:
        if self.out is not None:
            raise click.UsageError("-o is for files; --to says where the table is")
        if not address.startswith(("postgresql://", "postgres://")):
            raise click.UsageError("--to needs an address such as postgresql://user@localhost/database")

    def _check_stream(self, as_json: bool) -> None:
        if self.maker or as_json:
            raise click.UsageError("standard output takes one file; give -o a name")
        if self.kind in NOT_FOR_A_TERMINAL and sys.stdout.isatty():
            raise click.UsageError(f"{self.kind} is not for a terminal; give -o a name, or send it on to a file")

    def destination(self) -> Destination:
        """The place itself."""
        from pagekin.exports.destinations import ToFile, ToPostgresql, ToSite, ToStream
        from pagekin.exports.postgresql import TABLE

        if self.address is not None:
            return ToPostgresql(self.address, self.table or TABLE, self.force)
        assert self.out is not None
        if self.maker is not None:
            return ToSite(self.maker, self.out, self.force)
        assert self.kind is not None
        return ToStream(self.kind, sys.stdout.buffer) if self.out == STREAM else ToFile(self.kind, self.out, self.force)


class _Counts(NamedTuple):
    """What was written."""

    pages: int
    rows: int


def _written(every: RelatedPages, destination: Destination, observer: Observer) -> _Counts:
    destination.check()
    rows = _Counted(every, observer)
    destination.write(rows)
    return _Counts(rows.pages, rows.rows)


class _Counted:
    """Rows that are counted as they pass, and that move a progress bar."""

    def __init__(self, every: RelatedPages, observer: Observer) -> None:
        self._every, self._observer = every, observer
        self.pages = self.rows = 0

    def __iter__(self) -> Iterator[PageRow]:
        self._observer.begin("export", len(self._every))
        for row in self._every:
            self.pages += 1
            self.rows += len(row.related)
            self._observer.advance(1)
            yield row
        self._observer.end()


def _print_summary(asked: _Asked, rows: _Counts, seconds: float, host: str) -> None:
    from pagekin.exports.destinations import SITES
    from pagekin.exports.postgresql import TABLE

    where = str(asked.out) if asked.out else f"the table {asked.table or TABLE}"
    facts = [("written", where), ("pages", f"{rows.pages:,}" + (f" of {shown(host)}" if host else ""))]
    facts += [("related", f"{rows.rows:,}"), ("time", f"{seconds:.1f} s")]
    if asked.maker:
        facts += [("next", SITES[asked.maker].next_step)]
    print_facts(facts)
