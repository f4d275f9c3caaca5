"""Shorter term lists: entries that count too little to change who is among the best are dropped before any question.

Static index pruning of Carmel et al. (2001): an entry goes if its score is below ε times the k-th best of its list.
The promise is one for sums. With S(d) the sum of what r lists give document d, each times a weight of the question
that is not negative, the first k by pruned lists are the first k by some S' from (1 - δ)·S to S, where δ = ε·(r - 1).
The cosine is such a sum, the bag Jaccard is not. `docs/steps/pruning.md` has the proof.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel
from pagekin.query.exact import TermIndex
from pagekin.query.similar import Floats, Similar, WeighedBag, ranked
from pagekin.stores.shards import Shard


@kernel
def _kth_best(values: NDArray[np.float32], best: NDArray[np.float32]) -> float:
    """The least of the best values, of which as many are taken as there is room for; there must be so many."""
    for i in range(len(values)):
        if i >= len(best) and values[i] <= best[0]:
            continue
        place = 0 if i >= len(best) else len(best) - 1 - i  # room is filled from its end, the least value first
        while place + 1 < len(best) and best[place + 1] < values[i]:
            best[place] = best[place + 1]
            place += 1
        best[place] = values[i]
    return np.float64(best[0])


@kernel
def _mark_kept(index: TermIndex, epsilon: float, best: NDArray[np.float32], kept: NDArray[np.bool_]) -> None:
    for term in range(len(index.offsets) - 1):
        first, last = index.offsets[term], index.offsets[term + 1]
        least_jaccard = least_cosine = 0.0
        if last - first > len(best):
            least_jaccard = epsilon * _kth_best(index.jaccard[first:last], best)
            least_cosine = epsilon * _kth_best(index.cosine[first:last], best)
        for i in range(first, last):
            kept[i] = index.jaccard[i] >= least_jaccard or index.cosine[i] >= least_cosine


def pruned(index: TermIndex, k: int, epsilon: float) -> TermIndex:
    """The same lists without the entries that are below ε times the k-th best, by the Jaccard and by the cosine.

    ε is at most 1, so that the best k of each list stay. Lists of no more than k entries stay as they are.
    """
    assert k >= 1 and 0 <= epsilon <= 1
    if epsilon == 0:
        return index
    kept = np.empty(len(index.documents), np.bool_)
    _mark_kept(index, epsilon, np.empty(k, np.float32), kept)
    before = np.append(0, np.cumsum(kept))
    return index._replace(
        offsets=before[index.offsets],
        documents=index.documents[kept],
        jaccard=index.jaccard[kept],
        cosine=index.cosine[kept],
    )


def promised_variation(epsilon: float, terms: int) -> float:
    """By what share, at most, the scores must be changed for the best k of pruned lists to be the true ones.

    For sums over so many lists; from 1 on nothing is promised.
    """
    return epsilon * max(terms - 1, 0)


@kernel
def _add_lists(index: TermIndex, terms: NDArray[np.int32], weights: Floats, sums: Floats) -> None:
    for i in range(len(terms)):
        for place in range(index.offsets[terms[i]], index.offsets[terms[i] + 1]):
            sums[index.documents[place]] += weights[i] * np.float64(index.cosine[place])


def summed_cosines(index: TermIndex, documents: int, bag: WeighedBag) -> Floats:
    """The cosine of a bag and each document of a shard, as far as the lists know it."""
    sums = np.zeros(documents)
    _add_lists(index, bag.terms, bag.cosine, sums)
    return sums


def pruned_top_k(shards: Sequence[Shard], indexes: Sequence[TermIndex], bag: WeighedBag, k: int) -> Similar:
    """The k documents with the largest sums over the lists of a bag's terms; no bag is looked at."""
    pairs = zip(shards, indexes, strict=True)
    sums = np.concatenate([np.empty(0), *(summed_cosines(index, len(shard.bags), bag) for shard, index in pairs)])
    found = np.flatnonzero(sums)
    best = ranked(found, sums[found])
    return Similar(best.documents[:k], best.scores[:k])
