"""pagekin's own rows: its text alone, the blend by default, a blend that was tuned, and what its index answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pagekin
from measuring import median_milliseconds
from pagekin.evaluation.search import Axis, axes, coordinate_search
from pagekin.evaluation.strategies import EVIDENCE, Contender, changed, settled_contender
from pagekin.index import Index
from pagekin.settings import Settings
from pagekin.trials.evaluate import Trial
from peers.judging import SEED, Floats, Judged, gain
from peers.protocol import DEEP, QUESTIONS, K

CHOOSING = 400  # sources that choose settings, of their half
NOT_TUNED = ("template_links", "numbers", "authority", "repeats", "metric", "concepts.frequency", "links")


def contenders() -> dict[str, tuple[str, Contender]]:
    """The rows that need no search, by their keys."""
    blend = settled_contender(Settings())
    nothing = dict.fromkeys(EVIDENCE, 0.0)
    return {
        "cocitation_traditional": (
            "Dean–Henzinger co-citation",
            changed(blend, nothing | {"cocitation": 1.0, "citations": "traditional"}),
        ),
        "companion": ("Companion", changed(blend, nothing | {"cocitation": 1.0, "citations": "companion"})),
        "text": ("pagekin, text only", changed(blend, nothing)),
        "concepts": ("pagekin, concepts only", changed(blend, nothing | {"concepts": 1.0})),
        "words": ("pagekin, blend and word vectors", changed(blend, {"words": 0.2})),
        "blend": ("pagekin, blend by default", blend),
    }


def table_of(trial: Trial, judged: Judged, contender: Contender) -> tuple[Floats, float]:
    """Exact scores of all pages for all sources, and the milliseconds of the processor that a source took."""
    scores = trial._scores(contender, judged.judge)
    scores(int(judged.judge.sources[0]))
    started = time.process_time()
    table = judged.table(scores)
    return table, (time.process_time() - started) * 1000 / len(table)


def tuned(trial: Trial, judged: Judged, log: Callable[[str], None]) -> Contender:
    """The best contender by sources of the half that chooses; the other half is not looked at."""
    judge = judged.judge
    every = judge.sources
    choosing = every[judged.half(chooses=True)]
    start = settled_contender(Settings())
    try:
        judge.sources = np.sort(np.random.default_rng(SEED).permutation(choosing)[:CHOOSING])
        base = trial.outcomes([start])[0].tally

        def values(tried: Sequence[Contender]) -> list[float]:
            return [gain(outcome.tally, base) for outcome in trial.outcomes(tried)]

        along = axes(*trial.maker.mu_and_sigma(start.strategy))
        return coordinate_search(start, _tuned_axes(along), values, lambda found: log(found.name))
    finally:
        judge.sources = every
        trial._tried.clear()  # they are about other sources


def _tuned_axes(along: Sequence[Axis]) -> list[Axis]:
    """The axes that have ever mattered."""
    return [axis for axis in along if axis.name not in NOT_TUNED]


# --- what the index answers ---------------------------------------------------------------------------------


def answered(index: Index, judged: Judged) -> Floats:
    """The scores of the first pages that the index gives for each source; 0 for all others.

    Near-copies of what was asked are listed apart in an answer; here they come first, as they do by their scores.
    """
    judge = judged.judge
    place = {int(page): number for number, page in enumerate(judge.pages.tolist())}
    table = np.zeros((len(judge.sources), len(judge.pages)), np.float32)
    for row, source in enumerate(judge.sources.tolist()):
        answer = index.related(_url(index, int(judge.pages[source])), k=DEEP, copies=True)
        for found in (*answer.copies, *answer.results):
            number = place.get(index.page(found.url))
            if number is not None:
                table[row, number] = found.score
    return table


def _url(index: Index, page: int) -> str:
    number = index._documents.number(page)
    assert number is not None
    return str(index._documents.text("url", number))


def latency(path: Path, pages: NDArray[np.int64], weights: dict[str, float] | None) -> dict[str, Any]:
    """Processor time of a question to an index that is open and warm."""
    index = pagekin.open(path)
    urls = [_url(index, int(page)) for page in np.random.default_rng(1).choice(pages, min(QUESTIONS, len(pages)))]
    for url in urls[:20]:
        index.related(url, k=K, weights=weights)
    return median_milliseconds(lambda url: index.related(url, k=K, weights=weights), urls)
