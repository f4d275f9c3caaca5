"""The cosine of neighbourhoods, against one that writes the whole matrix down."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.links.likeness import Neighbourhoods, near_pages, neighbourhoods
from pagekin.settings import LinkSettings

PAGES = 9
EDGES = st.sets(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)).filter(lambda pair: pair[0] < pair[1]))


def matrix_of(edges: set[tuple[int, int]]) -> np.ndarray:
    """Who is whose neighbour."""
    matrix = np.zeros((PAGES, PAGES))
    for one, other in edges:
        matrix[one, other] = matrix[other, one] = 1.0
    return matrix


def hoods_of(edges: set[tuple[int, int]], settings: LinkSettings) -> Neighbourhoods:
    rows = [np.flatnonzero(row) for row in matrix_of(edges)]
    ends = np.append(0, np.cumsum([len(row) for row in rows]))
    return neighbourhoods(ends, np.concatenate(rows).astype(np.uint32), settings)


def dense_cosines(edges: set[tuple[int, int]], settings: LinkSettings) -> np.ndarray:
    """The slow and obvious way."""
    matrix = matrix_of(edges)
    degrees = matrix.sum(axis=0)
    counted = (degrees > 0) & (degrees <= settings.neighbours)
    weights = np.where(counted, 1 / np.sqrt(np.maximum(degrees, 1)), 0.0)
    vectors = (matrix + settings.itself * np.eye(PAGES)) * weights
    lengths = np.linalg.norm(vectors, axis=1)
    return (vectors @ vectors.T) / np.maximum(np.outer(lengths, lengths), 1e-30)


@settings(deadline=None)
@given(EDGES, st.integers(0, PAGES - 1), st.sampled_from([1, 3, 1000]), st.sampled_from([0.0, 1.0, 2.0]))
def test_nearness_is_the_cosine_of_the_whole_matrix(
    edges: set[tuple[int, int]], page: int, most: int, itself: float
) -> None:
    chosen = LinkSettings(most, itself)
    near, likeness = near_pages(
        hoods_of(edges, chosen), page, np.zeros(PAGES, np.float32), np.empty(PAGES + 1, np.uint32)
    )
    found = np.zeros(PAGES)
    found[near] = likeness
    expected = dense_cosines(edges, chosen)[page]
    expected[page] = 0.0
    np.testing.assert_allclose(found, expected, atol=1e-5)


@settings(deadline=None)
@given(EDGES, st.integers(0, PAGES - 1))
def test_what_was_added_up_is_cleared(edges: set[tuple[int, int]], page: int) -> None:
    shared = np.zeros(PAGES, np.float32)
    near_pages(hoods_of(edges, LinkSettings()), page, shared, np.empty(PAGES + 1, np.uint32))
    assert not shared.any()


def test_a_link_counts_more_the_fewer_links_there_are() -> None:
    few = dense_cosines({(0, 1)}, LinkSettings())[0, 1]
    many = dense_cosines({(0, 1), (0, 2), (0, 3), (1, 4), (1, 5)}, LinkSettings())[0, 1]
    assert few > many > 0


def test_pages_that_link_to_the_same_page_are_near() -> None:
    hoods = hoods_of({(0, 2), (1, 2)}, LinkSettings())
    near, likeness = near_pages(hoods, 0, np.zeros(PAGES, np.float32), np.empty(PAGES + 1, np.uint32))
    assert near.tolist() == [1, 2]
    assert 0 < likeness[0] < likeness[1]
