"""Which pages are exported, with which related pages."""

from __future__ import annotations

import pytest

import pagekin
from pagekin.errors import UnknownPage
from pagekin.exports.rows import Choice, RelatedPages, largest_host

FAR = "http://far.test/keeper"


def answers(index: pagekin.Index, choice: Choice) -> dict[str, list[str]]:
    return {row.url: [near.url for near in row.related] for row in RelatedPages(index, choice)}


def test_a_row_holds_what_related_answers(index: pagekin.Index) -> None:
    rows = list(RelatedPages(index, Choice(k=3)))
    assert len(rows) == 6
    for row in rows:
        found = index.related(row.url, k=3).results
        assert [(near.rank, near.url, near.title, near.score) for near in row.related] == [
            (each.rank, each.url, each.title, each.score) for each in found
        ]


def test_rows_come_in_the_order_of_addresses_with_titles(index: pagekin.Index) -> None:
    pages = [(row.url, row.title) for row in RelatedPages(index, Choice())]
    assert pages == sorted(pages)
    assert pages[0] == ("http://one.test/0.html", "Page 0")


def test_the_length_is_known_before(index: pagekin.Index) -> None:
    assert len(RelatedPages(index, Choice())) == 6


def test_pages_that_were_never_fetched_are_asked_for_only_on_demand(index: pagekin.Index) -> None:
    assert FAR not in answers(index, Choice())
    assert FAR in answers(index, Choice(all_pages=True))


def test_pages_that_were_never_fetched_are_answers_unless_they_are_not_wanted(index: pagekin.Index) -> None:
    assert any(FAR in found for found in answers(index, Choice()).values())
    assert not any(FAR in found for found in answers(index, Choice(fetched_only=True)).values())


def test_answers_left_out_are_made_up_for_by_the_next(index: pagekin.Index) -> None:
    every = answers(index, Choice(k=10))
    for url, found in answers(index, Choice(k=2, fetched_only=True)).items():
        assert found == [other for other in every[url] if other != FAR][:2]


def test_answers_of_a_lower_score_are_left_out(index: pagekin.Index) -> None:
    every = [near.score for row in RelatedPages(index, Choice()) for near in row.related]
    least = sorted(every)[len(every) // 2]
    kept = [near.score for row in RelatedPages(index, Choice(least_score=least)) for near in row.related]
    assert kept == [score for score in every if score >= least]
    assert 0 < len(kept) < len(every)


def test_a_host_keeps_to_itself(index: pagekin.Index) -> None:
    found = answers(index, Choice(host="one.test"))
    assert len(found) == 4
    assert all(url.startswith("http://one.test/") for urls in found.values() for url in urls)


def test_other_sites_and_per_site_are_those_of_related(index: pagekin.Index) -> None:
    for url, found in answers(index, Choice(other_sites=True, per_site=1)).items():
        assert found == [each.url for each in index.related(url, other_sites=True, per_site=1).results]


def test_a_host_that_is_not_there_is_a_no_with_those_that_are(index: pagekin.Index) -> None:
    with pytest.raises(UnknownPage, match=r"no page of far\.test was fetched; there are pages of one\.test, two\.test"):
        RelatedPages(index, Choice(host="far.test"))


def test_the_largest_host_is_the_one_of_most_fetched_pages(index: pagekin.Index) -> None:
    assert largest_host(index) == "one.test"
