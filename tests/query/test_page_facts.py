"""What is known of a page: it is what its HTML, the links to it and the index say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.errors import UnknownPage
from pagekin.index import Index, open_index
from pagekin.query.page_facts import page_facts

STORY = " ".join(f"word{number}" for number in range(200))
PAGES = {
    "a.html": f"<html lang=en><title>A</title><p>{STORY} <a href=b.html>second</a> <a href=away.html>gone away</a>",
    "b.html": "<html lang=de><title>B</title><p>ganz andere Wörter <a href=away.html>fort</a> <a href=b.html>hier</a>",
    "copy.html": f"<html lang=en><title>A</title><p>{STORY} <a href=b.html>second</a> <a href=away.html>gone away</a>",
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of three pages, two of which are the same."""
    folder = tmp_path_factory.mktemp("facts")
    (folder / "site").mkdir()
    for name, html in PAGES.items():
        (folder / "site" / name).write_text(html, "utf-8")
    build(folder / "site", folder / "site.kin", engine=LocalEngine(workers=1))
    return open_index(folder / "site.kin")


def test_a_fetched_page_has_what_its_html_says(opened: Index) -> None:
    facts = page_facts(opened, "http://site/a.html")
    assert (facts.url, facts.title, facts.site, facts.language) == ("http://site/a.html", "A", "site", "en")
    assert (facts.fetched, facts.words, facts.links_out) == (True, 1 + 200 + 3, 2)
    assert facts.captured_at is not None


def test_copies_are_named(opened: Index) -> None:
    facts = page_facts(opened, "http://site/a.html")
    assert (facts.copies, facts.copied_at) == (1, ("http://site/copy.html",))


def test_a_page_that_was_not_fetched_is_known_by_links(opened: Index) -> None:
    facts = page_facts(opened, "http://site/away.html")
    assert (facts.fetched, facts.captured_at, facts.words, facts.in_links) == (False, None, 0, 3)
    assert set(facts.linked_from) == {f"http://site/{name}" for name in PAGES}


def test_a_page_that_links_to_itself_is_not_listed_as_linking(opened: Index) -> None:
    assert set(page_facts(opened, "http://site/b.html").linked_from) == {"http://site/a.html", "http://site/copy.html"}


def test_terms_are_those_of_the_index(opened: Index) -> None:
    assert page_facts(opened, "http://site/b.html", 3).terms == opened.terms("http://site/b.html", 3).terms


def test_an_unknown_page_is_told(opened: Index, tmp_path: Path) -> None:
    with pytest.raises(UnknownPage):
        page_facts(opened, "http://nowhere.invalid/")
