"""Rings of sites: components against a slow twin, and which links count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.kernels import python_twin
from pagekin.links.rings import (
    components,
    fill_components,
    followed_links,
    largest_reached,
    leading,
    reached,
    site_rings,
)
from pagekin.tables import FOLLOWED, PAGES, TARGETS

Links = set[tuple[int, int]]
MOST = 12

webs = st.sets(st.tuples(st.integers(0, MOST - 1), st.integers(0, MOST - 1)), max_size=40).map(
    lambda links: {(source, target) for source, target in links if source != target}
)


def slow_reach(links: Links, nodes: int) -> list[set[int]]:
    """What each node comes to, itself included: links are followed until nothing is added."""
    reach = [{node} for node in range(nodes)]
    while True:
        grown = [set().union(found, *(reach[target] for source, target in links if source in found)) for found in reach]
        if grown == reach:
            return reach
        reach = grown


def ends_and_targets(links: Links, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    source, target = np.array(sorted(links), np.int64).reshape(-1, 2).T
    return np.append(0, np.cumsum(np.bincount(source, minlength=nodes))), np.ascontiguousarray(target)


@pytest.mark.parametrize("kernel", [fill_components, python_twin(fill_components)])
@settings(deadline=None)  # the first call compiles
@given(links=webs)
def test_nodes_of_a_component_lead_to_one_another(kernel: Callable[..., int], links: Links) -> None:
    component = np.full(MOST, -1, np.int64)
    count = kernel(*ends_and_targets(links, MOST), component, np.zeros((5, MOST), np.int64))
    reach = slow_reach(links, MOST)
    for one, other in product(range(MOST), repeat=2):
        assert (component[one] == component[other]) == (one in reach[other] and other in reach[one])
    assert set(component.tolist()) == set(range(count))
    assert all(component[source] >= component[target] for source, target in links)


def test_a_chain_of_many_sites_is_followed_to_its_end() -> None:
    many = 200_000
    source = np.arange(many)
    assert len(set(components(source, np.append(source[1:], 0), many).tolist())) == 1
    assert components(source[:-1], source[1:], many).tolist() == list(range(many - 1, -1, -1))


@settings(deadline=None)  # the first call compiles
@given(links=webs, goals=st.sets(st.integers(0, MOST - 1)))
def test_what_leads_to_a_goal_and_what_is_reached(links: Links, goals: set[int]) -> None:
    """Links to lower nodes alone, as those between components are."""
    downwards = {(max(link), min(link)) for link in links}
    ends, lower = ends_and_targets(downwards, MOST)
    reach, marks = slow_reach(downwards, MOST), np.isin(np.arange(MOST), list(goals))
    upper = np.repeat(np.arange(MOST), np.diff(ends))
    assert leading(upper, lower, marks).tolist() == [bool(found & goals) for found in reach]
    sizes = np.array([sum(goal >= node for goal in goals) for node in range(MOST)], np.int64)
    assert largest_reached(upper, lower, sizes).tolist() == [max(sizes[list(found)]) for found in reach]
    found = set().union(*(reach[start] for start in goals))
    assert np.flatnonzero(reached(ends, lower, np.array(sorted(goals), np.int64))).tolist() == sorted(found)


# --- the table


def rings(links: Sequence[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    rows = [dict(zip(FOLLOWED.names, link, strict=True)) for link in links]
    found = site_rings([pa.RecordBatch.from_pylist(rows, FOLLOWED)])
    return [tuple(row.values()) for _, batch in found for row in batch.to_pylist()]


WEB = [(10, 11), (11, 10), (20, 21), (21, 20), (20, 10), (20, 11), (30, 20), (30, 10), (10, 40), (50, 40)]


def test_a_row_is_a_ring_or_a_site_that_leads_to_one() -> None:
    """40 links to nobody and 50 to no ring: they have no row."""
    assert rings(WEB) == [([10, 11], []), ([20, 21], [0]), ([30], [0, 1])]


def test_the_order_of_links_is_of_no_matter() -> None:
    assert rings(WEB[::-1]) == rings(WEB)


def test_one_ring_is_none() -> None:
    assert rings([(1, 2), (2, 1), (3, 1)]) == []
    assert rings([]) == []


# --- which links count


def followed(links: list[tuple[int, bool]], targets: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """The links of a page of site 5; targets are pages, with the sites of what they count for and their own."""
    page = {"site_id": 5, "link_page": [page for page, _ in links], "link_nofollow": [no for _, no in links]}
    names = ("site_id", "link_page", "link_nofollow")
    batch = pa.RecordBatch.from_pylist([page], pa.schema([PAGES.field(name) for name in names]))
    rows = [{"page": p, "target": p, "site_id": s, "kind": 0, "own_site": own} for p, s, own in targets]
    found = followed_links([batch], pa.Table.from_pylist(rows, TARGETS))
    return [tuple(row.values()) for _, made in found for row in made.to_pylist()]


def test_links_between_sites_count_once_and_those_marked_nofollow_not_at_all() -> None:
    targets = [(1, 5, 5), (2, 6, 6), (3, 6, 6), (4, 7, 7)]
    assert followed([(1, False), (2, False), (3, False), (4, True)], targets) == [(5, 6)]


def test_a_link_to_a_page_that_was_copied_leads_to_the_site_on_which_it_stands() -> None:
    """Site 9 has a copy of page 1 of site 6, and more links: it stands for both, but nobody vouches for it."""
    assert followed([(1, False)], [(1, 9, 6)]) == [(5, 6)]
