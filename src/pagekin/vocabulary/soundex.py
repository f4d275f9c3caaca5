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

from pagekin.kernels import i64, kernel
from pagekin.vocabulary.gap_lists import GapLists, Pairs, gap_lists, numbers_of
from pagekin.vocabulary.words import Words, texts_of

Ints = NDArray[np.int64]

CODES = 26 * 7**3
_LATIN = re.compile("[a-z]+")
_NOT_ASCII = -2
# The group of each letter from a to z; 0 for vowels, which part letters of one group, -1 for h and w, which do not.
_GROUPS = np.array([0, 1, 2, 3, 0, 1, 2, -1, 0, 2, 2, 4, 5, 5, 0, 1, 2, 6, 2, 3, 0, 1, -1, 2, 0, 2], np.int64)


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


@kernel
def _number_words(words: Words, groups: Ints, codes: Ints) -> None:
    """What `soundex_number` gives for words of ASCII; _NOT_ASCII for the others."""
    for number in range(len(codes)):
        begin, end = i64(words.ends[number]), i64(words.ends[number + 1])
        code, digits, last = i64(-1), 3, i64(0)
        for at in range(begin, end):
            letter = i64(words.data[at]) - 97
            if letter < 0 or letter > 25:
                code = -1 if letter < 31 and code != _NOT_ASCII else _NOT_ASCII
                digits = -1
                continue
            group = groups[letter]
            if at == begin:
                code = letter
            elif group > 0 and group != last and digits > 0:
                code, digits = code * 7 + group, digits - 1
            if group >= 0:
                last = group
        while digits > 0 and code >= 0:
            code, digits = code * 7, digits - 1
        codes[number] = code


def _soundex_numbers(words: Words) -> Ints:
    codes = np.empty(len(words.lengths), np.int64)
    _number_words(words, _GROUPS, codes)
    others = np.flatnonzero(codes == _NOT_ASCII)
    codes[others] = [soundex_number(text) for text in texts_of(words, others)]
    return codes


def soundex_index(words: Words) -> SoundexIndex:
    """The codes of all words."""
    codes = _soundex_numbers(words)

    def numbered() -> Iterator[Pairs]:
        numbers = np.flatnonzero(codes >= 0)
        yield codes[numbers], numbers

    return SoundexIndex(gap_lists(numbered, CODES))


def words_sounding_like(index: SoundexIndex, word: str) -> Ints:
    """The numbers of the words with the code of one in lower case, ascending."""
    code = soundex_number(word)
    return numbers_of(index.lists, code) if code >= 0 else np.empty(0, np.int64)
