"""What is written of links is read back, for documents alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.cocitation.authority import page_rank
from pagekin.links.evidence import FROM, TO
from pagekin.settings import LinkSettings
from pagekin.stores.link_store import authority, open_links, write_links
from pagekin.tables import NEIGHBOURS

ROWS = [(10, 20, TO), (10, 99, TO), (20, 10, FROM), (20, 30, TO | FROM), (30, 20, TO | FROM), (99, 10, FROM)]
PAGES = np.array([10, 20, 30, 40])


def written(folder: Path) -> Path:
    """The store of these rows, which come in two parts."""
    parts = []
    for number, rows in enumerate((ROWS[:2], ROWS[2:])):
        columns = [pa.array(column) for column in zip(*rows, strict=True)]
        parts.append(folder / f"part-{number}.parquet")
        pq.write_table(pa.table(columns, schema=NEIGHBOURS), parts[-1])
    write_links(folder / "links", parts, PAGES, LinkSettings())
    return folder / "links"


def test_neighbours_are_those_that_are_documents(tmp_path: Path) -> None:
    store = open_links(written(tmp_path), LinkSettings())
    assert store.hoods.ends.tolist() == [0, 1, 3, 4, 4]
    assert store.hoods.neighbours.tolist() == [1, 0, 2, 1]
    assert store.ways.tolist() == [TO, FROM, TO | FROM, TO | FROM]


def test_authority_is_the_page_rank_of_these_links(tmp_path: Path) -> None:
    store = open_links(written(tmp_path), LinkSettings())
    expected = authority(page_rank(np.array([0, 1, 2]), np.array([1, 2, 1]), 4))
    np.testing.assert_allclose(store.authority, expected)
    assert store.authority.argmax() == 1


def test_a_crawl_without_links_has_an_empty_store(tmp_path: Path) -> None:
    write_links(tmp_path / "links", [], PAGES, LinkSettings())
    store = open_links(tmp_path / "links", LinkSettings())
    assert store.hoods.neighbours.tolist() == [] and store.authority.tolist() == [0, 0, 0, 0]
