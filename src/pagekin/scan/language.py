"""In what language a page is written, where it does not say: the one whose stop words it has most of."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.hashing import hash_text
from pagekin.kernels import kernel
from pagekin.languages import LANGUAGES, stop_words

SLOTS = 1 << 15
LEAST_WORDS = 5  # stop words that a page must have, and
LEAST_SHARE = 0.1  # their share of all its words, for a guess


class _StopWords(NamedTuple):
    word: NDArray[np.int64]
    languages: NDArray[np.int64]  # a bit for each language that has the word


@cache
def _stop_word_table() -> _StopWords:
    word, languages = np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int64)
    for number, language in enumerate(LANGUAGES):
        for text in stop_words(language):
            hashed = hash_text(text)
            slot = hashed & (SLOTS - 1)
            while word[slot] not in (0, hashed):
                slot = (slot + 1) & (SLOTS - 1)
            word[slot] = hashed
            languages[slot] |= 1 << number
    return _StopWords(word, languages)


@kernel
def _count_stop_words(
    words: NDArray[np.int64], first: int, last: int, table: _StopWords, counts: NDArray[np.int64]
) -> None:
    for i in range(first, last):
        slot = words[i] & (SLOTS - 1)
        while table.word[slot] != 0 and table.word[slot] != words[i]:
            slot = (slot + 1) & (SLOTS - 1)
        if table.word[slot] != 0:
            for number in range(len(counts)):
                counts[number] += table.languages[slot] >> number & 1


def guessed_language(words: NDArray[np.int64], first: int, last: int) -> str:
    """The language of `words[first:last]`, or nothing if there is no telling."""
    counts = np.zeros(len(LANGUAGES), np.int64)
    _count_stop_words(words, first, last, _stop_word_table(), counts)
    best = int(counts.argmax())
    return LANGUAGES[best] if counts[best] >= max(LEAST_WORDS, LEAST_SHARE * (last - first)) else ""
