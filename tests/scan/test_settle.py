"""Which capture counts, which address a page has, and where links to its other addresses lead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.engines.protocol import Fold, Map
from pagekin.pipelines import SCHEMAS, crawl_to_pages
from pagekin.settings import Settings
from pagekin.tables import CAPTURES

Row = dict[str, Any]


def page(url: str, html: str = "<p>words", day: int = 1) -> Row:
    return capture(url, html, day)


def capture(url: str, html: str, day: int, moved_to: str = "", moved_by: str = "") -> Row:
    at = datetime(2020, 1, day, tzinfo=UTC)
    rest = {"encoding": "utf-8", "moved_to": moved_to, "moved_by": moved_by}
    return {"source": "test", "url": url, "captured_at": at, "html": html.encode(), **rest}


def redirect(url: str, target: str) -> Row:
    return capture(url, "", 1, target, "redirect")


def revisit(url: str, target: str) -> Row:
    return capture(url, "", 1, target, "revisit")


def links(*urls: str) -> str:
    return "".join(f"<a href='{url}'>link</a> " for url in urls)


@dataclass
class Settled:
    """The tables that stay, as rows."""

    pages: list[Row]
    urls: list[Row]
    aliases: list[Row]
    lexicon: list[Row]

    @property
    def page_urls(self) -> list[str]:
        return sorted(row["url"] for row in self.pages)

    def page(self, url: str) -> Row:
        return next(row for row in self.pages if row["url"] == url)

    @property
    def in_links(self) -> dict[str, int]:
        return {row["url"]: row["in_links"] for row in self.urls}

    @property
    def moves(self) -> dict[str, str]:
        return {row["url"]: row["target_url"] for row in self.aliases}


def settled(*captures: Row) -> Settled:
    """Run the steps by hand, each on all rows at once."""
    tables = {"captures": [pa.RecordBatch.from_pylist([row], schema=CAPTURES) for row in captures]}
    for step in crawl_to_pages(Settings())[1:]:
        assert isinstance(step, Map | Fold)
        sides = {name: joined(tables, name) for name in step.uses}
        for name, batch in step.step(read(step, tables), **sides):
            tables.setdefault(name, []).append(batch)
    return Settled(*(joined(tables, name).to_pylist() for name in ("pages", "urls", "aliases", "lexicon")))


def joined(tables: dict[str, list[pa.RecordBatch]], name: str) -> pa.Table:
    return pa.Table.from_batches(tables.get(name, []), SCHEMAS[name])


def read(step: Map | Fold, tables: dict[str, list[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    if isinstance(step, Map):
        yield from tables.get(step.reads, [])
    elif table := joined(tables, step.reads):
        rows = table.sort_by([(name, "ascending") for name in step.key]) if step.key else table
        yield from rows.combine_chunks().to_batches()


# --- captures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [(1, 2), (2, 1)])
def test_the_newest_capture_wins(days: tuple[int, int]) -> None:
    web = settled(*(page("http://a.test/x", f"<title>day {day}</title>", day) for day in days))
    assert [row["title"] for row in web.pages] == ["day 2"]


def test_of_one_instant_the_fuller_capture_wins() -> None:
    for pair in permutations([page("http://a.test/x", "one"), page("http://a.test/x", "one two")]):
        assert len(settled(*pair).pages[0]["words"]) == 2


ALIKE = (
    page("http://a.test/x", "<title>one</title>two " + links("/l")),
    page("https://a.test/x", "<title>one</title>two " + links("/l")),
    page("http://a.test/x", "one two " + links("/l")),
    page("http://a.test/x", "one two " + links("/m")),
    page("http://a.test/x", "one two " + links("https://a.test/l")),
    page("http://a.test/x", "<html lang=de>one two " + links("/l")),
    page("http://a.test/x", "one <b>two</b> " + links("/l")),
    page("http://a.test/x", "two one " + links("/l")),
    page("http://a.test/y", "<link rel=canonical href=/x>one two " + links("/l")),
    page("http://a.test/z", "<link rel=canonical href=/x>one two " + links("/l")),
)


@given(st.lists(st.sampled_from(ALIKE), min_size=2, max_size=4, unique_by=id), st.data())
@settings(deadline=None, max_examples=40)
def test_of_captures_that_are_much_alike_any_order_chooses_the_same(rows: list[Row], data: st.DataObject) -> None:
    assert settled(*rows) == settled(*data.draw(st.permutations(rows)))


def test_http_and_https_are_one_page() -> None:
    web = settled(page("http://a.test/x", day=1), page("https://a.test/x", day=2))
    assert web.page_urls == ["https://a.test/x"]


def test_links_to_http_and_https_count_for_one_page() -> None:
    web = settled(page("https://a.test/x"), page("http://b.test/", links("http://a.test/x", "https://a.test/x")))
    assert web.in_links["https://a.test/x"] == 2
    assert "http://a.test/x" not in web.in_links


# --- addresses ----------------------------------------------------------------------------------------------


def test_a_link_to_an_old_address_leads_to_the_new_page() -> None:
    web = settled(
        redirect("http://a.test/old", "/new"),
        page("http://a.test/new"),
        page("http://b.test/", links("http://a.test/old")),
    )
    assert web.page("http://b.test/")["link_url"] == ["http://a.test/new"]
    assert web.in_links == {"http://a.test/new": 1, "http://b.test/": 0}


def test_a_link_keeps_its_place_when_it_is_led_on() -> None:
    html = "zero " + links("/one", "/old", "/two")
    web = settled(redirect("http://a.test/old", "/new"), page("http://a.test/", html))
    row = web.page("http://a.test/")
    assert row["link_url"] == [f"http://a.test/{name}" for name in ("one", "new", "two")]
    assert (row["link_first"], row["link_last"]) == ([1, 2, 3], [2, 3, 4])


def test_a_link_that_comes_back_to_its_page_is_dropped() -> None:
    web = settled(redirect("http://a.test/old", "/new"), page("http://a.test/new", links("/old", "/else")))
    assert web.page("http://a.test/new")["link_url"] == ["http://a.test/else"]


def test_a_chain_of_redirects_is_followed_to_its_end() -> None:
    chain = [redirect(f"http://a.test/{n}", f"/{n + 1}") for n in range(5)]
    for order in (chain, chain[::-1]):
        web = settled(*order, page("http://a.test/5"), page("http://b.test/", links("http://a.test/0")))
        assert set(web.moves.values()) == {"http://a.test/5"}
        assert web.in_links["http://a.test/5"] == 1


def test_redirects_in_a_circle_are_dropped() -> None:
    circle = [redirect("http://a.test/1", "/2"), redirect("http://a.test/2", "/1"), redirect("http://a.test/0", "/1")]
    web = settled(*circle, page("http://b.test/", links("http://a.test/1")))
    assert web.moves == {}
    assert web.in_links["http://a.test/1"] == 1


def test_a_redirect_to_itself_is_none() -> None:
    assert settled(redirect("http://a.test/x", "https://a.test/x"), page("https://a.test/x")).moves == {}


def test_an_address_with_a_page_of_its_own_does_not_move() -> None:
    web = settled(
        redirect("http://a.test/x", "/new"), page("http://a.test/x"), page("http://b.test/", links("http://a.test/x"))
    )
    assert web.in_links["http://a.test/x"] == 1


def test_a_redirect_to_a_page_that_was_never_fetched_counts() -> None:
    web = settled(redirect("http://a.test/old", "/new"), page("http://b.test/", links("http://a.test/old")))
    assert web.in_links["http://a.test/new"] == 1


def test_of_two_redirects_any_order_chooses_the_same() -> None:
    pair = [redirect("http://a.test/x", "/1"), redirect("http://a.test/x", "/2")]
    assert settled(*pair).moves == settled(*pair[::-1]).moves == {"http://a.test/x": "http://a.test/1"}


def test_a_redirect_that_leads_nowhere_is_no_alias() -> None:
    assert settled(redirect("http://a.test/x", "mailto:jo@a.test"), page("http://a.test/y")).moves == {}


def test_a_revisit_of_another_address_is_an_alias() -> None:
    web = settled(revisit("http://a.test/copy", "http://a.test/x"), page("http://a.test/x"))
    assert web.moves == {"http://a.test/copy": "http://a.test/x"}


# --- rel=canonical ------------------------------------------------------------------------------------------


def canonical(target: str) -> str:
    return f"<link rel=canonical href='{target}'>words"


def test_a_page_has_the_address_it_gives_itself() -> None:
    web = settled(
        page("http://a.test/x?sort=1", canonical("/x")), page("http://b.test/", links("http://a.test/x?sort=1"))
    )
    assert web.page_urls == ["http://a.test/x", "http://b.test/"]
    assert web.page("http://a.test/x")["captured_as"] == "http://a.test/x?sort=1"
    assert web.in_links["http://a.test/x"] == 1


def test_a_page_fetched_from_its_own_address_comes_first() -> None:
    web = settled(page("http://a.test/x", "<title>own</title>", 1), page("http://a.test/y", canonical("/x"), 9))
    assert [row["title"] for row in web.pages] == ["own"]


def test_a_page_may_not_speak_for_another_site() -> None:
    web = settled(page("http://a.test/x", canonical("http://b.test/x")))
    assert (web.page_urls, web.moves) == (["http://a.test/x"], {})


def test_a_page_may_speak_for_another_host_of_its_site() -> None:
    assert settled(page("http://m.a.test/x", canonical("http://www.a.test/x"))).page_urls == ["http://www.a.test/x"]


@pytest.mark.parametrize("front", ["/", "http://a.test", "/index.html", "http://www.a.test/"])
def test_a_page_is_not_the_front_page(front: str) -> None:
    assert settled(page("http://a.test/x", canonical(front))).page_urls == ["http://a.test/x"]


def test_a_front_page_may_be_that_of_another_host() -> None:
    assert settled(page("http://a.test/", canonical("http://www.a.test/"))).page_urls == ["http://www.a.test/"]


@pytest.mark.parametrize("broken", ["", "mailto:jo@a.test", "http://[", "javascript:"])
def test_an_address_that_is_none_is_not_taken(broken: str) -> None:
    assert settled(page("http://a.test/x", canonical(broken))).page_urls == ["http://a.test/x"]


def test_two_pages_that_name_each_other_both_stay() -> None:
    web = settled(page("http://a.test/x", canonical("/y")), page("http://a.test/y", canonical("/x")))
    assert web.page_urls == ["http://a.test/x", "http://a.test/y"]


# --- tables -------------------------------------------------------------------------------------------------


def test_every_page_and_every_target_has_one_address() -> None:
    web = settled(page("http://a.test/", links("/x", "/x", "/y")), page("http://a.test/x", links("/y")))
    assert web.in_links == {"http://a.test/": 0, "http://a.test/x": 2, "http://a.test/y": 2}
    assert {row["url"] for row in web.urls if row["fetched"]} == {"http://a.test/", "http://a.test/x"}


def test_the_same_words_of_two_batches_are_counted_together() -> None:
    web = settled(page("http://a.test/x", "one two"), page("http://a.test/y", "two three"))
    assert {row["text"]: row["occurrences"] for row in web.lexicon} == {"one": 1, "two": 2, "three": 1}
