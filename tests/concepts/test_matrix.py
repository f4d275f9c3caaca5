"""Products, orthonormal vectors, the decomposition and the rotation against dense numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.concepts.matrix import (
    BLOCK,
    decomposition,
    orthonormal,
    product,
    readable_rotation,
    stacked,
    transposed_product,
)

DIMENSIONS = 6


def random_matrix(seed: int, rows: int, columns: int, filled: float = 0.3) -> np.ndarray:
    dice = np.random.default_rng(seed)
    return (dice.standard_normal((rows, columns)) * (dice.random((rows, columns)) < filled)).astype(np.float32)


def right_angles(seed: int, rows: int, columns: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((rows, columns)))[0]


def gapped_matrix(seed: int) -> np.ndarray:
    """A matrix of which six singular values are large and all others small."""
    sizes = np.append([9, 8, 7, 6, 5, 4], np.linspace(0.8, 0.1, 54))
    return (right_angles(seed, 90, 60) * sizes @ right_angles(seed + 1, 60, 60).T).astype(np.float32)


def smallest_cosine(one: np.ndarray, other: np.ndarray) -> float:
    """Of the principal angles between what the columns of two matrices span."""
    return float(np.linalg.svd(np.linalg.qr(one)[0].T @ np.linalg.qr(other)[0])[1].min())


# --- products


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 1000), st.integers(0, 9), st.integers(1, 9), st.integers(1, 5))
def test_products_are_those_of_dense_matrices(seed: int, rows: int, columns: int, width: int) -> None:
    matrix = random_matrix(seed, rows, columns)
    right, left = random_matrix(seed + 1, columns, width, 1.0), random_matrix(seed + 2, rows, width, 1.0)
    assert product(sparse(matrix), right) == pytest.approx(matrix @ right, abs=1e-5)
    assert transposed_product(sparse(matrix), left) == pytest.approx(matrix.T @ left, abs=1e-5)


# --- orthonormal vectors


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.lists(st.integers(0, 6), max_size=5))
def test_rows_of_several_matrices_are_stacked_in_an_order(seed: int, sizes: list[int]) -> None:
    dense = [random_matrix(seed + number, rows, 7) for number, rows in enumerate(sizes)]
    order = np.random.default_rng(seed).permutation(sum(sizes))
    joined = stacked([sparse(part) for part in dense], order, 7)
    expected = np.concatenate([np.empty((0, 7)), *dense])[order]
    assert (product(joined, np.eye(7, dtype=np.float32)) == expected.astype(np.float32)).all()


@pytest.mark.parametrize("rows", [7, 100, BLOCK + 3])
def test_vectors_become_orthonormal(rows: int) -> None:
    found = orthonormal(random_matrix(1, rows, 7, 1.0))
    assert found.T @ found == pytest.approx(np.eye(7), abs=1e-5)


def test_orthonormal_vectors_span_the_same_space() -> None:
    vectors = random_matrix(2, 100, 7, 1.0)
    assert smallest_cosine(vectors, orthonormal(vectors)) > 0.99999


def test_columns_that_are_nearly_parallel_become_orthonormal_too() -> None:
    vectors = random_matrix(3, 200, 5, 1.0)
    vectors[:, 1:] = vectors[:, :1] + 1e-4 * vectors[:, 1:]
    found = orthonormal(vectors)
    assert found.T @ found == pytest.approx(np.eye(5), abs=1e-5)


def test_directions_in_which_there_is_nothing_become_0() -> None:
    vectors = random_matrix(4, 50, 6, 1.0)
    vectors[:, 4], vectors[:, 5] = 0.0, 0.0
    found = orthonormal(vectors)
    lengths = np.sort(np.linalg.norm(found, axis=0))
    assert lengths == pytest.approx([0, 0, 1, 1, 1, 1], abs=1e-5)
    assert smallest_cosine(vectors[:, :4], found[:, np.linalg.norm(found, axis=0) > 0.5]) > 0.99999


def test_columns_that_follow_from_others_give_no_direction_of_their_own() -> None:
    """What rounding leaves of a column that is the sum of two others is no direction that anything teaches."""
    vectors = random_matrix(5, 50, 4, 1.0)
    vectors[:, 3] = vectors[:, 0] + vectors[:, 1]
    found = orthonormal(vectors)
    products = found.T @ found
    assert np.isfinite(found).all()
    assert np.abs(products - np.diag(np.diag(products))).max() < 1e-4
    kept = found[:, np.linalg.norm(found, axis=0) > 0.5]
    assert np.abs(vectors - kept @ (kept.T @ vectors)).max() < 1e-4


def test_nothing_at_all_stays_nothing() -> None:
    assert not orthonormal(np.zeros((9, 3), np.float32)).any()


# --- the decomposition


@pytest.mark.parametrize("seed", range(4))
def test_it_spans_what_the_first_vectors_of_a_dense_one_span(seed: int) -> None:
    matrix = gapped_matrix(seed)
    found, truth = decomposition(sparse(matrix), DIMENSIONS, 3, 1), np.linalg.svd(matrix)
    assert found.vectors.shape == (60, DIMENSIONS)
    assert smallest_cosine(found.vectors, truth.Vh[:DIMENSIONS].T) > 0.999
    assert found.sizes == pytest.approx(truth.S[:DIMENSIONS], rel=1e-3)


def test_each_vector_is_that_of_the_dense_one() -> None:
    matrix = gapped_matrix(7)
    found, truth = decomposition(sparse(matrix), DIMENSIONS, 3, 1), np.linalg.svd(matrix)
    cosines = np.abs((found.vectors * truth.Vh[:DIMENSIONS].T).sum(axis=0))
    assert cosines.min() > 0.999


def test_it_is_right_without_a_gap_too_after_some_rounds() -> None:
    matrix = random_matrix(8, 300, 80)
    found, truth = decomposition(sparse(matrix), 10, 40, 1), np.linalg.svd(matrix)
    assert found.sizes == pytest.approx(truth.S[:10], rel=1e-3)


def test_its_vectors_are_orthonormal_and_its_sizes_fall() -> None:
    found = decomposition(sparse(random_matrix(9, 100, 50)), 12, 3, 1)
    assert found.vectors.T @ found.vectors == pytest.approx(np.eye(12), abs=1e-4)
    assert (np.diff(found.sizes) <= 0).all()


def test_more_dimensions_change_nothing_in_the_first() -> None:
    matrix = sparse(gapped_matrix(10))
    few, many = decomposition(matrix, 3, 3, 1), decomposition(matrix, DIMENSIONS, 3, 1)
    assert few.vectors == pytest.approx(many.vectors[:, :3], abs=1e-3)


def test_the_same_seed_gives_the_same_bytes() -> None:
    matrix = sparse(random_matrix(11, 200, 90))
    one, other = decomposition(matrix, 8, 3, 5), decomposition(matrix, 8, 3, 5)
    assert one.vectors.tobytes() == other.vectors.tobytes()
    assert one.sizes.tobytes() == other.sizes.tobytes()


def test_another_seed_gives_the_same_vectors_with_the_same_signs() -> None:
    matrix = sparse(gapped_matrix(12))
    one, other = decomposition(matrix, DIMENSIONS, 3, 1), decomposition(matrix, DIMENSIONS, 3, 2)
    assert one.vectors == pytest.approx(other.vectors, abs=1e-3)


def test_the_largest_part_of_each_vector_is_positive() -> None:
    vectors = decomposition(sparse(random_matrix(13, 60, 40)), 9, 3, 1).vectors
    assert (vectors.max(axis=0) == np.abs(vectors).max(axis=0)).all()


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 7), (7, 1), (3, 50), (50, 3), (2, 2)])
def test_of_a_tiny_matrix_there_are_as_many_vectors_as_it_has(rows: int, columns: int) -> None:
    matrix = random_matrix(14, rows, columns, 1.0)
    found = decomposition(sparse(matrix), 20, 3, 1)
    assert found.vectors.shape == (columns, min(rows, columns))
    assert found.sizes == pytest.approx(np.linalg.svd(matrix).S, rel=1e-3)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (9, 4), (4, 30)])
def test_of_a_matrix_without_a_number_all_is_0(rows: int, columns: int) -> None:
    found = decomposition(sparse(np.zeros((rows, columns), np.float32)), 5, 3, 1)
    assert not found.vectors.any() and not found.sizes.any()


def test_rows_that_repeat_others_leave_finite_numbers() -> None:
    matrix = np.tile(random_matrix(15, 2, 30, 1.0), (10, 1))
    found = decomposition(sparse(matrix), 8, 3, 1)
    assert np.isfinite(found.vectors).all()
    assert found.sizes[:2] == pytest.approx(np.linalg.svd(matrix).S[:2], rel=1e-3)
    assert found.sizes[2:] == pytest.approx(0, abs=1e-3)


# --- the rotation


def spread(vectors: np.ndarray) -> float:
    """The criterion of varimax: how unequal the squares on each axis are."""
    return float((vectors**2).var(axis=0).sum())


def few_axes(seed: int, rows: int = 80, columns: int = 5) -> np.ndarray:
    """Vectors that lie each on one axis."""
    dice = np.random.default_rng(seed)
    vectors = np.zeros((rows, columns), np.float32)
    vectors[np.arange(rows), np.arange(rows) % columns] = dice.uniform(0.5, 2, rows)
    return vectors


def test_a_rotation_is_orthogonal() -> None:
    rotation = readable_rotation(random_matrix(16, 100, 9, 1.0))
    assert rotation.T @ rotation == pytest.approx(np.eye(9), abs=1e-5)


def test_a_rotation_changes_no_product_of_two_vectors() -> None:
    vectors = random_matrix(17, 100, 9, 1.0)
    turned = vectors @ readable_rotation(vectors)
    assert turned @ turned.T == pytest.approx(vectors @ vectors.T, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_a_rotation_raises_the_criterion(seed: int) -> None:
    vectors = random_matrix(18 + seed, 100, 9, 0.4) @ right_angles(seed, 9, 9).astype(np.float32)
    assert spread(vectors @ readable_rotation(vectors)) > 1.1 * spread(vectors)


@pytest.mark.parametrize("seed", range(5))
def test_axes_that_were_turned_away_are_found_again(seed: int) -> None:
    axes = few_axes(seed)
    mixed = axes @ right_angles(seed + 50, 5, 5).astype(np.float32)
    turned = mixed @ readable_rotation(mixed)
    cosines = axes.T @ turned / np.outer(np.linalg.norm(axes, axis=0), np.linalg.norm(turned, axis=0))
    assert np.sort(cosines.max(axis=1)) == pytest.approx(1, abs=1e-3)  # with the sign that they had
    assert sorted(cosines.argmax(axis=1)) == [0, 1, 2, 3, 4]


def test_a_rotation_of_nothing_is_one() -> None:
    rotation = readable_rotation(np.zeros((4, 3), np.float32))
    assert rotation.T @ rotation == pytest.approx(np.eye(3), abs=1e-6)
