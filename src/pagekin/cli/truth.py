"""What `evaluate` and `tune` have in common: a crawl or an index, a truth to judge by, and a table of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pagekin.cli.options import FILE, Command, given_settings

if TYPE_CHECKING:
    from pagekin.evaluation.results import Evaluation, Measure, Outcome
    from pagekin.settings import Settings
    from pagekin.trials.evaluate import Truth

_TRUTH = (
    click.option("--directory", metavar="FILE|urls", help="TSV or ODP RDF of pages and classes, or the URLs' folders."),
    click.option("--related", metavar="FILE", type=FILE, help="Pairs: page, tab, related page; or TREC qrels."),
    click.option("--depth", type=click.IntRange(min=1), default=3, show_default=True, help="Of the classes used."),
    click.option("--exclude", metavar="PATTERN", multiple=True, help="Leave out pages that leak the truth: */index/*."),
    click.option(
        "--sources", metavar="N", type=click.IntRange(min=0), default=5000, show_default=True,
        help="Pages that are asked for, at most; 0: all.",
    ),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Chooses them."),
)  # fmt: skip


def truth_options(command: Command) -> Command:
    """What is judged by: for `given_truth`."""
    for option in reversed(_TRUTH):
        command = option(command)
    return command


def given_truth(options: dict[str, Any]) -> Truth:
    """The truth that the options name, which are taken out of them."""
    from pagekin.trials.evaluate import Truth

    truth = Truth(**{field.name: options.pop(field.name) for field in fields(Truth)})
    if truth.directory is None and truth.related is None:
        raise click.UsageError("give --directory FILE, --directory urls, or --related FILE, or both kinds")
    return truth


def trial_settings(crawl: Sequence[str], crawl_settings: dict[str, Any]) -> Settings:
    """The settings of an index, or the defaults for crawl files, changed by what the options say."""
    from pagekin.trials.crawl_tables import index_tables, is_index

    base = index_tables(Path(crawl[0])).settings if is_index(crawl) else None
    return given_settings(**crawl_settings, base=base)


# Measures in the order in which a narrow terminal drops them, from the end.
_BY_IMPORTANCE = (
    "sibling_somers_d", "ndcg_at_10", "sibling_gamma", "precision_at_10", "recall_at_10", "mrr", "unrelated_somers_d",
    "orthogonality", "unrelated_gamma", "r_score_at_10", "cousin_somers_d", "cousin_gamma",
)  # fmt: skip
_NAME_WIDTH = 40


def print_results(evaluation: Evaluation, outcomes: Sequence[Outcome]) -> None:
    """A row for each strategy and a column for each measure that there is room for.

    Behind the main measure stands half the width of its interval.
    """
    from pagekin.evaluation.words import main_measure

    console, main = Console(markup=False, emoji=False, highlight=False), main_measure(evaluation)
    others = sorted(evaluation.measured, key=lambda measure: _BY_IMPORTANCE.index(measure.key))
    columns = [main, *(measure for measure in others if measure != main)]
    widths = [max(len(word) for word in (*measure.title.split(), "0.000")) + 1 for measure in columns]
    room = console.width - _NAME_WIDTH - len(" ±0.000")
    shown = [measure for i, measure in enumerate(columns) if i == 0 or sum(widths[: i + 1]) <= room]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for measure in shown:
        table.add_column(measure.title.replace(" ", "\n"), justify="right", no_wrap=True)
    table.add_column("strategy", overflow="fold")
    for outcome in outcomes:
        values = [_value(outcome, measure, measure == main) for measure in shown]
        table.add_row(*values, Text(outcome.contender.name))
    console.print(table)
    if len(shown) < len(columns):
        left = ", ".join(measure.title for measure in columns[len(shown) :])
        console.print(f"For {left}: a wider terminal, --report or --json.", style="dim")


def _value(outcome: Outcome, measure: Measure, with_interval: bool) -> Text:
    found = outcome.measures.get(measure.key)
    if found is None:
        return Text("–", "dim")
    half = f" ±{(found.high - found.low) / 2:.3f}" if with_interval else ""
    return Text.assemble(f"{found.value:.3f}", (half, "dim"))


def print_lines(lines: Sequence[str]) -> None:
    """Sentences for a person, wrapped to the width of the terminal."""
    console = Console(markup=False, emoji=False, highlight=False)
    for line in lines:
        console.print(line)
