"""Many ascending lists of numbers in few bytes: of each number only its gap to the one before is kept.

A gap, less 1, takes seven bits a byte, the lowest first; the last byte of it, and only that, has its highest bit
set. Words in sorted order that share an n-gram often stand side by side, so that most gaps take one byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Pairs = tuple[Ints, Ints]  # the numbers of lists, and a number for each of them to hold


class GapLists(NamedTuple):
    """List k takes the bytes from `ends[k]` up to `ends[k + 1]`."""

    ends: Ints
    data: Bytes


@inlined_kernel
def _gap_at(data: Bytes, at: int) -> tuple[int, int]:
    """A gap, and the place behind it."""
    gap, shift = i64(data[at] & 127), 7
    while data[at] < 128:
        at += 1
        gap |= i64(data[at] & 127) << shift
        shift += 7
    return gap, at + 1


@kernel
def _read(lists: GapLists, k: int, numbers: Ints) -> int:
    at, number, used = lists.ends[k], i64(-1), 0
    while at < lists.ends[k + 1]:
        gap, at = _gap_at(lists.data, at)
        number += gap + 1
        numbers[used] = number
        used += 1
    return used


def numbers_of(lists: GapLists, k: int) -> Ints:
    """The numbers of a list."""
    numbers = np.empty(lists.ends[k + 1] - lists.ends[k], np.int64)
    return numbers[: _read(lists, k, numbers)]


@kernel
def _keep_common(lists: GapLists, k: int, numbers: Ints) -> int:
    """Move those of ascending numbers that list k holds to the front; returns how many they are."""
    at, number, kept = lists.ends[k], i64(-1), 0
    for i in range(len(numbers)):
        while number < numbers[i] and at < lists.ends[k + 1]:
            gap, at = _gap_at(lists.data, at)
            number += gap + 1
        if number == numbers[i]:
            numbers[kept] = number
            kept += 1
    return kept


def common_numbers(lists: GapLists, k: int, numbers: Ints) -> Ints:
    """Those of ascending numbers that are in a list as well; the array that is given is used up."""
    return numbers[: _keep_common(lists, k, numbers)]


@kernel
def add_list(lists: GapLists, k: int, weight: int, counts: NDArray[np.uint16]) -> None:
    """Count each number of a list so many times."""
    at, number = lists.ends[k], i64(-1)
    while at < lists.ends[k + 1]:
        gap, at = _gap_at(lists.data, at)
        number += gap + 1
        counts[number] += weight


@kernel
def _measure(keys: Ints, numbers: Ints, last: Ints, sizes: Ints) -> None:
    for i in range(len(keys)):
        k, number = keys[i], numbers[i]
        if last[k] != number:
            gap = number - last[k] - 1
            sizes[k] += 1
            while gap > 127:
                gap >>= 7
                sizes[k] += 1
            last[k] = number


@kernel
def _write(keys: Ints, numbers: Ints, last: Ints, places: Ints, data: Bytes) -> None:
    for i in range(len(keys)):
        k, number = keys[i], numbers[i]
        if last[k] != number:
            gap, at = number - last[k] - 1, places[k]
            while gap > 127:
                data[at] = gap & 127
                gap >>= 7
                at += 1
            data[at] = gap | 128
            last[k], places[k] = number, at + 1


def gap_lists(pairs: Callable[[], Iterator[Pairs]], lists: int) -> GapLists:
    """Lists of numbers that come in ascending order, in chunks; they are gone through twice, to need little memory."""
    sizes, last = np.zeros(lists, np.int64), np.full(lists, -1)
    for keys, numbers in pairs():
        _measure(keys, numbers, last, sizes)
    ends = np.append(0, np.cumsum(sizes))
    data, places = np.empty(ends[-1], np.uint8), ends[:-1].copy()
    last.fill(-1)
    for keys, numbers in pairs():
        _write(keys, numbers, last, places, data)
    return GapLists(ends, data)
