"""How fast are concepts, and how right: learning them, projecting pages, finding the nearest of a million?

    OPENBLAS_NUM_THREADS=1 python benchmarks/concepts.py
    OPENBLAS_NUM_THREADS=1 python benchmarks/concepts.py --quick --index REAL.kin

*Learning* and *projecting* use made-up bags: two in five words of a page are drawn by rank (Zipf) from all, the others
in the same way from the words of its topic, so that there is something to be learned. They go through the functions
that a build uses. Beside the decomposition, on the same matrix and if they can be imported: `svds` of SciPy (ARPACK)
and the randomised TruncatedSVD of scikit-learn. What each finds is compared by the *energy* it captures, the sum of
squares of the matrix projected into the space found; the best possible is that of the true singular vectors. `svds`
finds those nearly exactly, so at full size it is the measure; on a smaller matrix a dense decomposition is.

*Finding* uses vectors in three levels, topics, groups and documents, with cosines to the neighbours at ranks 1, 10, 50
and 400 about as far apart as those of an encyclopedia. They are written and asked by `pagekin.stores.vector_store`.
The questions are new vectors, which no document equals. Recall is that of the true ten by an exact scan of the same
vectors of two bytes a number. Beside it, if it can be imported, a graph of neighbours (usearch, HNSW) of as many, but
no more than 200,000, because adding them takes long.

Times are processor time, so that a busy machine does not count, with wall time beside it; files are warm.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.concepts.basis import basis_of, learned_basis, vectors_of
from pagekin.concepts.features import weighed_columns, weighed_rows
from pagekin.concepts.matrix import Sparse, decomposition, product, stacked
from pagekin.settings import Settings
from pagekin.stores import vector_store
from pagekin.stores.vector_store import VectorStore, write_vectors
from pagekin.tables import BASIS, FRAGMENTS, TERM_COUNTS, TERMS, URLS, VECTORS

SETTINGS = Settings()
DIMENSIONS, SEED = SETTINGS.concepts.dimensions, SETTINGS.concepts.seed
BATCH = 10_000
Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]


class Spent(NamedTuple):
    """Seconds of the processor, and of the clock."""

    cpu: float
    wall: float


def timed(act: Callable[[], Any]) -> tuple[Any, Spent]:
    """What a function gives, and what it took."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = act()
    return result, Spent(time.process_time() - cpu, time.perf_counter() - wall)


def _seconds(spent: Spent) -> dict[str, float]:
    return {"cpu_seconds": round(spent.cpu, 2), "wall_seconds": round(spent.wall, 2)}


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


# --- bags ---------------------------------------------------------------------------------------------------

TOKENS, OF_ALL = 235, 0.4  # words drawn for a page, which make about 160 different ones; the share drawn from all
TOPIC_WORDS, PAGES_A_TOPIC = 3_000, 250


def _ranks(rng: np.random.Generator, shape: tuple[int, ...], most: int) -> Numbers:
    """Ranks by Zipf: the chance of rank r is as 1 / (r + 1)."""
    return np.minimum(np.exp(rng.random(shape, np.float32) * np.log(most + 1)).astype(np.int64) - 1, most - 1)


def drawn_bags(pages: int, words: int) -> Iterator[pa.RecordBatch]:
    """FRAGMENTS of pages, in batches."""
    rng = np.random.default_rng(1)
    topics = rng.integers(0, words, (max(pages // PAGES_A_TOPIC, 2), TOPIC_WORDS))
    for first in range(0, pages, BATCH):
        shape = (min(BATCH, pages - first), TOKENS)
        topic = (len(topics) * rng.random((shape[0], 1)) ** 2).astype(np.int64)  # some topics are much larger
        own = topics[topic, _ranks(rng, shape, TOPIC_WORDS)]
        drawn = np.where(rng.random(shape, np.float32) < OF_ALL, _ranks(rng, shape, words), own)
        yield _fragments(first, np.sort(drawn, axis=1))


def _fragments(first: int, drawn: Numbers) -> pa.RecordBatch:
    """Rows of ascending words as FRAGMENTS, with how often each word is there."""
    is_new = np.diff(drawn, axis=1, prepend=-1) > 0
    starts = np.flatnonzero(is_new)
    often = np.diff(starts, append=drawn.size) * 1024
    offsets = pa.array(np.concatenate([[0], np.cumsum(is_new.sum(axis=1))]).astype(np.int32))
    types = [FRAGMENTS.field(name).type for name in ("terms", "frequencies")]
    lists = [
        pa.ListArray.from_arrays(offsets, pa.array(drawn.reshape(-1)[starts].astype(np.int32)), type=types[0]),
        pa.ListArray.from_arrays(offsets, pa.array(often), type=types[1]),
    ]
    return pa.record_batch([pa.array(np.arange(first, first + len(drawn))), *lists], schema=FRAGMENTS)


def counted(batches: list[pa.RecordBatch], words: int) -> pa.Table:
    """TERM_COUNTS: how many pages have each word."""
    counts = sum(np.bincount(batch["terms"].flatten().to_numpy(), minlength=words) for batch in batches)
    numbers = np.flatnonzero(counts)
    return pa.table([numbers.astype(np.int32), np.asarray(counts)[numbers]], schema=TERM_COUNTS)


def _table(schema: pa.Schema, rows: int) -> pa.Table:
    """A table of which only the number of rows is looked at."""
    return pa.table([pa.nulls(rows, field.type) for field in schema], schema=schema)


def weighed(batches: list[pa.RecordBatch], words: int) -> Sparse:
    """The matrix that the concepts are learned from."""
    pages = sum(batch.num_rows for batch in batches)
    columns = weighed_columns(counted(batches, words), pages, words, SETTINGS.concepts, SETTINGS.strategy)
    parts = [weighed_rows(batch, columns, SETTINGS.concepts, by_length=True) for batch in batches]
    return stacked(parts, np.arange(sum(len(part.ends) - 1 for part in parts)), len(columns.used))


# --- learning and projecting --------------------------------------------------------------------------------


def _by_svds(matrix: Sparse) -> Floats:
    from scipy.sparse.linalg import svds

    vectors = svds(_as_scipy(matrix), k=DIMENSIONS, return_singular_vectors="vh", rng=np.random.default_rng(SEED))[2]
    return np.ascontiguousarray(vectors[::-1].T, np.float32)


def _by_sklearn(matrix: Sparse) -> Floats:
    from sklearn.decomposition import TruncatedSVD

    found = TruncatedSVD(DIMENSIONS, algorithm="randomized", random_state=SEED).fit(_as_scipy(matrix))
    return np.ascontiguousarray(found.components_.T, np.float32)


def _as_scipy(matrix: Sparse) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix((matrix.values, matrix.columns, matrix.ends), shape=(len(matrix.ends) - 1, matrix.width))


def _by_pagekin(matrix: Sparse, rounds: int = SETTINGS.concepts.rounds) -> Floats:
    return decomposition(matrix, DIMENSIONS, rounds, SEED).vectors


WAYS: dict[str, tuple[str, Callable[[Sparse], Floats]]] = {
    "pagekin": ("pagekin", _by_pagekin),
    "pagekin, 5 rounds": ("pagekin", lambda matrix: _by_pagekin(matrix, 5)),  # as many as scikit-learn makes
    "scipy svds": ("scipy", _by_svds),
    "sklearn TruncatedSVD": ("sklearn", _by_sklearn),
}


def energy(matrix: Sparse, vectors: Floats) -> float:
    """The sum of squares of the matrix, projected."""
    return float(np.square(product(matrix, vectors), dtype=np.float64).sum())


def sine(vectors: Floats, truth: Floats) -> float:
    """The sine of the largest angle between two spaces: 0 if they are the same, 1 if one has what the other lacks."""
    cosines = np.linalg.svd(truth.T.astype(np.float64) @ vectors, compute_uv=False)
    return float(np.sqrt(max(1 - cosines.min() ** 2, 0.0)))


def learning_figures(matrix: Sparse, peers: bool) -> dict[str, Any]:
    """Time and captured energy of each way."""
    rows: dict[str, Any] = {}
    for name, (module, way) in WAYS.items():
        if module != "pagekin" and not (peers and _has(module)):
            continue
        vectors, spent = timed(lambda way=way: way(matrix))  # type: ignore[misc]
        rows[name] = {**_seconds(spent), "energy": energy(matrix, vectors)}
    most = max(row["energy"] for row in rows.values())
    for row in rows.values():
        row["energy"] = round(row["energy"] / most, 6)
        row["pagekin_times_as_fast"] = round(row["cpu_seconds"] / max(rows["pagekin"]["cpu_seconds"], 0.01), 2)
    return {"rows": len(matrix.ends) - 1, "columns": matrix.width, "numbers": len(matrix.values), "ways": rows}


SMALL_PAGES, SMALL_WORDS = 3_000, 9_000


def small_figures() -> dict[str, Any]:
    """How far each way is from a dense decomposition: energy, and the angle to the true space."""
    matrix = weighed(list(drawn_bags(SMALL_PAGES, SMALL_WORDS)), SMALL_WORDS)
    dense = np.zeros((len(matrix.ends) - 1, matrix.width), np.float32)
    dense[np.repeat(np.arange(len(dense)), np.diff(matrix.ends)), matrix.columns] = matrix.values
    # The eigenvectors of the smaller square matrix are the left singular vectors, and lead to the right ones.
    squares, left = np.linalg.eigh((dense @ dense.T).astype(np.float64))
    sizes = np.sqrt(squares[::-1][: DIMENSIONS + 1])
    truth = (dense.T @ left[:, ::-1][:, :DIMENSIONS] / sizes[:DIMENSIONS]).astype(np.float32)
    ways = {}
    for name, (module, way) in WAYS.items():
        if _has(module):
            vectors = way(matrix)
            ways[name] = {
                "energy": round(energy(matrix, vectors) / float((sizes[:DIMENSIONS] ** 2).sum()), 6),
                "sine": round(sine(vectors, truth), 4),
                "sine_of_first_half": round(sine(vectors[:, : DIMENSIONS // 2], truth), 5),
            }
    edge = round(float(sizes[DIMENSIONS] / sizes[DIMENSIONS - 1]), 4)
    return {"rows": len(dense), "columns": matrix.width, "next_over_last": edge, "ways": ways}


def real_figures(path: Path) -> dict[str, Any]:
    """The same on the bags of an index that was built, without links."""
    table = pq.read_table(path / "bags", columns=FRAGMENTS.names).cast(FRAGMENTS).combine_chunks()
    words = max(int(batch["terms"].flatten().to_numpy().max(initial=0)) for batch in table.to_batches()) + 1
    return {"index": path.name} | learning_figures(weighed(table.to_batches(), words), peers=True)


def projection_figures(batches: list[pa.RecordBatch], words: int) -> dict[str, Any]:
    """The whole step that learns, and pages a second of the one that projects."""
    pages = sum(batch.num_rows for batch in batches)
    urls, terms = _table(pa.schema([URLS.field("page")]), pages), _table(pa.schema([TERMS.field("term")]), words)
    counts = counted(batches, words)
    made, learning = timed(
        lambda: list(learned_basis(batches, counts, urls, terms, SETTINGS.concepts, SETTINGS.strategy))
    )
    basis = basis_of(pa.Table.from_batches([batch for _, batch in made], BASIS), words)
    vectors_of(batches[0], basis, SETTINGS.concepts)  # warm
    rates = []
    for batch in (batches * 20)[:20]:
        _, spent = timed(lambda batch=batch: vectors_of(batch, basis, SETTINGS.concepts))  # type: ignore[misc]
        rates.append(batch.num_rows / spent.cpu)
    return {
        "learned_basis": _seconds(learning),
        "basis_rows": len(basis.vectors),
        "pages_per_second": {"median": round(float(np.median(rates))), "best": round(max(rates))},
    }


# --- finding ------------------------------------------------------------------------------------------------

DOCUMENTS_A_GROUP, GROUPS_A_TOPIC = 50, 10
GRAPH = 200_000  # documents at most that are added to a graph


def _unit(vectors: NDArray[Any]) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


class Groups(NamedTuple):
    """The middles of groups of documents, and how far noise goes in each dimension."""

    middles: Floats
    spread: Floats


def made_groups(documents: int) -> Groups:
    """Groups around topics, for so many documents."""
    rng = np.random.default_rng(7)
    spread = np.arange(1, DIMENSIONS + 1) ** -0.35
    spread = (spread / np.linalg.norm(spread)).astype(np.float32)
    groups = max(documents // DOCUMENTS_A_GROUP, 1)
    topics = _unit(rng.standard_normal((max(groups // GROUPS_A_TOPIC, 1), DIMENSIONS), np.float32) * spread)
    noise = rng.standard_normal((groups, DIMENSIONS), np.float32) * spread
    return Groups(_unit(topics[rng.integers(0, len(topics), groups)] + 0.8 * noise), spread)


def drawn_vectors(groups: Groups, number: int, seed: int) -> Floats:
    """Vectors of length 1, each near the middle of its group; the first groups are larger than the last."""
    rng = np.random.default_rng(seed)
    group = (len(groups.middles) * rng.random(number) ** 1.5).astype(np.int64)
    noise = rng.standard_normal((number, DIMENSIONS), np.float32) * groups.spread
    return _unit(groups.middles[group] + noise * rng.uniform(0.3, 1.1, (number, 1)).astype(np.float32))


def write_table(path: Path, vectors: Floats) -> Numbers:
    """Write VECTORS as a build does; gives the ids."""
    pages = np.sort(np.random.default_rng(3).integers(-(1 << 63), (1 << 63) - 1, len(vectors)))
    short = vectors.astype(np.float16)
    packed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(2 * DIMENSIONS), len(short), [None, pa.py_buffer(short)])
    pq.write_table(pa.table([pages, packed.cast(pa.binary())], schema=VECTORS), path, row_group_size=1 << 16)
    return pages


class Truth(NamedTuple):
    """For each question, the true ten documents and the products of all with it at ranks."""

    ten: Numbers
    tenth: Floats
    at: dict[int, float]


RANKS = (1, 10, 50, 400)


def truth_of(vectors: NDArray[np.float16], questions: Floats) -> Truth:
    """By looking at every vector."""
    best = np.full((len(questions), max(RANKS)), -2, np.float32)
    number = np.full(best.shape, -1, np.int64)
    for first in range(0, len(vectors), 50_000):
        products = questions @ vectors[first : first + 50_000].astype(np.float32).T
        beside = np.broadcast_to(np.arange(first, first + products.shape[1]), products.shape)
        products, beside = np.hstack([best, products]), np.hstack([number, beside])
        kept = np.argpartition(-products, max(RANKS) - 1, axis=1)[:, : max(RANKS)]
        best, number = np.take_along_axis(products, kept, 1), np.take_along_axis(beside, kept, 1)
    order = np.argsort(-best, axis=1, kind="stable")
    best, number = np.take_along_axis(best, order, 1), np.take_along_axis(number, order, 1)
    return Truth(number[:, :10], best[:, 9], {rank: round(float(np.median(best[:, rank - 1])), 3) for rank in RANKS})


def asked(nearest: Callable[[Floats, int], Numbers], questions: Floats, truth: Truth, k: int) -> dict[str, float]:
    """Recall of the true ten among k, and milliseconds."""
    for question in questions[:100]:
        nearest(question, k)
    cpu, wall, hits = [], [], []
    for question, ten in zip(questions, truth.ten, strict=True):
        at, begun = time.process_time(), time.perf_counter()
        found = nearest(question, k)
        cpu.append(1000 * (time.process_time() - at))
        wall.append(1000 * (time.perf_counter() - begun))
        hits.append(int(np.isin(ten, found).sum()))
    named = {"median_ms": np.median(cpu), "p99_ms": np.percentile(cpu, 99)}
    named |= {"wall_median_ms": np.median(wall), "wall_p99_ms": np.percentile(wall, 99)}
    right = {"recall": round(sum(hits) / truth.ten.size, 4)}
    return right | {key: round(float(value), 3) for key, value in named.items()}


def finding_figures(folder: Path, documents: int, questions: int, exact: int) -> dict[str, Any]:
    """Write the vectors of documents, in cells if they are more than `exact`, and ask."""
    groups = made_groups(documents)
    vectors = drawn_vectors(groups, documents, 1)
    pages = write_table(folder / "concepts.parquet", vectors)
    del vectors
    _, spent = timed(lambda: write_vectors(folder / "concepts", [folder / "concepts.parquet"], pages, exact))
    store = VectorStore(folder / "concepts", documents)
    new = drawn_vectors(groups, questions, 2)
    truth = truth_of(store.vectors, new)
    sizes = {path.name: round(path.stat().st_size / documents, 1) for path in sorted((folder / "concepts").iterdir())}
    return {
        "documents": documents, "cosine_at": truth.at, "bytes_a_document": sizes,
        "writing": _seconds(spent),
        **{f"nearest {k}": asked(store.nearest, new, truth, k) for k in (10, SETTINGS.similarity.candidates)},
    }  # fmt: skip


def graph_figures(documents: int, questions: int) -> dict[str, Any]:
    """What a graph of neighbours (usearch) of so many vectors takes, and finds."""
    from usearch.index import Index

    groups = made_groups(documents)
    vectors, new = drawn_vectors(groups, documents, 1).astype(np.float16), drawn_vectors(groups, questions, 2)
    graph = Index(ndim=DIMENSIONS, metric="ip", dtype="f16", connectivity=16, expansion_add=128, expansion_search=128)
    _, spent = timed(lambda: graph.add(np.arange(documents), vectors, threads=1))
    truth = truth_of(vectors, new)

    def walked(vector: Floats, k: int) -> Numbers:
        return np.asarray(graph.search(vector.astype(np.float16), k).keys, np.int64)

    return {
        "documents": documents, "writing": _seconds(spent),
        **{f"nearest {k}": asked(walked, new, truth, k) for k in (10, SETTINGS.similarity.candidates)},
    }  # fmt: skip


# --- all of it ----------------------------------------------------------------------------------------------


def figures_of(options: argparse.Namespace) -> dict[str, Any]:
    """All that is measured."""
    small_batches = list(drawn_bags(2_000, 6_000))
    projection_figures(small_batches, 6_000)  # kernels are compiled
    batches = list(drawn_bags(options.bags, options.words))
    figures: dict[str, Any] = {
        "load_before": [round(load, 2) for load in os.getloadavg()],
        "learning": learning_figures(weighed(batches, options.words), options.peers),
        "small": small_figures(),
        "projecting": projection_figures(batches, options.words),
        "real": [real_figures(path) for path in options.index],
    }
    del batches
    sizes = sorted({min(options.documents, vector_store.EXACT), options.documents})
    figures["finding"] = []
    for documents in sizes:
        with tempfile.TemporaryDirectory(prefix="pagekin-concepts-") as name:
            exact = vector_store.EXACT if documents == vector_store.EXACT or len(sizes) > 1 else documents // 2
            figures["finding"].append(finding_figures(Path(name), documents, options.questions, exact))
    figures["graph"] = graph_figures(options.graph, options.questions) if options.peers and _has("usearch") else None
    return figures | {"load_after": [round(load, 2) for load in os.getloadavg()]}


def print_figures(figures: dict[str, Any]) -> None:
    """Tables for a person."""
    learning, small, projecting = figures["learning"], figures["small"], figures["projecting"]
    _print_learning(learning)
    for real in figures["real"]:
        print(f"\n{real['index']}")
        _print_learning(real)
    print(f"\n{small['rows']:,} bags, against a dense decomposition (σ101 / σ100 = {small['next_over_last']})")
    print(f"{'':<24}{'energy':>10}{'sine':>10}{'first half':>12}")
    for name, row in small["ways"].items():
        print(f"{name:<24}{row['energy']:>10.6f}{row['sine']:>10.4f}{row['sine_of_first_half']:>12.5f}")
    basis, rate = projecting["learned_basis"], projecting["pages_per_second"]
    print(f"\nlearned_basis, axes turned: cpu {basis['cpu_seconds']} s, wall {basis['wall_seconds']} s")
    print(f"projecting: {rate['median']:,} pages/s (best batch {rate['best']:,})\n")
    print(f"{'':<12}{'documents':>11}{'k':>6}{'recall@10':>11}{'median ms':>11}{'p99 ms':>9}{'wall ms':>9}{'p99':>8}")
    for row in figures["finding"]:
        _print_finding("pagekin", row)
    if figures["graph"]:
        _print_finding("usearch", figures["graph"])
    for row in figures["finding"]:
        sizes = ", ".join(f"{name} {size}" for name, size in row["bytes_a_document"].items())
        print(
            f"{row['documents']:,}: written in {row['writing']['cpu_seconds']} s; bytes a document: {sizes}; "
            "median cosine at rank " + ", ".join(f"{rank}: {at}" for rank, at in row["cosine_at"].items())
        )
    if figures["graph"]:
        print(f"{figures['graph']['documents']:,} in a graph: {figures['graph']['writing']['cpu_seconds']} s")
    print(f"load before {figures['load_before']}, after {figures['load_after']}")


def _print_finding(name: str, row: dict[str, Any]) -> None:
    for k in (10, SETTINGS.similarity.candidates):
        one = row[f"nearest {k}"]
        print(
            f"{name:<12}{row['documents']:>11,}{k:>6}{one['recall']:>11.4f}{one['median_ms']:>11.3f}{one['p99_ms']:>9.3f}"
            f"{one['wall_median_ms']:>9.3f}{one['wall_p99_ms']:>8.3f}"
        )


def _print_learning(figures: dict[str, Any]) -> None:
    print(f"{figures['rows']:,} bags, {figures['columns']:,} columns, {figures['numbers']:,} numbers, one core")
    print(f"{'decomposition':<24}{'cpu s':>9}{'wall s':>9}{'energy':>10}{'pagekin is':>13}")
    for name, row in figures["ways"].items():
        print(
            f"{name:<24}{row['cpu_seconds']:>9.1f}{row['wall_seconds']:>9.1f}{row['energy']:>10.6f}"
            f"{row['pagekin_times_as_fast']:>11.2f} x"
        )


def read_options() -> argparse.Namespace:
    """The options; --quick lowers what was not given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bags", type=int, help="how many to learn from (100,000; quick: 10,000)")
    parser.add_argument("--documents", type=int, help="how many to find among (1,000,000; quick: 20,000)")
    parser.add_argument("--questions", type=int, help="how many to ask (1,000; quick: 300)")
    parser.add_argument("--index", type=Path, action="append", default=[], help="an index of real pages; repeatable")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="at full size, only pagekin")
    parser.add_argument("--quick", action="store_true", help="in less than a minute, with larger errors")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    quick = options.quick
    options.bags = options.bags or (10_000 if quick else 100_000)
    options.documents = options.documents or (20_000 if quick else 1_000_000)
    options.questions = options.questions or (300 if quick else 1_000)
    options.words, options.graph = 3 * options.bags, min(options.documents, GRAPH)
    return options


def main() -> None:
    """Read the options, measure, print."""
    options = read_options()
    figures = figures_of(options)
    if options.json:
        print(json.dumps(figures))
    else:
        print_figures(figures)


if __name__ == "__main__":
    main()
