"""PROCESSQUERY of Haveliwala et al. (2002, figure 11), and then an exact second look.

Counting the signatures that two pages have in common finds candidates, each right within about 0.05; the best of them
are compared by their whole bags. The score is the bag Jaccard of the weights, or a mixture with the cosine of tf-idf.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.stores.bag_store import FREQUENCIES, next_term
from pagekin.stores.shards import Shard
from pagekin.stores.signature_index import bucket_of

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


class TermWeights(NamedTuple):
    """By what the frequency of each term is multiplied: for the Jaccard, and for the cosine."""

    jaccard: Floats
    cosine: Floats
    share: float  # of the cosine in the score


class WeighedBag(NamedTuple):
    """The bag of a question: its terms, and its weights in both measures, normalised."""

    terms: NDArray[np.int32]
    jaccard: Floats
    cosine: Floats


def weighed_bag(terms: NDArray[np.int32], frequencies: Floats, weights: TermWeights) -> WeighedBag:
    """A bag under both measures: weights that add up to 1, and weights of length 1."""
    jaccard = frequencies * weights.jaccard[terms]
    cosine = frequencies * weights.cosine[terms]
    return WeighedBag(terms, jaccard / (jaccard.sum() or 1.0), cosine / (float(np.sqrt((cosine**2).sum())) or 1.0))


# --- candidates ---------------------------------------------------------------------------------------------


Counts = NDArray[np.unsignedinteger[Any]]

FEW = 32  # where fewer than one in so many documents agree in anything, counts are cleared one by one


@kernel
def _find_lists(signature: NDArray[np.uint32], offsets: NDArray[np.uint32], firsts: Numbers, lasts: Numbers) -> int:
    """Where the list of each signature lies, and how long all are; the processor waits for many of them at once."""
    total = 0
    for j in range(len(signature)):
        bucket = i64(bucket_of(signature[j], offsets.shape[1] - 1))
        firsts[j], lasts[j] = offsets[j, bucket], offsets[j, bucket + 1]
        total += lasts[j] - firsts[j]
    return total


@kernel
def _count_agreements(
    lists: NDArray[np.uint32], firsts: Numbers, lasts: Numbers, least: int, counts: Counts, reached: NDArray[np.uint32]
) -> int:
    """Count in how many lists each document is; those that are in `least` of them are written down."""
    found = 0
    for j in range(len(firsts)):
        for k in range(firsts[j], lasts[j]):
            document = lists[j, k]
            count = counts[document] + 1
            counts[document] = count
            reached[found] = document  # stays only if the next line says so: cheaper than to jump
            found += count == least
    return found


@kernel
def _clear(lists: NDArray[np.uint32], firsts: Numbers, lasts: Numbers, counts: Counts) -> None:
    for j in range(len(firsts)):
        for k in range(firsts[j], lasts[j]):
            counts[lists[j, k]] = 0


@kernel
def _best_counted(
    counts: Counts, reached: NDArray[np.uint32], found: int, most: int, histogram: Numbers, out: Numbers
) -> int:
    """Of the documents that were reached the `most` with the highest counts; `out` has room for one more."""
    for c in range(len(histogram)):
        histogram[c] = 0
    for k in range(found):
        histogram[counts[reached[k]]] += 1
    bound, total = len(histogram), 0
    while bound > 0 and total + histogram[bound - 1] <= most:
        bound -= 1
        total += histogram[bound]
    used = 0
    for k in range(found):
        out[used] = reached[k]
        used += counts[reached[k]] >= bound
    for k in range(found):
        if used == most or bound == 0:
            break
        out[used] = reached[k]
        used += counts[reached[k]] == bound - 1
    return used


class _Room(threading.local):
    """Arrays that a thread counts in, kept from one question to the next; all counts are 0 in between."""

    def __init__(self) -> None:
        self.counts: dict[type, Counts] = {np.uint8: np.zeros(0, np.uint8), np.uint16: np.zeros(0, np.uint16)}
        self.reached = np.zeros(0, np.uint32)
        self.jaccard = np.zeros(0)
        self.cosine = np.zeros(0)

    def for_documents(self, number: int, m: int) -> tuple[Counts, NDArray[np.uint32]]:
        kind = np.uint8 if m < 256 else np.uint16  # a million bytes stay in the cache of a core
        if len(self.counts[kind]) < number:
            self.counts[kind] = np.zeros(number, kind)
        if len(self.reached) <= number:
            self.reached = np.empty(number + 1, np.uint32)
        return self.counts[kind], self.reached

    def for_terms(self, number: int) -> tuple[Floats, Floats]:
        if len(self.jaccard) < number:
            self.jaccard, self.cosine = np.zeros(number), np.zeros(number)
        return self.jaccard, self.cosine


_room = _Room()


def candidates(shard: Shard, signature: NDArray[np.uint32], alpha: float, most: int) -> Numbers:
    """The documents of a shard (numbered in it) that share most signatures, at least the fraction `alpha`."""
    documents, m, lists = len(shard.bags), len(signature), shard.index.lists
    least = max(int(np.ceil(alpha * m - 1e-9)), 1)  # 0.07 * 100 is a little more than 7
    counts, reached = _room.for_documents(documents, m)
    firsts, lasts = np.empty((2, m), np.int64)
    total = _find_lists(signature, shard.index.offsets, firsts, lasts)
    found = _count_agreements(lists, firsts, lasts, least, counts, reached)
    out = np.empty(min(found, most) + 1, np.int64)
    used = _best_counted(counts, reached, found, most, np.empty(m + 2, np.int64), out)
    if total < documents // FEW:
        _clear(lists, firsts, lasts, counts)
    else:
        counts[:documents] = 0
    return out[:used]


# --- exact comparison ---------------------------------------------------------------------------------------


@inlined_kernel
def score_of(minimum: float, dot: float, share: float) -> float:
    """The bag Jaccard of bags that add up to 1 each follows from the sum of their minima."""
    return (1.0 - share) * (minimum / (2.0 - minimum)) + share * dot


MAYBE = 1 << 14  # a table of so many bytes stays in the fastest cache


class _Question(NamedTuple):
    """A bag by the numbers of its terms, and room for the terms that a document has in common with it."""

    maybe: NDArray[np.uint8]  # by the last bits of a term: whether the bag may have it
    jaccard: Floats
    cosine: Floats
    met: Floats
    met_asked: Floats


@kernel
def _compare(
    data: NDArray[np.uint8], ends: Numbers, documents: Numbers, frequencies: Floats, weights: TermWeights,
    asked: _Question, scores: Floats,
) -> None:  # fmt: skip
    for k in range(len(documents)):  # the processor fetches many bags at once, if it need not understand them yet
        scores[k] = data[ends[documents[k]] - 1] if ends[documents[k]] > 0 else 0
    for k in range(len(documents)):
        document = documents[k]
        at, end, term = ends[document - 1] if document > 0 else 0, ends[document], -1
        total, square, dot, met = 0.0, 0.0, 0.0, 0
        while at < end:
            term, code, at = next_term(data, at, term)
            weight = frequencies[code] * weights.jaccard[term]
            total += weight
            common = asked.maybe[term & (MAYBE - 1)] > 0
            if common and asked.jaccard[term] > 0.0:
                asked.met[met], asked.met_asked[met] = weight, asked.jaccard[term]
                met += 1
            if weights.share > 0.0:
                weight = frequencies[code] * weights.cosine[term]
                square += weight * weight
                if common:
                    dot += asked.cosine[term] * weight
        minimum = 0.0
        for i in range(met):
            minimum += min(asked.met_asked[i], asked.met[i] / total)
        scores[k] = score_of(minimum, dot / np.sqrt(square) if square > 0.0 else 0.0, weights.share)


def similarities(shard: Shard, documents: Numbers, bag: WeighedBag, weights: TermWeights) -> Floats:
    """How alike a bag and each of these documents are, from 0 to 1."""
    jaccard, cosine = _room.for_terms(len(weights.jaccard))
    jaccard[bag.terms], cosine[bag.terms] = bag.jaccard, bag.cosine
    maybe = np.zeros(MAYBE, np.uint8)
    maybe[bag.terms & (MAYBE - 1)] = 1
    asked = _Question(maybe, jaccard, cosine, np.empty(len(bag.terms)), np.empty(len(bag.terms)))
    scores = np.empty(len(documents))
    _compare(shard.bags.data, shard.bags.ends, documents, FREQUENCIES, weights, asked, scores)
    jaccard[bag.terms], cosine[bag.terms] = 0.0, 0.0
    return scores


class Similar(NamedTuple):
    """Documents of the index and how alike they are, the most alike first; of equals the one with the least id."""

    documents: Numbers
    scores: Floats


def ranked(documents: Numbers, scores: Floats) -> Similar:
    """Documents in the order of their scores."""
    order = np.lexsort([documents, -scores])
    return Similar(documents[order], scores[order])


def all_candidates(shards: Sequence[Shard], signature: NDArray[np.uint32], alpha: float, most: int) -> Numbers:
    """The candidates of every shard, numbered in the index."""
    found = [candidates(shard, signature, alpha, most) + shard.first for shard in shards]
    return np.concatenate([np.empty(0, np.int64), *found])


def all_similarities(shards: Sequence[Shard], documents: Numbers, bag: WeighedBag, weights: TermWeights) -> Floats:
    """How alike a bag and each of these documents, of any shard, are."""
    scores = np.zeros(len(documents))
    for shard in shards if len(documents) else ():
        inside = np.flatnonzero((documents >= shard.first) & (documents < shard.first + len(shard.bags)))
        scores[inside] = similarities(shard, documents[inside] - shard.first, bag, weights)
    return scores
