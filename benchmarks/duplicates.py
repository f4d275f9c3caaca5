"""How fast are near-duplicates found, how right are the sketches, and how do others do on the same pages?

    python benchmarks/duplicates.py
    python benchmarks/duplicates.py --data varied-pages/ --plot curve.svg

From each page of a crawl (by default a sample web) copies are made, 1, 5, 10 and 20 % of their words being replaced.
*Sketches*: the estimated resemblance against the exact one, beside the error that the estimator must have; and the
share of pairs that a super-shingle finds, against the curve 1 - (1 - r^8)^16.

*Speed*: the pages and their copies of 1 %, as words, to candidates. pagekin runs its steps through its engine, one
process, files between the steps and all, on to compared and clustered pages. Beside it, if they can be imported:
datasketch (MinHash and LSH) and rensa (RMinHash and LSH), both with 128 values in 16 bands, one thread, given the same
shingles; they end with candidates, which are not compared, so the ratio that counts is that to candidates. Shingling
is counted for all. Recall is that of the pairs whose exact resemblance is 0.9 or more. Times are
processor time, so that a busy machine does not count.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.duplicates.shingles import shingles_of, text_chunk
from pagekin.duplicates.sketches import least_values
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.pipelines import SCHEMAS, pages_to_duplicates
from pagekin.sample import write_sample
from pagekin.settings import DuplicateSettings, Settings
from pagekin.tables import PAGES, URLS
from pagekin.trials.crawl_tables import crawl_tables

CHANGED = (0.01, 0.05, 0.10, 0.20)
PLAIN = DuplicateSettings(boilerplate=0.0, least_words=1)  # so that all see the same shingles
RATES = ("pages_a_second", "pages_a_second_to_candidates")
BANDS, VALUES = PLAIN.super_shingles, PLAIN.values
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Pair = tuple[int, int]


# --- pages --------------------------------------------------------------------------------------------------


def real_pages(data: Path | None, pages: int, work: Path) -> pa.Table:
    """PAGES of a crawl, those of fifty words or more."""
    if data is None:
        write_sample(work / "web", pages=pages, seed=1)
        data = work / "web"
    inputs = [str(path) for path in data.glob("*.warc.gz")] or [str(data)]
    table = crawl_tables(inputs, Settings(), work / "crawl", LocalEngine(1)).table("pages")
    long = pa.compute.greater_equal(pa.compute.list_value_length(table["words"]), 50)
    return table.filter(long).slice(0, pages).combine_chunks()


def changed_pages(pages: pa.Table, share: float, seed: int) -> pa.Table:
    """The same pages at other addresses with so many of their words replaced by words that stand nowhere else."""
    dice = np.random.default_rng(seed)
    column = pages["words"].combine_chunks()
    words = column.flatten().to_numpy().copy()
    places = dice.random(len(words)) < share
    words[places] = dice.integers(-(1 << 63), 1 << 63, int(places.sum()))
    offsets = pa.array((column.offsets.to_numpy() - column.offsets[0].as_py()).astype(np.int32))
    new = pa.ListArray.from_arrays(offsets, pa.array(words), type=PAGES.field("words").type)
    ids = pa.array(pages["page"].to_numpy() ^ np.int64(seed + 1))
    urls = pa.array([f"http://copy-{seed}.test/{k}" for k in range(pages.num_rows)])
    changed = {"page": ids, "url": urls, "words": new}
    return pa.table([changed.get(name, pages[name]) for name in PAGES.names], schema=PAGES).combine_chunks()


class Sets(NamedTuple):
    """The shingles of many pages: those of page p are `flat[ends[p]:ends[p + 1]]`."""

    flat: Numbers
    ends: Numbers

    def of(self, page: int) -> Numbers:
        return self.flat[self.ends[page] : self.ends[page + 1]]


def shingle_sets(pages: pa.Table) -> Sets:
    """What is compared."""
    chunk = text_chunk(pages.combine_chunks().to_batches()[0])
    return Sets(*shingles_of(chunk, np.arange(pages.num_rows), np.empty(0, np.int64), PLAIN))


# --- sketches -----------------------------------------------------------------------------------------------


def min_wise(sets: Sets) -> NDArray[np.uint64]:
    """The values of every page."""
    pages, bins = len(sets.ends) - 1, BANDS * VALUES
    out, filled = np.empty((pages, bins), np.uint64), np.empty(bins, np.uint64)
    for page in range(pages):
        least_values(sets.of(page), len(sets.of(page)), filled, out[page])
    return out


def resemblances(sets: Sets, others: Sets) -> Floats:
    """The exact resemblance of pages that belong together."""
    found = []
    for page in range(len(sets.ends) - 1):
        shared = len(np.intersect1d(sets.of(page), others.of(page), assume_unique=True))
        found.append(shared / (len(sets.of(page)) + len(others.of(page)) - shared))
    return np.array(found)


def sketch_figures(pages: pa.Table) -> tuple[dict[str, Any], list[tuple[float, float, float, int]]]:
    """Errors and found shares for each share of changed words, and the found shares by resemblance."""
    sets = shingle_sets(pages)
    values = min_wise(sets)
    figures, truths, founds = {}, [], []
    for seed, share in enumerate(CHANGED):
        others = shingle_sets(changed_pages(pages, share, seed))
        equal = values == min_wise(others)
        truth, estimate = resemblances(sets, others), equal.mean(axis=1)
        found = equal.reshape(-1, BANDS, VALUES).all(axis=2).any(axis=1)
        expected = 1 - (1 - truth**VALUES) ** BANDS
        figures[f"{share:.0%} of words changed"] = {
            "resemblance": _rounded(truth.mean()),
            "bias": _rounded((estimate - truth).mean()),
            "rmse": _rounded(np.sqrt(((estimate - truth) ** 2).mean())),
            "rmse_of_128_draws": _rounded(np.sqrt((truth * (1 - truth) / (BANDS * VALUES)).mean())),
            "found": _rounded(found.mean()),
            "found_by_the_curve": _rounded(expected.mean()),
        }
        truths.append(truth)
        founds.append(found)
    return figures, _binned(np.concatenate(truths), np.concatenate(founds))


def _rounded(value: Any) -> float:
    return round(float(value), 4)


def _binned(truth: Floats, found: NDArray[np.bool_]) -> list[tuple[float, float, float, int]]:
    """For classes of resemblance: mean resemblance, share found, share by the curve, pairs."""
    rows = []
    for low, high in pairwise(np.linspace(0, 1, 26)):
        inside = (truth > low) & (truth <= high)
        if inside.sum() >= 5:
            curve = 1 - (1 - truth[inside] ** VALUES) ** BANDS
            rows.append(
                (float(truth[inside].mean()), float(found[inside].mean()), float(curve.mean()), int(inside.sum()))
            )
    return rows


def curve_svg(rows: Iterable[tuple[float, float, float, int]]) -> str:
    """The theoretical curve as a line and what was found as dots."""

    def place(x: float, y: float) -> str:
        return f"{40 + 340 * x:.1f},{230 - 200 * y:.1f}"

    line = " ".join(place(x, 1 - (1 - x**VALUES) ** BANDS) for x in np.linspace(0, 1, 101))
    dots = [place(x, y).split(",") for x, y, _, _ in rows]
    marks = "".join(f'<circle cx="{x}" cy="{y}" r="3.5" fill="#1b7f4d"/>' for x, y in dots)
    ticks = "".join(
        f'<text x="{40 + 340 * v:.0f}" y="246" text-anchor="middle">{v:g}</text>'
        f'<text x="34" y="{234 - 200 * v:.0f}" text-anchor="end">{v:g}</text>'
        for v in (0, 0.2, 0.4, 0.6, 0.8, 1.0)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 270" font-family="sans-serif" font-size="11">'
        "<title>Share of pairs found by super-shingles, by resemblance: theory (line) and measurement (dots)</title>"
        '<rect width="400" height="270" fill="white"/><path d="M40,30V230H380" fill="none" stroke="#888"/>'
        f'<polyline points="{line}" fill="none" stroke="#456" stroke-width="1.5"/>{marks}{ticks}'
        '<text x="210" y="263" text-anchor="middle">resemblance</text>'
        '<text x="40" y="20">share of pairs found</text></svg>\n'
    )


# --- speed --------------------------------------------------------------------------------------------------


def true_pairs(sets: Sets, least: float) -> set[Pair]:
    """All pairs of at least this resemblance, by the prefix filter: alike sets share one of their rarest shingles."""
    _, numbers, times = np.unique(sets.flat, return_inverse=True, return_counts=True)
    lists: dict[int, list[int]] = defaultdict(list)
    for page, (first, last) in enumerate(pairwise(sets.ends.tolist())):
        own = numbers[first:last]
        rarest = own[np.lexsort([own, times[own]])]
        for number in rarest[: int(len(own) * (1 - least)) + 1].tolist():
            lists[number].append(page)
    maybe = {pair for pages in lists.values() for pair in combinations(pages, 2)}
    found = set()
    for one, other in maybe:
        shared = len(np.intersect1d(sets.of(one), sets.of(other), assume_unique=True))
        if shared >= least * (len(sets.of(one)) + len(sets.of(other)) - shared):
            found.add((one, other))
    return found


def timed(run: Callable[[], set[Pair]]) -> tuple[float, set[Pair]]:
    """Processor seconds, and what was found."""
    started = time.process_time()
    found = run()
    return time.process_time() - started, found


def pagekin_pairs(pages: pa.Table, settings: DuplicateSettings, work: Path) -> tuple[dict[str, float], set[Pair]]:
    """Seconds by step, and the pairs that resemble one another enough; exact copies have the pairs of the first."""
    urls = pa.table(
        [pages["page"], pages["url"], pa.array([True] * len(pages)), pa.array([0] * len(pages))], URLS.names
    )
    for name, table in (("pages", pages), ("urls", urls.sort_by("page"))):
        (work / name).mkdir(parents=True)
        pq.write_table(table, work / name / "part.parquet", row_group_size=4096, compression="zstd")
    seconds = _Seconds()
    LocalEngine(1, 1 << 30, seconds).run(pages_to_duplicates(Settings(duplicates=settings)), [], SCHEMAS, work)
    number = {page: k for k, page in enumerate(pages["page"].to_pylist())}
    table = read_table(work / "resemblances", SCHEMAS["resemblances"])
    copies = read_table(work / "exact_copies", SCHEMAS["exact_copies"])
    groups = {page: [page] for page in number}
    for page, first in zip(copies["page"].to_pylist(), copies["first"].to_pylist(), strict=True):
        groups[first].append(page)
    same = (pair for group in groups.values() for pair in combinations(group, 2))
    firsts = zip(table["page"].to_pylist(), table["other"].to_pylist(), strict=True)
    alike = (pair for one, other in firsts for pair in product(groups[one], groups[other]))
    return seconds.steps, {_ordered(number[one], number[other]) for one, other in (*same, *alike)}


class _Seconds:
    """Processor seconds of every step."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}

    def begin(self, step: str, total: int) -> None:
        self.step, self.started = step, time.process_time()

    def advance(self, units: int) -> None: ...

    def end(self) -> None:
        self.steps[self.step] = round(time.process_time() - self.started, 3)


def _ordered(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


def texts_of(pages: pa.Table) -> list[list[str]]:
    """The words of each page as strings, as a tokenizer would give them to a peer."""
    return [[f"{word & 0xFFFFFFFF:x}" for word in words] for words in pages["words"].to_pylist()]


def shingle_texts(words: list[str]) -> list[str]:
    return [" ".join(words[k : k + PLAIN.shingle]) for k in range(max(len(words) - PLAIN.shingle + 1, 1))]


def datasketch_pairs(texts: list[list[str]]) -> set[Pair]:
    datasketch = importlib.import_module("datasketch")
    lsh = datasketch.MinHashLSH(num_perm=BANDS * VALUES, params=(BANDS, VALUES))
    found: set[Pair] = set()
    for page, words in enumerate(texts):
        sketch = datasketch.MinHash(num_perm=BANDS * VALUES)
        sketch.update_batch([shingle.encode() for shingle in set(shingle_texts(words))])
        found.update(_ordered(page, other) for other in lsh.query(sketch))
        lsh.insert(page, sketch)
    return found


def rensa_pairs(texts: list[list[str]]) -> set[Pair]:
    rensa = importlib.import_module("rensa")
    sketches = rensa.RMinHash.from_token_sets([shingle_texts(words) for words in texts], BANDS * VALUES, 42)
    lsh = rensa.RMinHashLSH(0.9, BANDS * VALUES, BANDS)
    lsh.insert_many(sketches)
    found = lsh.query_all(sketches)
    return {_ordered(page, other) for page, others in enumerate(found) for other in others if other != page}


def speed_figures(pages: pa.Table, work: Path) -> dict[str, Any]:
    """Pages a second and recall of all who are compared, and ratios to pagekin."""
    both = pa.concat_tables([pages, changed_pages(pages, 0.01, 7)]).combine_chunks()
    truth, texts = true_pairs(shingle_sets(both), 0.9), texts_of(both)
    few = pa.concat_tables([both.slice(0, 50), both.slice(pages.num_rows, 50)])
    pagekin_pairs(few, PLAIN, work / "warm")  # compiles
    figures: dict[str, Any] = {"pages": both.num_rows, "pairs_of_0.9_or_more": len(truth)}
    for name, settings in (("pagekin", replace(PLAIN, sample=0)), ("pagekin with parts", PLAIN)):
        steps, found = pagekin_pairs(both, settings, work / name)
        to_candidates = sum(steps[step] for step in ("sketches", "exact copies", "lists", "candidates"))
        figures[name] = _row(sum(steps.values()), truth, found, both.num_rows)
        figures[name] |= {"pages_a_second_to_candidates": round(both.num_rows / to_candidates), "steps": steps}
    for name, run in (("datasketch", datasketch_pairs), ("rensa", rensa_pairs)):
        if importlib.util.find_spec(name) is not None:
            seconds, found = timed(lambda run=run: run(texts))  # type: ignore[misc]
            figures[name] = _row(seconds, truth, found, both.num_rows)
            for ours, kind in product(("pagekin", "pagekin with parts"), RATES):
                ratio = figures[ours][kind] / figures[name]["pages_a_second"]
                figures[name][f"{ours}: {kind}, ratio"] = round(ratio, 1)
    return figures


def _row(seconds: float, truth: set[Pair], found: set[Pair], pages: int) -> dict[str, Any]:
    recall = len(truth & found) / max(len(truth), 1)
    return {"seconds": round(seconds, 2), "pages_a_second": round(pages / seconds), "recall": round(recall, 4)}


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of HTML or of WARC files; by default a sample web")
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--plot", type=Path, help="write the share found by resemblance as SVG")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages = real_pages(options.data, options.pages, Path(folder))
        figures, curve = sketch_figures(pages)
        if options.plot:
            options.plot.write_text(curve_svg(curve), "utf-8")
        words = len(pages["words"].combine_chunks().flatten()) / pages.num_rows
        print(
            json.dumps(
                {
                    "real_pages": pages.num_rows,
                    "words_a_page": round(words),
                    "sketches": figures,
                    "curve": [" ".join(f"{value:.4g}" for value in row) for row in curve],
                    "speed": speed_figures(pages, Path(folder)),
                },
                indent=1,
            )
        )


if __name__ == "__main__":
    main()
