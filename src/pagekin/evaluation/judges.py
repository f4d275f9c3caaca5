"""A truth that is ready to judge: given the bags of its pages, what a ranking is worth for each source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import TruthError
from pagekin.evaluation.directory import Directory, familial_distances
from pagekin.evaluation.gamma import CONCORDANT, DISCORDANT, PairCounts, all_pair_counts, gamma, pair_counts
from pagekin.evaluation.pairs import Pairs
from pagekin.evaluation.ranks import K, best_pages, ndcg, precision, r_score, recall, reciprocal_rank
from pagekin.evaluation.results import Excerpt, Ranked, Ratio, Tally
from pagekin.evaluation.scores import Floats

Numbers = NDArray[np.int64]
Mapped = Callable[[Callable[[int], Any], Iterable[int]], Iterator[Any]]  # `map`, of one thread or of several
Scores = Callable[[int], Floats]  # how alike a page (by its number among the judge's pages) is to all of them

SHOWN_RANKS = (1, 2, 5, 10, 20, 50, 100)
SAMPLES = 3  # source pages that are shown in reports


class Judge(Protocol):
    """A truth about some pages of a crawl."""

    pages: Numbers  # the ids of the pages that are ranked, ascending
    sources: Numbers  # those that are asked for, by their numbers in `pages`

    def tally(self, scores: Scores, mapped: Mapped) -> Tally:
        """Every measure, for each source."""

    def excerpts(self, scores: Scores) -> tuple[Excerpt, ...]:
        """What is found for a few sources, to look at."""


def sampled(sources: Numbers, most: int, seed: int) -> Numbers:
    """At most so many sources, chosen by a seed, in their order; all of them for 0."""
    if not most or len(sources) <= most:
        return sources
    return np.sort(np.random.default_rng(seed).choice(sources, most, replace=False))


def _ratio(above: Sequence[float], below: Sequence[float]) -> Ratio:
    return Ratio(np.asarray(above, np.float64), np.asarray(below, np.float64))


def _ratios(rows: Sequence[dict[str, tuple[float, float]]]) -> Tally:
    """One row of (above, below) pairs a source, as columns."""
    keys = rows[0].keys() if rows else ()
    return {key: _ratio([row[key][0] for row in rows], [row[key][1] for row in rows]) for key in keys}


# --- a directory --------------------------------------------------------------------------------------------


class DirectoryJudge:
    """Judges by a directory: pages of the source's class should come first."""

    def __init__(self, directory: Directory, url: Callable[[int], str], most: int = 0, seed: int = 1) -> None:
        self.directory = directory
        self.pages = directory.pages
        self.depth: int = directory.paths.shape[1]
        self._url = url
        self.sources = sampled(self._with_company(), most, seed)
        if not len(self.sources):
            raise TruthError(
                f"no class of the directory has two pages of this crawl at depth {self.depth}: nothing can "
                "come first; try a smaller --depth"
            )
        self._samples = sampled(self.sources, SAMPLES, seed)

    def _with_company(self) -> Numbers:
        """The pages whose classes have others too."""
        sizes = np.bincount(self.directory.classes, minlength=len(self.directory.names))
        starts = self.directory.class_ends[:-1]
        return np.flatnonzero(np.maximum.reduceat(sizes[self.directory.classes], starts) > 1)

    def tally(self, scores: Scores, mapped: Mapped) -> Tally:
        """Γ, D, orthogonality, precision and R-score, for each source."""

        def row(source: int) -> dict[str, tuple[float, float]]:
            return self._row(source, scores(source))

        return _ratios(list(mapped(row, self.sources.tolist())))

    def _row(self, source: int, scores: Floats) -> dict[str, tuple[float, float]]:
        distances = familial_distances(self.directory, source)
        pairs = pair_counts(scores, distances, source, self.depth)
        best = best_pages(scores, source)
        return {
            **self._agreement(pairs),
            "orthogonality": (pairs.orthogonal, pairs.members),
            f"precision_at_{K}": (precision(distances, best), 1.0),
            f"r_score_at_{K}": (r_score(distances, best, self.depth), 1.0),
        }

    def _agreement(self, pairs: PairCounts) -> dict[str, tuple[float, float]]:
        rows = {}
        for kin, (first, last) in kinships(self.depth).items():
            concordant, discordant, tied = pairs.counts[first : last + 1].sum(axis=0).tolist()
            rows[f"{kin}_gamma"] = (concordant - discordant, concordant + discordant)
            rows[f"{kin}_somers_d"] = (concordant - discordant, concordant + discordant + tied)
        return rows

    def excerpts(self, scores: Scores) -> tuple[Excerpt, ...]:
        """What stands at some ranks for a few sources, with the classes (Haveliwala et al. 2002, figure 2)."""
        return tuple(self._excerpt(source, scores(source)) for source in self._samples.tolist())

    def _excerpt(self, source: int, scores: Floats) -> Excerpt:
        counts = all_pair_counts(scores, familial_distances(self.directory, source), source, self.depth)
        concordant, discordant = int(counts[CONCORDANT]), int(counts[DISCORDANT])
        shown = _shown(scores, source, lambda page: (self._url(int(self.pages[page])), self.directory.category(page)))
        url, category = self._url(int(self.pages[source])), self.directory.category(source)
        return Excerpt(url, category, gamma(concordant, discordant), shown)


def kinships(depth: int) -> dict[str, tuple[int, int]]:
    """The first and the last distance of each kind of kin, in a directory of such depth (section 2.3).

    >>> kinships(3)
    {'sibling': (1, 1), 'cousin': (2, 2), 'unrelated': (3, 3)}
    """
    kinds = {"sibling": (1, 1), "cousin": (2, depth - 1), "unrelated": (depth, depth)}
    return {
        kind: ends for kind, ends in kinds.items() if ends[0] <= ends[1] and (kind == "unrelated" or ends[1] < depth)
    }


def _shown(scores: Floats, source: int, described: Callable[[int], tuple[str, str]]) -> tuple[Ranked, ...]:
    best = best_pages(scores, source, SHOWN_RANKS[-1]).tolist()
    return tuple(
        Ranked(rank, round(float(scores[best[rank - 1]]), 4), *described(best[rank - 1]))
        for rank in SHOWN_RANKS
        if rank <= len(best)
    )


# --- pairs --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Wanted:
    related: Numbers
    grades: NDArray[np.float64]


class PairsJudge:
    """Judges by known pairs: the related pages of a source should be among the first, out of all pages given."""

    def __init__(self, pairs: Pairs, pages: Numbers, url: Callable[[int], str], most: int = 0, seed: int = 1) -> None:
        self.pages = np.union1d(pages, np.union1d(pairs.sources, pairs.related))
        kept = sampled(np.arange(len(pairs.sources)), most, seed)
        self._url = url
        self.sources = np.searchsorted(self.pages, pairs.sources[kept])
        related = np.searchsorted(self.pages, pairs.related)
        self._wanted = {
            int(source): _Wanted(
                related[pairs.ends[i] : pairs.ends[i + 1]], pairs.grades[pairs.ends[i] : pairs.ends[i + 1]]
            )
            for source, i in zip(self.sources, kept.tolist(), strict=True)
        }
        self._samples = sampled(self.sources, SAMPLES, seed)

    def tally(self, scores: Scores, mapped: Mapped) -> Tally:
        """Recall, reciprocal rank and nDCG, for each source."""

        def row(source: int) -> dict[str, tuple[float, float]]:
            return self._row(source, scores(source))

        return _ratios(list(mapped(row, self.sources.tolist())))

    def _row(self, source: int, scores: Floats) -> dict[str, tuple[float, float]]:
        wanted, best = self._wanted[source], best_pages(scores, source)
        return {
            f"recall_at_{K}": (recall(best, wanted.related), 1.0),
            "mrr": (reciprocal_rank(scores, source, wanted.related), 1.0),
            f"ndcg_at_{K}": (ndcg(best, wanted.related, wanted.grades), 1.0),
        }

    def excerpts(self, scores: Scores) -> tuple[Excerpt, ...]:
        """What stands at some ranks for a few sources, and whether it should."""
        return tuple(self._excerpt(source, scores(source)) for source in self._samples.tolist())

    def _excerpt(self, source: int, scores: Floats) -> Excerpt:
        related = set(self._wanted[source].related.tolist())

        def described(page: int) -> tuple[str, str]:
            return self._url(int(self.pages[page])), "related" if page in related else ""

        category = f"{len(related)} known related pages"
        return Excerpt(self._url(int(self.pages[source])), category, None, _shown(scores, source, described))
