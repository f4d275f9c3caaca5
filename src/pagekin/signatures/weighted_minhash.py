"""Weighted min-hash: the chance that two signatures agree is the bag Jaccard Σmin / Σmax of the weights.

Haveliwala et al. (2002, section 6.2) repeat each word as often as it weighs and take the least hash of all copies, once
for each signature. Here a bag has about 1,024 copies in all, and each copy falls into one of the m signatures, whose
least hash counts (one-permutation hashing): the work is 1,024 hashes a bag and not 1,024 m. A weight between two
whole numbers of copies is rounded by a number that depends on the term alone, so that min and max are right on average.
A signature that no copy fell into, about one in 300,000, takes the value of another (densification).

All randomness comes from hashes of terms and a seed: there is no table of words, and any bag can be signed anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.hashing import hash_step
from pagekin.kernels import inlined_kernel, kernel, u64
from pagekin.settings import SimilaritySettings
from pagekin.tables import SIGNATURES

Named = tuple[str, pa.RecordBatch]
Signatures = NDArray[np.uint32]

COPIES = 1024
EMPTY = np.uint32(0xFFFFFFFF)  # the signatures of a bag with nothing in it
SHIFT_32 = u64(32)
LOW_32 = u64(0xFFFFFFFF)
GOLDEN = u64(0x9E3779B97F4A7C15)


@inlined_kernel
def _mixed(number: int) -> int:
    """A number whose every bit depends on every bit of the given one."""
    number = (number ^ (number >> u64(31))) * u64(0x7FB5D329728EA185)
    number = (number ^ (number >> u64(27))) * u64(0x81DADEF4BC2DD44D)
    return number ^ (number >> u64(33))


@kernel
def _densify(row: Signatures, filled: NDArray[np.bool_], seed: int) -> None:
    """Give a signature without a copy the value of one that has some, found by a walk that depends on neither bag."""
    for j in range(len(row)):
        if not filled[j]:
            step = u64(1)
            while True:
                other = _mixed(hash_step(u64(seed), u64(j) * GOLDEN + step)) % u64(len(row))
                if filled[other]:
                    row[j] = row[other]
                    break
                step += u64(1)


@kernel
def _sign(
    ids: NDArray[np.int64], weights: NDArray[np.float32], first: int, last: int, seed: int,
    row: Signatures, filled: NDArray[np.bool_],
) -> None:  # fmt: skip
    m = u64(len(row))
    for j in range(len(row)):
        row[j], filled[j] = EMPTY, False
    any_copy = False
    for i in range(first, last):
        base = _mixed(hash_step(u64(seed), u64(ids[i])))
        rounding = (base >> u64(11)) * (1.0 / 9007199254740992.0)
        copies = int(COPIES * np.float64(weights[i]) + rounding)
        for copy in range(copies):
            hashed = _mixed(base + u64(copy + 1) * GOLDEN)
            j = (hashed >> SHIFT_32) * m >> SHIFT_32
            value = np.uint32(hashed & LOW_32)
            if value < row[j] or not filled[j]:
                row[j], filled[j] = value, True
            any_copy = True
    if any_copy:
        _densify(row, filled, seed)


@kernel
def _sign_all(
    ids: NDArray[np.int64], weights: NDArray[np.float32], ends: NDArray[np.int64], seed: int, out: Signatures,
    filled: NDArray[np.bool_],
) -> None:  # fmt: skip
    for bag in range(len(ends) - 1):
        _sign(ids, weights, ends[bag], ends[bag + 1], seed, out[bag], filled)


def signatures(
    ids: NDArray[np.int64], weights: NDArray[np.float32], ends: NDArray[np.int64], m: int, seed: int
) -> Signatures:
    """The signatures of bags: bag i holds the terms `ids[ends[i]:ends[i + 1]]`, whose weights add up to 1.

    >>> bag = np.array([3, 5, 8]), np.array([0.5, 0.25, 0.25], np.float32), np.array([0, 3])
    >>> bool((signatures(*bag, m=4, seed=1) == signatures(*bag, m=4, seed=1)).all())
    True
    """
    out = np.empty((len(ends) - 1, m), np.uint32)
    _sign_all(ids, weights, ends, seed, out, np.empty(m, np.bool_))
    return out


def sign_bags(
    batches: Iterable[pa.RecordBatch], terms: pa.Table, urls: pa.Table, settings: SimilaritySettings
) -> Iterator[Named]:
    """SIGNATURES of BAGS."""
    ids = np.concatenate([terms["term"].to_numpy(), urls["page"].to_numpy()])
    for batch in batches:
        ends = batch["terms"].offsets.to_numpy().astype(np.int64)
        numbers, weights = batch["terms"].flatten().to_numpy(), batch["weights"].flatten().to_numpy()
        signed = signatures(ids[numbers], weights, ends - ends[0], settings.signatures, settings.seed)
        offsets = pa.array(np.arange(0, signed.size + 1, settings.signatures, dtype=np.int32))
        column = pa.ListArray.from_arrays(
            offsets, pa.array(signed.ravel().view(np.int32)), type=SIGNATURES.field("signatures").type
        )
        yield "signatures", pa.record_batch([batch["page"], column], schema=SIGNATURES)
