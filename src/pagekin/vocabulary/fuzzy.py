"""Words within an edit distance, in which to swap two neighbouring letters is one edit (optimal string alignment).

The bound of Jokinen and Ukkonen (1991): an edit changes only the trigrams that hold the letters it touches. A letter
that is replaced or taken away is in three, one that comes in parts two, and two neighbours that are swapped are in
four, so that after d edits all but 4·d trigrams of a word are left; and so it is from either word. Where that
leaves none, lengths and sets of letters are compared. Of the longer word, all but d letters must be in the other.
rapidfuzz computes the distances of the words that remain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from pagekin.kernels import inlined_kernel, kernel
from pagekin.vocabulary.expansion import Distances, check_time
from pagekin.vocabulary.ngrams import GramIndex, marked, shared_counts, trigrams
from pagekin.vocabulary.words import LONGEST_WORD, Words, spell, texts_of, with_letters_of

Ints = NDArray[np.int64]

CHANGED_GRAMS = 4  # by one edit, at most
_COUNTERS = 128
_NONE = np.zeros(_COUNTERS, np.int64)
_CHUNK_WORDS = 1 << 15
_CHUNK_COMPARED = 1 << 12


class Asked(NamedTuple):
    """The word that all are compared with, and room for the letters of another."""

    length: int
    distance: int
    spare: Ints  # how often it has each letter; some share a counter
    other: Ints


@inlined_kernel
def _letters_in_common(asked: Asked, length: int) -> int:
    """How many letters of the word in `other` are in that which was asked for, or more."""
    common = 0
    for k in range(length):
        place = asked.other[k] % _COUNTERS
        if asked.spare[place] > 0:
            common += 1
        asked.spare[place] -= 1
    for k in range(length):
        asked.spare[asked.other[k] % _COUNTERS] += 1
    return common


@kernel
def _keep_close(words: Words, asked: Asked, numbers: Ints) -> int:
    """Move the numbers of words whose letters allow the distance to the front; returns how many."""
    kept = 0
    for i in range(len(numbers)):
        length = spell(words, numbers[i], asked.other)
        if max(length, asked.length) - _letters_in_common(asked, length) <= asked.distance:
            numbers[kept] = numbers[i]
            kept += 1
    return kept


def _asked(word: str, distance: int) -> Asked:
    spare = np.bincount([ord(letter) % _COUNTERS for letter in word], minlength=_COUNTERS) if word else _NONE
    return Asked(len(word), distance, spare.astype(np.int64), np.empty(LONGEST_WORD, np.int64))


def _of_length(words: Words, word: str, distance: int) -> Ints:
    """The numbers of the words of about the same length and letters."""
    least, most = max(len(word) - distance, 0), min(len(word) + distance, LONGEST_WORD)
    alike = with_letters_of(words, word, distance)
    return np.flatnonzero(alike & (words.lengths >= least) & (words.lengths <= most))


def _with_grams(words: Words, index: GramIndex, word: str, distance: int, deadline: float | None) -> Ints:
    """The numbers of the words that hold as many of the trigrams as are left after so many edits."""
    counts = shared_counts(index, trigrams(marked(word)), len(words.lengths), deadline)
    changed = CHANGED_GRAMS * distance
    numbers = np.flatnonzero(counts >= len(word) + 2 - changed)
    return numbers[counts[numbers] + changed >= words.lengths[numbers] + np.int64(2)]


def _close_words(words: Words, index: GramIndex, word: str, distance: int, deadline: float | None) -> Ints:
    """The numbers of words among which are all within a distance."""
    if len(word) + 2 > CHANGED_GRAMS * distance:
        numbers = _with_grams(words, index, word, distance, deadline)
    else:
        numbers = _of_length(words, word, distance)
    asked, kept = _asked(word, distance), [np.empty(0, np.int64)]
    for first in range(0, len(numbers), _CHUNK_WORDS):
        check_time(deadline)
        chunk = numbers[first : first + _CHUNK_WORDS]
        kept.append(chunk[: _keep_close(words, asked, chunk)])
    return np.concatenate(kept)


def words_within(
    words: Words, index: GramIndex, word: str, distance: int, deadline: float | None = None
) -> tuple[Ints, Distances]:
    """The numbers of the words within a distance of one in lower case, ascending, and the distances."""
    distance = min(distance, max(len(word), LONGEST_WORD))  # no two words are further apart
    if len(word) > LONGEST_WORD + distance:
        return np.empty(0, np.int64), np.empty(0)
    numbers = _close_words(words, index, word, distance, deadline)
    distances = np.empty(len(numbers))
    for first in range(0, len(numbers), _CHUNK_COMPARED):
        check_time(deadline)
        chunk = slice(first, first + _CHUNK_COMPARED)
        texts = texts_of(words, numbers[chunk])
        distances[chunk] = cdist([word], texts, scorer=OSA.distance, score_cutoff=distance, dtype=np.int32)[0]
    near = distances <= distance
    return numbers[near], distances[near]
