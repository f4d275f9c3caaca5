"""Vectors in cells: the nearest of very many are found by looking at few.

Vectors of a crawl stand in groups. Some middles are learned from a sample (k-means by cosine), and each vector is put
into the cell of the middle that is nearest to it. A question looks into the cells whose middles are nearest to it,
there at numbers of one byte, and compares the best of those exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.concepts.matrix import unit
from pagekin.kernels import i64, kernel
from pagekin.stores.arrays import mapped_array, put_array, write_array

Floats = NDArray[np.float32]
Halves = NDArray[np.float16]
Numbers = NDArray[np.int64]
Codes = NDArray[np.int8]

CELLS_A_ROOT = 4  # cells, as a multiple of the square root of the vectors
SAMPLED_A_CELL = 20
ROUNDS = 5
VISITED = 128  # cells that a question looks into
COMPARED = 2  # vectors that are compared exactly, as a multiple of those that are wanted
BLOCK = 1 << 12  # vectors that are compared with all middles together
_FULL = 127  # the code of 1.0
_MIDDLES, _ENDS, _DOCUMENTS, _CODES = "cell_middles.f32", "cell_ends.i64", "cell_documents.u32", "cell_codes.i8"


class Cells(NamedTuple):
    """Documents by the cells of their vectors; those whose vectors are 0 are in none."""

    middles: Floats
    ends: Numbers  # one more than there are cells
    documents: NDArray[np.uint32]
    codes: Codes  # the vectors of these documents, in numbers of one byte

    def candidates(self, vector: Floats, k: int) -> Numbers:
        """The documents that seem to be nearest to a vector, a multiple of as many as are wanted."""
        cells = np.argsort(-(self.middles @ vector), kind="stable")
        sizes = np.diff(self.ends)[cells]
        wanted = COMPARED * k
        visited = cells[: max(VISITED, int(np.searchsorted(np.cumsum(sizes), wanted)) + 1)]
        found = int(sizes[: len(visited)].sum())
        products, places = np.empty(found, np.int32), np.empty(found, np.int64)
        _multiply(self.codes, self.ends, visited, _coded(vector), products, places)
        if found > wanted:
            places = places[np.argpartition(-products, wanted)[:wanted]]
        return self.documents[places].astype(np.int64)


@kernel
def _multiply(
    codes: Codes, ends: Numbers, cells: Numbers, asked: Codes, products: NDArray[np.int32], places: Numbers
) -> None:
    """Multiply a vector with all vectors of some cells."""
    found = i64(0)
    for cell in cells:
        for place in range(ends[cell], ends[cell + 1]):
            product = np.int32(0)
            for j in range(len(asked)):
                product += np.int32(codes[place, j]) * np.int32(asked[j])
            products[found], places[found] = product, place
            found += 1


def _coded(vectors: Floats) -> Codes:
    return np.rint(_FULL * vectors).astype(np.int8)


# --- writing and opening ------------------------------------------------------------------------------------


def write_cells(folder: Path, vectors: Halves) -> None:
    """Put vectors, whose lengths are 1 or 0, into cells; if all are 0, there are none."""
    documents = np.concatenate([first + np.flatnonzero(block.any(axis=1)) for first, block in _blocks(vectors)])
    if not len(documents):
        return
    middles = learned_middles(vectors, documents)
    cells = np.concatenate([_nearest_middle(_wide(vectors, some), middles) for _, some in _blocks(documents)])
    documents = documents[np.argsort(cells, kind="stable")]
    write_array(folder / _MIDDLES, middles)
    write_array(folder / _ENDS, np.append(0, np.cumsum(np.bincount(cells, minlength=len(middles)))))
    write_array(folder / _DOCUMENTS, documents.astype(np.uint32))
    with (folder / _CODES).open("wb") as file:
        for _, some in _blocks(documents):
            put_array(file, _coded(_wide(vectors, some)))


def open_cells(folder: Path, dimensions: int) -> Cells | None:
    """The cells of vectors of so many numbers; None if they are in none."""
    if not (folder / _MIDDLES).exists():
        return None
    return Cells(
        mapped_array(folder / _MIDDLES, np.float32).reshape(-1, dimensions),
        mapped_array(folder / _ENDS, np.int64),
        mapped_array(folder / _DOCUMENTS, np.uint32),
        mapped_array(folder / _CODES, np.int8).reshape(-1, dimensions),
    )


def learned_middles(vectors: Halves, documents: Numbers) -> Floats:
    """The middles of cells: they begin at some vectors, and move to the mean of those that are nearest to them.

    Documents stand in the order of their ids, which are hashes: any that stand evenly apart are drawn by chance.
    """
    cells = min(ceil(CELLS_A_ROOT * sqrt(len(documents))), len(documents))
    sample = _wide(vectors, documents[_evenly(len(documents), SAMPLED_A_CELL * cells)])
    middles = sample[_evenly(len(sample), cells)]
    for _ in range(ROUNDS):
        nearest = np.concatenate([_nearest_middle(block, middles) for _, block in _blocks(sample)])
        middles = _means(sample, nearest, middles)
    return middles


def _means(sample: Floats, nearest: Numbers, middles: Floats) -> Floats:
    """The direction of the mean of each cell; a cell that has become empty stays where it was."""
    order = np.argsort(nearest, kind="stable")
    sizes = np.bincount(nearest, minlength=len(middles))
    filled = np.flatnonzero(sizes)
    moved = middles.copy()
    moved[filled] = unit(np.add.reduceat(sample[order], (np.cumsum(sizes) - sizes)[filled]))
    return moved


def _nearest_middle(vectors: Floats, middles: Floats) -> Numbers:
    return np.asarray(np.argmax(vectors @ middles.T, axis=1))


def _evenly(number: int, wanted: int) -> Numbers:
    """Numbers below one, evenly apart."""
    return np.arange(min(number, wanted)) * number // max(min(number, wanted), 1)


def _wide(vectors: Halves, documents: Numbers) -> Floats:
    return vectors[documents].astype(np.float32)


def _blocks(rows: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    for first in range(0, len(rows), BLOCK):
        yield first, rows[first : first + BLOCK]
