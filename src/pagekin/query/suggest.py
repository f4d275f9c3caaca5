"""Pages while an address or the words of a title are still being typed.

Documents are numbered by how likely they are meant: those that were fetched first, then by how many links lead to them.
Addresses, and the words of titles, lie sorted; what begins with what was typed is a range of either, found by
bisection, and the least numbers in it are the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.stores.documents import Documents

Numbers = NDArray[np.int64]

REPEATED = 100  # more words of one title do not begin alike
_SCHEME = r"^(https?://)?(www\.)?"
_NO_WORD = r"[^\pL\pN]+"
_WORDS = re.compile(r"[^\W_]+")
_BEHIND_ALL = "\U0010ffff"  # behind every letter, so that a prefix and this end the range of the prefix


@dataclass(frozen=True)
class Suggestion:
    """A page that may be meant."""

    url: str
    title: str


class _Texts(Sequence[str]):
    """The texts of a sorted array, for bisection."""

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        found: str | list[str] = (
            self._array[place].to_pylist() if isinstance(place, slice) else self._array[place].as_py()
        )
        return found

    def range_of(self, prefix: str, whole: bool = False) -> slice:
        """The places of texts that begin with a prefix, or that are it."""
        return slice(bisect_left(self, prefix), bisect_left(self, prefix + ("\0" if whole else _BEHIND_ALL)))


class Suggestions:
    """The addresses and titles of an index's documents."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._by_rank = np.lexsort([-documents.in_links, ~documents.fetched])
        self._addresses, self._ranks = self._sorted_addresses()
        self._words, self._ends, self._ranks_of_words = self._sorted_words()

    def _column(self, name: str) -> pa.Array:
        return self._documents.column(name).take(pa.array(self._by_rank))

    def _sorted_addresses(self) -> tuple[_Texts, Numbers]:
        addresses = pc.replace_substring_regex(pc.utf8_lower(self._column("url")), _SCHEME, "")
        order = pc.sort_indices(addresses)
        return _Texts(addresses.take(order)), order.to_numpy().astype(np.int64)

    def _sorted_words(self) -> tuple[_Texts, Numbers, Numbers]:
        """The words of all titles, sorted; where the ranks of each end; and the ranks."""
        lists = pc.split_pattern_regex(pc.utf8_lower(self._column("title")), _NO_WORD)
        encoded = lists.flatten().dictionary_encode()
        order = pc.sort_indices(encoded.dictionary)
        place = np.empty(len(order), np.int64)
        place[order.to_numpy()] = np.arange(len(order))
        words = place[encoded.indices.to_numpy()]
        ranks = np.repeat(np.arange(len(lists)), lists.value_lengths().to_numpy())
        by_word = np.lexsort([ranks, words])
        ends = np.searchsorted(words[by_word], np.arange(len(order) + 1))
        return _Texts(encoded.dictionary.take(order)), ends, ranks[by_word]

    def of(self, typed: str, k: int = 8) -> list[Suggestion]:
        """The pages whose address, or a word of whose title, begins with what was typed."""
        typed = typed.strip().lower()
        if not typed:
            return []
        ways = [self._by_words(typed, k), self._by_address(typed, k)]
        if re.search(r"[./:]", typed):
            ways.reverse()
        ranks = dict.fromkeys(int(rank) for way in ways for rank in way)
        return [self._suggestion(rank) for rank in list(ranks)[:k]]

    @property
    def likeliest(self) -> str | None:
        """The address of the page that is likeliest meant by whoever has not typed anything."""
        return self._suggestion(0).url if len(self._by_rank) else None

    def _suggestion(self, rank: int) -> Suggestion:
        number = int(self._by_rank[rank])
        return Suggestion(self._documents.text("url", number), self._documents.text("title", number))

    def _by_address(self, typed: str, k: int) -> Numbers:
        return _least(self._ranks[self._addresses.range_of(re.sub(_SCHEME, "", typed))], k)

    def _by_words(self, typed: str, k: int) -> Numbers:
        """Pages with all the words in their titles, the last of which may be only begun."""
        words = _WORDS.findall(typed)
        if not words:
            return np.empty(0, np.int64)
        ranks = self._with_word(words[-1], whole=False)
        # The rarest first, so that what is compared with long lists is short.
        for others in sorted((self._with_word(word, whole=True) for word in set(words[:-1])), key=len):
            ranks = _common(ranks, others)
        return _least(ranks, k)

    def _with_word(self, word: str, whole: bool) -> Numbers:
        span = self._words.range_of(word, whole)
        return self._ranks_of_words[self._ends[span.start] : self._ends[span.stop]]


def _common(ranks: Numbers, ascending: Numbers) -> Numbers:
    """Those of some numbers that are among others, which ascend."""
    if not len(ascending):
        return ascending
    places = np.minimum(np.searchsorted(ascending, ranks), len(ascending) - 1)
    common: Numbers = ranks[ascending[places] == ranks]
    return common


def _least(ranks: Numbers, k: int) -> Numbers:
    """The k least of some numbers, ascending, each once."""
    enough = REPEATED * k
    if len(ranks) > enough:
        ranks = np.partition(ranks, enough)[:enough]
    return np.unique(ranks)[:k]
