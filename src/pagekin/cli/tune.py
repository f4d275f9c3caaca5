"""pagekin tune: the best strategy for a crawl, as settings for `build`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.options import FILE, crawl_options, local_engine, work_options
from pagekin.cli.progress import bars
from pagekin.cli.text import print_facts, print_json
from pagekin.cli.truth import given_truth, print_lines, trial_settings, truth_options

if TYPE_CHECKING:
    from pagekin.evaluation.results import Comparison
    from pagekin.trials.tune import Tuned

INTERRUPTED = 130
UNSURE = 0.05  # the chance from which on a gain may well be none


@click.command(no_args_is_help=True)
@click.argument("crawl", metavar="CRAWL…|INDEX", nargs=-1, required=True)
@click.option("-o", "--output", "out", metavar="FILE", required=True, type=FILE, help="The settings to write, in TOML.")
@truth_options
@click.option("--aim", "aims", metavar="MEASURE", multiple=True, help="What to raise: a measure by its name in --json.")
@crawl_options
@work_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def tune(
    crawl: tuple[str, ...],
    out: Path,
    aims: tuple[str, ...],
    workers: int | None,
    memory: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the strategy that suits a crawl best, and write it to FILE for `pagekin build --settings FILE`.

    One half of the pages that are asked for chooses, the other half says how good the choice is. Ctrl-C ends the
    search with the best that was found.

    \b
    Example:
      pagekin tune site.kin --directory directory.tsv -o settings.toml
      pagekin build site/ -o site.kin --settings settings.toml --force
    """
    truth = given_truth(options)
    settings = trial_settings(crawl, options)
    from pagekin.evaluation.scores import fill_scores  # loads the compiled kernels, which help does not need
    from pagekin.trials.tune import tune as find_best

    with bars() as observer:
        engine = local_engine(workers, memory, observer, fill_scores)
        tuned = find_best(list(crawl), truth, out, settings, aims=aims, engine=engine)
    if as_json:
        print_json(tuned.document())
    else:
        _print_tuned(tuned, out)
    if tuned.interrupted:
        sys.exit(INTERRUPTED)


def _print_tuned(tuned: Tuned, out: Path) -> None:
    ended = "interrupted after" if tuned.interrupted else "tried"
    facts = [("best", tuned.best.name), ("before", tuned.start.name), (ended, f"{len(tuned.tried)} strategies")]
    for aim in tuned.aims:
        found = tuned.values[aim]
        facts.append((aim, f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}) on pages that chose nothing"))
    print_facts([*facts, ("written to", str(out))])
    print_lines([_sure(gain) for gain in tuned.gains])


def _sure(gain: Comparison) -> str:
    more = gain.difference
    numbers = f"{gain.measure} {more.value:+.3f} ({more.low:+.3f} to {more.high:+.3f}), p = {gain.p_value:.4f}"
    if gain.first == gain.second:
        return f"{gain.measure}: nothing that was tried is better than what is there."
    if gain.p_value > UNSURE:
        return f"{numbers}: it cannot be told whether this is better than before."
    return f"{numbers}: better than before." if more.value > 0 else f"{numbers}: worse than before."
