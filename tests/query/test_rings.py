"""Pages of rings that the site of a page does not lead to are no answers to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from building import built_index
from small_web import WORDS, write_small_web

from pagekin.errors import IndexUnusable
from pagekin.hashing import hash_text
from pagekin.index import Index
from pagekin.links.rings import site_rings
from pagekin.query.rings import LARGE, Rings
from pagekin.settings import read_settings
from pagekin.stores.ring_store import RingStore, open_rings
from pagekin.stores.soundness import check_rings
from pagekin.tables import FOLLOWED

Links = Iterable[tuple[str, str]]


def circle(name: str, sites: int) -> list[tuple[str, str]]:
    """Links that make a ring of so many sites."""
    return [(f"{name}{k}.test", f"{name}{(k + 1) % sites}.test") for k in range(sites)]


def stored(links: Links, folder: Path) -> RingStore:
    """RINGS of some links, written and read back."""
    rows = [dict(zip(FOLLOWED.names, map(hash_text, link), strict=True)) for link in links]
    (folder / "rings").mkdir(parents=True)
    for _, batch in site_rings([pa.RecordBatch.from_pylist(rows, FOLLOWED)]):
        pq.write_table(pa.table(batch), folder / "rings" / "part-000000.parquet")
    return open_rings(folder / "rings")


SITES = [f"{name}0.test" for name in ("core", "farm", "small", "deadend", "in", "other")]


@pytest.fixture
def seen(tmp_path: Path):
    """From which site which of SITES can be answers, given the links."""

    def seen_from(asking: str, links: Links, trusted: str = "") -> set[str]:
        sites = [*SITES, asking]
        rings = Rings(stored(links, tmp_path), np.array([hash_text(site) for site in sites], np.int64), trusted)
        document = len(SITES) if asking else -1
        admitted = rings.admitted(document, np.arange(len(SITES)))
        assert rings.strangers(document) == len(SITES) - admitted.sum()
        return {site.removesuffix("0.test") for site, is_answer in zip(SITES, admitted, strict=True) if is_answer}

    return seen_from


CORE, FARM = circle("core", LARGE), [*circle("farm", 3), ("farm1.test", "core1.test")]
WEB = [*CORE, *FARM, ("core2.test", "deadend0.test"), ("farm2.test", "deadend0.test"), ("in0.test", "core0.test")]
ALL = {site.removesuffix("0.test") for site in SITES}


def test_a_ring_that_links_out_but_that_nobody_links_to_is_left_out(seen) -> None:
    assert seen("core3.test", WEB) == ALL - {"farm"}


def test_who_leads_to_the_core_sees_what_it_sees(seen) -> None:
    assert seen("in0.test", WEB) == ALL - {"farm"}


def test_a_farm_sees_itself_and_the_core(seen) -> None:
    assert seen("farm0.test", WEB) == ALL


def test_a_farm_of_more_sites_than_the_core_is_left_out(seen) -> None:
    larger = [*circle("farm", 100 * LARGE), ("farm1.test", "core1.test")]
    assert seen("core3.test", [*CORE, *larger]) == ALL - {"farm"}


def test_where_nobody_leads_a_farm_must_not_be_many_times_as_large(seen) -> None:
    larger = [*circle("farm", 20 * LARGE), ("farm1.test", "core1.test")]
    assert seen("deadend0.test", [*CORE, *larger]) == ALL - {"farm"}


def test_two_farms_are_left_out(seen) -> None:
    assert seen("core3.test", [*WEB, *circle("small", 2), ("small1.test", "farm1.test")]) == ALL - {"farm", "small"}


def test_a_ring_that_links_to_nobody_is_left_out_too(seen) -> None:
    assert seen("core3.test", [*CORE, *circle("farm", 3)]) == ALL - {"farm"}


def test_a_followed_link_into_a_farm_vouches_for_it(seen) -> None:
    """Not defended: who links there leads there, and so do all that lead to him."""
    assert seen("core3.test", [*WEB, ("core5.test", "farm0.test")]) == ALL


def test_a_star_is_no_ring(seen) -> None:
    """Not defended."""
    star = [(f"spoke{k}.test", "farm0.test") for k in range(9)]
    assert seen("core3.test", [*CORE, *star, *circle("small", 2)]) == ALL - {"small"}


@pytest.mark.parametrize("asking", ["deadend0.test", "unheard.test"])
def test_a_site_that_leads_nowhere_leaves_out_rings_that_look_up_to_a_large_one(seen, asking: str) -> None:
    assert seen(asking, [*WEB, *circle("small", 2)]) == ALL - {"farm"}


def test_two_sites_that_link_to_one_another_cannot_judge_the_web(seen) -> None:
    links = [*WEB, *circle("small", 2)]
    assert seen("small0.test", links) == ALL - {"farm"}


def test_a_farm_that_links_to_a_site_takes_nothing_from_it(seen) -> None:
    assert seen("core3.test", [*WEB, ("farm0.test", "other0.test"), ("farm0.test", "in0.test")]) == ALL - {"farm"}


def test_a_small_ring_that_the_core_links_to_takes_nothing_from_the_core(seen) -> None:
    """Not even for sites that lead nowhere: there are many rings beyond the core that do not lead back."""
    core = circle("core", 40 * LARGE)
    links = [*core, *FARM, *circle("small", LARGE), ("core0.test", "small0.test")]
    assert seen("deadend0.test", links) == ALL - {"farm"}


def test_a_text_is_of_no_site(seen) -> None:
    assert seen("", WEB) == ALL


@pytest.mark.parametrize("asking", ["", "deadend0.test"])
def test_trusted_sites_judge_where_nobody_else_can(seen, asking: str) -> None:
    links = [*CORE, *circle("farm", 3), *circle("small", 2), ("core0.test", "small0.test")]
    assert seen(asking, links, "www.core1.test") == ALL - {"farm"}


def test_trusted_sites_that_are_not_there_judge_nothing(seen) -> None:
    assert seen("", WEB, "nobody.test") == ALL


def test_one_ring_leaves_nothing_out(seen) -> None:
    assert seen("other0.test", CORE) == ALL


@pytest.mark.parametrize("bad", [-1, 1, 2, 1 << 40])
def test_rows_that_lead_to_rows_that_are_not_above_are_refused(tmp_path: Path, bad: int) -> None:
    store = stored(WEB, tmp_path)
    check_rings(store)
    with pytest.raises(ValueError, match="leads_to"):
        check_rings(store._replace(leads_to=np.full(len(store.leads_to), bad)))


# --- in an index


def page(site: str, number: int, links: Iterable[str]) -> str:
    words = WORDS["bees"].split()
    told = " ".join(words[(number * 5 + k * (1 + number % 4)) % len(words)] for k in range(12))
    linked = " ".join(f'<a href="http://{link}/0.html">{words[number % 7]}</a>' for link in links)
    return f"<title>{site} {number}</title><p>{told} {site.split('.')[0]}<p>{linked}"


def web(links: Links) -> dict[str, str]:
    """Two pages on bees on each site, of which the first has the links."""
    sites = sorted({site for link in links for site in link})
    to = {site: [target for source, target in links if source == site] for site in sites}
    return {
        f"http://{site}/{number}.html": page(site, 2 * place + number, () if number else to[site])
        for place, site in enumerate(sites)
        for number in (0, 1)
    }


COPIED = f"<title>The same</title><p>{' '.join((WORDS['bees'] + WORDS['boats']).split())} on both sites"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A core and a farm, which has a copy of a page of the core, with more links to it."""
    pages = web(WEB) | {"http://core4.test/copied.html": COPIED, "http://farm0.test/copied.html": COPIED}
    pages["http://farm1.test/1.html"] += '<a href="http://farm0.test/copied.html">wax</a>' * 3
    return write_small_web(tmp_path_factory.mktemp("rings") / "web.warc", pages)


@pytest.fixture(scope="module")
def index(crawl: Path) -> Index:
    return built_index(crawl)


def answers(index: Index, site: str, exact: bool = False, **choice: bool) -> list[str]:
    found = index.related(f"http://{site}/0.html", k=40, exact=exact, **choice).results
    return [related.url for related in found]


@pytest.mark.parametrize("choice", [{}, {"copies": True}, {"other_sites": True}])
@pytest.mark.parametrize("site", ["core0.test", "deadend0.test", "farm0.test"])
def test_the_exact_answer_is_the_quick_one(index: Index, site: str, choice: dict[str, bool]) -> None:
    found = answers(index, site, **choice)
    assert found == answers(index, site, exact=True, **choice)
    assert any("core" in url for url in found)
    assert any("farm" in url for url in found) == (site == "farm0.test")


def test_by_text_alone_it_is_so_too(index: Index) -> None:
    found = index.related("http://core0.test/0.html", k=40, weights={"text": 1})
    exact = index.related("http://core0.test/0.html", k=40, weights={"text": 1}, exact=True)
    assert [r.url for r in found.results] == [r.url for r in exact.results]
    assert found.results and not any("farm" in r.url for r in found.results)


def test_a_page_whose_copy_on_a_farm_stands_for_it_is_an_answer_itself(index: Index) -> None:
    copies = [f"http://{site}/copied.html" for site in ("core4.test", "farm0.test")]
    numbers = [index._document(url) for url in copies]
    assert index._documents.representatives[numbers].tolist() == [numbers[1]] * 2
    assert copies[0] in answers(index, "core0.test") and copies[1] not in answers(index, "core0.test")
    assert copies[1] in answers(index, "farm1.test")
    first, second = index.scores(copies, "http://core0.test/0.html")
    assert first is not None and second is None


def test_scores_are_those_of_related(index: Index) -> None:
    found = index.related("http://core0.test/0.html", k=40).results
    assert index.scores([r.url for r in found], "http://core0.test/0.html") == [r.score for r in found]
    assert index.scores(["http://farm0.test/1.html"], "http://core0.test/0.html") == [None]


def test_all_pages_are_answered_so(index: Index) -> None:
    for answer in index.related_all(k=40):
        if "farm" not in answer.query:
            assert answer.results and not any("farm" in related.url for related in answer.results)


def test_it_is_told_how_many_were_left_out(index: Index) -> None:
    assert index.related("http://core0.test/0.html", explain=True).strangers == 7
    assert index.related("http://farm0.test/0.html", explain=True).strangers == 0
    assert index.manifest.counts["rings"] == 2


def test_a_text_finds_all(index: Index) -> None:
    assert any("farm" in related.url for related in index.related(text=WORDS["bees"], k=40).results)


def test_it_can_be_switched_off(crawl: Path) -> None:
    off = built_index(crawl, read_settings(None, ["similarity.rings=false"]), "off.kin")
    assert any("farm" in url for url in answers(off, "core0.test"))
    assert list((off.path / "rings").iterdir()) == []


def test_damage_is_named(index: Index, tmp_path: Path) -> None:
    shutil.copytree(index.path, tmp_path / "bad.kin")
    [part] = (tmp_path / "bad.kin" / "rings").iterdir()
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    with pytest.raises(IndexUnusable, match="rings"):
        Index(tmp_path / "bad.kin").related("http://core0.test/0.html")
