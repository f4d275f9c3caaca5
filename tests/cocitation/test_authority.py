"""PageRank of sites: against the whole matrix, by hand, and what sites a crawl has."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from pagekin.cocitation.authority import add_site_links, page_rank, settled, site_authority
from pagekin.hashing import hash_text
from pagekin.settings import CocitationSettings, Strategy
from pagekin.tables import AUTHORITY, SITE_LINKS

from .twins import dense_page_rank
from .webs import Row, Tables, cocited, web


def ranks(links: set[tuple[int, int]], nodes: int) -> list[float]:
    source, target = np.array(sorted(links), np.int64).reshape(-1, 2).T
    found: list[float] = page_rank(source, target, nodes).tolist()
    return found


@pytest.mark.parametrize("seed", range(5))
def test_page_rank_is_that_of_the_whole_matrix(seed: int) -> None:
    random, nodes = Random(seed), 30
    linking = random.sample(range(nodes), 22)  # the others have no links
    links = {(random.choice(linking), random.randrange(nodes)) for _ in range(20 * (seed + 1))}
    links = {(source, target) for source, target in links if source != target}
    assert ranks(links, nodes) == pytest.approx(dense_page_rank(links, nodes).tolist(), abs=1e-8)


def test_page_rank_adds_up_to_1() -> None:
    assert sum(ranks({(0, 1), (2, 1), (3, 4)}, 6)) == pytest.approx(1)


def test_without_links_all_are_alike() -> None:
    assert ranks(set(), 4) == pytest.approx([0.25] * 4)


def test_a_ring_makes_all_alike() -> None:
    assert ranks({(0, 1), (1, 2), (2, 0)}, 3) == pytest.approx([1 / 3] * 3)


def test_two_pages_by_hand() -> None:
    """a links to b, b to nobody: a = 0.075 + 0.425 b, b = a + 0.85 a, and both are 1."""
    a = 1 / 2.85
    assert ranks({(0, 1)}, 2) == pytest.approx([a, 1 - a], abs=1e-8)


def test_a_star_by_hand() -> None:
    """Four pages link to the fifth, which links back to the first."""
    links = {(0, 4), (1, 4), (2, 4), (3, 4), (4, 0)}
    leaf = 0.15 / 5
    # first = leaf + 0.85 centre, centre = leaf + 0.85 (first + 3 leaf)
    centre = (leaf + 0.85 * (leaf + 3 * leaf)) / (1 - 0.85**2)
    assert ranks(links, 5) == pytest.approx([leaf + 0.85 * centre, leaf, leaf, leaf, centre], abs=1e-7)


# --- the table


def authority(links: list[tuple[int, int, int]]) -> dict[int, Row]:
    rows = [dict(zip(SITE_LINKS.names, link, strict=True)) for link in links]
    batch = pa.RecordBatch.from_pylist(rows, SITE_LINKS)
    return {row["site_id"]: row for _, made in site_authority([batch]) for row in made.to_pylist()}


def test_authority_is_1_on_average() -> None:
    found = authority([(5, 5, 3), (5, 7, 0), (6, 6, 1), (6, 7, 0), (6, 5, 0), (7, 7, 1)])
    assert list(found) == [5, 6, 7]
    assert sum(row["authority"] for row in found.values()) == pytest.approx(3)
    assert found[7]["authority"] > found[5]["authority"] > found[6]["authority"]


def test_pages_are_those_that_were_fetched() -> None:
    found = authority([(5, 5, 3), (5, 7, 0), (6, 6, 1)])
    assert {site: row["pages"] for site, row in found.items()} == {5: 3, 6: 1, 7: 0}


def test_the_order_of_rows_is_of_no_matter() -> None:
    rows = [(5, 5, 3), (5, 7, 0), (6, 6, 1), (6, 7, 0), (6, 5, 0), (7, 7, 1)]
    assert authority(rows[::-1]) == authority(rows)


def test_links_of_a_site_are_added_up() -> None:
    rows = [{"site_id": 1, "target_site": t, "pages": p} for t, p in [(1, 2), (1, 3), (2, 0), (2, 0)]]
    ((_, made),) = add_site_links([pa.RecordBatch.from_pylist(rows, SITE_LINKS)])
    assert made.to_pylist() == [
        {"site_id": 1, "target_site": 1, "pages": 5},
        {"site_id": 1, "target_site": 2, "pages": 0},
    ]


def test_no_sites_no_authority() -> None:
    assert list(site_authority([])) == []


@pytest.mark.parametrize(("sites", "own"), [(0, "yes"), (1, "yes"), (2, "no")])
def test_links_within_a_site_count_if_there_is_but_one(sites: int, own: str) -> None:
    rows = [{"site_id": n, "pages": int(n < sites), "authority": 1.0} for n in range(5)]
    table = pa.Table.from_pylist(rows, AUTHORITY)
    assert settled(CocitationSettings(), table).own_site == own
    for asked in ("yes", "no"):
        assert settled(CocitationSettings(own_site=asked), table).own_site == asked


# --- webs


def test_the_authority_of_a_small_web(tmp_path: Path) -> None:
    """Links are between sites, each counted once, and those within a site and marked nofollow not at all."""
    pages = {
        "http://a.test/": "<a href=http://b.test/>x</a> <a href=http://b.test/2>x</a> <a href=/y>x</a>",
        "http://www.a.test/y": "<a href=http://c.test/ rel=nofollow>x</a>",
        "http://b.test/": "<a href=http://d.test/>x</a> <a href=http://c.test/>x</a>",
        "http://c.test/": "<p>no links",
    }
    tables = web(pages, tmp_path / "web")
    made = cocited(tables, tmp_path / "out")
    found = {row["site_id"]: row for row in made.rows("authority")}
    names = [hash_text(f"{name}.test") for name in "abcd"]
    rank = dense_page_rank({(0, 1), (1, 2), (1, 3)}, 4)
    assert [found[name]["authority"] for name in names] == pytest.approx((rank * 4).tolist(), abs=1e-6)
    assert [found[name]["pages"] for name in names] == [2, 1, 1, 0]
    follow = cocited(tables, tmp_path / "follow", strategy=Strategy(nofollow=True)).rows("authority")
    rank = dense_page_rank({(0, 1), (0, 2), (1, 2), (1, 3)}, 4)
    assert {row["site_id"]: row["authority"] for row in follow} == pytest.approx(
        dict(zip(names, (rank * 4).tolist(), strict=True)), abs=1e-6
    )


def test_the_authority_of_the_sample_web(sample_web: Tables, tmp_path: Path) -> None:
    made = cocited(sample_web, tmp_path / "out")
    found = {row["site_id"]: row["authority"] for row in made.rows("authority")}
    site_of_target = {row["page"]: row["site_id"] for row in made.rows("targets")}
    number = {site: place for place, site in enumerate(sorted(found))}
    links = set()
    for page in sample_web.rows("pages"):
        own = site_of_target[page["page"]]  # that of the original, if it is mirrored
        for target, nofollow in zip(page["link_page"], page["link_nofollow"], strict=True):
            if not nofollow and site_of_target[target] != own:
                links.add((number[own], number[site_of_target[target]]))
    assert len(found) > 20
    rank = dense_page_rank(links, len(number)) * len(number)
    assert [found[site] for site in number] == pytest.approx(rank.tolist(), abs=1e-6)
