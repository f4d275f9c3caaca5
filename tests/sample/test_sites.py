from __future__ import annotations

import re

from pagekin.sample.sites import LAYOUT, NEIGHBOURHOOD_PAGES, TOPICAL, Web

WEB = Web(4000, 1)
PAGES = [WEB.page(number) for number in range(WEB.pages)]
RESERVED = re.compile(r"http://([\w-]+\.)+(example|test|example\.net)/")


def test_a_neighbourhood_has_a_site_for_each_middle_class() -> None:
    sites = [WEB.site(3, slot) for slot, (kind, _) in enumerate(LAYOUT) if kind in TOPICAL]
    assert len({site.leaves[0].above for site in sites}) == len(sites) == 16


def test_page_knows_its_number() -> None:
    assert [page.number for page in PAGES] == list(range(WEB.pages))


def test_addresses_are_unique() -> None:
    urls = {page.url for number in range(WEB.neighbourhoods) for page in _all_pages(number)}
    assert len(urls) == sum(len(_all_pages(number)) for number in range(WEB.neighbourhoods))


def _all_pages(neighbourhood: int) -> list[object]:
    return [page for slot in range(len(LAYOUT)) for page in WEB.site(neighbourhood, slot).all_pages]


def test_hosts_stay_unique_beyond_the_endings() -> None:
    web = Web(100 * NEIGHBOURHOOD_PAGES, 1)
    hosts = [web.site(number, slot).host for number in range(100) for slot in range(len(LAYOUT))]
    assert len(set(hosts)) == len(hosts)


def test_hosts_are_reserved_ones() -> None:
    assert all(RESERVED.match(page.url) for page in PAGES)


def test_every_leaf_has_pages_on_every_site_of_its_class() -> None:
    for slot, (kind, _) in enumerate(LAYOUT):
        if kind in TOPICAL:
            assert all(WEB.site(0, slot).pages_by_leaf.values())


def test_page_about_a_leaf_is_about_it() -> None:
    dice = WEB.dice("any")
    leaf = PAGES[100].leaf
    assert all(WEB.page_about(leaf, 2, dice).leaf is leaf for _ in range(50))


def test_copies_have_an_original_that_is_none() -> None:
    copies = [page for page in PAGES if page.copied_as in ("near", "exact", "print")]
    assert copies
    assert all(page.original and page.original.copied_as is None for page in copies)
