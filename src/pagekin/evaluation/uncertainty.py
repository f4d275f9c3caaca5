"""How sure a figure is: intervals and paired tests, by drawing the source pages again.

Sources are what an evaluation samples, so they are what is drawn. A draw is the same for all strategies: a
difference between two of them is judged on the same pages, and much of what makes sources differ cancels out.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluation.results import Comparison, Estimate, Ratio, Tally

DRAWS = 1000
FLIPS = 2000
INTERVAL = (2.5, 97.5)  # percent
ROUNDING = 1e-12
BLOCK = 50

Floats = NDArray[np.float64]
Times = NDArray[np.uint8]


@lru_cache(maxsize=2)
def _draws(sources: int, seed: int) -> Times:
    """How often each source is in each draw of as many sources, with replacement."""
    random = np.random.default_rng([seed, sources])
    draws = np.empty((DRAWS, sources), np.uint8)  # one source a hundred times over is not to be feared
    for draw in draws:
        draw[:] = np.bincount(random.integers(0, sources, sources), minlength=sources)
    return draws


@lru_cache(maxsize=2)
def _flips(sources: int, seed: int) -> Times:
    """Which sources change sides in each draw: 1 for those that do, else 0."""
    return np.random.default_rng([seed, sources, 1]).integers(0, 2, (FLIPS, sources), np.uint8)


def _sums(times: Times, values: Floats) -> Floats:
    """The sum of the values in each draw; the draws become numbers of eight bytes only a few at a time."""
    return np.concatenate([block.astype(np.float64) @ values for block in np.array_split(times, len(times) // BLOCK)])


def value(ratio: Ratio) -> float | None:
    """The measure over all sources; None if nothing was measured."""
    below = float(ratio.below.sum())
    return float(ratio.above.sum()) / below if below else None


def _drawn(ratio: Ratio, seed: int) -> Floats:
    draws = _draws(len(ratio.above), seed)
    return _quotient(_sums(draws, ratio.above), _sums(draws, ratio.below))


def _quotient(above: Floats, below: Floats) -> Floats:
    """Above by below; not a number where nothing was measured."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


def estimate(ratio: Ratio, seed: int) -> Estimate | None:
    """A measure with its interval; None if nothing was measured."""
    middle = value(ratio)
    if middle is None:
        return None
    low, high = np.nanpercentile(_drawn(ratio, seed), INTERVAL)
    return Estimate(middle, float(low), float(high))


def estimates(tally: Tally, seed: int) -> dict[str, Estimate]:
    """All measures that were measured."""
    found = {key: estimate(ratio, seed) for key, ratio in tally.items()}
    return {key: estimated for key, estimated in found.items() if estimated is not None}


def difference(first: Ratio, second: Ratio, seed: int) -> Estimate:
    """How much larger the first is, with its interval; a ranking that orders nothing is worth what chance is, 0."""
    low, high = np.percentile(np.nan_to_num(_drawn(first, seed)) - np.nan_to_num(_drawn(second, seed)), INTERVAL)
    return Estimate((value(first) or 0.0) - (value(second) or 0.0), float(low), float(high))


def p_value(first: Ratio, second: Ratio, seed: int) -> float:
    """How often the difference is as large if, for each source, chance says which of the two is which."""
    flips = _flips(len(first.above), seed)
    above, below = _sums(flips, second.above - first.above), _sums(flips, second.below - first.below)
    one = np.nan_to_num(_quotient(first.above.sum() + above, first.below.sum() + below))
    other = np.nan_to_num(_quotient(second.above.sum() - above, second.below.sum() - below))
    observed = abs((value(first) or 0.0) - (value(second) or 0.0))
    as_large = np.count_nonzero(np.abs(one - other) >= observed - ROUNDING)
    return float((as_large + 1) / (FLIPS + 1))


def comparison(names: tuple[str, str], measure: str, tallies: tuple[Tally, Tally], seed: int) -> Comparison:
    """Two rankings by one measure, on the same sources."""
    first, second = tallies[0][measure], tallies[1][measure]
    return Comparison(*names, measure, difference(first, second, seed), p_value(first, second, seed))
