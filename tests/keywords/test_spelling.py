"""Word ids as texts and as codes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hand_made_pages import HandMade, lexicon_table
from hypothesis import given
from hypothesis import strategies as st

from pagekin.hashing import hash_text
from pagekin.keywords.spelling import Lists, Spelling, by_rank
from pagekin.languages import stemmer
from pagekin.stores.keyword_index import decoded

WORDS = [*(f"w{number}" for number in range(400)), "running", "dogs", "häuser", "größe", "мир"]
PAGE = HandMade("http://a.test/", " ".join(WORDS[number] for i in range(20) for number in range(0, 405, i + 1)))
LEXICON = lexicon_table([PAGE])
SPELLING = Spelling(LEXICON, ["en", "de", ""])
LISTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=6)


def numbered(lists: list[list[str]]) -> Lists:
    ids = [[hash_text(word) for word in words] for words in lists]
    return SPELLING.numbered(pa.array(ids, pa.list_(pa.int64())))


@given(LISTS, st.sampled_from(["en", "de", "", "tlh"]))
def test_stems_are_those_of_the_language(lists: list[list[str]], language: str) -> None:
    mark = {"en": "A", "de": "B"}.get(language, "C")
    stem = stemmer(language if mark != "C" else "")
    expected = [" ".join(mark + root for root in stem(words)) for words in lists]
    assert SPELLING.stems(numbered(lists), [language] * len(lists)) == expected


@given(LISTS)
def test_forms_are_there_once(lists: list[list[str]]) -> None:
    assert SPELLING.forms(numbered(lists)) == [" ".join(dict.fromkeys(words)) for words in lists]


@given(LISTS)
def test_words_are_read_again_from_their_codes(lists: list[list[str]]) -> None:
    spelt = by_rank(LEXICON).to_pylist()
    codes = SPELLING.codes(numbered(lists))
    assert [[spelt[rank - 1] for rank in decoded(code)] for code in codes] == lists


def test_the_commonest_words_have_the_shortest_codes() -> None:
    assert len(SPELLING.codes(numbered([["w0"] * 10]))[0]) == 10
    assert len(SPELLING.codes(numbered([["w397"] * 10]))[0]) == 20


def test_a_slice_of_lists_is_read_from_its_beginning() -> None:
    ids = pa.array([[hash_text("w1")], [hash_text("dogs"), hash_text("w2")]], pa.list_(pa.int64()))
    lists = SPELLING.numbered(ids.slice(1))
    assert SPELLING.forms(lists) == ["dogs w2"] and np.array_equal(lists.ends, [0, 2])
