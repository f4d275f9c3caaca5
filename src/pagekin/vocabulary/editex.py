"""Words within an Editex distance: an edit distance in which letters that sound alike are close (Zobel, Dart 1996).

To replace a letter by one of its group costs 1, by another 2. To take a letter away, or to put it in, costs what it
would cost to replace the letter before it by it, but 1 after h or w, which are often silent: nothing for a letter
that is doubled. The first letter stands behind the beginning of the word, which is no letter and in no group: it
costs 2. Letters but a to z are in no group.

Most words need not be compared, since their letters cost too much. A letter that the other word does not have must
be replaced, for 1 if that has one of its group and else for 2, or taken away. So it is from either word; of a word of
the lexicon only the set of its letters is looked at, so that all but the first of a group count 1 there, and all do
if there is a silent letter that they may follow. Lengths tell nothing, as doubled letters are free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.vocabulary.expansion import Distances, check_time
from pagekin.vocabulary.words import LONGEST_WORD, Words, bits_set, letter_set, spell, with_letters_of

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

GROUPS = ("aeiouy", "bp", "ckq", "dt", "lr", "mn", "gj", "fpv", "sxz", "csz")
_ASCII = 128
_H, _W, _BEGINNING = ord("h"), ord("w"), 0
# Letters in groups that overlap, as sets: whoever has none of these has none that any of these is alike to.
_KINDRED = tuple(letter_set(letters) for letters in ("aeiouy", "bfpv", "ckqsxz", "dt", "lr", "mn", "gj"))
_SILENT = letter_set("hw")
_CHUNK_CELLS = 1 << 20  # are filled in a few milliseconds


def _group_bits() -> Ints:
    bits = np.zeros(_ASCII, np.int64)
    for number, group in enumerate(GROUPS):
        for letter in group:
            bits[ord(letter)] |= 1 << number
    return bits


class Asked(NamedTuple):
    """The word that all are compared with, what its letters cost to take away, and room to compare."""

    letters: Ints
    costs: Ints
    bits: Ints  # each letter as a set
    group_bits: Ints  # the letters that are in a group with each, as a set
    letter_set: int
    distance: int
    groups: Ints
    replacing: Bytes  # [letter, place]: what it costs to replace the letter there by another, the last for any other
    other: Ints
    row: Ints


@inlined_kernel
def replacing_cost(one: int, other: int, groups: Ints) -> int:
    """What it costs to replace a letter by another."""
    if one == other:
        return 0
    if one < _ASCII and other < _ASCII and groups[one] & groups[other]:
        return 1
    return 2


@inlined_kernel
def removing_cost(before: int, letter: int, groups: Ints) -> int:
    """What it costs to take a letter away, or to put it in, behind another."""
    if before != letter and (before == _H or before == _W):
        return 1
    return replacing_cost(before, letter, groups)


@kernel
def _write_costs(letters: Ints, groups: Ints, removing: Ints, replacing: Bytes) -> None:
    before = i64(_BEGINNING)
    for i in range(len(letters)):
        removing[i] = removing_cost(before, letters[i], groups)
        before = letters[i]
        for letter in range(_ASCII):
            replacing[letter, i] = replacing_cost(letter, letters[i], groups)


@inlined_kernel
def _cost_row(asked: Asked, letter: int) -> int:
    """The row of `replacing` for a letter; that of letters beyond ASCII is written each time."""
    if letter < _ASCII:
        return letter
    for i in range(len(asked.letters)):
        asked.replacing[_ASCII, i] = 0 if asked.letters[i] == letter else 2
    return _ASCII


@inlined_kernel
def _distance(asked: Asked, length: int) -> int:
    """The distance to the word in `other`, or a greater number than is asked for."""
    row, width = asked.row, len(asked.letters)
    row[0] = 0
    for i in range(width):
        row[i + 1] = row[i] + asked.costs[i]
    before = i64(_BEGINNING)
    for j in range(length):
        letter = asked.other[j]
        cost = removing_cost(before, letter, asked.groups)
        costs = _cost_row(asked, letter)
        diagonal, row[0] = row[0], row[0] + cost
        least = row[0]
        for i in range(width):
            replaced = diagonal + asked.replacing[costs, i]
            diagonal = row[i + 1]
            row[i + 1] = min(replaced, diagonal + cost, row[i] + asked.costs[i])
            least = min(least, row[i + 1])
        if least > asked.distance:
            return i64(least)
        before = letter
    return i64(row[width])


@inlined_kernel
def _letters_allow(asked: Asked, letters: int) -> bool:
    """Whether the letters of a word, given as a set, may be within the distance."""
    missing, surplus = 0, bits_set(letters & ~asked.letter_set)
    for i in range(len(asked.letters)):
        if not asked.bits[i] & letters:
            missing += min(asked.costs[i], 1 if asked.group_bits[i] & letters else 2)
    if not letters & _SILENT:
        for k in range(len(_KINDRED)):
            surplus += (letters & _KINDRED[k] != 0) & (asked.letter_set & _KINDRED[k] == 0)
    return max(missing, surplus) <= asked.distance


@kernel
def _compare(words: Words, asked: Asked, numbers: Ints, distances: Distances, near: NDArray[np.bool_]) -> None:
    """Write which words are near enough, and the distances of those."""
    for i in range(len(numbers)):
        if _letters_allow(asked, i64(words.letters[numbers[i]])):
            distances[i] = _distance(asked, spell(words, numbers[i], asked.other))
            near[i] = distances[i] <= asked.distance


def _asked(word: str, distance: int) -> Asked:
    letters, groups = np.array([ord(letter) for letter in word], np.int64), _group_bits()
    costs, replacing = np.empty(len(word), np.int64), np.empty((_ASCII + 1, len(word)), np.uint8)
    _write_costs(letters, groups, costs, replacing)
    own = {letter: letter_set(letter) for letter in set(word)}
    alike = {letter: letter_set("".join(group for group in GROUPS if letter in group)) for letter in own}
    bits, group_bits = (np.array([sets[letter] for letter in word], np.int64) for sets in (own, alike))
    rooms = np.empty(LONGEST_WORD, np.int64), np.empty(len(word) + 1, np.int64)
    nearer = min(distance, 2 * (len(word) + LONGEST_WORD))  # no two words are further apart
    return Asked(letters, costs, bits, group_bits, letter_set(word), nearer, groups, replacing, *rooms)


def words_within_editex(
    words: Words, word: str, distance: int, deadline: float | None = None
) -> tuple[Ints, Distances]:
    """The numbers of the words within an Editex distance of one in lower case, ascending, and the distances."""
    asked = _asked(word, distance)
    numbers = np.flatnonzero(with_letters_of(words, word, asked.distance))
    distances, near = np.empty(len(numbers)), np.zeros(len(numbers), np.bool_)
    step = max(_CHUNK_CELLS // (8 * (len(word) + 1)), 1)
    for first in range(0, len(numbers), step):
        check_time(deadline)
        chunk = slice(first, first + step)
        _compare(words, asked, numbers[chunk], distances[chunk], near[chunk])
    return numbers[near], distances[near]
