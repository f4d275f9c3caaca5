"""The words that one worker has met: each distinct form is spelt once and counted; the stream holds its id."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.hashing import SEED, hash_lanes, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.tables import LEXICON

LONGEST_WORD = 64  # bytes; of a longer word only its beginning counts
FIRST_SLOTS = 1 << 16
FIRST_SPELLING_BYTES = 1 << 20


class Interned(NamedTuple):
    """The arrays that the kernel writes; `used` holds how many words and how many bytes of spelling there are."""

    slots: NDArray[np.int64]  # word id and count, open-addressed
    words: NDArray[np.int64]
    spelling_ends: NDArray[np.int64]
    spelling: NDArray[np.uint8]
    used: NDArray[np.int64]


@inlined_kernel
def _byte(lanes: NDArray[np.uint64], start: int, k: int) -> int:
    return i64(lanes[start + (k >> 3)] >> u64(8 * (k & 7)) & u64(255))


@kernel
def _cut(lanes: NDArray[np.uint64], start: int) -> int:
    """How many bytes of an overlong word count: whole characters only."""
    length = LONGEST_WORD
    while _byte(lanes, start, length) & 0xC0 == 0x80:
        length -= 1
    return length


@kernel
def _hash_beginning(lanes: NDArray[np.uint64], start: int, length: int) -> int:
    state = SEED
    for k in range(length >> 3):
        state = hash_step(state, lanes[start + k])
    if length & 7:
        beginning = (u64(1) << u64(8 * (length & 7))) - u64(1)
        state = hash_step(state, lanes[start + (length >> 3)] & beginning)
    return i64(state)


@kernel
def _intern(
    seen: Interned, ends: NDArray[np.int64], lanes: NDArray[np.uint64], first: int, words: NDArray[np.int64]
) -> int:
    """Number and count the words from `first` on, keep the spelling of new ones; returns where room ran out."""
    mask, most = len(seen.slots) - 1, len(seen.words)
    start = (ends[first - 1] + 7) >> 3 if first > 0 else 0
    for i in range(first, len(words)):
        end, length = (ends[i] + 7) >> 3, ends[i] - 8 * start
        if length <= LONGEST_WORD:
            word = hash_lanes(lanes, start, end)
        else:
            length = _cut(lanes, start)
            word = _hash_beginning(lanes, start, length)
        slot = word & mask
        while seen.slots[slot, 0] != word and seen.slots[slot, 0] != 0:
            slot = (slot + 1) & mask
        if seen.slots[slot, 0] == 0:
            number, at = seen.used[0], seen.used[1]
            if number == most or at + length > len(seen.spelling):
                return i
            for k in range(length):
                seen.spelling[at + k] = _byte(lanes, start, k)
            seen.slots[slot, 0], seen.words[number], seen.spelling_ends[number] = word, word, at + length
            seen.used[0], seen.used[1] = number + 1, at + length
        seen.slots[slot, 1] += 1
        words[i], start = word, end
    return len(words)


@kernel
def _move_slots(old: NDArray[np.int64], new: NDArray[np.int64]) -> None:
    mask = len(new) - 1
    for i in range(len(old)):
        if old[i, 0] != 0:
            slot = old[i, 0] & mask
            while new[slot, 0] != 0:
                slot = (slot + 1) & mask
            new[slot, 0], new[slot, 1] = old[i, 0], old[i, 1]


@kernel
def _read_counts(seen: Interned, counts: NDArray[np.int64]) -> None:
    mask = len(seen.slots) - 1
    for number in range(len(counts)):
        slot = seen.words[number] & mask
        while seen.slots[slot, 0] != seen.words[number]:
            slot = (slot + 1) & mask
        counts[number] = seen.slots[slot, 1]


class Vocabulary:
    """Grows with what it is shown; `lexicon` gives what it holds as a batch of LEXICON."""

    def __init__(self) -> None:
        self.interned = Interned(
            np.zeros((FIRST_SLOTS, 2), np.int64),
            np.empty(FIRST_SLOTS // 2, np.int64),
            np.empty(FIRST_SLOTS // 2, np.int64),
            np.empty(FIRST_SPELLING_BYTES, np.uint8),
            np.zeros(2, np.int64),
        )

    def __len__(self) -> int:
        return int(self.interned.used[0])

    def ids(self, ends: NDArray[np.int64], spellings: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The ids of words, which are counted; each word ends where `ends` says and begins on a multiple of 8."""
        words, lanes = np.empty(len(ends), np.int64), spellings.view(np.uint64)
        done = 0
        while (done := _intern(self.interned, ends, lanes, done, words)) < len(words):
            self._grow()
        return words

    def _grow(self) -> None:
        old = self.interned
        slots = np.zeros((2 * len(old.slots), 2), np.int64)
        _move_slots(old.slots, slots)
        self.interned = Interned(
            slots,
            np.concatenate([old.words, np.empty_like(old.words)]),
            np.concatenate([old.spelling_ends, np.empty_like(old.spelling_ends)]),
            np.concatenate([old.spelling, np.empty_like(old.spelling)]),
            old.used,
        )

    def lexicon(self) -> pa.RecordBatch:
        """Every word with its spelling and its count, in order of first sight."""
        seen, number = self.interned, len(self)
        offsets = np.zeros(number + 1, np.int32)
        offsets[1:] = seen.spelling_ends[:number]
        spelling = pa.py_buffer(seen.spelling[: offsets[-1]].tobytes())
        texts = pa.StringArray.from_buffers(number, pa.py_buffer(offsets), spelling)
        counts = np.empty(number, np.int64)
        _read_counts(seen, counts)
        return pa.record_batch([pa.array(seen.words[:number]), texts, pa.array(counts)], schema=LEXICON)
