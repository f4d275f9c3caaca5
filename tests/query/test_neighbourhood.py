"""Neighbourhoods of any graph: two steps, no page twice, edges between known pages alone."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pagekin.query.neighbourhood import FIRST, LOOKED_AT, SECOND, Neighbourhood, Node, neighbourhood
from pagekin.query.records import Related

MIDDLE = Node("0", "", "", 0, -1, 1.0)
Graph = dict[str, list[str]]
graphs = st.dictionaries(st.integers(0, 40).map(str), st.lists(st.integers(0, 40).map(str), unique=True, max_size=12))


def found(graph: Graph) -> Neighbourhood:
    def related(url: str, k: int) -> Sequence[Related]:
        others = [other for other in graph.get(url, []) if other != url][:k]
        return [
            Related(rank, other, "", "", score=1 / rank, evidence={}, shares={}) for rank, other in enumerate(others, 1)
        ]

    return neighbourhood(MIDDLE, related)


@given(graphs)
def test_no_page_comes_twice_and_none_is_further_than_two_steps(graph: Graph) -> None:
    nodes = found(graph).nodes
    assert len({node.url for node in nodes}) == len(nodes)
    assert all(node.step == nodes[node.reached_from].step + 1 <= 2 for node in nodes[1:])


@given(graphs)
def test_no_page_leads_to_more_new_ones_than_there_is_room_for(graph: Graph) -> None:
    nodes = found(graph).nodes
    for number, node in enumerate(nodes):
        reached = [other for other in nodes if other.reached_from == number]
        assert len(reached) <= {0: FIRST, 1: SECOND, 2: 0}[node.step]


@given(graphs)
def test_edges_join_exactly_the_known_pages_that_are_related(graph: Graph) -> None:
    result = found(graph)
    numbers = {node.url: number for number, node in enumerate(result.nodes)}
    wanted = {
        tuple(sorted((number, numbers[other])))
        for number, node in enumerate(result.nodes)
        if node.step < 2
        for other in [other for other in graph.get(node.url, []) if other != node.url][:LOOKED_AT]
        if other in numbers
    }
    first_seen = {(edge.first, edge.second) for edge in result.edges}
    assert first_seen <= wanted
    assert {(node.reached_from, number) for number, node in enumerate(result.nodes) if number} <= first_seen


def test_a_page_alone_has_no_edge() -> None:
    assert found({}) == Neighbourhood((MIDDLE,), ())
