"""Which links are evidence, and how they become neighbours."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from pagekin.bags.chunk import chunk_of
from pagekin.bags.gather import gatherable
from pagekin.bags.templates import template_table
from pagekin.crawl.urls import page_id
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.links.evidence import FROM, TO, join_links, own_links, page_links
from pagekin.pipelines import SCHEMAS
from pagekin.query.page import scanned_page
from pagekin.sample import write_sample
from pagekin.settings import LinkSettings, Settings, Strategy
from pagekin.tables import DUPLICATES, NEIGHBOURS, SEGMENTS
from pagekin.trials.bag_maker import BagMaker
from pagekin.trials.crawl_tables import crawl_tables

NO_TEMPLATES, NO_COPIES = SEGMENTS.empty_table(), DUPLICATES.empty_table()


@pytest.mark.parametrize("template_links", [False, True])
def test_evidence_is_what_has_an_anchor_window(tmp_path_factory: pytest.TempPathFactory, template_links: bool) -> None:
    """Bags find the links outside templates in their own way, by way of every word; the links must be the same."""
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, 300)
    strategy = Strategy(template_links=template_links)
    settings = Settings(strategy=strategy)
    tables = crawl_tables([str(folder / "sample.warc.gz")], settings, folder / "crawl", LocalEngine(1))
    maker = BagMaker(tables, folder / "work", LocalEngine(1))
    pages = tables.table("pages")
    words = maker.terms(strategy)
    templates = read_table(maker.templates(strategy) / "templates", SCHEMAS["templates"])
    sides = [read_table(words / name, SCHEMAS[name]) for name in ("word_terms", "terms", "languages")]
    windows = gatherable(pages, *sides, templates, strategy).windows
    chunk = chunk_of(pages, np.zeros(pages.num_rows, np.int64))
    kept = own_links(chunk, template_table(templates, strategy), strategy)
    assert np.flatnonzero(kept).tolist() == windows["link"].tolist()
    assert template_links or not kept.all()


def neighbours(html: str, duplicates: pa.Table = NO_COPIES) -> list[tuple[int, int, int]]:
    """The rows that one page gives."""
    page, _ = scanned_page(html.encode())
    found = page_links([page.slice(0, 1)], NO_TEMPLATES, duplicates, Strategy(), LinkSettings())
    return [tuple(row.values()) for _, batch in found for row in batch.to_pylist()]


def test_each_link_has_a_row_for_both_ends() -> None:
    rows = neighbours('<a href="http://a.test/">a</a> words')
    target = page_id("http://a.test/")
    own = next(page for page, neighbour, _ in rows if neighbour == target)
    assert sorted(rows) == sorted([(own, target, TO), (target, own, FROM)])


def test_two_links_to_a_page_are_one() -> None:
    assert len(neighbours('<a href="http://a.test/">a</a> words <a href="http://a.test/">b</a>')) == 2


def test_a_link_to_a_copy_leads_to_what_stands_for_it() -> None:
    copy, original = page_id("http://a.test/"), page_id("http://b.test/")
    duplicates = pa.table(
        {name: pa.nulls(1, DUPLICATES.field(name).type) for name in DUPLICATES.names}
        | {"page": pa.array([copy]), "representative": pa.array([original])},
    )
    rows = neighbours('<a href="http://a.test/">a</a>', duplicates)
    assert original in {page for page, _, _ in rows}
    assert copy not in {page for page, _, _ in rows}


def test_rows_of_two_pages_become_one_with_both_ways() -> None:
    batch = pa.record_batch([[1, 1, 1], [3, 2, 2], [TO, FROM, TO]], schema=NEIGHBOURS)
    [(table, joined)] = join_links([batch])
    assert table == "neighbours"
    assert joined.to_pylist() == [
        {"page": 1, "neighbour": 2, "ways": TO | FROM},
        {"page": 1, "neighbour": 3, "ways": TO},
    ]


def test_nothing_is_written_if_no_links_are_wanted() -> None:
    page, _ = scanned_page(b'<a href="http://a.test/">a</a>')
    found = page_links([page.slice(0, 1)], NO_TEMPLATES, NO_COPIES, Strategy(), LinkSettings(neighbours=0))
    assert list(found) == []
