"""Words that sound alike by their Soundex codes, a letter and three digits each.

Accents are taken off first. A word that then has anything but a to z has no code: the letters of other scripts and
digits are not what Soundex groups. The code is that of the archives of the United States, in which h and w do not part
letters of one group.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import jellyfish
import numpy as np
from numpy.typing import NDArray

from pagekin.vocabulary.gap_lists import GapLists, Pairs, gap_lists, numbers_of
from pagekin.vocabulary.words import Words, texts_of

Ints = NDArray[np.int64]

CODES = 26 * 7**3
_CHUNK_WORDS = 1 << 16
_LATIN = re.compile("[a-z]+")


class SoundexIndex(NamedTuple):
    """For each code, by its number, the list of the words that have it."""

    lists: GapLists


def soundex_number(word: str) -> int:
    """The Soundex code of a word in lower case as a number below `CODES`; -1 if it has none.

    >>> soundex_number("tymczak") == soundex_number("tanshik"), soundex_number("3rd")
    (True, -1)
    """
    if not word.isascii():
        letters = unicodedata.normalize("NFKD", word)
        word = "".join(letter for letter in letters if not unicodedata.combining(letter))
    if not _LATIN.fullmatch(word):
        return -1
    code = jellyfish.soundex(word)
    return ((ord(code[0]) - ord("A")) * 7**3) + int(code[1:], 7)


def soundex_index(words: Words) -> SoundexIndex:
    """The codes of all words."""

    def numbered() -> Iterator[Pairs]:
        for first in range(0, len(words.lengths), _CHUNK_WORDS):
            numbers = np.arange(first, min(first + _CHUNK_WORDS, len(words.lengths)))
            codes = np.array([soundex_number(text) for text in texts_of(words, numbers)], np.int64)
            yield codes[codes >= 0], numbers[codes >= 0]

    return SoundexIndex(gap_lists(numbered, CODES))


def words_sounding_like(index: SoundexIndex, word: str) -> Ints:
    """The numbers of the words with the code of one in lower case, ascending."""
    code = soundex_number(word)
    return numbers_of(index.lists, code) if code >= 0 else np.empty(0, np.int64)
