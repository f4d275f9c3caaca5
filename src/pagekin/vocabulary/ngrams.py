"""Words by their trigrams: all that hold some, or how many of some each word holds.

A trigram is three letters in a row, counting two marks before a word and two behind it as letters: a word of n
letters has n + 2 trigrams, so that each letter is in three. With the marks, "*s" has a trigram, and more of a
misspelt word is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, kernel
from pagekin.vocabulary.expansion import check_time
from pagekin.vocabulary.gap_lists import GapLists, Pairs, add_list, gap_lists
from pagekin.vocabulary.words import LONGEST_WORD, Words, spell

Ints = NDArray[np.int64]

BEGIN, END = "\0", "\1"  # stand in no word
WIDTH = 3
_LETTER_BITS = 21
_CHUNK_WORDS = 1 << 16


class GramIndex(NamedTuple):
    """The trigrams as numbers, ascending, and for each the list of the words that hold it."""

    keys: Ints
    lists: GapLists


def marked(text: str) -> str:
    """A word with the marks before and behind it."""
    return f"{BEGIN * 2}{text}{END * 2}"


def trigrams(text: str) -> list[str]:
    """The trigrams of a text, also those that come again.

    >>> trigrams("rodney")
    ['rod', 'odn', 'dne', 'ney']
    """
    return [text[k : k + WIDTH] for k in range(len(text) - WIDTH + 1)]


def gram_key(gram: str) -> int:
    """A trigram as a number: 21 bits a letter."""
    first, second, third = map(ord, gram)
    return (first << 2 * _LETTER_BITS) | (second << _LETTER_BITS) | third


def gram_places(index: GramIndex, grams: Sequence[str]) -> Ints:
    """The numbers of the lists of trigrams; -1 for one that no word holds."""
    keys = np.array([gram_key(gram) for gram in grams], np.int64)
    places = np.searchsorted(index.keys, keys)
    known = places < len(index.keys)
    known[known] = index.keys[places[known]] == keys[known]
    return np.where(known, places, -1)


def shared_counts(
    index: GramIndex, grams: Sequence[str], words: int, deadline: float | None = None
) -> NDArray[np.uint16]:
    """How many of some trigrams each word holds, counting one as often as it is given."""
    counts = np.zeros(words, np.uint16)
    places, times = np.unique(gram_places(index, grams), return_counts=True)
    for place, weight in zip(places.tolist(), times.tolist(), strict=True):
        if place >= 0:
            check_time(deadline)
            add_list(index.lists, place, weight, counts)
    return counts


@kernel
def _write_keys(words: Words, first: int, last: int, letters: Ints, keys: Ints, numbers: Ints) -> int:
    """Write the trigrams of some words, and the number of its word beside each; returns how many they are."""
    used = 0
    for number in range(first, last):
        length = spell(words, number, letters)
        letters[length], letters[length + 1] = 1, 1
        key = i64(0)
        for k in range(length + 2):
            key = ((key << 21) | letters[k]) & ((i64(1) << 63) - 1)
            keys[used], numbers[used] = key, number
            used += 1
    return used


def _keyed_chunks(words: Words) -> Iterator[Pairs]:
    """The trigrams of all words with the numbers of their words."""
    letters = np.empty(LONGEST_WORD + 2, np.int64)
    for first in range(0, len(words.lengths), _CHUNK_WORDS):
        last = min(first + _CHUNK_WORDS, len(words.lengths))
        room = int(words.lengths[first:last].sum(dtype=np.int64)) + 2 * (last - first)
        keys, numbers = np.empty(room, np.int64), np.empty(room, np.int64)
        _write_keys(words, first, last, letters, keys, numbers)
        yield keys, numbers


def gram_index(words: Words) -> GramIndex:
    """The trigrams of all words."""
    keys = np.empty(0, np.int64)
    for found, _ in _keyed_chunks(words):
        keys = np.union1d(keys, found)

    def numbered() -> Iterator[Pairs]:
        for found, numbers in _keyed_chunks(words):
            yield np.searchsorted(keys, found), numbers

    return GramIndex(keys, gap_lists(numbered, len(keys)))
