"""Vectors as they are stored: what is written is read back, and the nearest are the nearest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.stores import vector_cells, vector_store
from pagekin.stores.soundness import check_vectors
from pagekin.stores.vector_cells import Cells
from pagekin.stores.vector_store import VectorStore, write_vectors
from pagekin.tables import VECTORS

DIMENSIONS = 24


def clustered(number: int, seed: int = 1) -> np.ndarray:
    """Vectors of length 1 around fifty directions, as they are stored."""
    dice = np.random.default_rng(seed)
    middles = dice.standard_normal((50, DIMENSIONS))
    vectors = middles[dice.integers(0, 50, number)] + 0.6 * dice.standard_normal((number, DIMENSIONS))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


def write_parts(folder: Path, vectors: np.ndarray, parts: int = 2, group: int = 300) -> list[Path]:
    """VECTORS of the pages 0, 10, 20 …, in some parts."""
    folder.mkdir()
    rows = [{"page": 10 * i, "vector": vector.tobytes()} for i, vector in enumerate(vectors)]
    size, paths = -(-len(rows) // parts), [folder / f"part-{number}.parquet" for number in range(parts)]
    for number, path in enumerate(paths):
        part = pa.Table.from_pylist(rows[number * size : (number + 1) * size], VECTORS)
        pq.write_table(part, path, row_group_size=group)
    return paths


def stored(folder: Path, vectors: np.ndarray, **options: int) -> VectorStore:
    """The store of all these vectors."""
    parts = write_parts(folder / "parts", vectors)
    write_vectors(folder / "vectors", parts, 10 * np.arange(len(vectors)), **options)
    return VectorStore(folder / "vectors", len(vectors))


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return clustered(2000)


@pytest.fixture(scope="module")
def scanned(vectors: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> VectorStore:
    """A store in which every vector is looked at."""
    return stored(tmp_path_factory.mktemp("scan"), vectors)


@pytest.fixture(scope="module")
def led(vectors: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> VectorStore:
    """A store in which the nearest are looked for in cells."""
    return stored(tmp_path_factory.mktemp("cells"), vectors, exact=10)


def cells_of(store: VectorStore) -> Cells:
    """The cells, where there are any."""
    assert store.cells is not None
    return store.cells


def best(vectors: np.ndarray, asked: np.ndarray, k: int) -> set[int]:
    """The k nearest by sorting all."""
    products = vectors.astype(np.float64) @ asked.astype(np.float64)
    return set(np.argsort(-products, kind="stable")[:k].tolist())


# --- what is written


def test_what_is_written_is_read_back(scanned: VectorStore, vectors: np.ndarray) -> None:
    assert scanned.dimensions == DIMENSIONS
    assert (scanned.vectors == vectors).all()
    assert (scanned.vector(1234) == vectors[1234].astype(np.float32)).all()


def test_only_documents_are_kept_in_their_order(tmp_path: Path) -> None:
    vectors = clustered(40)
    kept = np.array([0, 3, 4, 29, 39])
    write_vectors(tmp_path / "vectors", write_parts(tmp_path / "parts", vectors, 3, 7), 10 * kept)
    assert (VectorStore(tmp_path / "vectors", 5).vectors == vectors[kept]).all()


def test_a_document_without_a_vector_is_our_own_mistake(tmp_path: Path) -> None:
    parts = write_parts(tmp_path / "parts", clustered(4))
    with pytest.raises(AssertionError, match="has no vector"):
        write_vectors(tmp_path / "vectors", parts, np.array([0, 10, 15]))


def test_cells_are_written_only_where_there_are_more_than_are_looked_at(tmp_path: Path) -> None:
    for name, exact in (("few", 40), ("many", 39)):
        (tmp_path / name).mkdir()
        store = stored(tmp_path / name, clustered(40), exact=exact)
        assert (store.cells is not None) == (name == "many")


# --- likeness


def test_likeness_is_the_cosine_and_never_negative(scanned: VectorStore, vectors: np.ndarray) -> None:
    asked, documents = scanned.vector(7), np.arange(0, 2000, 3)
    products = vectors[documents].astype(np.float64) @ vectors[7].astype(np.float64)
    assert products.min() < -0.3
    assert scanned.likeness(documents, asked) == pytest.approx(np.maximum(products, 0), abs=1e-5)


def test_documents_are_compared_in_the_order_that_is_asked_for(scanned: VectorStore) -> None:
    asked = scanned.vector(7)
    one_by_one = [float(scanned.likeness(np.array([document]), asked)[0]) for document in (9, 7, 8)]
    assert scanned.likeness(np.array([9, 7, 8]), asked) == pytest.approx(one_by_one, abs=1e-6)


@pytest.mark.parametrize("number", [2, 3, 5, 17, 30])
def test_equal_vectors_are_equally_like(tmp_path: Path, number: int) -> None:
    """However many are compared: otherwise pages of the same score are not ordered by their addresses."""
    dice = np.random.default_rng(1)
    vector, asked = dice.standard_normal((2, 100)).astype(np.float32) / 10
    store = stored(tmp_path, np.tile(vector.astype(np.float16), (number, 1)))
    for sign in (1, -1):
        assert len({*store.likeness(np.arange(number), sign * asked).tolist()}) == 1


# --- the nearest by looking at all


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 1999), st.integers(1, 60))
def test_a_scan_finds_what_sorting_everything_finds(
    scanned: VectorStore, vectors: np.ndarray, document: int, k: int
) -> None:
    found = scanned.nearest(scanned.vector(document), k)
    assert len(found) == k
    assert set(found.tolist()) == best(vectors, vectors[document], k)


@pytest.mark.parametrize("k", [2000, 5000])
def test_if_more_are_wanted_than_there_are_all_are_given(scanned: VectorStore, k: int) -> None:
    assert sorted(scanned.nearest(scanned.vector(0), k).tolist()) == list(range(2000))


def test_in_blocks_the_same_are_found(
    scanned: VectorStore, vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_store, "EXACT", 100)
    monkeypatch.setattr(vector_store, "BLOCK", 64)
    assert set(scanned.nearest(scanned.vector(5), 10).tolist()) == best(vectors, vectors[5], 10)


# --- the nearest by cells


@pytest.fixture
def few_visited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question looks into few cells, as it does where there are very many."""
    monkeypatch.setattr(vector_cells, "VISITED", 3)


@pytest.mark.usefixtures("few_visited")
def test_cells_have_nearly_all_of_the_nearest(led: VectorStore, scanned: VectorStore) -> None:
    asked = [led.vector(document) for document in range(0, 2000, 10)]
    met = [len({*led.nearest(vector, 10).tolist()} & {*scanned.nearest(vector, 10).tolist()}) for vector in asked]
    assert 0.95 <= np.mean(met) / 10 < 1  # some are lost, or all cells were looked into


@pytest.mark.usefixtures("few_visited")
def test_a_document_is_the_nearest_to_itself(led: VectorStore) -> None:
    assert all(document in led.nearest(led.vector(document), 5) for document in range(2000))


def test_who_looks_into_all_cells_finds_what_sorting_everything_finds(
    led: VectorStore, vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cells, "VISITED", 2000)
    for document in range(0, 2000, 25):
        assert set(led.nearest(led.vector(document), 10).tolist()) == best(vectors, vectors[document], 10)


def test_every_document_is_in_the_cell_of_the_nearest_middle(led: VectorStore, vectors: np.ndarray) -> None:
    middles, ends, documents, codes = cells_of(led)
    assert sorted(documents.tolist()) == list(range(2000))
    assert middles @ middles.T == pytest.approx(np.clip(middles @ middles.T, -1.00001, 1.00001))
    products = vectors[documents].astype(np.float64) @ middles.astype(np.float64).T
    of_cell = np.repeat(np.arange(len(middles)), np.diff(ends))
    assert products[np.arange(2000), of_cell] == pytest.approx(products.max(axis=1), abs=1e-5)
    assert codes / 127 == pytest.approx(vectors[documents].astype(np.float64), abs=0.5 / 127 + 1e-6)


def test_middles_move_to_where_vectors_are(led: VectorStore, vectors: np.ndarray) -> None:
    """They are nearer to the vectors of their cells than those vectors are that they began at."""
    learned, wide = cells_of(led).middles, vectors.astype(np.float32)
    begun = wide[vector_cells._evenly(2000, len(learned))]
    nearest = [(wide @ middles.T).max(axis=1).mean() for middles in (begun, learned)]
    assert nearest[1] > nearest[0] + 0.02


def test_cells_that_are_written_twice_are_the_same(led: VectorStore, vectors: np.ndarray, tmp_path: Path) -> None:
    again = stored(tmp_path, vectors, exact=10)
    assert all((one == other).all() for one, other in zip(cells_of(led), cells_of(again), strict=True))


@pytest.mark.usefixtures("few_visited")
@pytest.mark.parametrize("k", [400, 2000, 5000])
def test_as_many_are_found_as_are_wanted_if_there_are_so_many(led: VectorStore, k: int) -> None:
    """Also if the cells that are looked into by rights have fewer."""
    found = led.nearest(led.vector(3), k).tolist()
    assert len(found) == len(set(found)) == min(k, 2000)
    assert set(found) <= set(range(2000))


def test_vectors_that_are_0_are_in_no_cell(tmp_path: Path) -> None:
    vectors = clustered(60)
    vectors[::2] = 0
    store = stored(tmp_path, vectors, exact=10)
    assert sorted(cells_of(store).documents.tolist()) == list(range(1, 60, 2))
    assert set(store.nearest(store.vector(1), 100).tolist()) == set(range(1, 60, 2))


def test_of_vectors_that_are_all_0_there_are_no_cells(tmp_path: Path) -> None:
    store = stored(tmp_path, np.zeros((30, DIMENSIONS), np.float16), exact=10)
    assert store.cells is None
    assert len(store.nearest(np.ones(DIMENSIONS, np.float32), 10)) == 10


@pytest.mark.parametrize(
    ("field", "changed", "said"),
    [
        ("ends", lambda ends: ends[:-1], "cell_ends.i64 has"),
        ("ends", lambda ends: ends[::-1], "cell_ends.i64 points outside"),
        ("documents", lambda documents: documents + 2000, "names what is no document"),
        ("codes", lambda codes: codes[1:], "is of other documents"),
    ],
)
def test_cells_of_a_stranger_are_looked_at(
    led: VectorStore, monkeypatch: pytest.MonkeyPatch, field: str, changed: Callable[..., np.ndarray], said: str
) -> None:
    check_vectors("concepts", led)
    monkeypatch.setattr(led, "cells", cells_of(led)._replace(**{field: changed(getattr(cells_of(led), field))}))
    with pytest.raises(ValueError, match=said):
        check_vectors("concepts", led)


def test_a_vector_of_which_nothing_is_known_can_be_asked(led: VectorStore, scanned: VectorStore) -> None:
    for store in (led, scanned):
        found = store.nearest(np.zeros(DIMENSIONS, np.float32), 10)
        assert set(found.tolist()) <= set(range(2000))
        assert not store.likeness(found, np.zeros(DIMENSIONS, np.float32)).any()
