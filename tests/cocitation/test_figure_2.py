"""The copyright page that every footer links to: related to many by traditional co-citation, to nobody by blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagekin.crawl.urls import canonical_url, page_id
from pagekin.evaluation.link_peers import LinkGraph, traditional_cocitation
from pagekin.sample.sites import COPYRIGHT_URL
from pagekin.settings import CocitationSettings

from .webs import Tables, cocited

COPYRIGHT = page_id(canonical_url(COPYRIGHT_URL))
TOP = 10


@pytest.fixture(scope="module")
def tables(sample_web: Tables, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return cocited(sample_web, tmp_path_factory.mktemp("figure") / "out")


def link_graph(sample_web: Tables, tables: Tables) -> tuple[dict[int, int], LinkGraph]:
    """The number of each page, and the links between sites."""
    site = {row["page"]: row["site_id"] for row in tables.rows("targets")}
    numbers = {page: number for number, page in enumerate(sorted(site))}
    linked: dict[int, list[int]] = {page: [] for page in numbers}
    for row in sample_web.rows("pages"):
        for target, nofollow in zip(row["link_page"], row["link_nofollow"], strict=True):
            if not nofollow and site[target] != site[row["page"]]:
                linked[row["page"]].append(numbers[target])
    ends = np.append(0, np.cumsum([len(linked[page]) for page in numbers])).astype(np.int64)
    target = np.array([number for page in numbers for number in linked[page]], np.int32)
    return numbers, LinkGraph(target, ends, np.array([site[page] for page in numbers], np.int64))


def test_every_site_links_to_the_copyright_page(sample_web: Tables) -> None:
    linking = {row["site_id"] for row in sample_web.rows("pages") if COPYRIGHT in row["link_page"]}
    assert len(linking) >= 10


def traditional_answers(sample_web: Tables, tables: Tables) -> int:
    """For how many pages traditional co-citation has the copyright page among the first."""
    numbers, graph = link_graph(sample_web, tables)
    scores, copyright = traditional_cocitation(graph), numbers[COPYRIGHT]
    found = 0
    for page in numbers.values():
        score = scores(page)
        best = np.argsort(-score, kind="stable")[:TOP]
        found += bool(copyright in best and score[copyright] > 0)
    return found


def block_answers(tables: Tables, top: int) -> int:
    """For how many pages block co-citation has it among the first."""
    others: dict[int, list[int]] = {}
    for row in tables.rows("cocited"):
        others.setdefault(row["page"], []).append(row["other"])
    assert len(others) > 100
    return sum(COPYRIGHT in found[:top] for found in others.values())


def test_traditional_cocitation_has_it_for_many_pages(sample_web: Tables, tables: Tables) -> None:
    assert traditional_answers(sample_web, tables) >= 50


def test_block_cocitation_has_it_for_nobody(tables: Tables) -> None:
    assert block_answers(tables, CocitationSettings().pages) == 0


def test_whole_pages_as_blocks_have_it_for_many(sample_web: Tables, tmp_path: Path) -> None:
    """It is the blocks that leave it out, not what is done with them."""
    whole = cocited(sample_web, tmp_path / "out", CocitationSettings(whole_pages=True))
    assert block_answers(whole, CocitationSettings().pages) >= 100
