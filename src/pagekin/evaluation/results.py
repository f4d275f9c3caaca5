"""What an evaluation found, as records that a table, a JSON document and a report are made of.

Every measure is a ratio of two sums over the source pages: of concordant less discordant pairs over ordered pairs
for Γ, of recalls over sources for recall@10. So one record holds them all, and one way of drawing sources again
gives the intervals of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluation.strategies import Contender

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """Something that can be said of a ranking: its key in JSON, its name for people, and what it means."""

    key: str
    title: str
    what: str
    truth: str  # directory or related


MEASURES = (
    Measure("sibling_gamma", "sibling Γ", "pages of the class before pages of sibling classes", "directory"),
    Measure("cousin_gamma", "cousin Γ", "pages of the class before pages of cousin classes", "directory"),
    Measure("unrelated_gamma", "unrelated Γ", "pages of the class before pages that share the root only", "directory"),
    Measure("sibling_somers_d", "sibling D", "the same as sibling Γ, ties counted as neither", "directory"),
    Measure("cousin_somers_d", "cousin D", "the same as cousin Γ, ties counted as neither", "directory"),
    Measure("unrelated_somers_d", "unrelated D", "the same as unrelated Γ, ties counted as neither", "directory"),
    Measure("orthogonality", "orthogonal", "pairs of pages of one class that have nothing in common", "directory"),
    Measure("precision_at_10", "P@10", "pages of the source's class among the first ten", "directory"),
    Measure("r_score_at_10", "R@10", "the first ten: 2 for a page of the class, 1 for a sibling's, 0", "directory"),
    Measure("recall_at_10", "recall@10", "known related pages that are among the first ten", "related"),
    Measure("mrr", "MRR", "1 by the rank of the first known related page", "related"),
    Measure("ndcg_at_10", "nDCG@10", "known related pages in the first ten, the earlier the better", "related"),
)


@dataclass(frozen=True)
class Ratio:
    """A measure for each source: what it adds above and below the line."""

    above: Floats
    below: Floats


Tally = Mapping[str, Ratio]  # by the key of the measure; the sources are the same, in the same order, for all


@dataclass(frozen=True)
class Estimate:
    """A value and the interval in which it lies with 95 % confidence."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """How much the first of two rankings is better than the second, on the same sources."""

    first: str
    second: str
    measure: str
    difference: Estimate
    p_value: float  # how often so large a difference comes about if it does not matter which of the two is which


@dataclass(frozen=True)
class Ranked:
    """A page in an answer: where it stands, how alike it is, and where the directory has it."""

    rank: int
    score: float
    address: str
    category: str


@dataclass(frozen=True)
class Excerpt:
    """What a strategy finds for one source page, at some of its ranks (Haveliwala et al. 2002, figure 2)."""

    source: str
    category: str
    gamma: float | None
    ranked: tuple[Ranked, ...]


@dataclass(frozen=True)
class Outcome:
    """How a strategy did."""

    contender: Contender
    measures: Mapping[str, Estimate]
    excerpts: tuple[Excerpt, ...]
    tally: Tally
    seconds: float

    def document(self) -> dict[str, Any]:
        """The strategy's row of the JSON document."""
        values = {m.key: round(self.measures[m.key].value, 6) if m.key in self.measures else None for m in MEASURES}
        intervals = {key: [round(e.low, 6), round(e.high, 6)] for key, e in self.measures.items()}
        name = self.contender.name
        return {"name": name, **values, "seconds": round(self.seconds, 3), "intervals": intervals}


@dataclass(frozen=True)
class Truths:
    """What the rankings were judged by, in numbers that a person may want to know; None for a truth not given."""

    directory: Mapping[str, Any] | None
    related: Mapping[str, Any] | None


@dataclass(frozen=True)
class Evaluation:
    """All strategies on one crawl, in the order in which they were asked for."""

    crawl: str
    truths: Truths
    pages: int
    seed: int
    outcomes: tuple[Outcome, ...]

    def outcome(self, contender: Contender) -> Outcome | None:
        """What was found for a contender, if it was tried."""
        return next((outcome for outcome in self.outcomes if outcome.contender == contender), None)

    @property
    def measured(self) -> tuple[Measure, ...]:
        """The measures that this evaluation has values of."""
        found = {key for outcome in self.outcomes for key in outcome.measures}
        return tuple(measure for measure in MEASURES if measure.key in found)

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "crawl": self.crawl,
            "pages": self.pages,
            "seed": self.seed,
            "directory": self.truths.directory,
            "related": self.truths.related,
            "strategies": [outcome.document() for outcome in self.outcomes],
        }
