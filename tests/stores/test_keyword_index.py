"""The keyword index on disk."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import Query

from pagekin.crawl.urls import page_id
from pagekin.engines.parts import read_table, table_parts
from pagekin.engines.runs import KeyRange, rows_of_range
from pagekin.errors import IndexUnusable
from pagekin.stores.keyword_index import (
    KeywordIndex,
    decoded,
    join_keyword_parts,
    keyword_rows,
    write_keyword_part,
)
from pagekin.tables import PAGES as PAGES_SCHEMA

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "keywords"))

from hand_made_pages import HandMade, Link, write_keyword_index, write_tables

LONG = "x" * 64
PAGES = [
    HandMade("http://a.test/", f"the dogs ran {LONG}", "dogs", links=(Link("http://b.test/", "a cat"),)),
    HandMade("http://c.test/", "the dogs sleep", links=(Link("http://b.test/", "the cat"),)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_keyword_index(tmp_path_factory.mktemp("index") / "small", PAGES) / "keywords"


@pytest.fixture(scope="module")
def index(folder: Path) -> KeywordIndex:
    return KeywordIndex(folder)


def found(index: KeywordIndex, field: str, term: str, k: int = 10) -> list[int]:
    return [hit.page for hit in index.best(Query.term_query(index.schema, field, term), k)[1]]


def test_every_page_that_was_fetched_or_is_called_something_is_there(index: KeywordIndex) -> None:
    assert len(index) == 3


def test_pages_are_found_by_the_stems_of_a_field(index: KeywordIndex) -> None:
    assert found(index, "title", "Adog") == [page_id("http://a.test/")]


def test_a_page_that_was_not_fetched_is_found_by_what_others_call_it(index: KeywordIndex) -> None:
    assert found(index, "anchor_forms", "cat") == [page_id("http://b.test/")]


def test_the_longest_word_of_a_lexicon_is_found(index: KeywordIndex) -> None:
    assert found(index, "body_forms", LONG) == [page_id("http://a.test/")]


def test_of_equal_pages_the_one_of_the_least_id_is_first(index: KeywordIndex) -> None:
    query = Query.const_score_query(Query.all_query(), 1.0)
    pages = [hit.page for hit in index.best(query, 10)[1]]
    assert pages == sorted(pages) and len(pages) == 3


def test_all_matches_are_counted(index: KeywordIndex) -> None:
    total, hits = index.best(Query.all_query(), 1)
    assert (total, len(hits)) == (3, 1)


def test_no_hits_may_be_asked_for(index: KeywordIndex) -> None:
    assert index.best(Query.all_query(), 0) == (3, [])


def test_the_words_of_a_page_are_read_again(index: KeywordIndex) -> None:
    (hit,) = index.best(Query.term_query(index.schema, "title", "Adog"), 10)[1]
    stored = index.stored(hit.address)
    assert [index.spelt(text) for text in stored.body] == [f"the dogs ran {LONG} a cat".split()]


def test_the_texts_of_links_are_kept_apart(index: KeywordIndex) -> None:
    (hit,) = index.best(Query.term_query(index.schema, "anchor_forms", "cat"), 10)[1]
    texts = [index.spelt(text) for text in index.stored(hit.address).anchor]
    assert sorted(texts) == [["a", "cat"], ["the", "cat"]]


def test_to_open_it_changes_nothing_where_it_lies(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    KeywordIndex(folder).best(Query.all_query(), 1)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert not any(name.endswith(".lock") for name in before)


def test_it_may_be_asked_from_several_threads(index: KeywordIndex) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: found(index, "body", "Adog"), range(50)))
    assert answers == [found(index, "body", "Adog")] * 50


def test_parts_that_are_joined_are_searched_as_one(tmp_path: Path, index: KeywordIndex) -> None:
    write_tables(tmp_path, PAGES)
    pages, texts, lexicon = (table_parts(tmp_path / name) for name in ("pages", "anchor_texts", "lexicon"))
    key = ("site_id", "page")
    [middle] = read_table(tmp_path / "pages", PAGES_SCHEMA, list(key)).slice(1, 1).to_pylist()
    cut = tuple(middle.values())
    for name, keys in (("low", KeyRange(None, cut)), ("high", KeyRange(cut, None))):
        rows = [(rows_of_range(batch, key, keys) for batch in keyword_rows(parts)) for parts in (pages, texts)]
        write_keyword_part(tmp_path / name, rows[0], rows[1], lexicon, ("en", ""))
    join_keyword_parts(tmp_path / "joined", [tmp_path / "low", tmp_path / "high"], lexicon)
    joined = KeywordIndex(tmp_path / "joined")
    assert len(joined) == len(index)
    for field, term in (("body", "Adog"), ("anchor", "Acat"), ("body_forms", "sleep")):
        query = Query.term_query(index.schema, field, term)
        expected = [(hit.page, hit.score) for hit in index.best(query, 10)[1]]
        assert [(hit.page, hit.score) for hit in joined.best(query, 10)[1]] == expected != []


def test_a_crawl_without_pages_has_an_empty_index(tmp_path: Path) -> None:
    assert len(KeywordIndex(write_keyword_index(tmp_path / "empty", []) / "keywords")) == 0


def test_what_is_no_index_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match="build the index again"):
        KeywordIndex(tmp_path)
    with pytest.raises(IndexUnusable, match="build the index again"):
        KeywordIndex(tmp_path / "nowhere")


def test_reading_needs_no_compiler() -> None:
    code = "import sys, pagekin.stores.keyword_index, pagekin.query.keywords; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def encoded(number: int) -> bytes:
    """A number in groups of seven bits, the low ones first."""
    return bytes([number]) if number < 128 else bytes([number % 128 + 128]) + encoded(number // 128)


@given(st.lists(st.integers(0, 2**31)))
def test_codes_are_read_as_they_were_written(numbers: list[int]) -> None:
    assert decoded(b"".join(map(encoded, numbers))).tolist() == numbers
