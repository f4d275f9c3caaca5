"""Sparse matrices by dense ones, and the truncated singular value decomposition that comes of it.

The decomposition is the randomised one of Halko, Martinsson and Tropp (2011): what the matrix makes of some random
vectors spans, after a few rounds, nearly the same space as its first singular vectors; within that space all is small
and dense. A round costs two passes over the non-zero numbers, and nothing else grows with the size of the crawl.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel

Floats = NDArray[np.float32]

SPARE = 12  # random vectors beyond the dimensions wanted: they make the last of these exact


class Sparse(NamedTuple):
    """A matrix by its rows: row i has `values[k]` in column `columns[k]` for k in [ends[i], ends[i + 1])."""

    ends: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: Floats
    width: int


@kernel
def _multiply(ends: NDArray[np.int64], columns: NDArray[np.int32], values: Floats, dense: Floats, out: Floats) -> None:
    """out = matrix · dense."""
    for row in range(len(ends) - 1):
        for j in range(dense.shape[1]):
            out[row, j] = 0.0
        for k in range(ends[row], ends[row + 1]):
            value, column = values[k], columns[k]
            for j in range(dense.shape[1]):
                out[row, j] += value * dense[column, j]


@kernel
def _multiply_transposed(
    ends: NDArray[np.int64], columns: NDArray[np.int32], values: Floats, dense: Floats, out: Floats
) -> None:
    """out += transposed matrix · dense."""
    for row in range(len(ends) - 1):
        for k in range(ends[row], ends[row + 1]):
            value, column = values[k], columns[k]
            for j in range(dense.shape[1]):
                out[column, j] += value * dense[row, j]


def product(matrix: Sparse, dense: Floats) -> Floats:
    """The matrix by a dense one."""
    out = np.empty((len(matrix.ends) - 1, dense.shape[1]), np.float32)
    _multiply(matrix.ends, matrix.columns, matrix.values, dense, out)
    return out


def transposed_product(matrix: Sparse, dense: Floats) -> Floats:
    """The transposed matrix by a dense one."""
    out = np.zeros((matrix.width, dense.shape[1]), np.float32)
    _multiply_transposed(matrix.ends, matrix.columns, matrix.values, dense, out)
    return out


def orthonormal(dense: Floats) -> Floats:
    """Vectors of length 1, at right angles, that span what the columns span.

    By the eigenvectors of the small matrix of their products, twice, which is far faster than a QR decomposition of so
    many rows, and after the second time as exact. Directions in which there is nothing become 0.
    """
    for _ in range(2):
        products = dense.T.astype(np.float64) @ dense.astype(np.float64)
        sizes, vectors = np.linalg.eigh(products)
        kept = sizes > max(sizes[-1], 0.0) * 1e-12
        scale = np.where(kept, 1 / np.sqrt(np.where(kept, sizes, 1.0)), 0.0)
        dense = (dense @ (vectors * scale).astype(np.float32)).astype(np.float32)
    return dense


class Decomposition(NamedTuple):
    """The right singular vectors of a matrix, one a column, and the singular values, the largest first."""

    vectors: Floats
    sizes: Floats


def readable_rotation(vectors: Floats, rounds: int = 30) -> Floats:
    """The rotation after which each vector lies on few axes: varimax (Kaiser 1958), by repeated polar decomposition.

    A rotation changes no angle, so no likeness changes. But an axis of a singular value decomposition mixes whatever
    is large together, and says nothing to a person; after this rotation it is a topic.
    """
    rotation = np.eye(vectors.shape[1])
    loads = vectors.astype(np.float64)
    for _ in range(rounds):
        turned = loads @ rotation
        left, _, right = np.linalg.svd(loads.T @ (turned**3 - turned * (turned**2).mean(axis=0)))
        rotation = left @ right
    turned = loads @ rotation
    return np.asarray(rotation * np.where((turned**3).sum(axis=0) < 0, -1.0, 1.0), np.float32)


def decomposition(matrix: Sparse, dimensions: int, rounds: int, seed: int) -> Decomposition:
    """The first singular vectors; each with its largest part positive, so that signs are not left to chance."""
    rows = len(matrix.ends) - 1
    width = min(dimensions + SPARE, rows, matrix.width)
    random = np.random.default_rng(seed)
    space = orthonormal(random.standard_normal((matrix.width, width), np.float32))
    for _ in range(rounds):
        space = orthonormal(transposed_product(matrix, orthonormal(product(matrix, space))))
    inside = product(matrix, space).astype(np.float64)  # all that the matrix does, seen within the space
    sizes, turned = np.linalg.eigh(inside.T @ inside)
    order = np.argsort(-sizes)[: min(dimensions, width)]
    vectors = (space @ turned[:, order].astype(np.float32)).astype(np.float32)
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    sizes = np.sqrt(np.maximum(sizes[order], 0.0)).astype(np.float32)
    return Decomposition(vectors * np.where(largest < 0, -1, 1).astype(np.float32), sizes)
