"""Answers that may miss a little: it is enough that others are unlikely to be better.

The model: a score that is not known is an independent draw, uniform between 0 and the `high` of its source. For this
model, and for all in which the draws are stochastically smaller, no chance is given too low.

What `risk` promises: the query stops when the chances of all documents outside the answer to reach min-k add up to at
most risk * k, and no list can show others that reach it. So the expected number of documents of the exact answer that
are missing is at most risk * k: on average over such queries at least the share 1 - risk of the exact answer is found.
It is a promise about the mean, under the model, and no bound on a single answer. The bounds of the scores are right;
the order is that of the worst scores, and may be another one than that of the scores.

TA leaves no score unknown, and has no use for a risk: its answers are exact.
"""

from __future__ import annotations

import numpy as np

from pagekin.query.top_k.bounds import Standing, surely_before
from pagekin.query.top_k.protocol import LEAST, PRODUCT, SUM, Floats, Mask, Numbers, TopKQuery

BINS = 256


def likely_answer(query: TopKQuery, standing: Standing, highs: Floats) -> Numbers | None:
    """The rows of an answer that is good enough for the risk of a query; None if there is none yet."""
    if standing.open_to_others or standing.least <= 0:
        return None
    order = standing.by_worst
    answer, others = order[: query.k], order[query.k :]
    others = others[~surely_before(standing, answer[-1:], others)]
    if (standing.worst[others] >= standing.least).any():
        return None
    missing = chances(query, standing.known[others], standing.best[others], standing.least, highs).sum()
    return answer if missing <= query.risk * query.k else None


def chances(query: TopKQuery, known: Mask, best: Floats, least: float, highs: Floats) -> Floats:
    """How likely each document is to have at least `least`, which its best score has and its worst has not."""
    counted = [place for place in range(len(highs)) if place not in query.excluded]
    found = np.empty(len(best))
    patterns, which = np.unique(known[:, counted], axis=0, return_inverse=True)
    weights, highs = query.aggregation.weights[counted], highs[counted]
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == number)
        found[rows] = _chances(query.aggregation.kind, weights[~pattern], highs[~pattern], best[rows], least)
    return found


def _chances(kind: str, weights: Floats, highs: Floats, best: Floats, least: float) -> Floats:
    """The chances of documents that lack the scores of the same sources."""
    if kind in (SUM, PRODUCT):
        slack = best - least if kind == SUM else np.log(np.maximum(best, least) / least)
        scales = weights * highs if kind == SUM else weights
        return sums_below(scales[scales > 0], slack, exponential=kind == PRODUCT)
    reach = np.clip(1 - least / np.maximum(weights * highs, least), 0.0, 1.0)  # of each source alone
    chance = reach.prod() if kind == LEAST else 1 - (1 - reach).prod()
    return np.full(len(best), chance)


def sums_below(scales: Floats, limits: Floats, exponential: bool) -> Floats:
    """How likely sums of independent draws, uniform from 0 to each scale, or exponential of that mean, are to stay
    below limits; by convolution of histograms whose draws are rounded down, so never too low."""
    highest = float(limits.max(initial=0.0))
    if highest <= 0 or not len(scales):
        return np.ones(len(limits))
    edges = np.linspace(0.0, highest, BINS + 1)
    total = np.zeros(BINS)
    total[0] = 1.0
    for scale in scales:
        below = -np.expm1(-edges / scale) if exponential else np.minimum(edges / scale, 1.0)
        total = np.convolve(total, np.diff(below))[:BINS]
    places = np.minimum((np.maximum(limits, 0.0) / highest * BINS).astype(np.int64), BINS - 1)
    return np.minimum(np.cumsum(total)[places], 1.0)
