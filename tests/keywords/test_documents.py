"""What is indexed of each page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hand_made_pages import MARCH, HandMade, Link, lexicon_table, pages_table, rows_of_anchors

from pagekin.crawl.urls import page_id
from pagekin.keywords.documents import KeywordDocument, keyword_documents
from pagekin.keywords.spelling import Spelling

PAGES = [
    HandMade("http://a.test/running_dogs.html", "the dogs ran", "dogs", links=(Link("http://b.test/", "a cat"),)),
    HandMade("http://b.test/", "cats sleep", links=(Link("http://c.test/100%25/caf%C3%A9", "never fetched"),)),
    HandMade("http://www.d.test/x", "katzen", language="de", links=(Link("http://b.test/", "cats"),)),
]


def documents(pages: Sequence[HandMade], rows: int = 100, anchor_rows: int = 100) -> dict[int, KeywordDocument]:
    spelling = Spelling(lexicon_table(pages), ["en", "de", ""])
    batches = pages_table(pages).combine_chunks().to_batches(rows)
    anchors = rows_of_anchors(pages).combine_chunks().to_batches(anchor_rows)
    found = list(keyword_documents(batches, anchors, spelling))
    assert len({document.page for document in found}) == len(found)
    return {document.page: document for document in found}


def document(url: str) -> KeywordDocument:
    return documents(PAGES)[page_id(url)]


def test_body_and_title_are_apart() -> None:
    found = document(PAGES[0].url)
    assert (found.title.stems, found.body.stems) == (["Adog"], ["Athe Adog Aran Aa Acat"])


def test_a_title_amidst_the_body_parts_it() -> None:
    page = HandMade("http://a.test/", "behind", "title", before="before")
    assert documents([page])[page_id(page.url)].body.stems == ["Abefor", "Abehind"]


def test_anchors_are_stemmed_in_the_language_of_the_page_that_links() -> None:
    assert sorted(document("http://b.test/").anchor.stems) == ["Aa Acat", "Bcat"]


def test_a_page_that_was_not_fetched_has_what_links_say() -> None:
    found = document("http://c.test/100%25/caf%C3%A9")
    assert (found.anchor.forms, found.captured_at, found.body.stems) == ("never fetched", None, [])


def test_the_words_of_an_address_are_read_as_on_a_page() -> None:
    assert document("http://c.test/100%25/caf%C3%A9").url.forms == "c test 100 café"
    assert document(PAGES[0].url).url.stems == ["Aa Atest Arun Adog Ahtml"]


def test_an_address_that_was_not_fetched_is_read_in_the_language_of_links() -> None:
    page = HandMade("http://a.test/", links=(Link("http://b.test/running", "run"),))
    assert documents([page])[page_id("http://b.test/running")].url.stems == ["Ab Atest Arun"]


def test_site_and_host_are_names() -> None:
    assert document("http://www.d.test/x").names == ("d.test", "www.d.test")
    assert document("http://b.test/").names == ("b.test",)


def test_the_moment_is_kept_to_the_microsecond() -> None:
    assert document(PAGES[0].url).captured_at == round(MARCH.timestamp() * 1_000_000)


MANY = [
    HandMade(f"http://s{n % 3}.test/{n}", f"word{n}", links=(Link(f"http://s{n % 4}.test/{n + 1}", f"to {n}"),))
    for n in range(12)
]


@pytest.mark.parametrize(("rows", "anchor_rows"), [*product((1, 2, 5), repeat=2)])
def test_batches_of_any_size_give_the_same_documents(rows: int, anchor_rows: int) -> None:
    assert documents(MANY, rows, anchor_rows) == documents(MANY)


def test_pages_without_words_are_documents_too() -> None:
    assert len(documents([HandMade("http://a.test/")])) == 1
