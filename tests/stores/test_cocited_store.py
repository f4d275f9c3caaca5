"""What is written of co-cited pages is read again, document by document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.stores.cocited_store import CocitedStore, cited_pairs, write_cocited
from pagekin.tables import COCITED

PAGES = np.array([-50, -7, 3, 10, 40])


def row(page: int, other: int, total: float, sources: list[int]) -> dict[str, Any]:
    return {"page": page, "other": other, "total": total, "citing": len(sources), "sources": sources}


def parts(folder: Path, *tables: list[dict[str, Any]]) -> list[Path]:
    paths = [folder / f"{n}.parquet" for n in range(len(tables))]
    for path, rows in zip(paths, tables, strict=True):
        pq.write_table(pa.Table.from_pylist(rows, schema=COCITED), path)
    return paths


@pytest.fixture
def store(tmp_path: Path) -> CocitedStore:
    first = [row(-50, 3, 2.5, [90, 91, 92]), row(-50, 40, 1.0, [90]), row(-8, 3, 9.0, [90])]
    second = [row(3, 1000, 7.0, [93]), row(3, -50, 0.5, [93, 94]), row(40, 10, 4.0, [95])]
    spelled = np.array([-50, -7, 3, 40, 40])  # document 3 is another spelling of document 4
    write_cocited(tmp_path / "cocited", parts(tmp_path, first, second), PAGES, spelled, np.copy)
    assert cited_pairs(tmp_path / "cocited") == 5
    return CocitedStore(tmp_path / "cocited")


def test_a_document_has_its_pages_in_their_order(store: CocitedStore) -> None:
    found = store.row(0)
    assert found.documents.tolist() == [2, 4]
    assert found.totals.tolist() == [2.5, 1.0]
    assert found.citing.tolist() == [3, 1]
    assert found.sources.tolist() == [[90, 91, 92], [90, 0, 0]]


def test_pages_that_are_no_documents_are_left_out(store: CocitedStore) -> None:
    assert store.row(2).documents.tolist() == [0]  # not page 1000
    assert store.row(1).documents.tolist() == []


def test_another_spelling_has_the_pages_of_the_first(store: CocitedStore) -> None:
    assert store.row(3).documents.tolist() == store.row(4).documents.tolist() == [3]


def test_totals_of_any_documents(store: CocitedStore) -> None:
    assert store.totals(0, np.array([4, 1, 2]), np.arange(5)).tolist() == [1.0, 0.0, 2.5]
    assert store.totals(1, np.arange(5), np.arange(5)).tolist() == [0.0] * 5


@pytest.mark.parametrize("tables", [(), ([],)])
def test_nothing_at_all(tmp_path: Path, tables: tuple[list[dict[str, Any]], ...]) -> None:
    write_cocited(tmp_path / "cocited", parts(tmp_path, *tables), PAGES, PAGES, np.copy)
    assert cited_pairs(tmp_path / "cocited") == 0
    assert CocitedStore(tmp_path / "cocited").row(2).documents.tolist() == []
