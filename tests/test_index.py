"""An open index says what stands for a page."""

from __future__ import annotations

import pytest

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.errors import UnknownPage
from pagekin.settings import Settings, Strategy

PAGES = {
    "index.html": '<html lang=en><title>Bees</title><p>About <a href="honey.html">honey</a> '
    'and <a href="http://far.test/wax">candles of wax</a>.',
    "honey.html": '<html lang=en><title>Honey</title><p>Bees make honeys, honeys and honey. <a href="empty.html"></a>',
    "empty.html": "",
}
STRATEGY = Strategy(frequency="none", template_pages=0, window="0", links=0.5)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Index:
    """An index of three pages that link."""
    folder = tmp_path_factory.mktemp("bees")
    for name, html in PAGES.items():
        (folder / "site" / name).parent.mkdir(exist_ok=True)
        (folder / "site" / name).write_text(html, "utf-8")
    pagekin.build(folder / "site", folder / "bees.kin", Settings(strategy=STRATEGY), engine=LocalEngine(1))
    return pagekin.open(folder / "bees.kin")


def words(index: pagekin.Index, url: str, k: int = 10) -> list[str]:
    return [term.term for term in index.terms(url, k).terms]


def test_the_heaviest_term_comes_first_in_its_commonest_form(index: pagekin.Index) -> None:
    assert words(index, "http://site/honey.html", k=1) == ["honey"]


def test_weights_are_shares_of_the_bag(index: pagekin.Index) -> None:
    assert sum(term.weight for term in index.terms("http://site/honey.html", 1000).terms) == pytest.approx(1)


def test_a_page_that_was_only_linked_to_has_the_words_of_its_links(index: pagekin.Index) -> None:
    found = index.terms("http://far.test/wax")
    assert not found.fetched
    assert {"candles", "wax"} <= {term.term for term in found.terms}


def test_a_page_that_links_is_shown_by_its_address(index: pagekin.Index) -> None:
    assert "link from http://site/" in words(index, "http://far.test/wax")


def test_any_spelling_of_an_address_will_do(index: pagekin.Index) -> None:
    for url in ("HTTP://SITE:80/honey.html", "site/honey.html", "http://site/x/../honey.html#top"):
        assert index.terms(url).url == "http://site/honey.html"


def test_a_page_without_words_has_only_what_links_to_it(index: pagekin.Index) -> None:
    assert words(index, "http://site/empty.html") == ["link from http://site/honey.html"]


def test_an_unknown_page_is_refused_with_the_nearest(index: pagekin.Index) -> None:
    with pytest.raises(UnknownPage, match=r"nearest that are: http://site/honey\.html"):
        index.terms("http://site/hony.html")
