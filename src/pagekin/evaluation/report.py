"""An evaluation as a page to read: one file that needs no other, no script and no network.

All that comes from a crawl or a directory is taken to be hostile: every text is escaped, and loses what a browser
would obey, on its way into the template (`report.html`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from pagekin.evaluation.chart import Row, bar_chart
from pagekin.evaluation.results import Estimate, Evaluation, Excerpt, Outcome
from pagekin.evaluation.strategies import BEYOND, PAPER, Figure
from pagekin.evaluation.words import (
    AGREES,
    DISAGREES,
    SURE,
    UNTOLD,
    Compare,
    Judged,
    best_first,
    chance,
    drawn_bars,
    figure_measures,
    interval,
    judged_claims,
    main_measure,
    number,
    plain_words,
    verdict,
)
from pagekin.plain_text import shown

LEAST_BARS = 2  # a figure with fewer compares nothing

SIGNS = {AGREES: "✓", DISAGREES: "✗", UNTOLD: "?"}

# The facts about a truth in plain words; of any other the key is shown, with blanks.
DIRECTORY_FACTS = {
    "depth": "levels of categories",
    "rows": "rows in the file",
    "pages": "addresses in the directory",
    "classes": "classes (categories at the lowest level)",
    "used": "pages used",
    "not_in_crawl": "addresses that are not in the crawl",
    "too_shallow": "pages in a category above the lowest level, left out",
    "excluded": "pages excluded on request",
    "not_in_directory": "pages of the crawl that are not in the directory",
    "only_linked": "pages used that are only linked to",
}
RELATED_FACTS = {
    "rows": "rows in the file",
    "sources": "source pages in the list",
    "pairs": "pairs used",
    "not_in_crawl": "pairs with a page that is not in the crawl",
    "excluded": "pairs excluded on request",
    "self_pairs": "pairs of a page and itself, left out",
    "duplicates": "pairs that were there before, left out",
}

_KNOWN_RELATED = re.compile(r"\d+ known related pages")  # the category of a source judged by a list of related pages


@dataclass(frozen=True)
class DrawnFigure:
    """A figure of the report: the chart, and what became of the paper's claims."""

    title: str
    question: str
    chart: Markup
    claims: tuple[tuple[str, str, str], ...]  # sign, verdict, sentence


@dataclass(frozen=True)
class Contrast:
    """What the best and the worst strategy find for one source."""

    source: str
    category: str
    sides: tuple[tuple[str, Excerpt], ...]


def write_report(evaluation: Evaluation, compare: Compare, folder: Path) -> Path:
    """Writes index.html and evaluation.json into a folder, over older ones, and gives the path of the former."""
    page = report_page(evaluation, compare)
    document = json.dumps(evaluation.document(), indent=2)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evaluation.json").write_text(document + "\n", "utf-8")
    path = folder / "index.html"
    path.write_text(page, "utf-8")
    return path


def report_page(evaluation: Evaluation, compare: Compare) -> str:
    """The report as HTML."""
    compare = cache(compare)  # the sentences and the figures ask for the same pairs
    return _template().render(
        evaluation=evaluation,
        about=_about(evaluation),
        truths=_truths(evaluation),
        sentences=plain_words(evaluation, compare),
        main=main_measure(evaluation),
        drawn_by=figure_measures(evaluation),
        columns=sorted(evaluation.measured, key=lambda measure: measure != main_measure(evaluation)),
        ranked=best_first(evaluation),
        paper=_drawn_figures(evaluation, compare, PAPER, "paper"),
        beyond=_drawn_figures(evaluation, compare, BEYOND, "beyond"),
        contrasts=contrasts(evaluation),
        sure=SURE,
    )


def contrasts(evaluation: Evaluation) -> list[Contrast]:
    """The sources that the best and the worst strategy both have an excerpt of (Haveliwala et al. 2002, figure 2)."""
    key = main_measure(evaluation).key
    ranked = [outcome for outcome in best_first(evaluation) if key in outcome.measures and outcome.excerpts]
    if len(ranked) < 2:
        return []
    best, worst = ranked[0], ranked[-1]
    others = {(excerpt.source, excerpt.category): excerpt for excerpt in worst.excerpts}
    pairs = [(excerpt, others.get((excerpt.source, excerpt.category))) for excerpt in best.excerpts]
    names = [f"{word}: {outcome.contender.name}" for word, outcome in (("Best", best), ("Worst", worst))]
    return [Contrast(a.source, a.category, ((names[0], a), (names[1], b))) for a, b in pairs if b]


def kinship(category: str, source: str) -> str:
    """How a found page stands to the source by their categories: same, near (the same parent) or other.

    >>> kinship("home/gardens/plants", "home/gardens/clubs; home/hobbies/flowers")
    'near'
    >>> kinship("related", "3 known related pages"), kinship("", "3 known related pages")
    ('same', 'other')
    """
    if _KNOWN_RELATED.fullmatch(source):
        return "same" if category else "other"
    mine, theirs = set(source.split("; ")), set(category.split("; "))
    if mine & theirs:
        return "same"
    return "near" if _parents(mine) & _parents(theirs) else "other"


def _parents(categories: set[str]) -> set[str]:
    """The categories above these but for the root, of which everything is a child."""
    return {parent for category in categories if (parent := category.rpartition("/")[0].strip("/"))}


def _about(evaluation: Evaluation) -> list[tuple[str, str]]:
    return [
        ("crawl", evaluation.crawl),
        ("pages", f"{evaluation.pages:,}"),
        *((f"source pages for the {truth}", f"{count:,}") for truth, count in _sources(evaluation).items()),
        ("strategies", f"{len(evaluation.outcomes):,}"),
        ("seed", str(evaluation.seed)),
    ]


def _sources(evaluation: Evaluation) -> dict[str, int]:
    """For how many pages the rankings were judged, by each truth."""
    names = {"directory": "directory", "related": "related pages"}
    tallies = [outcome.tally for outcome in evaluation.outcomes]
    measured = [(m.truth, tally[m.key]) for m in evaluation.measured for tally in tallies if m.key in tally]
    return {names[truth]: len(ratio.above) for truth, ratio in measured}


def _truths(evaluation: Evaluation) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each truth what it is, and the facts about it."""
    directory, related = evaluation.truths.directory, evaluation.truths.related
    return [
        *([("a directory", _facts(directory, DIRECTORY_FACTS, {"sources"}))] if directory is not None else []),
        *([("known related pages", _facts(related, RELATED_FACTS, {"asked"}))] if related is not None else []),
    ]


def _facts(facts: Mapping[str, Any], words: Mapping[str, str], told: set[str]) -> list[tuple[str, str]]:
    """Facts in plain words, without those that are told elsewhere."""
    kept = [(key, value) for key, value in facts.items() if value is not None and key not in told]
    return [(words.get(key, key.replace("_", " ")), _fact(value)) for key, value in kept]


def _fact(value: Any) -> str:
    """A fact in plain words.

    >>> _fact(12345), _fact([1, "a"]), _fact(True)
    ('12,345', '1, a', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    return ", ".join(map(_fact, value)) if isinstance(value, list | tuple) else str(value)


def _drawn_figures(
    evaluation: Evaluation, compare: Compare, figures: tuple[Figure, ...], key: str
) -> list[DrawnFigure]:
    drawn = (_drawn_figure(evaluation, compare, figure, f"{key}{n}") for n, figure in enumerate(figures, 1))
    return [figure for figure in drawn if figure is not None]


def _drawn_figure(evaluation: Evaluation, compare: Compare, figure: Figure, key: str) -> DrawnFigure | None:
    measures = figure_measures(evaluation, figure)
    bars = drawn_bars(evaluation, figure)
    if len(bars) < LEAST_BARS:
        return None
    rows = [Row(label, tuple(outcome.measures.get(m.key) for m in measures)) for label, outcome in bars]
    chart = bar_chart(key, figure.title, [m.title for m in measures], rows)
    claims = tuple(_claim(judged) for judged in judged_claims(evaluation, compare, figure))
    return DrawnFigure(figure.title, figure.question, Markup(chart), claims)  # built as XML: all texts are escaped


def _claim(judged: Judged) -> tuple[str, str, str]:
    """A sign, a verdict and a sentence; the cautious measure is told of where it says something else."""
    found, cautious = judged.found, judged.cautious
    told = f"{judged.claim.higher} above {judged.claim.lower}: {_numbers(found.difference, found.p_value)}"
    if cautious is not None and verdict(cautious) != verdict(found):
        told += f"; by D: {verdict(cautious)}, {_numbers(cautious.difference, cautious.p_value)}"
    return SIGNS[verdict(found)], verdict(found), told


def _numbers(difference: Estimate, p_value: float) -> str:
    return f"{number(difference.value, signed=True)} ({interval(difference)}), {chance(p_value)}"


def _finalized(value: Any) -> Any:
    """What an expression of the template puts on the page; Markup is ours, other text may be of the crawl."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_finalized, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(number=number, interval=interval)
    environment.globals.update(kinship=kinship, has_value=_has_value)
    return environment.from_string(files("pagekin.evaluation").joinpath("report.html").read_text("utf-8"))


def _has_value(outcome: Outcome, key: str) -> bool:
    return key in outcome.measures
