"""What stands at the top of a ranking, against what should (precision, recall, reciprocal rank, nDCG, R-score).

Of pages with equal scores the one with the lesser number comes first; numbers follow hashes of addresses, so that no
class gains by it. A page that scores nothing is no answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

K = 10  # how many answers a person looks at
R_SCORES = (2.0, 1.0)  # for a page of the source's class, and of a sibling's (Shen et al.)


@kernel
def _fill_best(scores: Floats, source: int, best: Numbers) -> int:
    """Write down the pages with the highest scores, in order; returns how many there are."""
    found = 0
    for page in range(len(scores)):
        if scores[page] <= 0.0 or page == source:
            continue
        if found == len(best) and scores[page] <= scores[best[found - 1]]:
            continue
        if found < len(best):
            found += 1
        place = found - 1
        while place > 0 and scores[best[place - 1]] < scores[page]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = page
    return found


def best_pages(scores: Floats, source: int, k: int = K) -> Numbers:
    """The pages at the top of a ranking, the source itself left out.

    >>> best_pages(np.array([1.0, 0.0, 0.5, 0.7], np.float32), 0).tolist()
    [3, 2]
    """
    best = np.empty(k, np.int64)
    return best[: _fill_best(scores, source, best)]


@kernel
def _rank(scores: Floats, source: int, page: int) -> int:
    rank = 1
    for other in range(len(scores)):
        before = scores[other] > scores[page] or (scores[other] == scores[page] and other < page)
        rank += before and other != source
    return rank


def reciprocal_rank(scores: Floats, source: int, related: Numbers) -> float:
    """1 by the rank of the first related page; 0 if none scores anything."""
    ranks = [_rank(scores, source, int(page)) for page in related if scores[page] > 0]
    return 1 / min(ranks) if ranks else 0.0


def recall(best: Numbers, related: Numbers) -> float:
    """Which share of the related pages are among the best."""
    return float(np.isin(related, best).sum() / len(related))


def ndcg(best: Numbers, related: Numbers, grades: NDArray[np.float64], k: int = K) -> float:
    """The gain of the best pages, less the later they come, by that of the best possible order."""
    by_page = dict(zip(related.tolist(), grades.tolist(), strict=True))
    ideal = sorted(by_page.values(), reverse=True)[:k]
    return _discounted([by_page.get(page, 0.0) for page in best.tolist()]) / _discounted(ideal)


def _discounted(gains: list[float]) -> float:
    return float(sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1)))


def precision(distances: NDArray[np.int8], best: Numbers, k: int = K) -> float:
    """Which share of the first k are of the source's class."""
    return float((distances[best] == 0).sum() / k)


def r_score(distances: NDArray[np.int8], best: Numbers, depth: int, k: int = K) -> float:
    """The average score of the first k by the class they are in (Shen et al., experimental results).

    Where classes lie right below the root, a page of another class is unrelated, not a sibling's.
    """
    by_distance = np.zeros(depth + 1)
    by_distance[: min(len(R_SCORES), depth)] = R_SCORES[: min(len(R_SCORES), depth)]
    return float(by_distance[distances[best]].sum() / k)
