"""How good rankings are: those of peers, as tables of scores, and pagekin's own, on the same pages and sources.

One half of the sources of each set chooses whatever is chosen (settings that are tuned, the share of a peer in a
blend); every figure that is shown is of the other half.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.evaluation.judges import Judge
from pagekin.evaluation.results import Tally
from pagekin.evaluation.search import chosen_half, part_of
from pagekin.evaluation.uncertainty import comparison, estimates, value

Floats = NDArray[np.float32]

SEED = 1
BY_DIRECTORY = ("sibling_gamma", "sibling_somers_d", "precision_at_10")
BY_PAIRS = ("recall_at_10", "mrr", "ndcg_at_10")
AIMS = {"sibling_gamma": ("sibling_somers_d", "precision_at_10"), "recall_at_10": BY_PAIRS}


def measures_of(tally: Tally) -> tuple[str, ...]:
    """What is told of a set: by the kind of truth that it has."""
    return BY_DIRECTORY if BY_DIRECTORY[0] in tally else BY_PAIRS


def aims_of(tally: Tally) -> tuple[str, ...]:
    """What choices are made by: sibling Γ is left out, since it is high for a ranking that orders little."""
    return AIMS[measures_of(tally)[0]]


class Judged:
    """A judge that takes tables of scores: a row for each of its sources, a column for each of its pages."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._row = {int(source): row for row, source in enumerate(judge.sources.tolist())}

    def tally(self, scores: Floats, chooses: bool | None = None) -> Tally:
        """Every measure for each source: of all, of the half that chooses, or of the other."""
        wanted = np.ones(len(scores), np.bool_) if chooses is None else self.half(chooses)
        judge = self.judge
        every = judge.sources
        try:
            judge.sources = every[wanted]
            return judge.tally(lambda source: scores[self._row[source]], in_threads)
        finally:
            judge.sources = every

    def half(self, chooses: bool) -> NDArray[np.bool_]:
        """Which sources choose, or report."""
        return chosen_half(len(self.judge.sources), SEED) == chooses

    def table(self, scores: Callable[[int], Floats]) -> Floats:
        """The table of a function that scores all pages for a source."""
        return np.stack(list(in_threads(scores, self.judge.sources.tolist())))


def in_threads(function: Callable[[int], Any], items: Iterable[int]) -> Iterator[Any]:
    """A function of many sources; kernels let go of the interpreter."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(function, items)


def peer_scores(folder: Path, corpus: Path, judge: Judge) -> Floats:
    """The scores that a peer left, for what is judged; a page that it did not have scores nothing."""
    scores = np.load(folder / "scores.npy", mmap_mode="r")
    pages = pq.read_table(corpus / "pages.parquet", columns=["page"])["page"].to_numpy()
    asked = pages[np.load(corpus / "asked.npy")]
    place, known = _places(pages, judge.pages)
    wanted = judge.pages[judge.sources]
    rows, answered = _places(asked, wanted)
    assert np.array_equal(answered, np.isin(wanted, pages)), "the corpus was written for other sources"
    return np.where(known & answered[:, None], np.maximum(scores[rows][:, place], 0), 0).astype(np.float32)


def _places(ordered: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where some ids stand among others, and whether they do."""
    place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return place, ordered[place] == wanted


def figures(tally: Tally) -> dict[str, Any]:
    """The measures of the half that reports, with their intervals."""
    found = estimates({key: tally[key] for key in measures_of(tally)}, SEED)
    return {key: {name: round(number, 4) for name, number in asdict(one).items()} for key, one in found.items()}


def against(first: Tally, second: Tally) -> dict[str, Any]:
    """How much the first is better than the second, by each measure, and how sure that is."""
    rows = {}
    for measure in measures_of(first):
        found = comparison(("", ""), measure, (first, second), SEED)
        rows[measure] = {name: round(number, 4) for name, number in asdict(found.difference).items()}
        rows[measure]["p"] = round(found.p_value, 4)
    return rows


def gain(tally: Tally, base: Tally) -> float:
    """The average of what choices are made by, each as a ratio to that of another ranking."""
    sizes = {aim: abs(value(base[aim]) or 0.0) or 1.0 for aim in aims_of(tally)}
    return float(np.mean([(value(tally[aim]) or 0.0) / size for aim, size in sizes.items()]))


# --- a peer as one more source of the blend -----------------------------------------------------------------

WEIGHTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def scaled(scores: Floats) -> Floats:
    """Scores from 0 to 1 for each source: what is already so stays, BM25 is divided by its best."""
    most = scores.max(axis=1, keepdims=True)
    return scores / np.where(most > 1.0001, most, 1)


def fused(judged: Judged, blend: Floats, peer: Floats) -> dict[str, Any]:
    """What a peer would add to the blend: its share is found on one half of the sources, and told by the other."""
    peer = scaled(peer)
    base = judged.tally(blend, chooses=True)
    tried = [0.0] * len(WEIGHTS)
    for number, weight in enumerate(WEIGHTS):
        mixed = np.float32(1 - weight) * blend + np.float32(weight) * peer
        tried[number] = gain(judged.tally(mixed, chooses=True), base)
    best = int(np.argmax(tried))
    weight = WEIGHTS[best] if tried[best] > gain(base, base) else 0.0
    mixed = np.float32(1 - weight) * blend + np.float32(weight) * peer
    tally = judged.tally(mixed, chooses=False)
    return {
        "share": weight,
        "measures": figures(tally),
        "against_blend": against(tally, judged.tally(blend, chooses=False)),
    }


def half_of(tally: Tally) -> Tally:
    """The half that reports, of a tally of all sources."""
    return part_of(tally, SEED, chooses=False)
