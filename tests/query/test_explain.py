"""Why a page is related: terms that both have, and a place where they stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from small_shards import Bag, bags, question
from small_web import NEVER_FETCHED

from pagekin.index import Index
from pagekin.query.explain import LONGEST_QUOTE, Reason, shared_terms
from pagekin.query.similar import TermWeights

EVEN = TermWeights(np.ones(24), np.ones(24), 0.0)


@settings(deadline=None)
@given(bags, bags)
def test_the_shares_are_those_of_the_sum_of_minima(one: Bag, other: Bag) -> None:
    shared = shared_terms(question(one, EVEN), question(other, EVEN))
    minima = {t: min(one[t] / sum(one.values()), other[t] / sum(other.values())) for t in one.keys() & other.keys()}
    assert dict(shared) == pytest.approx({t: minimum / sum(minima.values()) for t, minimum in minima.items()})
    assert [share for _, share in shared] == sorted((share for _, share in shared), reverse=True)


def reasons(index: Index, url: str) -> list[tuple[str, Reason]]:
    found = [(result.url, result.why) for result in index.related(url, explain=True).results]
    return [(result, why) for result, why in found if why is not None]


def words_of(index: Index, url: str) -> list[str]:
    row = index._quotes._pages.row(index.page(url))
    return index._quotes._texts(row["words"]) if row else []


def stands_in(quote: str, words: list[str]) -> bool:
    return f" {quote} " in f" {' '.join(words)} "


def sample_reasons(index: Index, sample: Path) -> list[tuple[str, Reason]]:
    lines = (sample / "directory.tsv").read_text("utf-8").splitlines()[::300]
    return [reason for line in lines for reason in reasons(index, line.split("\t")[0])]


def test_nothing_is_explained_unasked(small_index: Index) -> None:
    assert {found.why for found in small_index.related("http://garden.example/bees-0.html").results} == {None}


def test_the_shares_add_up_to_at_most_1(sample_index: Index, sample: Path) -> None:
    explained = sample_reasons(sample_index, sample)
    assert len(explained) > 30
    for _, why in explained:
        shares = [shared.share for shared in why.shared]
        assert 1 <= len(shares) <= 8
        assert 0 < sum(shares) <= 1.0005  # each is rounded to four digits
        assert shares == sorted(shares, reverse=True)


def test_a_quote_stands_on_the_page_it_is_from(sample_index: Index, sample: Path) -> None:
    for url, why in sample_reasons(sample_index, sample):
        assert why.quote
        assert len(why.quote.split()) <= LONGEST_QUOTE
        assert stands_in(why.quote, words_of(sample_index, why.quoted_from))
        assert why.quoted_from == url or not words_of(sample_index, url)


def test_a_quote_has_a_term_that_both_have(small_index: Index) -> None:
    for _, why in reasons(small_index, "http://garden.example/bees-0.html"):
        assert {shared.term for shared in why.shared} & {*why.quote.split()}


def test_of_a_page_that_was_never_fetched_a_link_is_quoted(small_index: Index) -> None:
    (why,) = [why for url, why in reasons(small_index, "http://garden.example/bread-2.html") if url == NEVER_FETCHED]
    assert why.quote == "an unseen sourdough starter"
    assert "/bread-" in why.quoted_from


def test_a_text_gets_reasons_too(small_index: Index) -> None:
    (found,) = small_index.related(text="sourdough", k=1, explain=True).results
    assert found.why is not None
    assert ([s.term for s in found.why.shared], [s.share for s in found.why.shared]) == (["sourdough"], [1.0])
