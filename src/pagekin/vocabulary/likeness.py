"""Words that share many trigrams with a word: the Dice coefficient of the two sets of trigrams.

The sets are of trigrams of letters alone, without the marks of beginning and end: a word of fewer than three letters
has none, and is like itself only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import inlined_kernel, kernel
from pagekin.vocabulary.expansion import Distances
from pagekin.vocabulary.ngrams import GramIndex, shared_counts, trigrams
from pagekin.vocabulary.words import LONGEST_WORD, Words, beginning_with, spell

Ints = NDArray[np.int64]

# "rhodnee" and "rodney" have 4/9. From 0.4 on there are about twice as many words, and those are of little use.
LEAST_LIKENESS = 0.44


@inlined_kernel
def _stood_before(letters: Ints, k: int) -> bool:
    """Whether the trigram at k is one that the word had before."""
    for i in range(k):
        if letters[i] == letters[k] and letters[i + 1] == letters[k + 1] and letters[i + 2] == letters[k + 2]:
            return True
    return False


@kernel
def _write_sizes(words: Words, numbers: Ints, letters: Ints, sizes: Ints) -> None:
    """Write how many distinct trigrams words have."""
    for i in range(len(numbers)):
        length, sizes[i] = spell(words, numbers[i], letters), 0
        for k in range(length - 2):
            if not _stood_before(letters, k):
                sizes[i] += 1


def _gram_counts(words: Words, numbers: Ints) -> Ints:
    sizes = np.empty(len(numbers), np.int64)
    _write_sizes(words, numbers, np.empty(LONGEST_WORD, np.int64), sizes)
    return sizes


def words_like(words: Words, index: GramIndex, word: str, deadline: float | None = None) -> tuple[Ints, Distances]:
    """The numbers of the words like one in lower case, ascending, and 1 less the Dice coefficient of each."""
    grams = sorted(set(trigrams(word)))
    if not grams:
        return _itself(words, word)
    shared = shared_counts(index, grams, len(words.lengths), deadline)
    # A word that shares n trigrams has n or more, so that with fewer shared than this none can be like enough.
    fewest = math.floor(LEAST_LIKENESS * len(grams) / (2 - LEAST_LIKENESS))
    numbers = np.flatnonzero(shared >= max(fewest, 1))
    likeness = 2 * shared[numbers].astype(np.float64) / (len(grams) + _gram_counts(words, numbers))
    alike = likeness >= LEAST_LIKENESS
    return numbers[alike], 1 - likeness[alike]


def _itself(words: Words, word: str) -> tuple[Ints, Distances]:
    found = [number for number in beginning_with(words, word)[:1] if words.lengths[number] == len(word)]
    return np.array(found, np.int64), np.zeros(len(found))
