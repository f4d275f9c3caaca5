"""Lists that point outside are refused before any code follows them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pagekin
from pagekin.index import Index
from pagekin.kernels import python_twin
from pagekin.settings import LinkSettings
from pagekin.stores.link_store import open_links
from pagekin.stores.manifest import FORMAT
from pagekin.stores.shards import open_shards
from pagekin.stores.soundness import (
    _bags_are_sound,
    _gaps_are_sound,
    check_links,
    check_page_rows,
    check_shards,
)

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / f"format-{FORMAT}.kin"


@pytest.fixture(scope="module")
def index() -> Index:
    return pagekin.open(GOLDEN)


def bag(*data: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array([len(data)], np.int64), np.array(data, np.uint8)


@pytest.mark.parametrize("kernel", [_bags_are_sound, python_twin(_bags_are_sound)])
def test_bags(kernel) -> None:
    assert kernel(*bag(0x83, 7, 0x80, 9), 5)
    assert not kernel(*bag(0x83, 7, 0x80, 9), 4), "a term that there is not"
    assert not kernel(*bag(0x83), 5), "a term without a frequency"
    assert not kernel(*bag(0x03), 5), "a term without an end"
    assert not kernel(*bag(0, 0, 0, 0, 0, 0, 0, 0x81, 1), 1 << 40), "a term of too many bytes"


@pytest.mark.parametrize("kernel", [_gaps_are_sound, python_twin(_gaps_are_sound)])
def test_gap_lists(kernel) -> None:
    ends = np.array([0, 2], np.int64)
    assert kernel(ends, np.array([0x81, 0x80], np.uint8), 3)
    assert not kernel(ends, np.array([0x81, 0x80], np.uint8), 2), "a number that there is not"
    assert not kernel(ends, np.array([0x81, 0x00], np.uint8), 300), "a number without an end"


def test_links_that_lead_to_no_document() -> None:
    links = open_links(GOLDEN / "links", LinkSettings())
    documents = len(links.authority)
    check_links(links, documents)
    hoods = links.hoods
    for bad in (
        hoods._replace(neighbours=np.where(np.arange(len(hoods.neighbours)) == 3, documents, hoods.neighbours)),
        hoods._replace(ends=hoods.ends[::-1].copy()),
        hoods._replace(ends=hoods.ends + 1),
        hoods._replace(itself=1e-40),
    ):
        with pytest.raises(ValueError, match="links"):
            check_links(links._replace(hoods=bad), documents)


def test_shards_of_other_documents_or_terms(index: Index) -> None:
    m, terms = index.similarity_settings.signatures, index._numbers_of_terms
    shards = open_shards(GOLDEN / "shards", m)
    check_shards(shards, len(index), terms, m)
    for documents, most in ((len(index) + 1, terms), (len(index), 3)):
        with pytest.raises(ValueError, match="shards/"):
            check_shards(shards, documents, most, m)


def test_a_document_that_is_twice_in_a_list(index: Index) -> None:
    m, terms = index.similarity_settings.signatures, index._numbers_of_terms
    shards = open_shards(GOLDEN / "shards", m)
    lists = shards[0].index.lists.copy()
    lists[3, 0] = lists[3, 1]
    shards[0].index.lists = lists
    with pytest.raises(ValueError, match=r"lists\.u32 names what is no document"):
        check_shards(shards, len(index), terms, m)


def pages() -> pa.Table:
    return pq.read_table(GOLDEN / "pages" / "part-000000.parquet")


def changed(name: str, value: object) -> pa.Table:
    """PAGES with another list, or number, in its first row."""
    table = pages()
    rows = table[name].to_pylist()
    column = pa.array([value, *rows[1:]], table.schema.field(name).type)
    return table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("link_first", [1 << 30]),
        ("link_last", []),
        ("break_at", [-1]),
        ("style_bold", [True] * 99),
        ("title_last", 1 << 20),
    ],
)
def test_pages_whose_places_are_no_places(name: str, value: object) -> None:
    check_page_rows(pages())
    with pytest.raises(ValueError, match="of PAGES"):
        check_page_rows(changed(name, value))
