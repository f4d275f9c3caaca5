"""Stable 64-bit hashes; they know nothing of the web.

Ids of words, pages and sites are hashes, so that no two machines need to agree on anything. A hash runs over
the UTF-8 bytes of a text, eight at a time (a *lane*); it is the same on every machine, in every process and in every
version that reads an index of the same format. Texts of up to eight bytes never collide with one another.

The ids are signed, because Spark and Java have no unsigned numbers.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel, u64

SEED: int = u64(0x9E3779B97F4A7C15)
MULTIPLIER: int = u64(0xD6E8FEB86659FD93)
SHIFT: int = u64(32)
_MASK = (1 << 64) - 1


@inlined_kernel
def hash_step(state: int, number: int) -> int:
    """The state of a hash after one more number of up to 64 bits."""
    state = (u64(state) ^ u64(number)) * MULTIPLIER
    return state ^ (state >> SHIFT)


@inlined_kernel
def _hash_range(data: NDArray[np.uint8], start: int, end: int, lower: bool) -> int:
    state, lane, shift = SEED, u64(0), u64(0)
    for i in range(start, end):
        byte = u64(data[i])
        if lower and 65 <= byte <= 90:
            byte += u64(32)
        lane |= byte << shift
        shift += u64(8)
        if shift == 64:
            state, lane, shift = hash_step(state, lane), u64(0), u64(0)
    if shift > 0 or start == end:
        state = hash_step(state, lane)
    return i64(state)


@inlined_kernel
def hash_lanes(lanes: NDArray[np.uint64], start: int, end: int) -> int:
    """The hash of a text whose bytes fill `lanes[start:end]`, eight a lane, the last filled up with zeros."""
    state = SEED
    for k in range(start, end):
        state = hash_step(state, lanes[k])
    return i64(state)


@kernel
def hash_bytes(data: NDArray[np.uint8], start: int, end: int) -> int:
    """The hash of the text whose UTF-8 bytes are `data[start:end]`."""
    return _hash_range(data, start, end, False)


@kernel
def hash_lower(data: NDArray[np.uint8], start: int, end: int) -> int:
    """The hash of `data[start:end]` with its ASCII letters in lower case."""
    return _hash_range(data, start, end, True)


def mixed(state: int, number: int) -> int:
    """What `hash_step` computes, for use outside of kernels."""
    state = ((state ^ number) * int(MULTIPLIER)) & _MASK
    return state ^ (state >> int(SHIFT))


def signed(state: int) -> int:
    """The same 64 bits as a signed number."""
    return state - (1 << 64) if state >> 63 else state


def hash_text(text: str) -> int:
    """The signed 64-bit hash of a text.

    >>> hash_text("weather") == hash_text("weather"), hash_text("weather") == hash_text("whether")
    (True, False)
    """
    data, state = text.encode("utf-8", "surrogatepass"), int(SEED)
    for start in range(0, len(data) or 1, 8):
        state = mixed(state, int.from_bytes(data[start : start + 8], "little"))
    return signed(state)


@kernel
def _hash_each(data: NDArray[np.uint8], offsets: NDArray[np.int32], hashes: NDArray[np.int64]) -> None:
    for i in range(len(hashes)):
        hashes[i] = hash_bytes(data, offsets[i], offsets[i + 1])


def hash_texts(texts: pa.StringArray) -> NDArray[np.int64]:
    """The hashes of many texts at once, each as `hash_text` gives it."""
    hashes = np.empty(len(texts), np.int64)
    if len(texts):
        offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
        data = texts.buffers()[2]
        _hash_each(np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8), offsets, hashes)
    return hashes
