"""Lexicons in memory, and hypothesis's words of few letters, so that many are alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from pagekin.vocabulary.expansion import Distances
from pagekin.vocabulary.ngrams import GramIndex, gram_index
from pagekin.vocabulary.words import Ints, Words, measured_words, texts_of

LETTERS = "abcehks7éž日𐐨"  # of one to four bytes; silent ones, some of a group, one that is no letter
word_texts = st.text(LETTERS, min_size=1, max_size=9)
word_lists = st.lists(word_texts, max_size=40, unique=True)


class Lexicon(NamedTuple):
    words: Words
    index: GramIndex

    def texts(self, numbers: Ints) -> list[str]:
        return texts_of(self.words, numbers)

    def distances(self, found: tuple[Ints, Distances]) -> dict[str, float]:
        return dict(zip(self.texts(found[0]), found[1].tolist(), strict=True))


def lexicon(texts: Iterable[str]) -> Lexicon:
    ordered = pa.array(sorted(texts), pa.string())
    words = measured_words(ordered, np.ones(len(ordered), np.int64))
    return Lexicon(words, gram_index(words))
