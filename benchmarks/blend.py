"""What does it cost to make one ranking of many sources, beside what the sources themselves cost?

    python benchmarks/blend.py --documents 1000000
    python benchmarks/blend.py --index REAL.kin

The documents are those of benchmarks/index.py, with made-up links, co-citations and vectors of 32 numbers: each
document has six neighbours and fifteen co-cited pages in its own group of sixty, and a vector near that of the group.
One core; times are processor time, the median of many questions, files warm. What the sources take to list and score
their candidates is told apart from the threshold algorithm, with all that it asks at random.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import pagekin
from index import describe_files, written_index
from pagekin.cocitation.merging import SOURCES
from pagekin.index import Index
from pagekin.links.likeness import neighbourhoods
from pagekin.query.records import Choice, Question
from pagekin.query.top_k.threshold import gathered_evidence
from pagekin.settings import LinkSettings
from pagekin.stores.vector_cells import write_cells

GROUP, NEIGHBOURS, COCITED, DIMENSIONS = 60, 6, 15, 32
BLOCK = 1 << 16


def beside(documents: int, count: int) -> NDArray[np.int64]:
    """The documents that follow each in its group, the last followed by the first."""
    number = np.arange(documents)[:, None]
    place = (number % GROUP + np.arange(1, count + 1)) % GROUP
    return np.minimum(number - number % GROUP + place, documents - 1)


def write_links(folder: Path, documents: int) -> None:
    """Neighbours on both sides of each document."""
    folder.mkdir()
    after = beside(documents, NEIGHBOURS // 2)
    source = np.repeat(np.arange(documents), after.shape[1])
    pairs = np.unique(np.stack([np.append(source, after.ravel()), np.append(after.ravel(), source)]), axis=1)
    pairs = pairs[:, pairs[0] != pairs[1]]
    ends = np.append(0, np.cumsum(np.bincount(pairs[0], minlength=documents)))
    neighbours = pairs[1].astype(np.uint32)
    ends.tofile(folder / "ends.i64")
    neighbours.tofile(folder / "neighbours.u32")
    np.full(len(neighbours), 3, np.uint8).tofile(folder / "ways.u8")
    neighbourhoods(ends, neighbours, LinkSettings()).lengths.tofile(folder / "lengths.f32")
    np.zeros(documents, np.float32).tofile(folder / "authority.f32")


def write_cocited(folder: Path, documents: int) -> None:
    """Fifteen co-cited documents for each."""
    folder.mkdir()
    others = beside(documents, COCITED)
    (np.arange(documents + 1) * COCITED).tofile(folder / "ends.i64")
    others.astype(np.uint32).tofile(folder / "others.u32")
    np.tile(np.linspace(9, 1, COCITED, dtype=np.float32), documents).tofile(folder / "totals.f32")
    np.ones(others.size, np.uint32).tofile(folder / "citing.u32")
    np.zeros((others.size, SOURCES), np.int64).tofile(folder / "sources.i64")


def write_vectors(folder: Path, documents: int) -> None:
    """A vector near that of the group, and all of them in cells."""
    folder.mkdir()
    random, path = np.random.default_rng(1), folder / "vectors.f16"
    centres = random.normal(size=(documents // GROUP + 1, DIMENSIONS))
    with path.open("wb") as file:
        for first in range(0, documents, BLOCK):
            numbers = np.arange(first, min(first + BLOCK, documents))
            vectors = centres[numbers // GROUP] + 0.5 * random.normal(size=(len(numbers), DIMENSIONS))
            vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
            file.write(vectors.tobytes())
    write_cells(folder, np.memmap(path, np.float16, "r").reshape(documents, DIMENSIONS))


def made_index(folder: Path, documents: int) -> Index:
    """An index of made-up documents with all sources."""
    written_index(folder, documents)
    write_links(folder / "links", documents)
    write_cocited(folder / "cocited", documents)
    write_vectors(folder / "concepts", documents)
    describe_files(folder)
    return pagekin.open(folder)


def milliseconds(act: Callable[[], object]) -> float:
    """Processor time of one call."""
    started = time.process_time_ns()
    act()
    return (time.process_time_ns() - started) / 1e6


def split_times(index: Index, document: int) -> tuple[float, float]:
    """Of one question: what the lists took, and what the blend of them took."""
    posed = index._posed(Question(index._documents.text("url", document), None, None, None), None, None)
    choice, most = Choice(10), index.similarity_settings.candidates
    started = time.process_time_ns()
    sources = index._sources(posed, choice, most)
    listed = time.process_time_ns()
    query = index._top_k_query(posed, choice, 10, index._near_copies(posed.asked, sources))
    gathered_evidence(query, sources)
    return (listed - started) / 1e6, (time.process_time_ns() - listed) / 1e6


def print_figures(index: Index, questions: int) -> None:
    """A table."""
    asked = np.random.default_rng(2).choice(len(index), questions)
    urls = [index._documents.text("url", int(document)) for document in asked]
    shares = {"the blend": None, **{name: {name: 1.0} for name in index.sources if name not in ("authority", "words")}}
    for weights in shares.values():
        for url in urls[:20]:
            assert not index.related(url, weights=weights).left_out
    print(f"{len(index):,} documents, {questions} questions, processor time, median\n\n| ranked by | ms |\n|---|---|")
    for name, weights in shares.items():
        times = [milliseconds(lambda url=url, weights=weights: index.related(url, weights=weights)) for url in urls]
        print(f"| {name} | {np.median(times):.3f} |")
    lists, blend = np.median([split_times(index, int(document)) for document in asked], axis=0)
    print(f"\nof the blend: lists of all sources {lists:.3f} ms, the threshold algorithm {blend:.3f} ms")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--index", type=Path, help="an index with all sources, in place of made-up documents")
    options = parser.parse_args()
    if options.index:
        print_figures(pagekin.open(options.index), options.questions)
        return
    with tempfile.TemporaryDirectory(prefix="pagekin-blend-") as folder:
        print_figures(made_index(Path(folder) / "made.kin", options.documents), options.questions)


if __name__ == "__main__":
    main()
