"""pagekin build: from crawl files to an index."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.progress import bars
from pagekin.cli.text import print_facts, print_json, reasons_text, size_text
from pagekin.settings import read_settings

if TYPE_CHECKING:
    from pagekin.builder import BuildSummary

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class _Size(click.ParamType[int]):
    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", str(value).strip().lower())
        if not match:
            self.fail(f"{value!r} is no size; give one such as 500M or 2G", param, ctx)
        return int(float(match[1]) * _UNITS[match[2]])


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
@click.option("--engine", type=click.Choice(["local"]), default="local", show_default=True, help="What runs the steps.")
@click.option("--settings", "settings_file", metavar="FILE", type=click.Path(path_type=Path), help="Settings in TOML.")
@click.option(
    "--set",
    "assignments",
    metavar="KEY=VALUE",
    multiple=True,
    help="One setting, such as crawl.base_url=http://x/.",
)
@click.option("--base-url", metavar="URL", help="The address of a folder of HTML; by default http://FOLDER-NAME/.")
@click.option("--stopwords", metavar="FILE", help="Your own stop words, in place of those by language.")
@click.option("--workers", metavar="N", type=click.IntRange(min=1), help="Processes; by default one a core.")
@click.option(
    "--memory",
    metavar="SIZE",
    type=_Size(),
    default="1G",
    show_default=True,
    help="What they may use, about.",
)
@click.option("--resume", is_flag=True, help="Go on with a build that was ended early.")
@click.option("--force", is_flag=True, help="Replace an index that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def build(
    crawl: tuple[str, ...],
    out: Path,
    engine: str,
    settings_file: Path | None,
    assignments: tuple[str, ...],
    base_url: str | None,
    stopwords: str | None,
    workers: int | None,
    memory: int,
    resume: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Build an index of CRAWL: WARC, ARC and WACZ files, folders of HTML, globs, lists, URLs.

    \b
    Example:
      pagekin build site/ -o site.kin --base-url https://www.example.org/
      pagekin build 'crawl/*.warc.gz' more.wacz -o collection.kin
    """
    given = [f"crawl.base_url={base_url}"] if base_url else []
    given += [f"strategy.stop_words={Path(stopwords).absolute()}"] if stopwords else []
    settings = read_settings(settings_file, [*assignments, *given])
    from pagekin.builder import build as build_index  # loads the compiled kernels, which help does not need
    from pagekin.engines.local import LocalEngine
    from pagekin.hashing import hash_lower
    from pagekin.kernels import compiled_before

    if not compiled_before(hash_lower):
        click.echo("pagekin: first build on this machine; compiling takes about a minute, once", err=True)
    with bars() as observer:
        local = LocalEngine(workers or os.cpu_count() or 1, memory, observer)
        summary = build_index(list(crawl), out, settings, engine=local, resume=resume, force=force)
    if as_json:
        print_json(dataclasses.asdict(summary))
    else:
        _print_summary(summary)


def _print_summary(summary: BuildSummary) -> None:
    rejected = f"{summary.rejected:,}"
    if summary.rejected:
        rejected += f" ({reasons_text(summary.rejected_reasons)}; see {summary.index / 'rejected.parquet'})"
    print_facts(
        [
            ("index", str(summary.index)),
            ("pages", f"{summary.pages:,}"),
            ("addresses", f"{summary.urls:,} known, fetched or linked to"),
            ("links", f"{summary.links:,}"),
            ("terms", f"{summary.terms:,} different ones"),
            ("set aside", rejected),
            ("size", size_text(summary.bytes)),
            ("time", f"{summary.seconds:.1f} s"),
        ]
    )
