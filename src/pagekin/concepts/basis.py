"""The concepts of a crawl: directions in which its pages differ most, learned from a sample of them.

Terms that occur on the same pages, and pages that are linked from the same ones, point into the same directions. So two
pages can be near each other that have no word in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.concepts.features import Columns, weighed_columns, weighed_rows
from pagekin.concepts.matrix import Sparse, decomposition, product, readable_rotation, stacked, unit
from pagekin.settings import ConceptSettings, Strategy
from pagekin.side_tables import total_rows
from pagekin.tables import BASIS, VECTORS

Named = tuple[str, pa.RecordBatch]
Floats = NDArray[np.float32]

MOST_READ = 5000  # columns that have a say in what the axes are; four times as many made them no more readable
NOTHING = 1e-5  # of the largest singular value: what is less is rounding


def learned_basis(
    batches: Iterable[pa.RecordBatch],
    feature_counts: pa.Table,
    urls: pa.Table,
    terms: pa.Table,
    settings: ConceptSettings,
    strategy: Strategy,
) -> Iterator[Named]:
    """BASIS: for each column that is used, where a page goes that has this column alone."""
    columns = weighed_columns(feature_counts, urls.num_rows, terms.num_rows, settings, strategy)
    rows = _weighed_pages(batches, columns, settings)
    if not len(rows.values):
        return
    vectors, sizes = decomposition(rows, settings.dimensions, settings.rounds, settings.seed)
    vectors *= _scale(sizes, settings.exponent)
    readable = packed(_readable(vectors, columns))
    yield "basis", pa.record_batch([pa.array(columns.used), pa.array(columns.weight), readable], schema=BASIS)


def _weighed_pages(batches: Iterable[pa.RecordBatch], columns: Columns, settings: ConceptSettings) -> Sparse:
    """The table of the pages that teach, in the order of their ids, whatever the order in which they were chosen."""
    pages, parts = [np.empty(0, np.int64)], []
    for batch in batches:
        pages.append(batch["page"].to_numpy())
        parts.append(weighed_rows(batch, columns, settings, by_length=True))
    return stacked(parts, np.argsort(np.concatenate(pages), kind="stable"), len(columns.used))


def _scale(sizes: Floats, exponent: float) -> Floats:
    """What each dimension is multiplied by, so that sizes count with this power; 0 where there is nothing."""
    relative = sizes / max(float(sizes.max()), float(np.finfo(np.float32).tiny))
    is_there = relative > NOTHING
    return np.asarray(np.where(is_there, np.where(is_there, relative, 1.0) ** (exponent - 1), 0.0), np.float32)


def _readable(vectors: Floats, columns: Columns) -> Floats:
    """The same vectors, turned so that each axis is a topic of the terms that weigh most."""
    reach = np.einsum("ij,ij->i", vectors, vectors) * columns.weight * columns.weight
    heaviest = np.sort(np.argsort(-reach, kind="stable")[:MOST_READ])
    return np.asarray(vectors @ readable_rotation(vectors[heaviest] * columns.weight[heaviest, None]))


def packed(vectors: Floats) -> pa.BinaryArray:
    """Vectors as bytes, with two for each number: Spark knows no shorter ones than four."""
    short = np.ascontiguousarray(vectors, np.float16)
    size = short.shape[1] * short.itemsize
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(size), len(short), [None, pa.py_buffer(short)]).cast(
        pa.binary()
    )


def unpacked(column: pa.ChunkedArray) -> Floats:
    """What was packed."""
    data = b"".join(column.to_pylist())
    return np.frombuffer(data, np.float16).reshape(len(column), -1).astype(np.float32)


class Basis(NamedTuple):
    """A basis, ready to project with."""

    columns: Columns
    vectors: Floats


def basis_of(table: pa.Table, terms: int) -> Basis:
    """BASIS as arrays."""
    used, weight = table["column"].to_numpy(), table["weight"].to_numpy()
    place = np.full(int(used.max(initial=-1)) + 1, -1, np.int32)
    place[used] = np.arange(len(used))
    return Basis(Columns(place, weight, used, terms), unpacked(table["vector"]))


def vectors_of(batch: pa.RecordBatch, basis: Basis, settings: ConceptSettings) -> Floats:
    """Rows of FRAGMENTS as vectors of length 1; 0 where nothing is known."""
    return unit(product(weighed_rows(batch, basis.columns, settings), basis.vectors))


def projected(
    batches: Iterable[pa.RecordBatch], basis: pa.Table, terms: pa.Table, settings: ConceptSettings
) -> Iterator[Named]:
    """VECTORS: every page, also one that was never fetched, as a vector."""
    if not basis.num_rows:
        return
    ready = basis_of(basis, total_rows(terms))
    for batch in batches:
        yield "concepts", pa.record_batch([batch["page"], packed(vectors_of(batch, ready, settings))], schema=VECTORS)
