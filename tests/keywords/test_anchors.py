"""What links say of pages."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pyarrow as pa
import pytest
from hand_made_pages import HandMade, Link, lexicon_table, pages_table, urls_table
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.crawl.urls import page_id
from pagekin.keywords import anchors
from pagekin.tables import LINK_TEXTS

TARGET = "http://target.test/a"


def rows_of(pages: Sequence[HandMade]) -> pa.RecordBatch:
    """LINK_TEXTS of some pages, sorted as an engine sorts them."""
    batches = [batch for _, batch in anchors.link_texts(pages_table(pages).to_batches())]
    table = pa.Table.from_batches(batches, LINK_TEXTS).combine_chunks()
    return table.sort_by([("site_id", "ascending"), ("page", "ascending")]).to_batches()[0]


def said_of(pages: Sequence[HandMade], url: str = TARGET) -> list[str]:
    """The texts that links have to a page."""
    words = dict(zip(*(lexicon_table(pages)[name].to_pylist() for name in ("word", "text")), strict=True))
    (_, batch), *_ = anchors.anchor_texts([rows_of(pages)], urls_table(pages))
    for row in batch.to_pylist():
        if row["page"] == page_id(url):
            spans = zip([0, *row["text_last"]], row["text_last"], strict=False)
            return [" ".join(words[word] for word in row["words"][first:last]) for first, last in spans]
    return []


def linking(number: int, *texts: str, url: str = TARGET) -> HandMade:
    return HandMade(f"http://source.test/{number}", "some words", links=tuple(Link(url, text) for text in texts))


def test_a_page_is_called_what_links_to_it_say() -> None:
    assert said_of([linking(1, "the old mill")]) == ["the old mill"]


def test_the_text_that_most_pages_have_comes_first() -> None:
    pages = [linking(1, "mill", "the mill"), linking(2, "the mill"), linking(3, "windmill", "the mill", "mill")]
    assert said_of(pages) == ["the mill", "mill", "windmill"]


def test_a_page_that_repeats_a_link_says_it_once() -> None:
    assert said_of([linking(1, "here", "here", "here"), linking(2, "mill"), linking(3, "mill")]) == ["mill", "here"]


def test_links_that_ask_not_to_be_followed_say_nothing() -> None:
    page = HandMade("http://source.test/", links=(Link(TARGET, "mill"), Link(TARGET, "cheap pills", nofollow=True)))
    assert said_of([page]) == ["mill"]


def test_a_page_says_nothing_of_itself() -> None:
    own = linking(1, "top of this page", url="http://source.test/1")
    assert rows_of([own, linking(2, "mill")]).num_rows == 1


def test_a_link_without_words_says_nothing() -> None:
    assert said_of([linking(1, "", "mill")]) == ["mill"]


def test_of_a_long_link_the_beginning_counts() -> None:
    assert said_of([linking(1, "word " * 100)]) == [" ".join(["word"] * anchors.LONGEST_TEXT)]


def test_no_more_than_so_many_texts_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "MOST_TEXTS", 2)
    pages = [linking(1, "mill", "the mill"), linking(2, "mill", "the mill"), linking(3, "a ruin")]
    assert sorted(said_of(pages)) == ["mill", "the mill"]


def test_the_language_is_that_of_the_page_that_links() -> None:
    page = HandMade("http://source.test/", language="de", links=(Link(TARGET, "mühle"),))
    (_, batch), *_ = anchors.anchor_texts([rows_of([page])], urls_table([page]))
    assert batch["text_language"].to_pylist() == [["de"]]


TEXTS = st.lists(st.sampled_from(["mill", "the mill", "here", "a ruin"]), max_size=3)


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=8), st.randoms(), st.integers(1, 4))
def test_neither_order_nor_parts_change_what_is_kept(texts: list[list[str]], dice: Random, most: int) -> None:
    pages = [linking(number, "always", *said) for number, said in enumerate(texts)]
    rows, urls = rows_of(pages), urls_table(pages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anchors, "MOST_LINKS", most)
        (_, whole), *_ = anchors.anchor_texts([rows], urls)
        order = list(range(rows.num_rows))
        dice.shuffle(order)
        halves = [rows.take(pa.array(half, pa.int64())) for half in (order[::2], order[1::2])]
        fewer = [batch for _, batch in anchors.fewer_link_texts(half for half in halves if half.num_rows)]
        together = pa.Table.from_batches(fewer).combine_chunks().to_batches()[0]
        (_, parted), *_ = anchors.anchor_texts([together], urls)
    assert parted.equals(whole)
