"""What is learned from a sample of pages, and where it puts every other page."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hand_made import Row, Tables, basis_table, counted, dense, fragments, some_terms, topic_rows
from hypothesis import given
from hypothesis import strategies as st

from pagekin.concepts.basis import basis_of, learned_basis, packed, projected, unpacked, vectors_of
from pagekin.concepts.features import weighed_columns, weighed_rows
from pagekin.engines.protocol import batches_of
from pagekin.settings import ConceptSettings, Strategy
from pagekin.tables import BASIS, VECTORS

TERMS = 40
FEW = ConceptSettings(dimensions=6)


def learned(rows: list[Row], settings: ConceptSettings = FEW) -> pa.Table:
    return basis_table([fragments(rows)], rows, TERMS, settings)


def projections(rows: list[Row], basis: pa.Table, settings: ConceptSettings = FEW) -> np.ndarray:
    """The vectors of rows, as they lie in VECTORS."""
    found = [batch for _, batch in projected([fragments(rows)], basis, some_terms(TERMS), settings)]
    return unpacked(pa.Table.from_batches(found, VECTORS)["vector"])


def nearest(vectors: np.ndarray, k: int = 10) -> list[set[int]]:
    """The k nearest of each vector, without itself."""
    products = vectors @ vectors.T
    np.fill_diagonal(products, -np.inf)
    return [set(row[:k].tolist()) for row in np.argsort(-products, axis=1, kind="stable")]


def overlap(one: list[set[int]], other: list[set[int]]) -> float:
    return float(np.mean([len(a & b) / len(a) for a, b in zip(one, other, strict=True)]))


# --- the basis


def test_a_basis_has_a_row_for_each_column_in_use() -> None:
    rows: list[Row] = [{0: 1024, 1: 1024}, {0: 1024, 2: 99}, {1: 1024, 50: 1024}, {50: 1024, 3: 1}]
    assert learned(rows)["column"].to_pylist() == [0, 1, 50]


def test_a_basis_has_the_dimensions_that_are_set() -> None:
    assert unpacked(learned(topic_rows(1))["vector"]).shape[1] == 6
    assert projections(topic_rows(1), learned(topic_rows(1))).shape == (60, 6)


def test_the_order_of_pages_and_batches_changes_nothing() -> None:
    rows = topic_rows(2)
    whole = fragments(rows)
    turned = whole.take(pa.array(np.random.default_rng(1).permutation(whole.num_rows)))
    cut = [turned.slice(first, 7) for first in range(0, 60, 7)]
    assert basis_table(cut, rows, TERMS, FEW) == basis_table(cut[::-1], rows, TERMS, FEW) == learned(rows)


def test_the_seed_changes_no_angle() -> None:
    rows = topic_rows(3)
    one, other = (projections(rows, learned(rows, ConceptSettings(dimensions=4, seed=seed))) for seed in (1, 2))
    assert one @ one.T == pytest.approx(other @ other.T, abs=0.02)


def test_pages_that_say_nothing_teach_nothing() -> None:
    rows = topic_rows(4)
    beside = basis_table([fragments([*rows, {}, {}])], rows, TERMS, FEW)
    assert unpacked(beside["vector"]) == pytest.approx(unpacked(learned(rows)["vector"]), abs=1e-3)


@pytest.mark.parametrize("rows", [[], [{}], [{0: 1024}], [{0: 1024}, {1: 1024}]])
def test_of_pages_that_share_nothing_there_is_no_basis(rows: list[Row]) -> None:
    assert learned(rows).num_rows == 0
    assert list(projected([fragments(rows)], BASIS.empty_table(), some_terms(TERMS), FEW)) == []


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0])
def test_vectors_are_finite_whatever_the_exponent(exponent: float) -> None:
    """Pages of three kinds have three dimensions: all others have the size 0, but for what rounding leaves."""
    rows: list[Row] = topic_rows(12, pages=3) * 10
    settings = ConceptSettings(dimensions=20, exponent=exponent)
    vectors = projections(rows, learned(rows, settings), settings)
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_dimensions_in_which_there_is_nothing_change_no_likeness(exponent: float) -> None:
    rows: list[Row] = topic_rows(12, pages=3) * 10
    few, many = (ConceptSettings(dimensions=dimensions, exponent=exponent) for dimensions in (3, 20))
    new = topic_rows(13, pages=8)
    one, other = (projections(new, learned(rows, settings), settings) for settings in (few, many))
    assert one @ one.T == pytest.approx(other @ other.T, abs=0.02)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0])
def test_likeness_is_that_of_a_dense_decomposition(exponent: float) -> None:
    """Rows of U S^p have the angles of rows × V S^(p - 1)."""
    rows, settings = topic_rows(5), ConceptSettings(dimensions=4, exponent=exponent, rounds=10)
    columns = weighed_columns(counted(rows), 60, TERMS, settings, Strategy())
    _, sizes, right = np.linalg.svd(dense(weighed_rows(fragments(rows), columns, settings, by_length=True)))
    matrix = dense(weighed_rows(fragments(rows), columns, settings))
    expected = _normalised(matrix @ right[:4].T * sizes[:4] ** (exponent - 1))
    found = projections(rows, learned(rows, settings), settings)
    assert found @ found.T == pytest.approx(expected @ expected.T, abs=0.02)


def _normalised(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_pages_of_a_topic_lie_together_and_others_apart() -> None:
    rows = topic_rows(6)
    vectors = projections(rows, learned(rows, ConceptSettings(dimensions=4)))
    topic, products = np.arange(60) % 4, vectors @ vectors.T
    same = topic[:, None] == topic
    assert products[same].mean() > 0.8
    assert products[~same].mean() < 0.4


def test_each_axis_is_a_topic() -> None:
    rows, settings = topic_rows(7), ConceptSettings(dimensions=4)
    basis = learned(rows, settings)
    reach = unpacked(basis["vector"]) * basis["weight"].to_numpy()[:, None]
    strongest = np.argsort(-reach, axis=0)[:5].T
    topics = [{int(basis["column"][int(place)].as_py()) // 10 for place in axis} for axis in strongest]
    assert sorted(topics, key=min) == [{0}, {1}, {2}, {3}]


# --- projection


def test_a_projection_is_the_row_by_the_basis_at_length_1() -> None:
    rows = topic_rows(8)
    basis = learned(rows)
    ready = basis_of(basis, TERMS)
    matrix = dense(weighed_rows(fragments(rows), ready.columns, FEW))
    assert vectors_of(fragments(rows), ready, FEW) == pytest.approx(_normalised(matrix @ ready.vectors), abs=1e-5)
    assert projections(rows, basis) == pytest.approx(_normalised(matrix @ ready.vectors), abs=1e-3)


def test_a_page_with_one_column_goes_where_the_basis_says() -> None:
    rows = topic_rows(9)
    basis = learned(rows)
    number, vector = basis["column"][3].as_py(), unpacked(basis["vector"])[3]
    assert projections([{number: 1024}], basis)[0] == pytest.approx(vector / np.linalg.norm(vector), abs=2e-3)


@pytest.mark.parametrize("row", [{}, {39: 1024}, {1000: 1024}])
def test_a_page_without_any_known_column_gets_the_zero_vector(row: Row) -> None:
    rows = [{term: f for term, f in row.items() if term != 39} for row in topic_rows(10)]
    assert projections([row], learned(rows)).tolist() == [[0.0] * 6]


def test_a_page_is_projected_alone_as_among_others() -> None:
    rows = topic_rows(11)
    basis = learned(rows)
    assert (projections(rows[20:21], basis) == projections(rows, basis)[20:21]).all()


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 1000))
def test_what_is_packed_is_unpacked(rows: int, columns: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float16).astype(np.float32)
    short = packed(vectors)
    assert short.type == VECTORS.field("vector").type
    assert rows == 0 or (unpacked(pa.chunked_array([short[:1], short[1:]])) == vectors).all()


# --- the sample web


def sample_vectors(tables: Tables, settings: ConceptSettings, taught: np.ndarray | None = None) -> np.ndarray:
    """The vectors of all fetched pages; only some of them teach."""
    urls, featured = tables["urls"], tables["featured"]
    fetched = featured.filter(pa.array(np.isin(featured["page"].to_numpy(), _fetched(urls))))
    teachers = fetched if taught is None else fetched.filter(pa.array(taught))
    found = learned_basis(batches_of(teachers), tables["feature_counts"], urls, tables["terms"], settings, Strategy())
    basis = pa.Table.from_batches([batch for _, batch in found], BASIS)
    ready = basis_of(basis, tables["terms"].num_rows)
    return np.concatenate([vectors_of(batch, ready, settings) for batch in batches_of(fetched)])


def _fetched(urls: pa.Table) -> np.ndarray:
    return urls["page"].to_numpy()[urls["fetched"].to_numpy()]


def test_pages_that_were_left_out_of_learning_have_nearly_the_same_neighbours(sample_tables: Tables) -> None:
    settings = ConceptSettings(dimensions=40)
    every = sample_vectors(sample_tables, settings)
    left_out = np.random.default_rng(1).random(len(every)) < 0.2
    some = sample_vectors(sample_tables, settings, ~left_out)
    chosen = np.flatnonzero(left_out)
    one, other = nearest(every), nearest(some)
    assert len(chosen) > 80
    assert overlap([one[i] for i in chosen], [other[i] for i in chosen]) > 0.7


def test_the_steps_give_what_the_functions_give(sample_tables: Tables) -> None:
    expected = sample_vectors(sample_tables, ConceptSettings(dimensions=40))
    concepts = sample_tables["concepts"]
    fetched = np.isin(concepts["page"].to_numpy(), _fetched(sample_tables["urls"]))
    assert unpacked(concepts["vector"])[fetched] == pytest.approx(expected, abs=2e-3)


def test_every_page_of_the_crawl_has_a_vector_of_length_1_or_0(sample_tables: Tables) -> None:
    vectors = unpacked(sample_tables["concepts"]["vector"])
    lengths = np.linalg.norm(vectors, axis=1)
    assert len(vectors) == sample_tables["featured"].num_rows
    assert np.minimum(lengths, abs(lengths - 1)) == pytest.approx(0, abs=2e-3)
    assert (lengths > 0.5).mean() > 0.95
