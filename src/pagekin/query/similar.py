"""PROCESSQUERY of Haveliwala et al. (2002, figure 11), and then an exact second look.

Counting the signatures that two pages have in common finds candidates, each right within about 0.05; the best of them
are compared by their whole bags. The score is the bag Jaccard of the weights, or a mixture with the cosine of tf-idf.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

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


@kernel
def _count_agreements(
    signature: NDArray[np.uint32], offsets: NDArray[np.uint32], lists: NDArray[np.uint32],
    counts: NDArray[np.uint16], touched: Numbers,
) -> int:  # fmt: skip
    found = 0
    for j in range(len(signature)):
        bucket = i64(bucket_of(signature[j], offsets.shape[1] - 1))
        for k in range(offsets[j, bucket], offsets[j, bucket + 1]):
            document = lists[j, k]
            if counts[document] == 0:
                touched[found] = document
                found += 1
            counts[document] += np.uint16(1)
    return found


@kernel
def _best_counted(
    counts: NDArray[np.uint16],
    touched: Numbers,
    found: int,
    least: int,
    most: int,
    histogram: Numbers,
    out: Numbers,
) -> int:
    """The documents with the highest counts, at most `most` of them, none below `least`; clears the counts."""
    for c in range(len(histogram)):
        histogram[c] = 0
    for k in range(found):
        histogram[counts[touched[k]]] += 1
    bound, total = len(histogram), 0
    while bound > least and total + histogram[bound - 1] <= most:
        bound -= 1
        total += histogram[bound]
    extra, used = most - total, 0
    for k in range(found):
        document = touched[k]
        count = counts[document]
        counts[document] = 0
        if count < least:
            continue
        if count >= bound:
            out[used] = document
            used += 1
        elif count == bound - 1 and extra > 0:
            out[used] = document
            used += 1
            extra -= 1
    return used


class _Room(threading.local):
    """Arrays that a thread counts in, kept from one question to the next."""

    def __init__(self) -> None:
        self.counts = np.zeros(0, np.uint16)
        self.touched = np.zeros(0, np.int64)
        self.jaccard = np.zeros(0)
        self.cosine = np.zeros(0)

    def for_documents(self, number: int) -> tuple[NDArray[np.uint16], Numbers]:
        if len(self.counts) < number:
            self.counts, self.touched = np.zeros(number, np.uint16), np.empty(number, np.int64)
        return self.counts, self.touched

    def for_terms(self, number: int) -> tuple[Floats, Floats]:
        if len(self.jaccard) < number:
            self.jaccard, self.cosine = np.zeros(number), np.zeros(number)
        return self.jaccard, self.cosine


_room = _Room()


def candidates(shard: Shard, signature: NDArray[np.uint32], alpha: float, most: int) -> Numbers:
    """The documents of a shard (numbered in it) that share most signatures, at least the fraction `alpha`."""
    documents, m = len(shard.bags), len(signature)
    counts, touched = _room.for_documents(documents)
    found = _count_agreements(signature, shard.index.offsets, shard.index.lists, counts, touched)
    out = np.empty(min(found, most), np.int64)
    least = max(int(np.ceil(alpha * m - 1e-9)), 1)  # 0.07 * 100 is a little more than 7
    used = _best_counted(counts, touched, found, least, most, np.empty(m + 2, np.int64), out)
    return out[:used]


# --- exact comparison ---------------------------------------------------------------------------------------


@inlined_kernel
def score_of(minimum: float, dot: float, share: float) -> float:
    """The bag Jaccard of bags that add up to 1 each follows from the sum of their minima."""
    return (1.0 - share) * (minimum / (2.0 - minimum)) + share * dot


@kernel
def _compare(
    data: NDArray[np.uint8], ends: Numbers, documents: Numbers, frequencies: Floats, weights: TermWeights,
    asked: Floats, asked_cosine: Floats, scores: Floats,
) -> None:  # fmt: skip
    for k in range(len(documents)):
        document = documents[k]
        begin = ends[document - 1] if document > 0 else 0
        total, square = 0.0, 0.0
        at, term = begin, -1
        while at < ends[document]:
            term, code, at = next_term(data, at, term)
            total += frequencies[code] * weights.jaccard[term]
            square += (frequencies[code] * weights.cosine[term]) ** 2
        minimum, dot = 0.0, 0.0
        at, term = begin, -1
        while at < ends[document]:
            term, code, at = next_term(data, at, term)
            if asked[term] > 0.0 and total > 0.0:
                minimum += min(asked[term], frequencies[code] * weights.jaccard[term] / total)
            if asked_cosine[term] > 0.0:
                dot += asked_cosine[term] * frequencies[code] * weights.cosine[term]
        scores[k] = score_of(minimum, dot / np.sqrt(square) if square > 0.0 else 0.0, weights.share)


def similarities(shard: Shard, documents: Numbers, bag: WeighedBag, weights: TermWeights) -> Floats:
    """How alike a bag and each of these documents are, from 0 to 1."""
    asked, asked_cosine = _room.for_terms(len(weights.jaccard))
    asked[bag.terms], asked_cosine[bag.terms] = bag.jaccard, bag.cosine
    scores = np.empty(len(documents))
    _compare(shard.bags.data, shard.bags.ends, documents, FREQUENCIES, weights, asked, asked_cosine, scores)
    asked[bag.terms], asked_cosine[bag.terms] = 0.0, 0.0
    return scores


class Similar(NamedTuple):
    """Documents of the index and how alike they are, the most alike first; of equals the one with the least id."""

    documents: Numbers
    scores: Floats


def ranked(documents: Numbers, scores: Floats) -> Similar:
    """Documents in the order of their scores."""
    order = np.lexsort([documents, -scores])
    return Similar(documents[order], scores[order])


def similar(
    shards: Sequence[Shard],
    signature: NDArray[np.uint32],
    bag: WeighedBag,
    weights: TermWeights,
    alpha: float,
    most: int,
) -> Similar:
    """The documents most like a bag: candidates by signatures, compared exactly."""
    documents, scores = [np.empty(0, np.int64)], [np.empty(0)]
    for shard in shards:
        found = candidates(shard, signature, alpha, most)
        documents.append(found + shard.first)
        scores.append(similarities(shard, found, bag, weights))
    return ranked(np.concatenate(documents), np.concatenate(scores))
