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
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.hashing import hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import SimilaritySettings
from pagekin.side_tables import row_numbers, total_rows
from pagekin.tables import SIGNATURES

Named = tuple[str, pa.RecordBatch]
Signatures = NDArray[np.uint32]

COPIES = 1024
FEW_SIGNATURES = 80  # for which so many copies suffice; there are twice as many for twice as many signatures
BLOCK = 8  # copies are written in blocks
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


class _Scratch(NamedTuple):
    """Room for one bag: the state and the number of copies of each term, the hashes of all copies."""

    bases: NDArray[np.uint64]
    copies: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    filled: NDArray[np.bool_]


# Each loop below does one thing, so that the compiler can do it for four or eight numbers at a time; one loop that does
# everything takes two and a half times as long.


@kernel
def _hash_terms(
    ids: NDArray[np.int64], weights: NDArray[np.float32], copies: int, seed: int, scratch: _Scratch
) -> None:
    for i in range(len(ids)):
        base = _mixed(hash_step(u64(seed), u64(ids[i])))
        rounding = np.float64(i64(base >> u64(11))) * (1.0 / 9007199254740992.0)
        scratch.bases[i] = base
        scratch.copies[i] = max(i64(copies * np.float64(weights[i]) + rounding), 0)


@kernel
def _spread_copies(terms: int, scratch: _Scratch) -> int:
    """A state for each copy of each term. Whole blocks are written; the next term overwrites what is too much."""
    used = 0
    for i in range(terms):
        base, count = scratch.bases[i], scratch.copies[i]
        for block in range(0, count, BLOCK):
            for k in range(BLOCK):
                scratch.hashes[used + block + k] = base + u64(block + k + 1) * GOLDEN
        used += count
    return used


@kernel
def _hash_copies(used: int, hashes: NDArray[np.uint64]) -> None:
    for k in range(used):
        hashes[k] = _mixed(hashes[k])


@kernel
def _least_hashes(used: int, hashes: NDArray[np.uint64], row: Signatures) -> None:
    for j in range(len(row)):
        row[j] = EMPTY
    for k in range(used):
        j = (hashes[k] >> SHIFT_32) * u64(len(row)) >> SHIFT_32
        row[j] = min(row[j], np.uint32(hashes[k] & LOW_32))


@kernel
def _densify(row: Signatures, filled: NDArray[np.bool_], seed: int) -> None:
    """Give a signature without a copy the value of one that has some, found by a walk that depends on neither bag."""
    for j in range(len(row)):
        filled[j] = row[j] != EMPTY
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
def _sign_all(
    ids: NDArray[np.int64],
    weights: NDArray[np.float32],
    ends: NDArray[np.int64],
    copies: int,
    seed: int,
    scratch: _Scratch,
    out: Signatures,
) -> None:
    for bag in range(len(ends) - 1):
        first, last = ends[bag], ends[bag + 1]
        _hash_terms(ids[first:last], weights[first:last], copies, seed, scratch)
        used = _spread_copies(last - first, scratch)
        _hash_copies(used, scratch.hashes)
        _least_hashes(used, scratch.hashes, out[bag])
        if used > 0:
            _densify(out[bag], scratch.filled, seed)


@kernel
def _largest(weights: NDArray[np.float32], ends: NDArray[np.int64]) -> tuple[int, float]:
    """The most terms of a bag, and the most that a bag weighs."""
    terms, weight = 0, 0.0
    for bag in range(len(ends) - 1):
        total = 0.0
        for i in range(ends[bag], ends[bag + 1]):
            total += max(np.float64(weights[i]), 0.0)
        terms, weight = max(terms, ends[bag + 1] - ends[bag]), max(weight, total)
    return terms, weight


def _scratch(weights: NDArray[np.float32], ends: NDArray[np.int64], m: int, copies: int) -> _Scratch:
    terms, weight = _largest(weights, ends)
    room = int(copies * weight) + terms + BLOCK + 1
    return _Scratch(
        np.empty(terms, np.uint64), np.empty(terms, np.int64), np.empty(room, np.uint64), np.empty(m, np.bool_)
    )


def signatures(
    ids: NDArray[np.int64], weights: NDArray[np.float32], ends: NDArray[np.int64], m: int, seed: int
) -> Signatures:
    """The signatures of bags: bag i holds the terms `ids[ends[i]:ends[i + 1]]`, whose weights add up to 1.

    >>> bag = np.array([3, 5, 8]), np.array([0.5, 0.25, 0.25], np.float32), np.array([0, 3])
    >>> bool((signatures(*bag, m=4, seed=1) == signatures(*bag, m=4, seed=1)).all())
    True
    """
    out = np.empty((len(ends) - 1, m), np.uint32)
    copies = COPIES * -(-m // FEW_SIGNATURES)
    _sign_all(ids, weights, ends, copies, seed, _scratch(weights, ends, m, copies), out)
    return out


def sign_bags(
    batches: Iterable[pa.RecordBatch], terms: pa.Table, urls: pa.Table, settings: SimilaritySettings
) -> Iterator[Named]:
    """SIGNATURES of BAGS."""
    ids = np.concatenate([terms["term"].to_numpy(), urls["page"].to_numpy()])
    numbers_of_ids = np.concatenate([row_numbers(terms), total_rows(terms) + row_numbers(urls)])
    is_whole = len(ids) == total_rows(terms) + total_rows(urls)
    for batch in batches:
        ends = batch["terms"].offsets.to_numpy().astype(np.int64)
        numbers, weights = batch["terms"].flatten().to_numpy(), batch["weights"].flatten().to_numpy()
        places = numbers if is_whole else np.searchsorted(numbers_of_ids, numbers)
        signed = signatures(ids[places], weights, ends - ends[0], settings.signatures, settings.seed)
        offsets = pa.array(np.arange(0, signed.size + 1, settings.signatures, dtype=np.int32))
        column = pa.ListArray.from_arrays(
            offsets, pa.array(signed.ravel().view(np.int32)), type=SIGNATURES.field("signatures").type
        )
        yield "signatures", pa.record_batch([batch["page"], column], schema=SIGNATURES)
