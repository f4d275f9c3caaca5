"""What do pruned term lists save, and what do they cost in answers?

    python benchmarks/pruning.py
    python benchmarks/pruning.py --data CRAWL --plot curve.svg
    python benchmarks/pruning.py --index REAL.kin --json

The lists of an index (by default of a sample web) are pruned with k = 10 and ε from 0 to 0.5, and the same pages are
asked of each. *left* is the share of entries and of bytes that stay. *time* is that of the exact ranking by the score
of texts, as `related(exact=True)` asks for it, beside the same with whole lists. *stay* is the share of the ten best
by whole lists that are still found, for the score of texts and for the cosine as a sum over lists; a page that is as
good as the tenth counts as one of them, and the page itself is no answer.

A page has so many terms that the promise of pruning says little or nothing. So the cosine is also asked with the three
heaviest terms of each page, as if they were typed: the page is an answer then. *needed* is the least share by which
scores would have to be lowered for the ten that were found to be the best, of all questions the most; *promised* is
the most that it can be.

Times are processor time, for each question the best of three, the kinds of lists in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
from numpy.typing import NDArray

import pagekin
from pagekin.index import Index
from pagekin.query.exact import TermIndex, exactly_similar, term_index
from pagekin.query.pruning import promised_variation, pruned, pruned_top_k, summed_cosines
from pagekin.query.similar import Numbers, TermWeights, WeighedBag, similarities, weighed_bag
from pagekin.sample import write_sample
from pagekin.settings import Settings
from pagekin.stores.shards import Shard

K = 10
WANTED = 4 * K + 50  # so many are ranked for ten answers, since copies and the page itself may be among them
EPSILONS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
FEW_TERMS = 3
ROUNDS = 3
SAMPLE_PAGES = 2_000
ROUNDING = 1e-6  # lists keep weights in four bytes
Floats = NDArray[np.float64]


class Corpus(NamedTuple):
    """What is searched, and its lists by ε."""

    shards: list[Shard]
    weights: TermWeights
    lists: dict[float, list[TermIndex]]


class Kept(NamedTuple):
    """Of the ten best, how many were found and how many there are; and the variation that would make it right."""

    found: int
    possible: int
    needed: float


# --- an index -----------------------------------------------------------------------------------------------


@contextmanager
def opened(index: Path | None, data: Path | None) -> Iterator[Index]:
    """An index that is there, or one of a crawl or of a sample web, built for the time being."""
    if index is not None:
        yield pagekin.open(index)
        return
    with tempfile.TemporaryDirectory(prefix="pagekin-pruning-") as name:
        folder, crawl = Path(name), data
        if crawl is None:
            write_sample(folder / "web", SAMPLE_PAGES)
            crawl = folder / "web" / "sample.warc.gz"
        settings = Settings()  # of texts alone, which is all that is asked
        concepts, cocitation = replace(settings.concepts, dimensions=0), replace(settings.cocitation, pages=0)
        pagekin.build(crawl, folder / "web.kin", replace(settings, concepts=concepts, cocitation=cocitation))
        yield pagekin.open(folder / "web.kin")


def pruned_corpus(index: Index) -> Corpus:
    """The lists of an index, whole and pruned."""
    whole = [term_index(shard, index._weights) for shard in index._shards]
    lists = {epsilon: [pruned(each, K, epsilon) for each in whole] for epsilon in EPSILONS}
    return Corpus(index._shards, index._weights, lists)


def questions(corpus: Corpus, number: int) -> Iterator[tuple[int, WeighedBag]]:
    """Documents drawn at random, with their bags."""
    documents = sum(len(shard.bags) for shard in corpus.shards)
    drawn = np.random.default_rng(6).choice(documents, min(number, documents), replace=False)
    for document in drawn.tolist():
        shard = [shard for shard in corpus.shards if shard.first <= document][-1]
        yield document, weighed_bag(*shard.bags.bag(document - shard.first), corpus.weights)


def heaviest(bag: WeighedBag) -> WeighedBag:
    """The heaviest terms of a bag by the cosine."""
    places = np.sort(np.argsort(-bag.cosine, kind="stable")[:FEW_TERMS])
    return WeighedBag(bag.terms[places], bag.jaccard[places], bag.cosine[places])


# --- what is measured ---------------------------------------------------------------------------------------


def kept(found: Numbers, truth: Floats, asked: int | None = None) -> Kept:
    """How well the first ten of what was found, but for the page itself, do by the true scores of all documents."""
    others = truth.copy()
    if asked is not None:
        others[asked], found = 0.0, found[found != asked]
    ten = found[:K]
    possible = min(K, int((others > ROUNDING).sum()))
    tenth = np.partition(others, -K)[-K] if len(others) >= K else 0.0
    hits = int((others[ten] >= max(tenth, ROUNDING) - ROUNDING).sum())
    rest = np.delete(others, ten).max(initial=0.0)
    least = others[ten].min(initial=1.0) if len(ten) >= possible else 0.0
    return Kept(min(hits, possible), possible, max(1 - least / rest, 0.0) if rest > ROUNDING else 0.0)


def true_scores(corpus: Corpus, bag: WeighedBag) -> Floats:
    """The score of texts of every document."""
    every = [similarities(s, np.arange(len(s.bags)), bag, corpus.weights) for s in corpus.shards]
    return np.concatenate(every)


def true_sums(corpus: Corpus, bag: WeighedBag) -> Floats:
    """The cosine of every document, by whole lists."""
    pairs = zip(corpus.shards, corpus.lists[0.0], strict=True)
    return np.concatenate([summed_cosines(index, len(shard.bags), bag) for shard, index in pairs])


def seconds_by_epsilon(corpus: Corpus, bag: WeighedBag) -> dict[float, float]:
    """Processor time of an exact ranking, the best of some rounds."""
    best = dict.fromkeys(EPSILONS, np.inf)
    for _ in range(ROUNDS):
        for epsilon, lists in corpus.lists.items():
            started = time.process_time()
            exactly_similar(corpus.shards, lists, bag, corpus.weights, WANTED)
            best[epsilon] = min(best[epsilon], time.process_time() - started)
    return best


def answers(corpus: Corpus, asked: int, bag: WeighedBag) -> dict[float, dict[str, Kept]]:
    """How the answers to one question hold, by ε and by measure."""
    few = heaviest(bag)
    truth, sums, few_sums = true_scores(corpus, bag), true_sums(corpus, bag), true_sums(corpus, few)
    found = {}
    for epsilon, lists in corpus.lists.items():
        text = exactly_similar(corpus.shards, lists, bag, corpus.weights, WANTED).documents
        found[epsilon] = {
            "text": kept(text, truth, asked),
            "cosine": kept(pruned_top_k(corpus.shards, lists, bag, K + 1).documents, sums, asked),
            "few_terms": kept(pruned_top_k(corpus.shards, lists, few, K).documents, few_sums),
        }
    return found


def figures_of(corpus: Corpus, number: int) -> dict[str, Any]:
    """All that is measured."""
    asked = list(questions(corpus, number))
    exactly_similar(corpus.shards, corpus.lists[0.0], asked[0][1], corpus.weights, WANTED)  # kernels are compiled
    held = [answers(corpus, *question) for question in asked]
    spent = [seconds_by_epsilon(corpus, bag) for _, bag in asked]
    whole = sum(row[0.0] for row in spent)
    rows = [
        {
            "epsilon": epsilon,
            **_sizes(corpus, epsilon),
            "time_ratio": round(sum(row[epsilon] for row in spent) / whole, 3),
            **{name: _summed([row[epsilon][name] for row in held]) for name in ("text", "cosine", "few_terms")},
            "promised": promised_variation(epsilon, FEW_TERMS),
        }
        for epsilon in EPSILONS
    ]
    return {
        "documents": sum(len(shard.bags) for shard in corpus.shards),
        "entries": sum(len(index.documents) for index in corpus.lists[0.0]),
        "bytes": sum(_bytes(index) for index in corpus.lists[0.0]),
        "questions": len(asked),
        "terms_a_question": float(np.median([len(bag.terms) for _, bag in asked])),
        **_making_seconds(corpus),
        "milliseconds": round(1000 * whole / len(asked), 2),
        "load": [round(load, 2) for load in os.getloadavg()],
        "rows": rows,
    }


def _making_seconds(corpus: Corpus) -> dict[str, float]:
    """Processor time to make the whole lists, and to prune them with an ε in the middle."""
    started = time.process_time()
    whole = [term_index(shard, corpus.weights) for shard in corpus.shards]
    made = time.process_time()
    for index in whole:
        pruned(index, K, EPSILONS[4])
    spent = time.process_time() - made
    return {"making_seconds": round(made - started, 4), "pruning_seconds": round(spent, 4)}


def _bytes(index: TermIndex) -> int:
    return sum(column.nbytes for column in index)


def _sizes(corpus: Corpus, epsilon: float) -> dict[str, float]:
    """What is left, as shares of what the whole lists have."""
    pairs = list(zip(corpus.lists[epsilon], corpus.lists[0.0], strict=True))
    entries = sum(len(each.documents) for each, _ in pairs) / sum(len(whole.documents) for _, whole in pairs)
    size = sum(_bytes(each) for each, _ in pairs) / sum(_bytes(whole) for _, whole in pairs)
    return {"entries_left": round(entries, 4), "bytes_left": round(size, 4)}


def _summed(rows: list[Kept]) -> dict[str, float]:
    stay = sum(row.found for row in rows) / max(sum(row.possible for row in rows), 1)
    return {"stay": round(stay, 4), "needed": round(max(row.needed for row in rows), 4)}


# --- how it is shown ----------------------------------------------------------------------------------------


def print_figures(figures: dict[str, Any]) -> None:
    """A table for a person."""
    print(
        f"{figures['documents']:,} documents, {figures['entries']:,} entries, {figures['bytes'] / 1e6:.1f} MB; "
        f"{figures['questions']} questions of {figures['terms_a_question']:.0f} terms, "
        f"{figures['milliseconds']} ms each with whole lists"
    )
    print(
        f"lists made in {1000 * figures['making_seconds']:.0f} ms, "
        f"pruned (ε = {EPSILONS[4]:g}) in {1000 * figures['pruning_seconds']:.0f} ms"
    )
    print(f"{'':<6}{'left':^18}{'':>9}{'stay':^27}{f'of {FEW_TERMS} terms':^18}")
    heads = ("entries", "bytes", "time", "text", "cosine", f"{FEW_TERMS} terms", "needed", "promised")
    print(f"{'ε':<6}" + "".join(f"{head:>9}" for head in heads))
    for row in figures["rows"]:
        stay = [row[name]["stay"] for name in ("text", "cosine", "few_terms")]
        cells = [row["entries_left"], row["bytes_left"], row["time_ratio"], *stay, row["few_terms"]["needed"]]
        print(f"{row['epsilon']:<6g}" + "".join(f"{cell:>9.3f}" for cell in (*cells, row["promised"])))


WIDTH, HEIGHT, MARGIN = 480, 300, 50
LINES = {
    "text": ("score of texts", "#06c"),
    "cosine": ("cosine", "#c60"),
    "few_terms": (f"cosine, {FEW_TERMS} terms", "#393"),
}


def curve(figures: dict[str, Any]) -> str:
    """How many of the ten best stay, by how many entries are left, as SVG."""
    rows = figures["rows"]
    low = np.floor(10 * min(row[name]["stay"] for row in rows for name in LINES)) / 10

    def place(left: float, stay: float) -> tuple[str, str]:
        x = MARGIN + (WIDTH - 2 * MARGIN) * left
        return f"{x:.1f}", f"{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (stay - low) / (1 - low):.1f}"

    def add(tag: str, text: str = "", **attributes: str) -> None:
        SubElement(svg, tag, {name.replace("_", "-"): value for name, value in attributes.items()}).text = text

    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {HEIGHT}"})
    svg.attrib |= {"font-family": "sans-serif", "font-size": "11", "fill": "#333"}
    add("rect", width="100%", height="100%", fill="white")
    add("text", "Of the ten best, the share that stays", x=str(MARGIN), y="24", font_size="13")
    add("text", "share of entries left", x=str(WIDTH - MARGIN), y=str(HEIGHT - 12), text_anchor="end")
    for tick in np.arange(low, 1.01, 0.1 if low < 0.8 else 0.05):
        x, y = place(0, tick)
        add("line", x1=x, x2=str(WIDTH - MARGIN), y1=y, y2=y, stroke="#ddd")
        add("text", f"{tick:.2f}", x=str(MARGIN - 6), y=y, text_anchor="end", dominant_baseline="middle")
    for tick in np.arange(0, 1.01, 0.2):
        add("text", f"{tick:.1f}", x=place(tick, low)[0], y=str(HEIGHT - MARGIN + 16), text_anchor="middle")
    for number, (name, (title, colour)) in enumerate(LINES.items()):
        places = [place(row["entries_left"], row[name]["stay"]) for row in rows]
        add("polyline", points=" ".join(",".join(each) for each in places), fill="none", stroke=colour)
        for x, y in places:
            add("circle", cx=x, cy=y, r="3", fill=colour)
        add("text", title, x=str(MARGIN + 12), y=str(HEIGHT - MARGIN - 44 + 16 * number), fill=colour)
    for row in rows[2:]:  # the first lie too close together to be named
        x, y = place(row["entries_left"], row["text"]["stay"])
        add("text", f"ε = {row['epsilon']:g}", x=x, y=f"{float(y) - 8:.1f}", text_anchor="middle", font_size="9")
    return tostring(svg, "unicode")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--index", type=Path, help="an index that is there")
    source.add_argument("--data", type=Path, help="a crawl to build one of")
    parser.add_argument("--questions", type=int, default=300, help="how many pages to ask for (300)")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the curve")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    with opened(options.index, options.data) as index:
        figures = figures_of(pruned_corpus(index), options.questions)
    if options.plot:
        options.plot.write_text(curve(figures), "utf-8")
    if options.json:
        print(json.dumps(figures))
    else:
        print_figures(figures)


if __name__ == "__main__":
    main()
