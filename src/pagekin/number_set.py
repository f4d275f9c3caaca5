"""Sets of 64-bit hashes for kernels: open addressing in an array of slots that the caller owns.

0 marks a free slot, so that no member may be 0. A set of n members takes the first `room(n)` slots of the array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import inlined_kernel, kernel, python_twin

Ints = NDArray[np.int64]


@inlined_kernel
def room(members: int) -> int:
    """How many slots a set of so many members takes: a power of two, at least twice their number."""
    slots = 4
    while slots < 2 * members:
        slots *= 2
    return slots


@inlined_kernel
def clear(slots: Ints, size: int) -> None:
    """Make the first slots an empty set."""
    for i in range(size):
        slots[i] = 0


@inlined_kernel
def find(slots: Ints, size: int, number: int) -> int:
    """The slot that holds a number, or the free one where it belongs."""
    slot = (number >> 1) & (size - 1)
    while slots[slot] != 0 and slots[slot] != number:
        slot = (slot + 1) & (size - 1)
    return slot


@kernel
def _fill(slots: Ints, numbers: Ints) -> None:
    for i in range(len(numbers)):
        slots[find(slots, len(slots), numbers[i])] = numbers[i]


@kernel
def fill_values(slots: Ints, members: Ints, values: Ints, out: Ints) -> None:
    """Write what belongs to each member of a set beside its slot."""
    for i in range(len(members)):
        out[find(slots, len(slots), members[i])] = values[i]


def slots_for(members: int) -> Ints:
    """Free slots for any set of no more members than these."""
    return np.zeros(python_twin(room)(members), np.int64)


def number_set(numbers: Ints) -> Ints:
    """The slots of a set of numbers; none at all if it is empty."""
    slots = slots_for(len(numbers))[: None if len(numbers) else 0]
    _fill(slots, numbers)
    return slots
