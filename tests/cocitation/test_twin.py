"""The fast way gives the same co-cited pages as the equations of the paper, under all settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from pagekin.cocitation.blocks import link_blocks, styled
from pagekin.settings import CocitationSettings

from .twins import TOLD, Crawl, Outcome, best, cocitation, in_four_bytes
from .webs import Tables, cocited

ALL = 1 << 30
PAPER = CocitationSettings(edges=False, dynamic=True, site_pairs=False, mirrors=False)
SETTINGS = {
    "defaults": CocitationSettings(),
    "as in the paper": PAPER,
    "queries": CocitationSettings(dynamic=True),
    "sites apart": CocitationSettings(site_pairs=False),
    "one repeat": CocitationSettings(repeats=1),
    "two of a site": CocitationSettings(site_most=2.0),
    "no limit for a site": CocitationSettings(site_most=0.0, repeats=100),
    "near": CocitationSettings(near=1),
    "own site": CocitationSettings(own_site="yes"),
    "authority": CocitationSettings(authority=0.5),
    "least": CocitationSettings(least=1.0),
    "three pages": CocitationSettings(pages=3),
    "small blocks": CocitationSettings(block_links=5),
    "whole pages": CocitationSettings(whole_pages=True),
    "mirrors apart": CocitationSettings(mirrors=False),
}


@dataclass(frozen=True)
class Both:
    """What the steps make, with some pages and with all, and what the twin does."""

    settings: CocitationSettings
    tables: Tables
    every: Tables
    slow: Outcome
    pages: int


@pytest.fixture(scope="module")
def crawl(sample_web: Tables) -> Crawl:
    names = ("pages", "urls", "lexicon", "languages")
    return Crawl(*(sample_web.rows(name) for name in names))


@pytest.fixture(scope="module", params=SETTINGS)
def both(
    request: pytest.FixtureRequest, sample_web: Tables, crawl: Crawl, tmp_path_factory: pytest.TempPathFactory
) -> Both:
    settings: CocitationSettings = SETTINGS[request.param]
    folder = tmp_path_factory.mktemp("cocited")
    tables = cocited(sample_web, folder / "some", settings)
    every = cocited(sample_web, folder / "all", replace(settings, pages=ALL, least=1e-9))
    mirrors = {row["host"]: row["original"] for row in tables.rows("mirrors")}
    urls = {row["page"]: row["url"] for row in tables.rows("urls")}
    copies = {urls[row["page"]]: urls[row["representative"]] for row in tables.rows("duplicates")}
    factors = {row["site_id"]: row["authority"] ** settings.authority for row in tables.rows("authority")}
    settled = replace(settings, own_site="no" if settings.own_site == "auto" else settings.own_site)
    slow = cocitation(crawl, page_blocks(sample_web, settings), mirrors, copies, factors, settled)
    return Both(settled, tables, every, slow, len(crawl.pages))


def page_blocks(tables: Tables, settings: CocitationSettings) -> dict[int, list[int]]:
    """For each page the number of the block of each of its links."""
    pages = tables["pages"]
    laid = styled(pages, np.zeros(pages.num_rows, np.int64))
    parts = np.split(link_blocks(laid, settings), laid.chunk.link_ends[1:-1])
    return dict(zip(pages["page"].to_pylist(), (part.tolist() for part in parts), strict=True))


def test_the_same_pairs(both: Both) -> None:
    found = {(row["page"], row["other"]) for row in both.every.rows("cocited")}
    assert len(found) == both.every["cocited"].num_rows
    assert found == both.slow.totals.keys()
    assert len(found) > 500


def test_the_same_totals(both: Both) -> None:
    for row in both.every.rows("cocited"):
        slow = both.slow.totals[row["page"], row["other"]]
        assert row["total"] == pytest.approx(slow.total, rel=1e-5)
        assert row["citing"] == slow.citing


def test_the_pages_that_put_them_nearest(both: Both) -> None:
    for row in both.every.rows("cocited"):
        similarities = both.slow.totals[row["page"], row["other"]].similarities
        assert len(set(row["sources"])) == len(row["sources"])
        nearest = sorted(similarities.values(), reverse=True)[:3]
        assert [similarities[source] for source in row["sources"]] == nearest


def test_the_same_best(both: Both) -> None:
    found: dict[int, list[int]] = {}
    for row in both.tables.rows("cocited"):
        found.setdefault(row["page"], []).append(row["other"])
    assert found == best(both.slow.totals, both.settings, both.pages)


def test_the_totals_of_the_best(both: Both) -> None:
    least = in_four_bytes(both.settings.least)
    for row in both.tables.rows("cocited"):
        assert row["total"] >= least
        assert row["total"] == pytest.approx(both.slow.totals[row["page"], row["other"]].total, rel=1e-5)


def test_the_same_links_are_filtered(both: Both) -> None:
    found = {row["filter"]: row["links"] for row in both.tables.rows("filtered")}
    assert tuple(found) == TOLD
    assert found == both.slow.touched


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "defaults"])
def test_the_sample_web_has_what_settings_tell_apart(sample_web: Tables, tmp_path: Path, name: str) -> None:
    usual = cocited(sample_web, tmp_path / "usual")["cocited"]
    assert cocited(sample_web, tmp_path / "other", SETTINGS[name])["cocited"] != usual
