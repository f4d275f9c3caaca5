"""H and I of Haveliwala et al. (2002, section 6.2) as files that are mapped into memory.

H holds the signatures of every document, row by row. I holds, for each position and each *bucket* of signature
values, the documents whose signature at that position falls into the bucket. Storing the values themselves would
double I; a bucket that several values share adds a few agreements with documents picked at random, far below any
threshold that matters.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import inlined_kernel, kernel, u64
from pagekin.stores.arrays import put_array

DOCUMENTS_PER_BUCKET = 4
_H, _OFFSETS, _LISTS = "signatures.u32", "buckets.u32", "lists.u32"


@inlined_kernel
def bucket_of(signature: int, buckets: int) -> int:
    """The bucket of a signature; the least values of many are small, so they are spread first."""
    spread = (u64(signature) * u64(0x9E3779B97F4A7C15)) >> u64(32)
    return (spread * u64(buckets)) >> u64(32)


@kernel
def _count(signatures: NDArray[np.uint32], kept: NDArray[np.bool_], j: int, offsets: NDArray[np.uint32]) -> None:
    for document in range(len(signatures)):
        if kept[document]:
            offsets[bucket_of(signatures[document, j], len(offsets) - 1) + u64(1)] += np.uint32(1)
    for bucket in range(1, len(offsets)):
        offsets[bucket] += offsets[bucket - 1]


@kernel
def _fill(
    signatures: NDArray[np.uint32], kept: NDArray[np.bool_], j: int, offsets: NDArray[np.uint32],
    at: NDArray[np.uint32], lists: NDArray[np.uint32],
) -> None:  # fmt: skip
    for bucket in range(len(at)):
        at[bucket] = offsets[bucket]
    for document in range(len(signatures)):
        if kept[document]:
            bucket = bucket_of(signatures[document, j], len(offsets) - 1)
            lists[at[bucket]] = document
            at[bucket] += np.uint32(1)


def write_inverted(folder: Path, m: int, kept: NDArray[np.bool_]) -> None:
    """Write I for the documents that may be answers, from the H that stands in the folder."""
    signatures = _mapped(folder / _H, np.dtype(np.uint32), (-1, m))
    buckets = max(len(signatures) // DOCUMENTS_PER_BUCKET, 1)
    at = np.empty(buckets, np.uint32)
    lists = np.empty(int(kept.sum()), np.uint32)
    with (folder / _OFFSETS).open("wb") as offsets_file, (folder / _LISTS).open("wb") as lists_file:
        for j in range(m):
            offsets = np.zeros(buckets + 1, np.uint32)
            _count(signatures, kept, j, offsets)
            _fill(signatures, kept, j, offsets, at, lists)
            put_array(offsets_file, offsets)
            put_array(lists_file, lists)


def append_signatures(folder: Path, signatures: NDArray[np.uint32]) -> None:
    """Add documents to H."""
    with (folder / _H).open("ab") as file:
        put_array(file, signatures)


def _mapped(path: Path, dtype: np.dtype[np.uint32], shape: tuple[int, int]) -> NDArray[np.uint32]:
    if path.stat().st_size == 0:
        return np.empty((0, max(shape)), dtype)
    return np.memmap(path, dtype, "r").reshape(shape).view(np.ndarray)


class SignatureIndex:
    """H and I of one shard."""

    def __init__(self, folder: Path, m: int) -> None:
        self.signatures = _mapped(folder / _H, np.dtype(np.uint32), (-1, m))
        self.offsets = _mapped(folder / _OFFSETS, np.dtype(np.uint32), (m, -1))
        self.lists = _mapped(folder / _LISTS, np.dtype(np.uint32), (m, -1))
