"""pagekin evaluate: how good strategies are on a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.options import FILE, crawl_options, local_engine, work_options
from pagekin.cli.progress import bars
from pagekin.cli.text import print_facts, print_json
from pagekin.cli.truth import given_truth, print_lines, print_results, trial_settings, truth_options

if TYPE_CHECKING:
    from pagekin.evaluation.results import Evaluation
    from pagekin.evaluation.strategies import Contender


@click.command(no_args_is_help=True)
@click.argument("crawl", metavar="CRAWL…|INDEX", nargs=-1, required=True)
@truth_options
@click.option(
    "--strategies",
    metavar="FILE|paper",
    help="What to compare; by default the blend of the index and each of its sources alone.",
)
@click.option("--report", metavar="DIR", type=FILE, help="Write a page with figures to DIR/index.html.")
@crawl_options
@work_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def evaluate(
    crawl: tuple[str, ...],
    strategies: str | None,
    report: Path | None,
    workers: int | None,
    memory: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Show how well strategies find related pages, judged by a directory, by known related pages, or by both.

    Γ (gamma) is 1 if all pages of a page's class come before those of other classes, and 0 for pure chance; D is the
    same with ties counted as neither right nor wrong. Behind ± stands half of the interval of 95 % confidence.

    \b
    Example:
      pagekin evaluate site.kin --directory directory.tsv
      pagekin evaluate site.kin --directory content.rdf.u8.gz --strategies paper --report report/
      pagekin evaluate wiki/ --related see-also.tsv --cut '.see-also'
    """
    truth = given_truth(options)
    contenders = _contenders(strategies)
    settings = trial_settings(crawl, options)
    from pagekin.evaluation.scores import fill_scores  # loads the compiled kernels, which help does not need
    from pagekin.trials.evaluate import evaluate as evaluate_strategies

    with bars() as observer:
        engine = local_engine(workers, memory, observer, fill_scores)
        evaluation = evaluate_strategies(list(crawl), truth, contenders, settings, engine=engine)
    if report is not None:
        _write_report(evaluation, report)
    if as_json:
        print_json(evaluation.document())
    else:
        _print_evaluation(evaluation)


def _contenders(strategies: str | None) -> list[Contender]:
    from pagekin.evaluation.strategies import read_contenders, swept

    if strategies is None:
        return []
    return swept() if strategies == "paper" and not Path(strategies).exists() else read_contenders(Path(strategies))


def _write_report(evaluation: Evaluation, folder: Path) -> None:
    from pagekin.evaluation.report import write_report
    from pagekin.trials.evaluate import compared

    page = write_report(evaluation, compared(evaluation), folder)
    click.echo(f"pagekin: the report is {page}", err=True)


def _print_evaluation(evaluation: Evaluation) -> None:
    from pagekin.evaluation.words import best_first, plain_words
    from pagekin.trials.evaluate import compared

    for kind, facts in (("directory", evaluation.truths.directory), ("related", evaluation.truths.related)):
        if facts is not None:
            print_facts([(kind, ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in facts.items()))])
    click.echo()
    print_results(evaluation, best_first(evaluation))
    if len(evaluation.outcomes) > 1:
        click.echo()
        print_lines(plain_words(evaluation, compared(evaluation)))
