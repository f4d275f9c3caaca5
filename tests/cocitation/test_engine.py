"""How the work is cut changes no table; pages that mean harm are read in bounded memory; a crawl may be empty."""

from __future__ import annotations

import gzip
import json
import math
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pagekin.cocitation import pairs
from pagekin.crawl.urls import page_id
from pagekin.engines import tasks
from pagekin.engines.local import LocalEngine
from pagekin.pipelines import pages_to_cocited
from pagekin.settings import CocitationSettings, Settings

from .twins import TOLD
from .webs import Row, Tables, cocited, scanned, warc, web, with_pages

RESULTS = ("cocited", "filtered", "authority")
SETTINGS = CocitationSettings(authority=0.5, repeats=2, dynamic=True)
MEMORY_LIMIT_BYTES = 3 << 29  # 1.5 GiB


@dataclass
class TinyEngine(LocalEngine):
    """An engine whose runs and ranges hold so many bytes, which makes many of them."""

    share_bytes: int = 2000

    def share(self, parts: int) -> int:
        return self.share_bytes


def results(tables: Tables) -> list[tuple[str, pa.Table]]:
    return [(name, tables[name]) for name in RESULTS]


@pytest.fixture(scope="module")
def whole(sample_web: Tables, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, pa.Table]]:
    """What one worker makes of all pages at once."""
    made = results(cocited(sample_web, tmp_path_factory.mktemp("whole") / "out", SETTINGS))
    assert all(table.num_rows > 5 for _, table in made)
    return made


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(LocalEngine(1, 1 << 20), id="1 worker, 1 MiB"),
        pytest.param(LocalEngine(2, 1 << 20), id="2 workers, 1 MiB"),
        pytest.param(TinyEngine(1), id="tiny runs"),
        pytest.param(TinyEngine(2, share_bytes=100_000), id="2 workers, small runs"),
    ],
)
def test_workers_and_memory(
    sample_web: Tables,
    whole: list[tuple[str, pa.Table]],
    tmp_path: Path,
    engine: LocalEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "drop_rows", lambda _: None)  # so that runs can be counted
    cut = with_pages(sample_web, sample_web["pages"], tmp_path / "in")  # in row groups, so that there is work to share
    made = cocited(cut, tmp_path / "out", SETTINGS, engine)
    assert results(made) == whole
    if isinstance(engine, TinyEngine):
        assert len(list((tmp_path / "out" / "cited").glob("*.arrow"))) >= 5


def test_the_order_of_pages(sample_web: Tables, whole: list[tuple[str, pa.Table]], tmp_path: Path) -> None:
    pages = sample_web["pages"]
    turned = pages.take(pa.array(list(reversed(range(pages.num_rows)))))
    cut = with_pages(sample_web, turned, tmp_path / "in")
    assert results(cocited(cut, tmp_path / "out", SETTINGS, TinyEngine(1))) == whole


def test_the_order_and_the_cut_of_files(sample_crawl: Path, whole: list[tuple[str, pa.Table]], tmp_path: Path) -> None:
    records = re.split(rb"(?<=\r\n\r\n)(?=WARC/1)", gzip.decompress(sample_crawl.read_bytes()))
    parts = [tmp_path / f"{number}.warc" for number in (3, 1, 2)]
    for number, part in enumerate(parts):
        part.write_bytes(b"".join(records[number::3]))
    for name, files in (("parts", parts), ("turned", parts[::-1])):
        tables = scanned([str(path) for path in files], tmp_path / name)
        assert results(cocited(tables, tmp_path / f"{name}-out", SETTINGS)) == whole


def test_little_room_for_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of one lot of pages come in many batches, and none of them is changed by the next."""
    pages = {
        f"http://p{page}.test/": "".join(link(f"t{page}-{number}", f"w{page}x{number}") for number in range(10))
        for page in range(20)
    }
    tables = web(pages, tmp_path / "web")
    whole = results(cocited(tables, tmp_path / "whole"))
    batches = []

    def small_room(sizes: Any) -> tuple[pairs.Rows, pairs.Work]:
        out, work = room(sizes)
        return out._replace(others=out.others[:200], similarities=out.similarities[:200]), work  # of two pages

    def counted(*arguments: Any) -> pa.RecordBatch:
        batches.append(rows_batch(*arguments))
        return batches[-1]

    room, rows_batch = pairs._room, pairs._rows_batch
    monkeypatch.setattr(pairs, "_room", small_room)
    monkeypatch.setattr(pairs, "_rows_batch", counted)
    assert results(cocited(tables, tmp_path / "small")) == whole
    assert [len(batch["others"].flatten()) for batch in batches] == [180] * 10


# --- pages that mean harm

HUB = "http://hub.test/"
ONE_BLOCK = "http://one-block.test/"
SAME = "http://same.test/"
LONG = "http://long.test/"
MUTE = "http://mute.test/"
GOOD = "http://good.test/"
LINKS, BLOCK, BLOCKS = 100_000, 80, 5_000
PAIRS = BLOCK * (BLOCK - 1) // 2
MOST_PAIRS = 1 << 20

WATCHED = """
import json, sys
from pathlib import Path
from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.pipelines import SCHEMAS, crawl_to_pages, pages_to_cocited, pages_to_sites, pages_to_terms
from pagekin.settings import CocitationSettings, Settings
settings = Settings(cocitation=CocitationSettings(pages=5))
splits, _ = find_splits([sys.argv[1]], settings.crawl)
steps = (*crawl_to_pages(settings), *pages_to_terms(settings.strategy), *pages_to_sites(settings))
LocalEngine(1).run((*steps, *pages_to_cocited(settings)), splits, SCHEMAS, Path(sys.argv[2]))
status = Path("/proc/self/status")  # ru_maxrss begins at what the process had that began this one
lines = status.read_text().splitlines() if status.exists() else ["VmHWM: 0"]
print(json.dumps([1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")][0]))
"""


def link(name: str, anchor: str) -> str:
    return f"<a href=http://{name}.test/>{anchor}</a> "


def hostile_web() -> dict[str, str]:
    many = [link(f"n{number}", f"n{number}") for number in range(LINKS)]
    same = "".join(link(f"s{number}", f"s{number}") for number in range(BLOCK))
    words = " ".join(f"w{number}" for number in range(50_000))
    return {
        HUB: "<hr>".join("".join(many[first : first + BLOCK]) for first in range(0, LINKS, BLOCK)),
        ONE_BLOCK: "<ul>" + "".join(many) + "</ul>",
        SAME: "<hr>".join([same] * BLOCKS),
        LONG: "<p>" + link("l1", words) + link("l2", "w1 w2 w3") + link("l3", "w60000"),
        MUTE: "<p>" + "".join(link(f"m{number}", "") for number in range(60)) + link("m1", "b") + link("m99", "a"),
        GOOD: "<p>" + link("g1", "harbour boats") + link("g2", "harbour"),
    }


@dataclass(frozen=True)
class Hostile:
    """The tables of a crawl that means harm, and the most memory that they took."""

    tables: Tables
    cocited: pa.Table
    peak_bytes: int

    def of(self, letter: str) -> list[Row]:
        """The rows of the pages whose hosts begin with a letter and a number."""
        names = pa.array([page_id(f"http://{letter}{number}.test/") for number in range(BLOCK)])
        rows: list[Row] = self.cocited.filter(pc.is_in(self.cocited["page"], names)).to_pylist()
        return rows


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "web.warc").write_bytes(warc(hostile_web()))
    arguments = [sys.executable, "-c", WATCHED, str(folder / "web.warc"), str(folder / "tables")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    tables = Tables(folder / "tables")
    return Hostile(tables, tables["cocited"], json.loads(done.stdout))


def test_memory_is_bounded(hostile: Hostile) -> None:
    assert hostile.peak_bytes < MEMORY_LIMIT_BYTES


def test_all_pages_are_read(hostile: Hostile) -> None:
    assert set(hostile.tables["pages"]["url"].to_pylist()) == hostile_web().keys()


def test_a_block_of_100_000_links_is_left_out(hostile: Hostile) -> None:
    touched = {row["filter"]: row["links"] for row in hostile.tables.rows("filtered")}
    assert touched.pop("too many pairs") == LINKS - MOST_PAIRS // PAIRS * BLOCK
    assert {name: count for name, count in touched.items() if count} == {
        "large block": LINKS,
        "repeated": 1,
        "empty anchor": 60,
    }
    assert page_id(ONE_BLOCK) not in set(pc.list_flatten(hostile.cocited["sources"]).to_pylist())


def test_a_page_gives_no_more_pairs_than_its_share(hostile: Hostile) -> None:
    from_hub = pc.equal(pc.list_element(hostile.cocited["sources"], 0), page_id(HUB))
    pages = hostile.cocited.filter(from_hub)["page"].to_pylist()
    blocks = MOST_PAIRS // PAIRS
    assert set(pages) == {page_id(f"http://n{number}.test/") for number in range(blocks * BLOCK)}
    assert len(pages) == 5 * blocks * BLOCK


def test_blocks_of_the_same_links_count_once(hostile: Hostile) -> None:
    rows = hostile.of("s")
    assert len(rows) == 5 * BLOCK
    assert {(row["citing"], tuple(row["sources"])) for row in rows} == {(1, (page_id(SAME),))}
    assert {round(row["total"], 5) for row in rows} == {round(1 / (1 + math.log(BLOCKS)), 5)}


def test_a_long_anchor_is_compared_by_its_first_words(hostile: Hostile) -> None:
    """The first has w0 to w63 of its 50,000 words, the second three of them, the third none."""
    totals = {(row["page"], row["other"]): row["total"] for row in hostile.of("l")}
    one, two, three = (page_id(f"http://l{number}.test/") for number in (1, 2, 3))
    assert totals[one, two] == totals[two, one] == pytest.approx(1 + 3 / 64)
    assert totals[one, three] == totals[two, three] == 1.0


def test_links_without_words_are_no_evidence(hostile: Hostile) -> None:
    """The link to m1 that has a word repeats one that has none."""
    assert hostile.of("m") == []


def test_good_pages_beside_them_are_kept(hostile: Hostile) -> None:
    assert [(row["total"], row["citing"]) for row in hostile.of("g")] == [(1.5, 1), (1.5, 1)]


# --- crawls of nothing


@pytest.mark.parametrize(
    "pages",
    [
        {"http://a.test/": ""},
        {"http://a.test/": "<p>no links"},
        {"http://a.test/": "<a href=/b>one link</a>"},
        {"http://a.test/": "<a href=/b></a><a href=/c></a>"},
        {"http://a.test/": "<a href=http://b.test/ rel=nofollow>b</a> <a href=http://c.test/ rel=nofollow>c</a>"},
    ],
    ids=["no page", "no links", "one link", "mute links", "nofollow"],
)
def test_crawls_without_a_pair(tmp_path: Path, pages: dict[str, str]) -> None:
    tables = cocited(web(pages, tmp_path / "web"), tmp_path / "out")
    assert tables["cocited"].num_rows == 0
    assert [row["filter"] for row in tables.rows("filtered")] == list(TOLD)
    assert (
        sum(row["pages"] for row in tables.rows("authority"))
        == tables["pages"].num_rows
        == sum(map(bool, pages.values()))
    )


def test_a_crawl_of_one_site_counts_its_own_links(tmp_path: Path) -> None:
    pages = {"http://a.test/": "<a href=/b>hull</a> <a href=/c>keel</a>"}
    assert cocited(web(pages, tmp_path / "one"), tmp_path / "one-out")["cocited"].num_rows == 2
    pages["http://z.test/"] = "<p>another site"
    assert cocited(web(pages, tmp_path / "two"), tmp_path / "two-out")["cocited"].num_rows == 0


def test_no_pages_no_cocitation() -> None:
    assert pages_to_cocited(Settings(cocitation=CocitationSettings(pages=0))) == ()
