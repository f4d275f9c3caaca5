"""A page by any spelling of its address; what is said of one that is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_web import MOVED

from pagekin.errors import UnknownPage
from pagekin.index import Index

URL = "http://garden.example/bees-0.html"


@pytest.mark.parametrize(
    "spelling",
    [
        "https://garden.example/bees-0.html",
        "garden.example/bees-0.html",
        "HTTP://GARDEN.example:80/bees-0.html/",
        "http://garden.example/./bees-0.html#top",
        "http://garden.example/bees-0.html?utm_source=news&fbclid=1",
        "http://garden.example//bees-0.html/index.html",
        " http://garden.example/%62ees-0.html\n",
    ],
)
def test_every_spelling_of_an_address_is_the_page(small_index: Index, spelling: str) -> None:
    assert small_index.related(spelling, k=3) == small_index.related(URL, k=3)


@pytest.mark.parametrize("alias", [MOVED[0], "https://shore.example/old-boats/", "shore.example/old-boats"])
def test_an_old_address_is_the_page_it_leads_to(small_index: Index, alias: str) -> None:
    assert small_index.related(alias).query == MOVED[1]


def test_of_an_unknown_address_the_three_nearest_are_named(small_index: Index) -> None:
    with pytest.raises(UnknownPage) as caught:
        small_index.related("http://garden.example/bees-1.html")
    said, nearest = str(caught.value).split("; the nearest that are: ")
    assert said == "http://garden.example/bees-1.html is not in this index"
    assert sorted(nearest.split(", ")) == [f"http://garden.example/bees-{i}.html" for i in (0, 3, 6)]


def test_the_nearest_to_an_unknown_host_are_of_others(small_index: Index) -> None:
    with pytest.raises(UnknownPage, match=r"nearest that are: http://garden\.example/bees"):
        small_index.related("http://gardens.example/bees-0.html")


@given(st.text() | st.text().map("http://garden.example/".__add__))
def test_whatever_is_asked_for_is_known_or_unknown(small_index: Index, url: str) -> None:
    try:
        assert isinstance(small_index.page(url), int)
    except UnknownPage as error:
        assert "is not in this index" in str(error)
