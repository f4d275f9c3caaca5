"""How alike one page and all others are, exactly: every strategy is judged by its true scores, not by an index."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


class Bags(NamedTuple):
    """The bags of the pages that are compared: that of page i is [ends[i], ends[i + 1]) of the other arrays."""

    ends: Numbers
    terms: NDArray[np.int32]
    jaccard: Floats  # weights that add up to 1
    cosine: Floats  # weights of length 1
    share: float  # of the cosine in the score


class TermLists(NamedTuple):
    """The same, by term: [starts[t], starts[t + 1]) are the pages that have term t."""

    starts: Numbers
    pages: NDArray[np.int32]
    jaccard: Floats
    cosine: Floats


@kernel
def _fill_lists(bags: Bags, places: Numbers, lists: TermLists) -> None:
    for page in range(len(bags.ends) - 1):
        for k in range(bags.ends[page], bags.ends[page + 1]):
            place = places[bags.terms[k]]
            places[bags.terms[k]] += 1
            lists.pages[place] = page
            lists.jaccard[place], lists.cosine[place] = bags.jaccard[k], bags.cosine[k]


def term_lists(bags: Bags) -> TermLists:
    """Bags turned around."""
    vocabulary = int(bags.terms.max(initial=-1)) + 1
    starts = np.zeros(vocabulary + 1, np.int64)
    np.cumsum(np.bincount(bags.terms, minlength=vocabulary), out=starts[1:])
    size = len(bags.terms)
    lists = TermLists(starts, np.empty(size, np.int32), np.empty(size, np.float32), np.empty(size, np.float32))
    _fill_lists(bags, starts.copy(), lists)
    return lists


@kernel
def fill_scores(bags: Bags, lists: TermLists, source: int, minima: Floats, scores: Floats) -> None:
    """How alike a page is to every page; `minima` is room for what they have in common."""
    for page in range(len(scores)):
        minima[page], scores[page] = 0.0, 0.0
    for k in range(bags.ends[source], bags.ends[source + 1]):
        term = bags.terms[k]
        first, last = lists.starts[term], lists.starts[term + 1]
        if bags.share < 1.0:
            weight = bags.jaccard[k]
            for i in range(first, last):
                minima[lists.pages[i]] += min(weight, lists.jaccard[i])
        if bags.share > 0.0:
            weight = bags.cosine[k]
            for i in range(first, last):
                scores[lists.pages[i]] += weight * lists.cosine[i]
    for page in range(len(scores)):
        minimum = min(minima[page], np.float32(1.0))
        dot = min(scores[page], np.float32(1.0))
        scores[page] = (1.0 - bags.share) * (minimum / (2.0 - minimum)) + bags.share * dot


def scores_of(bags: Bags, lists: TermLists, source: int) -> Floats:
    """How alike a page is to every page, from 0 to 1."""
    minima, scores = np.empty((2, len(bags.ends) - 1), np.float32)
    fill_scores(bags, lists, source, minima, scores)
    return scores
