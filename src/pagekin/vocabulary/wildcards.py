"""Words that a pattern matches: `*` is any letters or none, `?` is one.

Words that hold all trigrams of the pattern are found by lists, and the words with its beginning by their order; only
those are compared with the pattern, letter by letter. Where a pattern has neither, the sets of letters are looked at.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.vocabulary.expansion import check_time
from pagekin.vocabulary.gap_lists import common_numbers, numbers_of
from pagekin.vocabulary.ngrams import GramIndex, gram_places, marked, trigrams
from pagekin.vocabulary.words import LONGEST_WORD, Words, beginning_with, letter_set

Ints = NDArray[np.int64]
Codes = NDArray[np.int16]

_ANY, _ONE = -1, -2
_CODES = {"*": [_ANY], "?": [_ONE]}
_CHUNK_WORDS = 1 << 14  # are compared in about a millisecond
_WORTH = 16  # to compare a word takes as long as to read so many numbers of a list


def matching_words(words: Words, index: GramIndex, pattern: str, deadline: float | None = None) -> Ints:
    """The numbers of the words that a pattern in lower case matches, ascending."""
    if len(pattern.replace("*", "")) > LONGEST_WORD:
        return np.empty(0, np.int64)
    numbers = _candidates(words, index, pattern)
    codes = _codes(pattern)
    found = []
    for first in range(0, len(numbers), _CHUNK_WORDS):
        check_time(deadline)
        chunk = numbers[first : first + _CHUNK_WORDS]
        found.append(chunk[: _keep_matching(words, codes, chunk)])
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _candidates(words: Words, index: GramIndex, pattern: str) -> Ints:
    """The numbers of words among which are all that match."""
    beginning = beginning_with(words, re.split(r"[*?]", pattern, maxsplit=1)[0])
    pieces = re.split(r"[*?]+", marked(pattern))
    places = np.unique(gram_places(index, [gram for piece in pieces for gram in trigrams(piece)]))
    if places.min(initial=0) < 0:
        return np.empty(0, np.int64)
    sizes = index.lists.ends[places + 1] - index.lists.ends[places]
    lists = sorted(zip(sizes.tolist(), places.tolist(), strict=True))
    if lists and lists[0][0] < len(beginning):
        numbers = numbers_of(index.lists, lists.pop(0)[1])
        numbers = numbers[np.searchsorted(numbers, beginning.start) : np.searchsorted(numbers, beginning.stop)]
    else:
        numbers = _with_letters(words, beginning, pattern)
    for size, place in lists:
        if size > _WORTH * len(numbers):
            break
        numbers = common_numbers(index.lists, place, numbers)
    return numbers


def _with_letters(words: Words, numbers: range, pattern: str) -> Ints:
    """Those of a range of words that have the letters of a pattern."""
    wanted = np.uint32(letter_set(re.sub(r"[*?]", "", pattern)))
    return numbers.start + np.flatnonzero(words.letters[numbers.start : numbers.stop] & wanted == wanted)


def _codes(pattern: str) -> Codes:
    """A pattern as the bytes of its letters, with numbers below 0 for wildcards; one `*` says as much as many."""
    parts = re.findall(r"\*+|\?|[^*?]+", pattern)
    codes = [_CODES.get(part[0]) or part.encode("utf-8", "surrogatepass") for part in parts]
    return np.array([code for part in codes for code in part], np.int16)


@inlined_kernel
def _behind_letter(words: Words, at: int, end: int) -> int:
    at += 1
    while at < end and words.data[at] & 0xC0 == 0x80:
        at += 1
    return at


@inlined_kernel
def _matches(words: Words, number: int, codes: Codes) -> bool:
    """Whether the pattern matches a word; after a failure the last `*` takes one letter more."""
    at, end = i64(words.ends[number]), i64(words.ends[number + 1])
    place, size, any_place, any_end = 0, len(codes), -1, i64(0)
    while at < end:
        code = codes[place] if place < size else i64(256)
        if code == words.data[at]:
            at, place = at + 1, place + 1
        elif code == _ONE:
            at, place = _behind_letter(words, at, end), place + 1
        elif code == _ANY:
            place += 1
            any_place, any_end = place, at
            if place == size:
                return True
        elif any_place >= 0:
            any_end = _behind_letter(words, any_end, end)
            at, place = any_end, any_place
        else:
            return False
    return place == size or (place == size - 1 and codes[place] == _ANY)


@kernel
def _keep_matching(words: Words, codes: Codes, numbers: Ints) -> int:
    """Move the numbers of words that match to the front; returns how many they are."""
    kept = 0
    for i in range(len(numbers)):
        if _matches(words, numbers[i], codes):
            numbers[kept] = numbers[i]
            kept += 1
    return kept
