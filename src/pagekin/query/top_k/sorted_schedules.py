"""How the next steps of sorted access are shared out over the lists (lecture chapter, section 3.3).

*Round robin* reads all lists alike. The others look for the steps of most benefit: how fast the scores of a list fall
(*score gradient*), how far they fall (*score reduction*), or what both a fall and the scores themselves do for the
documents that are not decided yet (*benefit aggregation*). *Greedy* gives each list a share by the benefit that all
steps would have there; *knapsack* finds the shares of most benefit in all.

No list is looked into: how it goes on is foretold by a straight line through its last scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Floats, Numbers
from pagekin.query.top_k.reading import Counted

SortedSchedule = Callable[[Gathering, Standing, int], dict[int, int]]  # the steps for each place, of so many in all
Benefit = Callable[[Gathering, Standing, Sequence[int], Numbers], Floats]  # [list, number of steps]
Distribution = Callable[[Floats, Numbers], Numbers]

KNAPSACK_UNITS = 32  # a batch is shared out in at most so many pieces: the search takes the square of that
LEAST_GAP = 0.01  # nearer than that, documents would outweigh all others


def round_robin(gathering: Gathering, standing: Standing, steps: int) -> dict[int, int]:
    """The same number of steps for each list, the first ones get what is over."""
    places = gathering.unfinished
    return {place: (steps + len(places) - 1 - n) // len(places) for n, place in enumerate(places)}


def by_benefit(
    gathering: Gathering, standing: Standing, steps: int, benefit: Benefit, distribution: Distribution
) -> dict[int, int]:
    """Steps by benefit; by round robin as long as a list was never read, or if no list promises any."""
    places = gathering.unfinished
    if not all(gathering.readers[place].history for place in places):
        return round_robin(gathering, standing, steps)
    unit = -(-steps // KNAPSACK_UNITS)
    choices = np.minimum(np.arange(-(-steps // unit) + 1) * unit, steps)
    benefits = benefit(gathering, standing, places, choices)
    if not benefits.any():
        return round_robin(gathering, standing, steps)
    shares = distribution(benefits, choices)
    return {place: int(share) for place, share in zip(places, shares, strict=True) if share}


# --- what will come


def foretold(reader: Counted, steps: Numbers) -> Floats:
    """The scores of a list after so many more steps, if it goes on falling as it did over the last ones."""
    window = min(len(reader.history) - 1, int(steps.max()))
    fall = (reader.history[-1 - window] - reader.history[-1]) / max(window, 1)
    return np.clip(reader.high - fall * steps, 0.0, reader.high)


# --- benefits


def score_gradient(gathering: Gathering, standing: Standing, places: Sequence[int], steps: Numbers) -> Floats:
    """How much the scores fall with each step."""
    return score_reduction(gathering, standing, places, steps) / np.maximum(steps, 1)


def score_reduction(gathering: Gathering, standing: Standing, places: Sequence[int], steps: Numbers) -> Floats:
    """How much the scores fall in all."""
    return np.array([gathering.weights[place] * _fall(gathering.readers[place], steps) for place in places])


def benefit_aggregation(gathering: Gathering, standing: Standing, places: Sequence[int], steps: Numbers) -> Floats:
    """What reading does for the documents that lack a score of a list, more for those that are nearly decided.

    A fall lowers best scores, and counts by how little they exceed min-k (surplus); a score that is read raises worst
    scores, and counts by how little they lack of min-k (gap).
    """
    least = max(standing.least, 0.0)
    surplus = 1 / np.maximum(standing.best - least, LEAST_GAP)
    gap = np.where(standing.worst < least, 1 / np.maximum(least - standing.worst, LEAST_GAP), 0.0)
    lacking = ~standing.known[:, list(places)]
    falls = score_reduction(gathering, standing, places, steps)
    means = np.array([gathering.weights[place] * _mean(gathering.readers[place], steps) for place in places])
    return np.asarray((surplus @ lacking)[:, None] * falls + (gap @ lacking)[:, None] * means)


def _fall(reader: Counted, steps: Numbers) -> Floats:
    return reader.high - foretold(reader, steps)


def _mean(reader: Counted, steps: Numbers) -> Floats:
    """The mean score over the next steps; 0 for none."""
    return np.where(steps > 0, (reader.high + foretold(reader, steps)) / 2, 0.0)


# --- distributions


def greedy(benefits: Floats, steps: Numbers) -> Numbers:
    """Shares by the benefit of all steps in one list; what rounding leaves over goes to the largest remainders."""
    total = int(steps[-1])
    weights = benefits[:, -1] if benefits[:, -1].any() else benefits.max(axis=1)
    exact = total * weights / weights.sum()
    shares: Numbers = np.floor(exact).astype(np.int64)
    order = np.argsort(shares - exact, kind="stable")
    shares[order[: total - int(shares.sum())]] += 1
    return shares


def knapsack(benefits: Floats, steps: Numbers) -> Numbers:
    """The shares whose benefits add up to most, found list after list."""
    units = np.arange(len(steps))
    rest = units[:, None] - units  # what is left for the lists before, if this one takes so many of so many
    best, taken = np.zeros(len(steps)), []
    for row in benefits:
        sums = np.where(rest >= 0, best[rest] + row, -np.inf)
        taken.append(sums.argmax(axis=1))
        best = sums.max(axis=1)
    shares, left = np.zeros(len(benefits), np.int64), len(steps) - 1
    for place in reversed(range(len(benefits))):
        shares[place] = steps[taken[place][left]]
        left -= int(taken[place][left])
    return _with_the_rest(shares, benefits, int(steps[-1]))


def _with_the_rest(shares: Numbers, benefits: Floats, total: int) -> Numbers:
    """Shares of so many steps in all: a batch is always read whole, and what adds no benefit goes where most is."""
    rest = total - int(shares.sum())
    shares[benefits.max(axis=1).argmax() if rest > 0 else shares.argmax()] += rest
    return shares


_BY_BENEFIT: dict[str, SortedSchedule] = {
    f"{benefit.__name__.replace('_', ' ')}, {distribution.__name__}": partial(
        by_benefit, benefit=benefit, distribution=distribution
    )
    for benefit in (score_gradient, score_reduction, benefit_aggregation)
    for distribution in (greedy, knapsack)
}
SORTED_SCHEDULES: dict[str, SortedSchedule] = {"round robin": round_robin, **_BY_BENEFIT}
