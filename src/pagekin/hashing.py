"""Stable 64-bit hashes; they know nothing of the web.

Ids of words, pages and sites are hashes, so that no two machines need to agree on anything. The hash runs
over the code points of a text, because the scanner meets code points and not bytes; it is the same on every
machine, in every process and in every version that reads an index of the same format.

The ids are signed, because Spark and Java have no unsigned numbers.
"""

from __future__ import annotations

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

SEED = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
SHIFT = np.uint64(32)


@njit(cache=True, inline="always")
def hash_step(state: int, code: int) -> int:
    """The state of a hash after one more code point (or any other number)."""
    state = (uint64(state) ^ uint64(code)) * MULTIPLIER
    return state ^ (state >> SHIFT)  # type: ignore[no-any-return]


@njit(cache=True)
def hash_bytes(data: NDArray[np.uint8], start: int, end: int) -> int:
    """The hash of `data[start:end]`, each byte taken as a code point: right for ASCII, as URLs are."""
    state = SEED
    for i in range(start, end):
        state = hash_step(state, data[i])
    return np.int64(state)  # type: ignore[return-value]


def hash_text(text: str) -> int:
    """The signed 64-bit hash of a text.

    >>> hash_text("weather") == hash_text("weather"), hash_text("weather") == hash_text("whether")
    (True, False)
    """
    mask, state = 0xFFFFFFFFFFFFFFFF, int(SEED)
    for character in text:
        state = ((state ^ ord(character)) * int(MULTIPLIER)) & mask
        state ^= state >> int(SHIFT)
    return state - (1 << 64) if state >> 63 else state
