"""Which strategy is good on all sets together: what chose the defaults of `Strategy`.

Goes along one axis after the other as `pagekin tune` does, but on several crawls at once. On each, the values of an
axis are ranked by two measures (sibling D and precision@10 for a directory, nDCG@10 and recall@10 for known pairs);
differences below 0.001 are ties. The value with the least average rank over all crawls is taken if it is better by
0.25 than what is there. Half of the sources choose, the other half reports.

Then the rule by which nmdf takes μ and σ from the size of a crawl is judged in the same way, as two factors.

    python benchmarks/defaults.py ENCYCLOPEDIA.kin DIRECTORY.tsv SAMPLE.kin DIRECTORY.tsv SCIPY.kin RELATED.tsv ...

A truth named related.tsv holds pairs, any other is a directory; `FILE:2` sets its depth to 2.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluation.results import Tally
from pagekin.evaluation.search import ROUNDS, Axis, axes, is_idle, part_of
from pagekin.evaluation.strategies import Contender, changed
from pagekin.evaluation.uncertainty import difference, p_value, value
from pagekin.settings import Settings, Strategy
from pagekin.trials.evaluate import Trial, Truth, opened_trial

Floats = NDArray[np.float64]

SOURCES = 1500
BY_DIRECTORY = ("sibling_somers_d", "precision_at_10")
BY_PAIRS = ("ndcg_at_10", "recall_at_10")
TIE = 0.001
MARGIN = 0.25  # of average rank: less is chance, and a default that changes costs somebody something
MU_FACTORS = (0.3, 0.4, 0.5, 0.6)
SIGMA_FACTORS = (0.25, 1 / 3, 0.45, 0.6, 0.8)


def truth_of(given: str) -> Truth:
    """A truth by the name of its file."""
    name, _, depth = given.partition(":")
    if Path(name).name.startswith("related"):
        return Truth(related=name, sources=SOURCES)
    return Truth(directory=name, depth=int(depth or 3), sources=SOURCES)


def aims(trial: Trial) -> tuple[str, ...]:
    """What a crawl is ranked by."""
    return BY_DIRECTORY if trial.truth.directory else BY_PAIRS


def half(trial: Trial, contender: Contender, chooses: bool) -> Tally:
    """One half of what a trial says of a contender."""
    return part_of(trial.outcomes([contender])[0].tally, trial.truth.seed, chooses)


def ranks(values: Sequence[float]) -> Floats:
    """The rank of each value, the highest first; those within TIE of each other share one."""
    return np.array([1.0 + sum(other > one + TIE for other in values) for one in values])


Variants = Callable[[Trial], Sequence[Contender]]  # the same ones for every crawl, or not


def average_ranks(trials: Sequence[Trial], variants: Variants) -> Floats:
    """The rank of each variant, averaged over the measures of a crawl, and then over crawls."""
    rows = []
    for trial in trials:
        tallies = [half(trial, variant, chooses=True) for variant in variants(trial)]
        measured = [ranks([value(tally[aim]) or 0.0 for tally in tallies]) for aim in aims(trial)]
        rows.append(np.mean(measured, axis=0))
    return np.asarray(np.mean(rows, axis=0))


def search(trials: Sequence[Trial], start: Contender, along: Sequence[Axis]) -> Contender:
    """Take the best value of each axis in turn; what is there stays unless another is better."""
    best = start
    for number in range(ROUNDS):
        before = best
        for axis in along:
            if is_idle(axis, best):
                continue
            variants = axis.variants(best)
            found = average_ranks(trials, lambda _, given=variants: given)  # type: ignore[misc]
            row = ", ".join(f"{v.name} {r:.2f}" for v, r in zip(variants, found, strict=True))
            print(f"round {number + 1}, {axis.name}: {row}", flush=True)
            if found.min() <= found[0] - MARGIN:
                best = variants[int(found.argmin())]
        if best == before:
            break
    return best


def judge_rule(trials: Sequence[Trial], best: Contender) -> None:
    """The average rank of each pair of factors: μ is so much of ln N, and σ so much of μ."""
    factors = [(mu, sigma) for mu in MU_FACTORS for sigma in SIGMA_FACTORS]

    def variants(trial: Trial) -> list[Contender]:
        whole = 2 * trial.maker.mu_and_sigma(Strategy())[0]  # ln N: the rule takes half of it
        return [
            changed(best, {"frequency": "nmdf", "mu": round(mu * whole, 3), "sigma": round(mu * sigma * whole, 3)})
            for mu, sigma in factors
        ]

    found = average_ranks(trials, variants).reshape(len(MU_FACTORS), len(SIGMA_FACTORS))
    print("\naverage rank of nmdf with μ = row · ln N and σ = column · μ")
    print("|  | " + " | ".join(f"{sigma:g}" for sigma in SIGMA_FACTORS) + " |")
    print("|---" * (len(SIGMA_FACTORS) + 1) + "|")
    for mu, row in zip(MU_FACTORS, found, strict=True):
        print(f"| {mu:g} | " + " | ".join(f"{rank:.2f}" for rank in row) + " |")


def report(trials: Sequence[Trial], start: Contender, best: Contender) -> None:
    """Both on the half of the sources that chose nothing."""
    print(f"\nbefore: {start.name}\nchosen: {best.name}\n\n| crawl | measure | before | chosen | difference | p |")
    print("|---|---|---|---|---|---|")
    for trial in trials:
        one, other = half(trial, best, chooses=False), half(trial, start, chooses=False)
        for aim in aims(trial):
            more = difference(one[aim], other[aim], trial.truth.seed)
            chance = p_value(one[aim], other[aim], trial.truth.seed)
            print(
                f"| {trial.name} | {aim} | {value(other[aim]):.3f} | {value(one[aim]):.3f} | "
                f"{more.value:+.3f} ({more.low:+.3f} to {more.high:+.3f}) | {chance:.4f} |"
            )


def main() -> None:
    """Search from the defaults."""
    given = sys.argv[1:]
    with ExitStack() as stack:
        trials = [
            stack.enter_context(opened_trial(crawl, truth_of(truth), Settings()))
            for crawl, truth in zip(given[::2], given[1::2], strict=True)
        ]
        start = Contender()
        # μ and σ in one crawl are not those in another: they are searched as factors by themselves.
        along = [axis for axis in axes(1.0, 1.0) if axis.name not in ("mu", "sigma")]
        best = search(trials, start, along)
        report(trials, start, best)
        judge_rule(trials, best)


if __name__ == "__main__":
    main()
