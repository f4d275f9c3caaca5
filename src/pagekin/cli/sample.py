"""pagekin sample: writes the sample web with the truth about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pagekin.sample import SampleSummary, write_sample


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--pages", type=click.IntRange(min=1), default=2000, show_default=True, help="How many pages.")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed, another web.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def sample(directory: Path, pages: int, seed: int, as_json: bool) -> None:
    """Write a web of PAGES pages, as WARC, with the truth about it, into DIR.

    The truth is directory.tsv (URL, topic), duplicates.tsv (original, copy, kind) and blocks.tsv (page,
    block, link). The same pages and seed give the same files.

    \b
    Example:
      pagekin sample web/ --pages 2000 --seed 1
    """
    try:
        with _bar(pages) as progress:
            summary = write_sample(directory, pages, seed, progress)
    except OSError as error:
        reason = error.strerror or error
        raise _Unwritable(f"The sample web cannot be written to {directory}: {reason}.") from None
    click.echo(_as_json(summary) if as_json else _as_text(summary))


class _Unwritable(click.ClickException):
    exit_code = 2


@contextmanager
def _bar(pages: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, if a person is looking at it."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("pages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("pages", total=pages)
        yield lambda done: bar.update(task, completed=done)


def _as_json(summary: SampleSummary) -> str:
    return json.dumps(asdict(summary), default=str)


def _as_text(summary: SampleSummary) -> str:
    files = "\n".join(f"  {path}" for path in summary.files)
    fetched = f"{summary.pages:,} pages in {summary.records:,} records"
    return f"{fetched}, and {summary.never_fetched:,} pages that are linked but were never fetched:\n{files}"
