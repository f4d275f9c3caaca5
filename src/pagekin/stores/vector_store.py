"""The vectors of all documents, in a file that is mapped into memory, and how the nearest of them are found.

Up to EXACT documents, every vector is looked at. With more, those of the nearest cells are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.stores.vector_cells import Cells, open_cells, write_cells

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

EXACT = 100_000
BLOCK = 1 << 14  # rows that are looked at together
CENTRE = "centre.npy"  # beside word vectors: what all pages have in common, which was taken off
_VECTORS = "vectors.f16"


def write_vectors(folder: Path, parts: Sequence[Path], pages: Numbers, exact: int = EXACT) -> None:
    """Write the vectors of documents, given by their ids in order, from the parts of VECTORS, in the same order."""
    folder.mkdir(parents=True)
    written = 0
    with (folder / _VECTORS).open("wb") as file:
        for rows in _row_groups(parts):
            kept = rows.filter(pa.array(_among(rows["page"].to_numpy(), pages)))
            file.write(b"".join(kept["vector"].to_pylist()))
            written += kept.num_rows
    assert written == len(pages), "a document has no vector"
    if written > exact:
        write_cells(folder, _mapped(folder, written))


def _among(pages: Numbers, wanted: Numbers) -> NDArray[np.bool_]:
    """Which pages are among others, which are in order."""
    places = np.minimum(np.searchsorted(wanted, pages), max(len(wanted) - 1, 0))
    return wanted[places] == pages if len(wanted) else np.zeros(len(pages), np.bool_)


def _row_groups(parts: Sequence[Path]) -> Iterator[pa.Table]:
    for part in parts:
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group)


def _mapped(folder: Path, documents: int) -> NDArray[np.float16]:
    return np.memmap(folder / _VECTORS, np.float16, "r").reshape(documents, -1).view(np.ndarray)


class VectorStore:
    """The vectors of an index that is open."""

    def __init__(self, folder: Path, documents: int) -> None:
        self.vectors = _mapped(folder, documents)
        self.cells: Cells | None = open_cells(folder, self.dimensions)

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors.shape[1])

    @cached_property
    def _wide(self) -> Floats:
        """The vectors as numbers that a processor multiplies quickly."""
        return self.vectors.astype(np.float32)

    def vector(self, document: int) -> Floats:
        """The vector of a document."""
        return np.asarray(self.vectors[document], np.float32)

    def likeness(self, documents: Numbers, vector: Floats) -> Floats:
        """The cosine of a vector and those of some documents; what points away is as unlike as what stands aside: 0."""
        # Row by row: a matrix product rounds a row by where it stands, and equal documents would not be equal.
        products = np.einsum("ij,j->i", self.vectors[documents].astype(np.float32), vector)
        return np.asarray(np.maximum(products, 0.0))

    def nearest(self, vector: Floats, k: int) -> Numbers:
        """The documents whose vectors are nearest to one, in no order."""
        if self.cells:
            candidates = self.cells.candidates(vector, k)
            return _best(candidates, self.likeness(candidates, vector), k)
        return _best(np.arange(len(self.vectors)), self._all_products(vector), k)

    def _all_products(self, vector: Floats) -> Floats:
        if len(self.vectors) <= EXACT:
            return np.asarray(self._wide @ vector)
        blocks = range(0, len(self.vectors), BLOCK)
        return np.concatenate([self.vectors[first : first + BLOCK].astype(np.float32) @ vector for first in blocks])


def _best(documents: Numbers, products: Floats, k: int) -> Numbers:
    return documents[np.argpartition(-products, k)[:k]] if k < len(documents) else documents
