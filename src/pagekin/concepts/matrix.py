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
BLOCK = 4096
ENOUGH = 1e-4  # a round that makes axes more readable by no more than this share is the last


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


@kernel
def _copy_rows(part: Sparse, starts: NDArray[np.int64], columns: NDArray[np.int32], values: Floats) -> None:
    """Copy each row to where it begins in a larger matrix."""
    for row in range(len(starts)):
        first, at = part.ends[row], starts[row]
        for k in range(part.ends[row + 1] - first):
            columns[at + k], values[at + k] = part.columns[first + k], part.values[first + k]


def stacked(parts: list[Sparse], order: NDArray[np.int64], width: int) -> Sparse:
    """One matrix of the rows of several, in an order; the parts are taken from their list, to be gone when copied."""
    sizes = np.concatenate([np.empty(0, np.int64), *(np.diff(part.ends) for part in parts)])
    ends = np.append(0, np.cumsum(sizes[order]))
    starts = np.empty(len(order), np.int64)
    starts[order] = ends[:-1]
    columns, values = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.float32)
    while parts:
        part = parts.pop()
        rows = len(part.ends) - 1
        _copy_rows(part, starts[len(starts) - rows :], columns, values)
        starts = starts[: len(starts) - rows]
    return Sparse(ends, columns, values, width)


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


def unit(vectors: Floats) -> Floats:
    """Vectors of length 1; 0 for those that are 0."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny), np.float32)


def _products(dense: Floats) -> NDArray[np.float64]:
    """The products of all columns with each other, added up in numbers of eight bytes, a few rows at a time."""
    total = np.zeros((dense.shape[1], dense.shape[1]))
    for first in range(0, len(dense), BLOCK):
        block = dense[first : first + BLOCK].astype(np.float64)
        total += block.T @ block
    return total


def orthonormal(dense: Floats) -> Floats:
    """Vectors of length 1, at right angles, that span what the columns span.

    By the eigenvectors of the small matrix of their products, twice, which is far faster than a QR decomposition of so
    many rows, and after the second time as exact. Directions in which there is nothing become 0.
    """
    for _ in range(2):
        sizes, vectors = np.linalg.eigh(_products(dense))
        kept = sizes > max(sizes[-1], 0.0) * 1e-12
        scale = np.where(kept, 1 / np.sqrt(np.where(kept, sizes, 1.0)), 0.0)
        dense = dense @ (vectors * scale).astype(np.float32)
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
    # In numbers of four bytes the last digits, which depend on where arrays lie in memory, would turn the axes.
    loads = np.ascontiguousarray(vectors, np.float64)
    turned, cubes = np.empty_like(loads), np.empty_like(loads)  # once: memory that is new costs more than the products
    rotation, readable = np.eye(loads.shape[1]), 0.0
    for _ in range(rounds):
        np.matmul(loads, rotation, out=turned)
        np.multiply(turned, turned, out=cubes)
        cubes -= cubes.mean(axis=0)
        cubes *= turned
        left, sizes, right = np.linalg.svd(loads.T @ cubes)
        rotation = left @ right
        if sizes.sum() < readable * (1 + ENOUGH):
            break
        readable = float(sizes.sum())
    np.matmul(loads, rotation, out=turned)
    np.multiply(turned, turned, out=cubes)
    cubes *= turned
    return np.asarray(rotation * np.where(cubes.sum(axis=0) < 0, -1.0, 1.0), np.float32)


def decomposition(matrix: Sparse, dimensions: int, rounds: int, seed: int) -> Decomposition:
    """The first singular vectors; each with its largest part positive, so that signs are not left to chance."""
    rows = len(matrix.ends) - 1
    width = min(dimensions + SPARE, rows, matrix.width)
    space = np.random.default_rng(seed).standard_normal((matrix.width, width), np.float32)
    for _ in range(rounds + 1):
        spanned = orthonormal(product(matrix, space))
        del space  # it is large, and so is what takes its place
        space = transposed_product(matrix, spanned)
    # The columns of `space` are now what the matrix makes, transposed, of vectors at right angles: all that is left to
    # find is how those vectors have to be turned.
    squares, turned = np.linalg.eigh(_products(space))
    order = np.argsort(-squares)[: min(dimensions, width)]
    sizes = np.sqrt(np.maximum(squares[order], 0.0))
    scale = np.where(sizes > 0, 1 / np.where(sizes > 0, sizes, 1.0), 0.0)
    vectors = space @ (turned[:, order] * scale).astype(np.float32)
    del space
    above, below = vectors.max(axis=0), vectors.min(axis=0)
    vectors *= np.where(above < -below, -1, 1).astype(np.float32)
    return Decomposition(vectors, sizes.astype(np.float32))
