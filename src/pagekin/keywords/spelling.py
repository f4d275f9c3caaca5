"""From word ids to what a keyword index takes: texts of stems or of forms, and codes from which they can be read again.

What a word is in each language is found once for each word of the lexicon. To look words up by binary search and to
join them by Arrow took four times as long as these kernels do.

The code of a word is its rank among the words of the lexicon, the commonest being 1, in groups of seven bits, the low
ones first, with 128 added to all but the last (LEB128). 0 parts the texts of a list. A word takes 1.6 bytes so, where
its letters, compressed, take 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.kernels import inlined_kernel, kernel, u64
from pagekin.keywords.stems import marked_stems
from pagekin.languages import known_language
from pagekin.number_set import fill_values, find, number_set

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
BLANK = 32


class Spelt(NamedTuple):
    """Texts laid end to end: text i is `data[ends[i]:ends[i + 1]]`; `lanes[i]` are its first eight bytes."""

    ends: Ints
    data: Bytes
    lanes: NDArray[np.uint64]


class Lists(NamedTuple):
    """Lists of numbers laid end to end."""

    ends: Ints
    numbers: Ints

    def __len__(self) -> int:
        return len(self.ends) - 1


@kernel
def _look_up(slots: Ints, rows: Ints, words: Ints, out: Ints) -> None:
    for i in range(len(words)):
        out[i] = rows[find(slots, len(slots), words[i])]


@kernel
def _distinct(ends: Ints, numbers: Ints, seen: Ints, new_ends: Ints, out: Ints) -> None:
    """Write each number of a list once; `seen` holds for each number the last list that had it."""
    used = 0
    for k in range(len(ends) - 1):
        for i in range(ends[k], ends[k + 1]):
            if seen[numbers[i]] != k:
                seen[numbers[i]] = k
                out[used] = numbers[i]
                used += 1
        new_ends[k + 1] = used


@kernel
def _letters(numbers: Ints, ends: Ints) -> int:
    """How many bytes the words have together."""
    total = 0
    for i in range(len(numbers)):
        total += ends[numbers[i] + 1] - ends[numbers[i]]
    return total


@inlined_kernel
def _put_lane(lane: int, out: Bytes, at: int) -> None:
    """Write eight bytes, which are compiled to one store."""
    for k in range(8):
        out[at + k] = (lane >> u64(8 * k)) & u64(255)


@kernel
def _join(ends: Ints, numbers: Ints, spelling: Spelt, new_ends: Ints, out: Bytes) -> None:
    """Write texts with blanks between the words; of each word eight bytes at once, too many for most of them."""
    used = 0
    for k in range(len(ends) - 1):
        for i in range(ends[k], ends[k + 1]):
            first, last = spelling.ends[numbers[i]], spelling.ends[numbers[i] + 1]
            _put_lane(spelling.lanes[numbers[i]], out, used)
            for place in range(first + 8, last):
                out[used + place - first] = spelling.data[place]
            used += last - first + 1
            out[used - 1] = BLANK
        if ends[k] < ends[k + 1]:
            used -= 1
        new_ends[k + 1] = used


@kernel
def _encode(ends: Ints, numbers: Ints, ranks: Ints, new_ends: Ints, out: Bytes) -> None:
    used = 0
    for k in range(len(ends) - 1):
        for i in range(ends[k], ends[k + 1]):
            rank = ranks[numbers[i]]
            while rank > 127:
                out[used] = (rank & 127) | 128
                used, rank = used + 1, rank >> 7
            out[used] = rank
            used += 1
        new_ends[k + 1] = used


def _spelt(texts: Sequence[str]) -> Spelt:
    pieces = [text.encode() for text in texts]
    ends = np.append(0, np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces))))
    lanes = np.array(pieces, "S8").view("<u8").astype(np.uint64)  # shorter ones are filled up with zeros
    return Spelt(ends, np.frombuffer(b"".join(pieces), np.uint8), lanes)


def _order(lexicon: pa.Table) -> Ints:
    """The rows of a lexicon by rank, the commonest word first."""
    order: Ints = np.lexsort([lexicon["word"].to_numpy(), -lexicon["occurrences"].to_numpy()])
    return order


def by_rank(lexicon: pa.Table) -> pa.ChunkedArray:
    """The words of a lexicon by rank."""
    return lexicon["text"].take(pa.array(_order(lexicon)))


class Spelling:
    """How the words of a lexicon are spelt, and their stems in some languages, of which the empty one is one."""

    def __init__(self, lexicon: pa.Table, languages: Sequence[str]) -> None:
        words, forms = lexicon["word"].to_numpy(), lexicon["text"].to_pylist()
        self._words = len(forms)
        self._slots = number_set(words)
        self._rows = np.zeros(len(self._slots), np.int64)
        fill_values(self._slots, words, np.arange(len(words)), self._rows)
        self._languages = {language: number for number, language in enumerate(languages)}
        self._forms = _spelt(forms)
        self._stems = _spelt([stem for place in enumerate(languages) for stem in marked_stems(forms, *place)])
        self._ranks = np.empty(self._words, np.int64)
        self._ranks[_order(lexicon)] = np.arange(1, self._words + 1)

    def language(self, code: str) -> str:
        """The language by whose rules the words of a page are stemmed; empty if they are left as they are."""
        known = known_language(code)
        return known if known in self._languages else ""

    def marked(self, words: Sequence[str], code: str) -> list[str]:
        """The stems of any words in a language that is given by its code."""
        language = self.language(code)
        return marked_stems(words, self._languages[language], language)

    def numbered(self, words: pa.ListArray) -> Lists:
        """Lists of word ids as numbers of words."""
        flat = words.flatten().to_numpy()
        numbers = np.empty(len(flat), np.int64)
        _look_up(self._slots, self._rows, flat, numbers)
        ends = words.offsets.to_numpy().astype(np.int64)
        return Lists(ends - ends[0], numbers)

    def stems(self, lists: Lists, languages: Sequence[str]) -> list[str]:
        """Each list as its stems in the language that is given for it by its code."""
        numbers = (self._languages[self.language(code)] for code in languages)
        shifts = self._words * np.fromiter(numbers, np.int64, len(lists))
        return _joined(Lists(lists.ends, lists.numbers + np.repeat(shifts, np.diff(lists.ends))), self._stems)

    def forms(self, lists: Lists) -> list[str]:
        """The different word forms of each list."""
        ends, numbers = np.zeros(len(lists.ends), np.int64), np.empty(len(lists.numbers), np.int64)
        _distinct(lists.ends, lists.numbers, np.full(self._words, -1, np.int64), ends, numbers)
        return _joined(Lists(ends, numbers[: ends[-1]]), self._forms)

    def codes(self, lists: Lists) -> list[bytes]:
        """Each list as the codes of its words."""
        ends, out = np.zeros(len(lists.ends), np.int64), np.empty(5 * len(lists.numbers), np.uint8)
        _encode(lists.ends, lists.numbers, self._ranks, ends, out)
        return _pieces(ends, out)


def _joined(lists: Lists, spelling: Spelt) -> list[str]:
    """Each list as a text, with blanks between the words."""
    letters = _letters(lists.numbers, spelling.ends)
    ends, out = np.zeros(len(lists.ends), np.int64), np.empty(letters + len(lists.numbers) + 8, np.uint8)
    _join(lists.ends, lists.numbers, spelling, ends, out)
    return [piece.decode() for piece in _pieces(ends, out)]


def _pieces(ends: Ints, data: Bytes) -> list[bytes]:
    whole, cuts = data[: ends[-1]].tobytes(), ends.tolist()
    return [whole[first:last] for first, last in pairwise(cuts)]
