"""The true ranking, without comparing with every bag: an inverted index of terms, and bounds on what is still to come.

The terms of the question are taken in the order of what they can add at most. When all that are left cannot lift a
document that was not met yet above the k-th best, no new ones are taken up; those that can still reach it are then
compared by their bags (the MaxScore way of pruning, term by term).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel
from pagekin.query.similar import (
    Floats,
    Numbers,
    Similar,
    TermWeights,
    WeighedBag,
    ranked,
    score_of,
    similarities,
)
from pagekin.stores.bag_store import FREQUENCIES, next_term
from pagekin.stores.shards import Shard

ROUNDING = 1e-6  # weights in the term index have four bytes; the bounds are as much wider


class TermIndex(NamedTuple):
    """For each term the documents of a shard that have it, with their normalised weights, and the largest of these."""

    offsets: Numbers
    documents: NDArray[np.int32]
    jaccard: NDArray[np.float32]
    cosine: NDArray[np.float32]
    most_jaccard: NDArray[np.float32]
    most_cosine: NDArray[np.float32]


@kernel
def _count_terms(data: NDArray[np.uint8], ends: Numbers, offsets: Numbers) -> None:
    at = 0
    for document in range(len(ends)):
        term = -1
        while at < ends[document]:
            term, _, at = next_term(data, at, term)
            offsets[term + 1] += 1
    for term in range(1, len(offsets)):
        offsets[term] += offsets[term - 1]


@kernel
def _fill(
    data: NDArray[np.uint8],
    ends: Numbers,
    frequencies: Floats,
    weights: TermWeights,
    at_term: Numbers,
    out: TermIndex,
) -> None:
    at = 0
    for document in range(len(ends)):
        begin, total, square, term = at, 0.0, 0.0, -1
        while at < ends[document]:
            term, code, at = next_term(data, at, term)
            total += frequencies[code] * weights.jaccard[term]
            square += (frequencies[code] * weights.cosine[term]) ** 2
        at, term = begin, -1
        while at < ends[document]:
            term, code, at = next_term(data, at, term)
            place = at_term[term]
            at_term[term] += 1
            out.documents[place] = document
            out.jaccard[place] = frequencies[code] * weights.jaccard[term] / total if total > 0.0 else 0.0
            out.cosine[place] = frequencies[code] * weights.cosine[term] / np.sqrt(square) if square > 0.0 else 0.0
            out.most_jaccard[term] = max(out.most_jaccard[term], out.jaccard[place])
            out.most_cosine[term] = max(out.most_cosine[term], out.cosine[place])


def term_index(shard: Shard, weights: TermWeights) -> TermIndex:
    """The inverted index of a shard, made from its bags."""
    terms = len(weights.jaccard)
    offsets = np.zeros(terms + 1, np.int64)
    _count_terms(shard.bags.data, shard.bags.ends, offsets)
    size = int(offsets[-1])
    out = TermIndex(
        offsets,
        np.empty(size, np.int32),
        np.empty(size, np.float32),
        np.empty(size, np.float32),
        np.zeros(terms, np.float32),
        np.zeros(terms, np.float32),
    )
    _fill(shard.bags.data, shard.bags.ends, FREQUENCIES, weights, offsets[:-1].copy(), out)
    return out


@kernel
def _add_list(index: TermIndex, term: int, asked: float, asked_cosine: float, minima: Floats, dots: Floats) -> None:
    for k in range(index.offsets[term], index.offsets[term + 1]):
        document = index.documents[k]
        minima[document] += min(asked, np.float64(index.jaccard[k]))
        dots[document] += asked_cosine * index.cosine[k]


@kernel
def _scores(minima: Floats, dots: Floats, more: float, more_dot: float, share: float, out: Floats) -> None:
    """What each document has, if it still got so much more."""
    for document in range(len(out)):
        minimum = min(minima[document] + more, 1.0)
        out[document] = score_of(minimum, dots[document] + more_dot, share)


def reachable(index: TermIndex, documents: int, bag: WeighedBag, weights: TermWeights, k: int) -> Numbers:
    """The documents among which the k most alike are."""
    most = np.minimum(bag.jaccard, index.most_jaccard[bag.terms])
    most_dot = bag.cosine * index.most_cosine[bag.terms]
    order = np.argsort(-(most + weights.share * most_dot))
    left, left_dot = np.cumsum(most[order][::-1])[::-1], np.cumsum(most_dot[order][::-1])[::-1]
    minima, dots, scores = np.zeros(documents), np.zeros(documents), np.empty(documents)
    bound, more, more_dot = 0.0, 0.0, 0.0
    for number, i in enumerate(order):
        more, more_dot = float(left[number]), float(left_dot[number])
        if number & (number - 1) == 0 or number % 16 == 0:
            _scores(minima, dots, 0.0, 0.0, weights.share, scores)
            bound = float(np.partition(scores, documents - k)[documents - k]) if k <= documents else 0.0
            if (1 - weights.share) * more / (2 - min(more, 1.0)) + weights.share * more_dot < bound - ROUNDING:
                break
        _add_list(index, int(bag.terms[i]), bag.jaccard[i], bag.cosine[i], minima, dots)
        more = more_dot = 0.0
    _scores(minima, dots, more, more_dot, weights.share, scores)
    return np.flatnonzero((scores >= bound - ROUNDING) & (minima + dots > 0))


def exactly_similar(
    shards: Sequence[Shard], indexes: Sequence[TermIndex], bag: WeighedBag, weights: TermWeights, k: int
) -> Similar:
    """The k documents most like a bag, and all that are as like it as the k-th, in order."""
    documents, scores = [np.empty(0, np.int64)], [np.empty(0)]
    for shard, index in zip(shards, indexes, strict=True):
        found = reachable(index, len(shard.bags), bag, weights, k)
        documents.append(found + shard.first)
        scores.append(similarities(shard, found, bag, weights))
    best = ranked(np.concatenate(documents), np.concatenate(scores))
    # Of those below the k-th some may not have been reachable: they are no true ranking.
    last = np.count_nonzero(best.scores >= best.scores[k - 1]) if k < len(best.scores) else len(best.scores)
    return Similar(best.documents[:last], best.scores[:last])
