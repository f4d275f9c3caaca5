"""The vocabulary on disk: the words of the lexicon with the lists by which patterns find them, mapped into memory."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.stores.arrays import mapped_array, write_array
from pagekin.stores.soundness import check_vocabulary
from pagekin.vocabulary.editex import words_within_editex
from pagekin.vocabulary.expansion import Distances, Expansion, Match, best_first, check_time
from pagekin.vocabulary.fuzzy import words_within
from pagekin.vocabulary.gap_lists import GapLists
from pagekin.vocabulary.likeness import words_like
from pagekin.vocabulary.ngrams import GramIndex, gram_index
from pagekin.vocabulary.soundex import CODES, SoundexIndex, soundex_index, words_sounding_like
from pagekin.vocabulary.wildcards import matching_words
from pagekin.vocabulary.words import Words, lower_case, measured_words, texts_of

Ints = NDArray[np.int64]

_WORDS = ("words.u8", "word_ends.i32", "lengths.u8", "letters.u32", "occurrences.u32")
_GRAM_KEYS, _GRAM_ENDS, _GRAM_LISTS = "trigrams.i64", "trigram_ends.i64", "trigram_lists.u8"
_SOUNDEX_ENDS, _SOUNDEX_LISTS = "soundex_ends.i64", "soundex_lists.u8"
_KINDS: dict[str, Any] = {"u8": np.uint8, "i32": np.int32, "u32": np.uint32, "i64": np.int64}

MEANT_EDITS = 2  # within which a word that was meant is sought
SHORT_WORD = 4  # letters, of which no more than one can be wrong if it is to be recognised
_TIMES_AN_EDIT = 1000  # a word that is so many times as frequent may be one edit further away


def write_vocabulary(folder: Path, words: pa.StringArray, occurrences: Ints) -> None:
    """Write distinct lower-case words, given in any order, and how often each was seen."""
    folder.mkdir(parents=True)
    order = pc.sort_indices(words)
    sorted_words = measured_words(words.take(order), occurrences[order.to_numpy()])
    for name, array in zip(_WORDS, sorted_words, strict=True):
        write_array(folder / name, np.asarray(array))
    grams, sounds = gram_index(sorted_words), soundex_index(sorted_words)
    write_array(folder / _GRAM_KEYS, grams.keys)
    _write_lists(folder, _GRAM_ENDS, _GRAM_LISTS, grams.lists)
    _write_lists(folder, _SOUNDEX_ENDS, _SOUNDEX_LISTS, sounds.lists)


def _write_lists(folder: Path, ends: str, data: str, lists: GapLists) -> None:
    write_array(folder / ends, lists.ends)
    write_array(folder / data, lists.data)


def _mapped(path: Path) -> NDArray[Any]:
    """An array on disk, of numbers as the end of its name says."""
    return mapped_array(path, _KINDS[path.suffix[1:]])


class Vocabulary:
    """The words of a lexicon by patterns, edits and sounds.

    What is asked for may have capitals. Answers (but for `nearest`) are in order of distance, then with the word that
    was seen more often first, then by the word. `most` words are given; `deadline` is a time of `time.monotonic()`
    after which QueryTimeout is raised.
    """

    def __init__(self, folder: Path) -> None:
        self._words = Words(*(_mapped(folder / name) for name in _WORDS))
        grams = GapLists(_mapped(folder / _GRAM_ENDS), _mapped(folder / _GRAM_LISTS))
        self._grams = GramIndex(_mapped(folder / _GRAM_KEYS), grams)
        self._sounds = SoundexIndex(GapLists(_mapped(folder / _SOUNDEX_ENDS), _mapped(folder / _SOUNDEX_LISTS)))

    def check(self) -> None:
        """ValueError if lists point outside, or words are none."""
        check_vocabulary(self._words, self._grams, self._sounds, CODES)

    def __len__(self) -> int:
        return len(self._words.lengths)

    def matching(self, pattern: str, most: int, deadline: float | None = None) -> Expansion:
        """The words that a pattern matches, in which `*` is any letters or none and `?` is one."""
        numbers = matching_words(self._words, self._grams, lower_case(pattern), deadline)
        return self._expansion(numbers, np.zeros(len(numbers)), most)

    def within(self, word: str, distance: int, most: int, deadline: float | None = None) -> Expansion:
        """The words that so many edits make of one; to swap two neighbouring letters is one edit."""
        found = words_within(self._words, self._grams, lower_case(word), distance, deadline)
        return self._expansion(*found, most)

    def sounding_like(self, word: str, most: int, deadline: float | None = None) -> Expansion:
        """The words with the same Soundex code; none for a word that has no code."""
        check_time(deadline)
        numbers = words_sounding_like(self._sounds, lower_case(word))
        return self._expansion(numbers, np.zeros(len(numbers)), most)

    def editex(self, word: str, distance: int, most: int, deadline: float | None = None) -> Expansion:
        """The words within an Editex distance."""
        return self._expansion(*words_within_editex(self._words, lower_case(word), distance, deadline), most)

    def like(self, word: str, most: int, deadline: float | None = None) -> Expansion:
        """The words that share many trigrams; their distance is 1 less the Dice coefficient."""
        return self._expansion(*words_like(self._words, self._grams, lower_case(word), deadline), most)

    def nearest(self, word: str, most: int, deadline: float | None = None) -> Expansion:
        """The words that may have been meant by one that found nothing: few edits away, and frequent.

        An edit more must be made up for by a thousand times as many occurrences.
        """
        edits = MEANT_EDITS if len(word) > SHORT_WORD else min(len(word) - 1, 1)
        numbers, distances = words_within(self._words, self._grams, lower_case(word), edits, deadline)
        others = distances > 0
        numbers, distances = numbers[others], distances[others]
        occurrences = self._words.occurrences[numbers].astype(np.float64)
        weighed = distances - np.log(np.maximum(occurrences, 1)) / math.log(_TIMES_AN_EDIT)
        return self._expansion(numbers, distances, most, weighed)

    def _expansion(self, numbers: Ints, distances: Distances, most: int, weighed: Distances | None = None) -> Expansion:
        occurrences = self._words.occurrences[numbers]
        places = best_first(distances if weighed is None else weighed, occurrences, most)
        rows = zip(
            texts_of(self._words, numbers[places]),
            distances[places].tolist(),
            occurrences[places].tolist(),
            strict=True,
        )
        return Expansion(tuple(Match(*row) for row in rows), len(numbers))
