"""Bags in about three bytes a term, for comparing exactly: term numbers as differences, frequencies on a log scale.

A bag is its terms in ascending order. Of each, the distance from the term before is written seven bits a byte, the
last byte marked, and then one byte for the frequency: 16 steps an octave from 1/32 up, so that a frequency is right
within 2.2 percent. A bag with a frequency beyond the scale (about 1,961) is scaled down as a whole, since bags are
compared by the shares that terms have of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.stores.arrays import mapped_array, put_array

_DATA, _ENDS = "bags.u8", "bag_ends.i64"
STEPS = 16  # of an octave
LEAST = 32.0  # the least frequency that can be told apart, in units of 1/1024

FREQUENCIES = LEAST * 2.0 ** (np.arange(256) / STEPS)  # what each code means


def frequency_codes(frequencies: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The code of each frequency; those of bag i are `frequencies[ends[i]:ends[i + 1]]`.

    >>> frequency_codes(np.array([32, 1024, 5120]), np.array([0, 3]))
    array([  0,  80, 117], dtype=uint8)
    """
    steps = np.rint(STEPS * np.log2(np.maximum(frequencies, LEAST) / LEAST))
    sizes = np.diff(ends)
    beyond = np.maximum.reduceat(steps, ends[:-1][sizes > 0]) - 255 if len(steps) else steps
    steps -= np.repeat(np.maximum(beyond, 0), sizes[sizes > 0])
    codes: NDArray[np.uint8] = np.maximum(steps, 0).astype(np.uint8)
    return codes


@kernel
def _pack(
    terms: NDArray[np.int32], codes: NDArray[np.uint8], ends: NDArray[np.int64], data: NDArray[np.uint8],
    packed_ends: NDArray[np.int64],
) -> int:  # fmt: skip
    at = 0
    for bag in range(len(ends) - 1):
        before = -1
        for i in range(ends[bag], ends[bag + 1]):
            gap = terms[i] - before - 1
            before = terms[i]
            while gap >= 128:
                data[at] = gap & 127
                gap >>= 7
                at += 1
            data[at], data[at + 1] = gap | 128, codes[i]
            at += 2
        packed_ends[bag] = at
    return at


@inlined_kernel
def next_term(data: NDArray[np.uint8], at: int, before: int) -> tuple[int, int, int]:
    """The term at `at`, the code of its frequency, and where the next begins."""
    gap, shift = 0, 0
    while data[at] < 128:
        gap |= i64(data[at]) << shift
        shift += 7
        at += 1
    gap |= i64(data[at] & 127) << shift
    return before + 1 + gap, i64(data[at + 1]), at + 2


@kernel
def _unpack(data: NDArray[np.uint8], at: int, end: int, terms: NDArray[np.int32], codes: NDArray[np.uint8]) -> int:
    count, before = 0, -1
    while at < end:
        before, code, at = next_term(data, at, before)
        terms[count], codes[count] = before, code
        count += 1
    return count


def append_bags(
    folder: Path, terms: NDArray[np.int32], frequencies: NDArray[np.int64], ends: NDArray[np.int64]
) -> None:
    """Add bags; bag i holds `terms[ends[i]:ends[i + 1]]`, ascending."""
    data = np.empty(6 * len(terms) + 1, np.uint8)
    packed_ends = np.empty(len(ends) - 1, np.int64)
    used = _pack(terms, frequency_codes(frequencies, ends), ends, data, packed_ends)
    with (folder / _DATA).open("ab") as file:
        packed_ends += file.tell()
        put_array(file, data[:used])
    with (folder / _ENDS).open("ab") as file:
        put_array(file, packed_ends)


class Bag(NamedTuple):
    """The terms of a bag and how often each is there, in units of 1/1024."""

    terms: NDArray[np.int32]
    frequencies: NDArray[np.float64]


class BagStore:
    """The bags of one shard."""

    def __init__(self, folder: Path) -> None:
        self.data: NDArray[np.uint8] = mapped_array(folder / _DATA, np.uint8)
        self.ends: NDArray[np.int64] = mapped_array(folder / _ENDS, np.int64)

    def __len__(self) -> int:
        return len(self.ends)

    def bag(self, document: int) -> Bag:
        """One bag."""
        first, last = int(self.ends[document - 1]) if document else 0, int(self.ends[document])
        terms, codes = np.empty((last - first) // 2, np.int32), np.empty((last - first) // 2, np.uint8)
        count = _unpack(self.data, first, last, terms, codes)
        return Bag(terms[:count], FREQUENCIES[codes[:count]])
