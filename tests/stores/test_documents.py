"""Who the documents of an index are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from pagekin.stores.documents import Documents, write_documents


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    table = pa.table(
        {
            "page": pa.array([-7, 3, 12], pa.int64()),
            "url": ["http://a.test/", "http://b.test/ü", "http://b.test/c"],
            "title": ["A", "", "\x1b[0m"],
            "site": ["a.test", "b.test", "b.test"],
            "site_id": pa.array([5, 6, 6], pa.int64()),
            "in_links": pa.array([0, 2, 9], pa.int64()),
        }
    )
    write_documents(tmp_path / "documents", table)
    return Documents(tmp_path / "documents")


def test_a_page_is_found_by_its_id(documents: Documents) -> None:
    assert [documents.number(page) for page in (-7, 3, 12)] == [0, 1, 2]


@pytest.mark.parametrize("page", [-8, 0, 4, 13, 2**63 - 1, -(2**63)])
def test_a_page_that_is_no_document_has_no_number(documents: Documents, page: int) -> None:
    assert documents.number(page) is None


def test_texts_are_read_back(documents: Documents) -> None:
    assert [documents.text("url", i) for i in range(3)] == ["http://a.test/", "http://b.test/ü", "http://b.test/c"]
    assert (documents.text("title", 2), documents.text("site", 1)) == ("\x1b[0m", "b.test")


def test_numbers_are_read_back(documents: Documents) -> None:
    assert (documents.sites.tolist(), documents.in_links.tolist(), len(documents)) == ([5, 6, 6], [0, 2, 9], 3)


def test_an_index_may_have_no_documents(tmp_path: Path) -> None:
    write_documents(tmp_path, pa.table({"page": pa.array([], pa.int64()), "url": pa.array([], pa.string())}))
    assert (len(Documents(tmp_path)), Documents(tmp_path).number(3)) == (0, None)
