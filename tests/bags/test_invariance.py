"""How the work is cut changes no bag: not the order or number of files, nor workers, nor memory."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.pipelines import SCHEMAS, pages_to_bags
from pagekin.settings import Settings, Strategy

from .chain import Tables, bags_of

STRATEGY = Strategy(links=0.5, repeats=2, window="topical")


@pytest.fixture(scope="module")
def sample_bags(sample_web: Tables) -> pa.Table:
    return bags_of(sample_web, STRATEGY)["bags"].combine_chunks()


@pytest.mark.parametrize("lots", [2, 7, 40])
def test_lots_of_pages(sample_web: Tables, sample_bags: pa.Table, lots: int) -> None:
    assert bags_of(sample_web, STRATEGY, lots)["bags"].combine_chunks() == sample_bags


def test_the_order_of_pages(sample_web: Tables, sample_bags: pa.Table) -> None:
    pages = sample_web["pages"]
    turned = pages.take(pa.array(list(reversed(range(pages.num_rows)))))
    assert bags_of({**sample_web, "pages": turned}, STRATEGY, 3)["bags"].combine_chunks() == sample_bags


def test_the_order_of_words_in_the_lexicon(sample_web: Tables, sample_bags: pa.Table) -> None:
    lexicon = sample_web["lexicon"].sort_by([("occurrences", "descending"), ("text", "ascending")])
    assert bags_of({**sample_web, "lexicon": lexicon}, STRATEGY, 2)["bags"].combine_chunks() == sample_bags


def test_tables_so_small_that_they_are_emptied_often(
    sample_web: Tables, sample_bags: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagekin.bags.templates.SLOTS", 64)
    monkeypatch.setattr("pagekin.bags.gather.SLOTS", 64)
    monkeypatch.setattr("pagekin.bags.gather.ROOM", 256)
    assert bags_of(sample_web, STRATEGY)["bags"].combine_chunks() == sample_bags


def built_bags(crawl: list[Path], out: Path, engine: LocalEngine) -> pa.Table:
    build([str(path) for path in crawl], out, Settings(strategy=STRATEGY), engine=engine)
    parts = sorted((out / "bags").glob("*.parquet"))
    return pa.concat_tables([pq.read_table(part) for part in parts]).combine_chunks()


@pytest.mark.parametrize(("workers", "memory"), [(1, 1 << 20), (2, 1 << 20), (2, 1 << 30)])
def test_workers_and_memory(
    sample_web: Tables, sample_bags: pa.Table, tmp_path: Path, workers: int, memory: int
) -> None:
    for name, table in sample_web.items():
        (tmp_path / name).mkdir()
        for number in range(5):  # with small row groups, so that there is something to cut
            part = table.slice(number * -(-table.num_rows // 5), -(-table.num_rows // 5))
            pq.write_table(
                part, tmp_path / name / f"{name}-{number:06}.parquet", row_group_size=table.num_rows // 30 + 1
            )
    LocalEngine(workers, memory).run(pages_to_bags(Settings(strategy=STRATEGY)), [], SCHEMAS, tmp_path)
    assert read_table(tmp_path / "bags", SCHEMAS["bags"]).combine_chunks() == sample_bags


def test_the_order_and_the_cut_of_files(sample_crawl: Path, tmp_path: Path) -> None:
    whole = sample_crawl / "sample.warc.gz"
    records = re.split(rb"(?<=\r\n\r\n)(?=WARC/1)", gzip.decompress(whole.read_bytes()))
    parts = [tmp_path / f"{number}.warc" for number in (3, 1, 2)]
    for number, part in enumerate(parts):
        part.write_bytes(b"".join(records[number::3]))
    one = built_bags([whole], tmp_path / "one.kin", LocalEngine(1))
    assert built_bags(parts, tmp_path / "parts.kin", LocalEngine(1)) == one
    assert built_bags(parts[::-1], tmp_path / "turned.kin", LocalEngine(1)) == one
