"""What stands around a page, against the pages themselves."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.query.surroundings import Surroundings, surroundings_of
from pagekin.settings import Settings

COPIED = " ".join(f"word{number} stands here" for number in range(60))
PAGES = {
    "bees.html": '<html lang=en><title>Bees</title><p>Bees dance. See <a href="honey.html">golden honey</a>'
    ' and <a href="http://far.test/wax">candles of wax</a>.',
    "honey.html": "<html lang=en><title>Honey</title><p>Honey is sweet. It is made in the hive by"
    ' <a href="bees.html">bees</a>. <a href="honey.html">Again</a>.',
    "hive.html": '<html lang=en><title>Hive</title><p>A hive holds <a href="honey.html">honey of the year</a>.',
    "first.html": f"<html lang=en><title>First</title><p>{COPIED}",
    "second.html": f"<html lang=en><title>Second</title><p>{COPIED}",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Index:
    """An index of five pages."""
    folder = tmp_path_factory.mktemp("around")
    (folder / "site").mkdir()
    for name, html in PAGES.items():
        (folder / "site" / name).write_text(html, "utf-8")
    pagekin.build(folder / "site", folder / "site.kin", Settings(), engine=LocalEngine(1))
    return pagekin.open(folder / "site.kin")


@pytest.fixture(scope="module")
def around(index: pagekin.Index) -> Surroundings:
    return Surroundings(index.path, index.manifest.languages)


def url(name: str) -> str:
    return f"http://site/{name}.html"


@pytest.mark.parametrize("spelling", [url("bees"), "site/bees.html", "HTTPS://SITE/bees.html#top"])
def test_a_page_is_known_by_any_spelling_as_the_index_knows_it(
    index: pagekin.Index, around: Surroundings, spelling: str
) -> None:
    assert around.page(spelling) == index.page(spelling)


@pytest.mark.parametrize("spelling", ["http://site/none.html", "javascript:alert(1)", "", "http://["])
def test_what_is_not_known_is_no_page(around: Surroundings, spelling: str) -> None:
    assert around.page(spelling) is None


def test_a_fetched_page_has_its_title_language_and_date(index: pagekin.Index, around: Surroundings) -> None:
    portrait = around.portrait(index.page(url("bees")))
    assert (portrait.title, portrait.site, portrait.language, portrait.fetched) == ("Bees", "site", "en", True)
    assert portrait.captured_at is not None


def test_a_page_that_was_only_linked_to_has_neither(index: pagekin.Index, around: Surroundings) -> None:
    portrait = around.portrait(index.page("http://far.test/wax"))
    assert (portrait.fetched, portrait.language, portrait.captured_at) == (False, "", None)


def test_a_portrait_counts_copies_and_links(index: pagekin.Index, around: Surroundings) -> None:
    copied, linked = (around.portrait(index.page(url(name))) for name in ("first", "honey"))
    assert (copied.copies, copied.in_links, linked.copies, linked.in_links) == (1, 0, 0, 2)


def test_lengths_are_those_of_the_whole_row(index: pagekin.Index, around: Surroundings) -> None:
    for name in ("bees", "honey", "first"):
        row, _ = index.scanned(url(name))
        assert around.lengths(index.page(url(name))) == (len(row["words"]), len(row["link_page"]))


def test_a_page_that_was_only_linked_to_has_no_length(index: pagekin.Index, around: Surroundings) -> None:
    assert around.lengths(index.page("http://far.test/wax")) == (0, 0)


def test_what_surrounds_an_index_is_opened_once_and_goes_with_it(index: pagekin.Index) -> None:
    other = pagekin.open(index.path)
    opened = weakref.ref(surroundings_of(other))
    assert surroundings_of(other) is opened()
    del other
    gc.collect()
    assert opened() is None


def test_pages_that_link_are_named_once_and_without_the_page_itself(index: pagekin.Index, around: Surroundings) -> None:
    found = around.linking(index.page(url("honey")), 10)
    assert sorted(page.title for page in found) == ["Bees", "Hive"]


def test_no_more_pages_that_link_than_asked_for(index: pagekin.Index, around: Surroundings) -> None:
    assert len(around.linking(index.page(url("honey")), 1)) == 1


def test_what_links_say(index: pagekin.Index, around: Surroundings) -> None:
    said = around.said(index.page(url("honey")), 10)
    assert {"golden honey", "honey of the year"} <= set(said)


def test_copies_are_those_of_the_cluster(index: pagekin.Index, around: Surroundings) -> None:
    assert [page.title for page in around.copies(index.page(url("first")), 5)] == ["Second"]
    assert around.copies(index.page(url("bees")), 5) == []


def test_a_passage_has_the_words_and_marks_them(index: pagekin.Index, around: Surroundings) -> None:
    page = index.page(url("honey"))
    passage = around.passages([page], ["hives"])[page]
    assert [passage.text[first:last] for first, last in passage.marks] == ["hive"]


def test_without_the_words_a_passage_is_the_beginning(index: pagekin.Index, around: Surroundings) -> None:
    page = index.page(url("hive"))
    passage = around.passages([page], ["elephant"])[page]
    assert passage.marks == () and passage.text.startswith("a hive")


def test_each_page_gets_its_own_passage(index: pagekin.Index, around: Surroundings) -> None:
    pages = [index.page(url(name)) for name in ("bees", "honey", "hive")]
    passages = around.passages(pages, ["bees"])
    assert {page: around.passages([page], ["bees"])[page] for page in pages} == passages


def test_without_a_keyword_index_there_are_no_passages(index: pagekin.Index, tmp_path: Path) -> None:
    for part in index.path.iterdir():
        if part.name != "keywords":
            (tmp_path / part.name).symlink_to(part)
    bare = Surroundings(tmp_path, ["en"])
    assert bare.passages([index.page(url("bees"))], ["bees"]) == {}
    assert bare.said(index.page(url("honey")), 5) == []


def test_examples_are_fetched_pages_with_titles_and_no_copies(around: Surroundings) -> None:
    titles = [page.title for page in around.examples]
    assert {"Bees", "Honey", "Hive"} <= set(titles) <= {"Bees", "Honey", "Hive", "First", "Second"}
    assert len({"First", "Second"} & set(titles)) == 1


def test_sites_of_fetched_pages_are_counted(around: Surroundings) -> None:
    assert around.sites == 1
