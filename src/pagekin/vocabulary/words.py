"""The words of a lexicon in sorted order, as arrays that are mapped from disk, and what is quickly told of each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel, python_twin, u64

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

LONGEST_WORD = 255  # letters
_OTHER_BITS = 6  # of the 32 of a set of letters, for all letters but a to z


class Words(NamedTuple):
    """Word n is `data[ends[n]:ends[n + 1]]`, in UTF-8; `lengths` are in letters, `letters` are sets of them."""

    data: Bytes
    ends: NDArray[np.int32]
    lengths: Bytes
    letters: NDArray[np.uint32]
    occurrences: NDArray[np.uint32]


def lower_case(text: str) -> str:
    """A text in lower case letter by letter, as words of pages are: a capital sigma does not mind where it stands.

    >>> lower_case("ΟΔΟΣ")
    'οδοσ'
    """
    return "".join(letter.lower()[0] for letter in text)


@inlined_kernel
def letter_bit(letter: int) -> int:
    """The set of a single letter: a bit for each of a to z, the others share a few."""
    if 97 <= letter <= 122:
        return u64(1) << u64(letter - 97)
    return u64(1) << u64(26 + letter % _OTHER_BITS)


def letter_set(text: str) -> int:
    """The letters of a text as bits."""
    bits = 0
    for letter in set(text):
        bits |= int(python_twin(letter_bit)(ord(letter)))
    return bits


@inlined_kernel
def bits_set(bits: int) -> int:
    """How many bits of 32 are set."""
    number = u64(bits)
    number -= (number >> u64(1)) & u64(0x55555555)
    number = (number & u64(0x33333333)) + ((number >> u64(2)) & u64(0x33333333))
    number = (number + (number >> u64(4))) & u64(0x0F0F0F0F)
    return i64(((number * u64(0x01010101)) >> u64(24)) & u64(255))


@inlined_kernel
def letter_at(data: Bytes, at: int) -> tuple[int, int]:
    """The letter that begins at a byte of UTF-8, and the place behind it."""
    lead = i64(data[at])
    if lead < 0x80:
        return lead, at + 1
    if lead < 0xE0:
        return ((lead & 0x1F) << 6) | i64(data[at + 1] & 0x3F), at + 2
    if lead < 0xF0:
        return ((lead & 0x0F) << 12) | (i64(data[at + 1] & 0x3F) << 6) | i64(data[at + 2] & 0x3F), at + 3
    high = ((lead & 0x07) << 18) | (i64(data[at + 1] & 0x3F) << 12)
    return high | (i64(data[at + 2] & 0x3F) << 6) | i64(data[at + 3] & 0x3F), at + 4


@inlined_kernel
def spell(words: Words, number: int, letters: Ints) -> int:
    """Write the letters of a word, which are at most `LONGEST_WORD`; returns how many they are."""
    at, used = i64(words.ends[number]), 0
    while at < words.ends[number + 1]:
        letters[used], at = letter_at(words.data, at)
        used += 1
    return used


@kernel
def _measure(data: Bytes, ends: NDArray[np.int32], lengths: Ints, letters: NDArray[np.uint32]) -> None:
    for number in range(len(lengths)):
        at, length, bits = i64(ends[number]), 0, u64(0)
        while at < ends[number + 1]:
            letter, at = letter_at(data, at)
            length += 1
            bits |= letter_bit(letter)
        lengths[number], letters[number] = length, bits


def measured_words(texts: pa.StringArray, occurrences: Ints) -> Words:
    """Words, which come in sorted order, with what is told of each."""
    ends, data = np.zeros(1, np.int32), np.empty(0, np.uint8)
    if len(texts):
        assert texts.offset == 0
        ends = np.frombuffer(texts.buffers()[1], np.int32)[: len(texts) + 1]
        data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[: ends[-1]]
    lengths, letters = np.empty(len(texts), np.int64), np.empty(len(texts), np.uint32)
    _measure(data, ends, lengths, letters)
    assert lengths.max(initial=0) <= LONGEST_WORD, "words of pages are cut long before"
    counts = np.minimum(occurrences, (1 << 32) - 1).astype(np.uint32)
    return Words(data, ends, lengths.astype(np.uint8), letters, counts)


@kernel
def _compare_letters(letters: NDArray[np.uint32], wanted: int, most: int, close: NDArray[np.bool_]) -> None:
    # Without branches, so that it is compiled to instructions that compare several words at once.
    for number in range(len(letters)):
        found = i64(letters[number])
        close[number] = (bits_set(found & ~wanted) <= most) & (bits_set(wanted & ~found) <= most)


def with_letters_of(words: Words, text: str, most: int) -> NDArray[np.bool_]:
    """Which words have all but so many of the letters of a text, and no more than so many others."""
    close = np.empty(len(words.letters), np.bool_)
    _compare_letters(words.letters, letter_set(text), most, close)
    return close


def texts_of(words: Words, numbers: Ints) -> list[str]:
    """The words of these numbers."""
    buffers = [None, pa.py_buffer(words.ends), pa.py_buffer(words.data)]
    texts = pa.Array.from_buffers(pa.string(), len(words.lengths), buffers)
    found: list[str] = texts.take(pa.array(numbers)).to_pylist()
    return found


def beginning_with(words: Words, prefix: str) -> range:
    """The numbers of the words that begin so."""
    wanted = prefix.encode("utf-8", "surrogatepass")
    key, numbers = partial(_beginning, words, len(wanted)), range(len(words.lengths))
    return range(bisect_left(numbers, wanted, key=key), bisect_right(numbers, wanted, key=key))


def _beginning(words: Words, width_bytes: int, number: int) -> bytes:
    first = int(words.ends[number])
    return words.data[first : min(first + width_bytes, int(words.ends[number + 1]))].tobytes()
