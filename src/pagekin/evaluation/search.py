"""The search for the best strategy: one axis after the other, each time taking the best value, until none is better.

A full grid of the axes below has some ten million strategies; going along one axis at a time tries about fifty a
round, and few rounds are needed. What chooses is not what reports: sources are split in two halves, strategies
are chosen by one half, and the result is reported on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluation.results import Ratio, Tally
from pagekin.evaluation.strategies import OF_CONCEPTS, Contender, changed

ROUNDS = 3
LEAST_GAIN = 0.0005  # of the value; less is noise that would only make settings odd


@dataclass(frozen=True)
class Axis:
    """Something about a strategy that can be varied by itself."""

    name: str
    changes: tuple[dict[str, Any], ...]  # as `changed` takes them

    def variants(self, contender: Contender) -> list[Contender]:
        """The contenders that differ from one in this alone, itself included."""
        return list(dict.fromkeys([contender, *(changed(contender, change) for change in self.changes)]))


def _each(name: str, *values: Any) -> Axis:
    return Axis(name, tuple({name: value} for value in values))


def axes(mu: float, sigma: float, has_words: bool = False) -> tuple[Axis, ...]:
    """The axes in the order in which they are tried.

    μ and σ are those that nmdf takes in the crawl at hand; word vectors are tried if the settings ask for them.
    """
    mus = [0.0, *(round(mu * factor, 3) for factor in (0.7, 0.85, 1.15, 1.3))]
    sigmas = [0.0, *(round(sigma * factor, 3) for factor in (0.6, 0.8, 1.25, 1.6, 2.0))]
    shares = ((1.0, 0.0), (1.0, 0.1), (1.0, 0.3), (1.0, 1.0), (0.3, 1.0), (0.0, 1.0))
    return (
        Axis("terms from", tuple({"content": content, "anchors": anchors} for content, anchors in shares)),
        _each("frequency", "none", "log", "sqrt", "tf-idf", "nmdf"),
        _each("cosine", 0.0, 0.15, 0.3, 0.5, 0.75, 1.0),
        _each("concepts", 0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.75, 1.0),
        _each("cocitation", 0.0, 0.05, 0.1, 0.2, 0.4),
        _each("linked", 0.0, 0.05, 0.1, 0.15, 0.25, 0.4),
        _each("authority", 0.0, 0.02, 0.05),
        _each("window", "0", "4", "8", "16", "32", "64", "syntactic", "topical"),
        _each("distance", True, False),
        _each("stemming", "nostem", "stem", "stopstem"),
        _each("template_pages", 0, 1, 3, 10),
        _each("template_links", True, False),
        _each("mu", *mus),
        _each("sigma", *sigmas),
        _each("bag_size", 80, 160, 320, 640, 0),
        _each("repeats", 1, 3, 9, 0),
        _each("links", 0.0, 1.0, 4.0),
        _each("numbers", True, False),
        _each("metric", "jaccard", "cosine"),
        _each("concepts.dimensions", 50, 100, 200, 300),
        _each("concepts.frequency", "tf-idf", "nmdf"),
        _each("concepts.links", 0.0, 0.25, 0.5, 1.0),
        _each("concepts.exponent", 0.0, 0.5, 1.0),
        *([_each("words", 0.0, 0.1, 0.2)] if has_words else []),
    )


def is_idle(axis: Axis, contender: Contender) -> bool:
    """Whether an axis changes nothing in a contender, because of what it has elsewhere."""
    strategy = contender.strategy
    of_windows = axis.name in ("window", "distance", "repeats") and not strategy.anchors
    of_links = axis.name == "template_links" and not (strategy.anchors or strategy.links)
    of_nmdf = axis.name in ("mu", "sigma") and strategy.frequency != "nmdf"
    of_cosine = axis.name == "cosine" and strategy.metric == "cosine"
    of_concepts = axis.name.startswith(OF_CONCEPTS) and not contender.concepts
    of_concepts |= axis.name == "concepts" and not contender.vectors.dimensions
    of_concepts |= axis.name == "cocitation" and not contender.citing.pages
    of_links |= axis.name in ("linked", "authority") and not contender.linking.neighbours
    return of_windows or of_links or of_nmdf or of_cosine or of_concepts


def coordinate_search(
    start: Contender,
    along: Sequence[Axis],
    values: Callable[[Sequence[Contender]], list[float]],
    found: Callable[[Contender], None],
) -> Contender:
    """The best contender that a search finds from `start`; `found` is told of each that is better than all before."""
    best, [best_value] = start, values([start])
    for _ in range(ROUNDS):
        before = best
        for axis in along:
            if is_idle(axis, best):
                continue
            variants = axis.variants(best)
            value, number = max((value, -number) for number, value in enumerate(values(variants)))
            if value >= best_value + LEAST_GAIN:
                best, best_value = variants[-number], value
                found(best)
        if best == before:
            break
    return best


def chosen_half(sources: int, seed: int) -> NDArray[np.bool_]:
    """Which sources choose; the others report."""
    half = np.zeros(sources, np.bool_)
    half[np.random.default_rng([seed, sources, 2]).permutation(sources)[: (sources + 1) // 2]] = True
    return half


def part_of(tally: Tally, seed: int, chooses: bool) -> Tally:
    """The half of a tally that chooses, or the one that reports."""

    def part(ratio: Ratio) -> Ratio:
        kept = chosen_half(len(ratio.above), seed) == chooses
        return Ratio(ratio.above[kept], ratio.below[kept])

    return {key: part(ratio) for key, ratio in tally.items()}
