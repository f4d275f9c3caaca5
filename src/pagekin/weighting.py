"""What a term weighs, given how many bags have it (Haveliwala et al. 2002, section 5.2, figures 7 and 8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.settings import Strategy

Floats = NDArray[np.float64]

SPREAD = 0.45  # σ of nmdf, as a share of μ


class Gaussian(NamedTuple):
    """The two numbers of nmdf: the best ln of document frequencies, and how fast weights fall beside it."""

    mu: float
    sigma: float


def gaussian(documents: int, strategy: Strategy) -> Gaussian:
    """μ and σ as they are set, or from the number N of addresses that the crawl knows; each may have a bag.

    Between a term in one bag (ln 1 = 0) and a term in all of them (ln N), the terms that tell topics apart lie in the
    middle of the logarithmic scale: μ = ln(N) / 2. With σ = 0.45 μ both ends weigh about 1/12. Of twenty pairs of such
    factors these were the best on four crawls together (docs/evaluation/defaults.md).

    >>> gaussian(5232, Strategy())
    Gaussian(mu=4.281, sigma=1.927)
    """
    middle = float(np.log(max(documents, 3))) / 2
    return Gaussian(strategy.mu or round(middle, 3), strategy.sigma or round(SPREAD * middle, 3))


def document_weights(counts: Floats, documents: int, strategy: Strategy) -> Floats:
    """By what the frequency of a term is multiplied, given the number of bags that have it."""
    counts = np.maximum(counts, 1)
    if strategy.frequency == "log":
        return np.asarray(1 / (1 + np.log2(counts)))
    if strategy.frequency == "sqrt":
        return np.asarray(1 / np.sqrt(counts))
    if strategy.frequency == "tf-idf":
        return np.asarray(np.log((1 + documents) / counts))
    if strategy.frequency == "nmdf":
        mu, sigma = gaussian(documents, strategy)
        return np.asarray(np.exp(-0.5 * ((np.log(counts) - mu) / sigma) ** 2))
    return np.ones_like(counts, np.float64)


def counts_by_term(term_counts: pa.Table) -> Floats:
    """TERM_COUNTS as an array with a place for each term number."""
    numbers, documents = term_counts["number"].to_numpy(), term_counts["documents"].to_numpy()
    counts = np.zeros(int(numbers.max(initial=0)) + 1)
    counts[numbers] = documents
    return counts
