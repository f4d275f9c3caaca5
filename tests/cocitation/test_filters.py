"""The seven filters, each by itself and in their order, and what addresses are as targets of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from pagekin.cocitation import filters
from pagekin.cocitation.filters import FILTERS, Links, filtered
from pagekin.cocitation.targets import DYNAMIC, FILE, LOST, MIRRORED, RESPELLED, link_targets
from pagekin.crawl.urls import page_id, site_of
from pagekin.hashing import hash_text
from pagekin.settings import CocitationSettings
from pagekin.tables import DUPLICATES, MIRRORS, URLS

from .twins import FILTERS as NAMES
from .twins import Targets
from .webs import cocited, web

SETTINGS = CocitationSettings(own_site="no")
OWN = 7  # the site of every page here


def links(*rows: tuple[int, int], kinds: Mapping[int, int] | None = None, empty: Sequence[int] = ()) -> Links:
    """Links by the number of their block and their target; the site of a target is its first digit."""
    block, target = np.array(rows, np.int64).reshape(-1, 2).T
    kind = np.array([(kinds or {}).get(int(page), 0) for page in target], np.int64)
    last = np.array([0 if int(page) in empty else 1 for page in target], np.int64)
    first = np.zeros(len(block), np.int64)
    site = np.array([int(str(page)[0]) for page in target], np.int64)
    return Links(block // 10, block, target, site, np.full(len(block), OWN), kind, first, last)


def left(found: tuple[Links, int]) -> tuple[list[tuple[int, int]], int]:
    passed, count = found
    return list(zip(passed.block.tolist(), passed.target.tolist(), strict=True)), count


# --- each by itself


def test_large_blocks_are_dropped_whole() -> None:
    small = CocitationSettings(block_links=3)
    rows = [(0, 10), (0, 11), (0, 12), (1, 10), (1, 11), (1, 12), (1, 13), (2, 10)]
    assert left(filters.large_blocks(links(*rows), small)) == ([(0, 10), (0, 11), (0, 12), (2, 10)], 4)


def test_the_largest_block_has_80_links() -> None:
    rows = [(0, n) for n in range(10, 90)] + [(1, n) for n in range(10, 91)]
    assert left(filters.large_blocks(links(*rows), SETTINGS)) == (rows[:80], 81)


def test_files_are_dropped() -> None:
    made = links((0, 10), (0, 11), (0, 12), kinds={11: FILE, 12: FILE | LOST})
    assert left(filters.files(made, SETTINGS)) == ([(0, 10)], 2)


def test_queries_are_counted_and_dropped_if_the_front_page_is_not_known() -> None:
    made = links((0, 10), (0, 11), (0, 12), (0, 13), kinds={11: DYNAMIC, 12: DYNAMIC | LOST, 13: LOST})
    assert left(filters.dynamic(made, SETTINGS)) == ([(0, 10), (0, 11), (0, 13)], 2)


def test_spellings_are_counted() -> None:
    made = links((0, 10), (0, 11), (0, 12), kinds={11: RESPELLED, 12: RESPELLED | DYNAMIC})
    assert left(filters.spelling(made, SETTINGS)) == ([(0, 10), (0, 11), (0, 12)], 2)


def test_repeated_links_of_a_block_are_dropped() -> None:
    made = links((0, 12), (0, 11), (0, 12), (1, 12), (1, 12), (1, 11), (1, 12))
    assert left(filters.singletons(made, SETTINGS)) == ([(0, 12), (0, 11), (1, 12), (1, 11)], 3)


def test_of_repeated_links_the_first_stays() -> None:
    made = links((0, 12), (0, 12), (0, 12))
    made = made._replace(first=np.array([5, 6, 7]), last=np.array([6, 7, 8]))
    passed, _ = filters.singletons(made, SETTINGS)
    assert passed.first.tolist() == [5]


def test_links_without_words_are_dropped() -> None:
    assert left(filters.empty_anchors(links((0, 10), (0, 11), empty=[10]), SETTINGS)) == ([(0, 11)], 1)


def test_links_within_a_site_are_dropped() -> None:
    made = links((0, 10), (0, 70), (1, 71), (1, 11))
    assert left(filters.common_site(made, SETTINGS)) == ([(0, 10), (1, 11)], 2)


def test_links_within_a_site_stay_if_they_count() -> None:
    made = links((0, 10), (0, 70))
    assert left(filters.common_site(made, CocitationSettings(own_site="yes"))) == ([(0, 10), (0, 70)], 0)


# --- in their order


def counts(made: Links, settings: CocitationSettings = SETTINGS) -> dict[str, int]:
    """What each filter dropped or changed, if anything."""
    _, touched = filtered(made, settings)
    assert tuple(touched) == NAMES == tuple(FILTERS)
    return {name: count for name, count in touched.items() if count}


def test_a_file_in_a_large_block_is_counted_there() -> None:
    made = links((0, 10), (0, 11), (0, 12), kinds={11: FILE})
    assert counts(made, CocitationSettings(block_links=2, own_site="no")) == {"large block": 3}


def test_a_large_block_is_one_before_anything_is_dropped() -> None:
    made = links((0, 10), (0, 10), (0, 71), empty=[10])
    assert counts(made, CocitationSettings(block_links=2, own_site="no")) == {"large block": 3}


def test_a_file_is_counted_before_all_else() -> None:
    made = links((0, 70), (0, 70), kinds={70: FILE | RESPELLED}, empty=[70])
    assert counts(made) == {"file": 2}


def test_a_query_is_counted_and_then_repeated() -> None:
    made = links((0, 10), (0, 10), (0, 11), kinds={10: DYNAMIC})
    assert counts(made) == {"dynamic": 2, "repeated": 1}


def test_a_query_without_a_front_page_is_not_seen_again() -> None:
    made = links((0, 70), (0, 70), kinds={70: DYNAMIC | LOST | RESPELLED}, empty=[70])
    assert counts(made) == {"dynamic": 2}


def test_a_repeated_link_is_counted_before_its_anchor_is_read() -> None:
    made = links((0, 10), (0, 10), (0, 11), empty=[10])
    assert counts(made) == {"repeated": 1, "empty anchor": 1}


def test_the_first_of_repeated_links_decides_even_without_words() -> None:
    """The paper looks for repeated links before it drops those without an anchor."""
    made = links((0, 10), (0, 10))._replace(first=np.array([0, 0]), last=np.array([0, 1]))
    passed, touched = filtered(made, SETTINGS)
    assert len(passed.block) == 0
    assert (touched["repeated"], touched["empty anchor"]) == (1, 1)


def test_an_empty_link_within_a_site_is_counted_as_empty() -> None:
    assert counts(links((0, 70), (0, 71), empty=[70])) == {"empty anchor": 1, "own site": 1}


def test_no_links_pass_all_filters() -> None:
    passed, touched = filtered(links(), SETTINGS)
    assert len(passed.block) == 0
    assert touched == dict.fromkeys(NAMES, 0)


def test_every_filter_on_a_page(tmp_path: Path) -> None:
    """Each block loses what the filters take, and what is left is cited together."""
    page = """
      <ul><li><a href=http://b.test/>one</a> <a href=http://b.test/song.mp3>two</a> <a href=http://b.test/>three</a>
      <a href=http://c.test/></a> <a href=/d>four</a> <a href=http://e.test/?q=1>five</a>
      <a href=http://www.f.test/>six</a></ul>
    """
    urls = {"http://a.test/": page, "http://f.test/": "<p>fetched", "http://e.test/": "<p>front"}
    tables = cocited(web(urls, tmp_path / "web"), tmp_path / "out", CocitationSettings(dynamic=True))
    assert {row["filter"]: row["links"] for row in tables.rows("filtered")} == {
        "large block": 0, "file": 1, "dynamic": 1, "spelling": 1, "repeated": 1, "empty anchor": 1, "own site": 1,
        "too many pairs": 0,
    }  # fmt: skip
    found = {row["page"] for row in tables.rows("cocited")}
    assert found == {page_id(f"http://{name}.test/") for name in "bef"}


# --- targets


def targets(
    urls: Mapping[str, tuple[bool, int]],
    mirrors: Mapping[str, str] | None = None,
    dynamic: bool = False,
    copies: Mapping[str, str] | None = None,
    apart: bool = False,
) -> dict[str, tuple[str, int]]:
    """For each address the one that a link to it counts for, if it is among them, and its kind."""
    rows = sorted(
        ({"page": page_id(url), "url": url, "fetched": f, "in_links": n} for url, (f, n) in urls.items()),
        key=lambda row: int(row["page"]),  # type: ignore[call-overload]
    )
    table = pa.Table.from_pylist(rows, URLS)
    hosts = [{"host": host, "original": original} for host, original in (mirrors or {}).items()]
    settings = CocitationSettings(dynamic=dynamic, mirrors=not apart)
    pages = [{"page": page_id(a), "representative": page_id(b), "resemblance": 1} for a, b in (copies or {}).items()]
    sides = pa.Table.from_pylist(pages, DUPLICATES), pa.Table.from_pylist(hosts, MIRRORS)
    found = link_targets(table.to_batches(), table, *sides, settings)
    names = {page_id(url): url for url in urls}
    made = {names[row["page"]]: row for _, batch in found for row in batch.to_pylist()}
    twin = Targets(rows, mirrors or {}, copies or {}, settings)
    for url, row in made.items():
        slow = twin.target(url)
        assert (row["target"], row["site_id"]) == (slow.page, slow.site)
    return {url: (names.get(row["target"], "?"), row["kind"]) for url, row in made.items()}


def kind(url: str, dynamic: bool = False) -> int:
    return targets({url: (False, 1), "http://a.test/": (True, 0)}, dynamic=dynamic)[url][1]


@pytest.mark.parametrize(
    "path",
    ["a.pdf", "b/song.mp3", "C.DOC", "a.jpg", "a.jpeg", "x.tar.gz", "a.zip?version=2", "a.xlsx", "a.ps", "f.b/a.txt"],
)
def test_files_are_known_by_their_endings(path: str) -> None:
    assert kind(f"http://a.test/{path}") == FILE
    assert kind(f"http://a.test/{path}", dynamic=True) == FILE


@pytest.mark.parametrize(
    "path", ["", "a.html", "a.htm", "a.php", "a.asp", "pdf", "a.pdf/b", "mp3", "a.pdfx", "v1.2", "xpdf", "a.b/c"]
)
def test_pages_are_no_files(path: str) -> None:
    assert kind(f"http://a.test/{path}") == 0


@pytest.mark.parametrize("query", ["f=a.pdf", "a.pdf", "x=1&y=b.doc"])
def test_a_query_makes_no_file(query: str) -> None:
    assert kind(f"http://a.test/get?{query}") == 0


def test_a_host_is_no_file() -> None:
    assert targets({"http://files.zip/": (True, 1), "http://a.sh/b": (True, 1)}) == {
        "http://files.zip/": ("http://files.zip/", 0),
        "http://a.sh/b": ("http://a.sh/b", 0),
    }


def test_a_query_is_its_own_page_by_default() -> None:
    url = "http://a.test/b?c=1"
    assert targets({url: (True, 1), "http://a.test/": (True, 1)})[url] == (url, 0)


def test_a_query_counts_for_the_front_page_of_its_host() -> None:
    url = "http://news.a.test/b?c=1"
    urls = {url: (True, 1), "http://a.test/": (True, 1), "http://news.a.test/": (False, 1)}
    assert targets(urls, dynamic=True)[url] == ("http://news.a.test/", DYNAMIC)


def test_a_front_page_that_nobody_knows() -> None:
    url = "http://a.test/b?c=1"
    assert targets({url: (True, 1), "http://b.test/": (True, 1)}, dynamic=True)[url] == ("?", DYNAMIC | LOST)


def test_a_query_counts_for_the_front_page_in_its_other_spelling() -> None:
    url = "http://a.test/b?c=1"
    found = targets({url: (True, 1), "http://www.a.test/": (False, 0)}, dynamic=True)
    assert found[url] == ("http://www.a.test/", DYNAMIC | RESPELLED)


BARE, WWW = "http://a.test/b", "http://www.a.test/b"


@pytest.mark.parametrize(
    ("bare", "www", "chosen"),
    [
        ((True, 0), (False, 9), BARE),
        ((False, 9), (True, 0), WWW),
        ((False, 3), (False, 2), BARE),
        ((False, 2), (False, 3), WWW),
        ((True, 2), (True, 3), WWW),
        ((True, 2), (True, 2), BARE),
        ((False, 2), (False, 2), BARE),
    ],
)
def test_with_or_without_www(bare: tuple[bool, int], www: tuple[bool, int], chosen: str) -> None:
    found = targets({BARE: bare, WWW: www})
    other = WWW if chosen == BARE else BARE
    assert found == {chosen: (chosen, 0), other: (chosen, RESPELLED)}


def test_other_spellings_are_not_made_up() -> None:
    assert targets({BARE: (True, 1)}) == {BARE: (BARE, 0)}
    assert targets({WWW: (True, 1)}) == {WWW: (WWW, 0)}


def test_another_path_is_no_other_spelling() -> None:
    found = targets({BARE: (False, 1), "http://www.a.test/c": (True, 9)})
    assert found[BARE] == (BARE, 0)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.news.bbc.co.uk/x", "bbc.co.uk"),
        ("https://jo.github.io/", "jo.github.io"),
        ("http://10.0.0.1:8080/x", "10.0.0.1"),
        ("http://a.test:81/", "a.test"),
        ("http://[::1]:80/", "[::1]"),
    ],
)
def test_the_site_of_a_target(url: str, site: str) -> None:
    table = pa.Table.from_pylist([{"page": page_id(url), "url": url, "fetched": True, "in_links": 0}], URLS)
    found = link_targets(table.to_batches(), table, DUPLICATES.empty_table(), MIRRORS.empty_table(), SETTINGS)
    assert [row["site_id"] for _, batch in found for row in batch.to_pylist()] == [hash_text(site)]
    assert site_of(url) == site


def test_a_page_on_a_mirror_counts_for_the_original_if_that_is_known() -> None:
    copy, lone = "http://mirror.test/b", "http://mirror.test/lone"
    found = targets({BARE: (True, 1), copy: (True, 9), lone: (True, 1)}, mirrors={"mirror.test": "a.test"})
    assert found == {BARE: (BARE, 0), copy: (BARE, MIRRORED), lone: (lone, 0)}


def test_queries_on_a_mirror_count_for_the_front_page_of_the_original() -> None:
    url = "http://mirror.test/b?c=1"
    urls = {url: (True, 1), "http://a.test/": (True, 1), "http://mirror.test/": (True, 1)}
    found = targets(urls, mirrors={"mirror.test": "a.test"}, dynamic=True)
    assert found[url] == ("http://a.test/", DYNAMIC | MIRRORED)


def test_a_copy_counts_for_the_page_that_stands_for_it() -> None:
    copy = "http://b.test/copy?print=1"
    urls = {BARE: (True, 1), copy: (True, 9), "http://b.test/": (True, 1)}
    found = targets(urls, copies={copy: BARE}, dynamic=True)
    assert found == {BARE: (BARE, 0), copy: (BARE, MIRRORED), "http://b.test/": ("http://b.test/", 0)}


def test_copies_are_themselves_if_mirrors_are_kept_apart() -> None:
    urls = {BARE: (True, 1), "http://b.test/copy": (True, 9)}
    found = targets(urls, copies={"http://b.test/copy": BARE}, apart=True)
    assert found == {url: (url, 0) for url in urls}
