"""Maps of any neighbourhood: all pages inside, names that do not lie upon one another, the same every time."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pagekin.query.neighbourhood import FIRST, SECOND, Edge, Neighbourhood, Node
from pagekin.server.map_layout import LONGEST_NAME, ROW_HEIGHT, Map, laid_out, short_name

followers = st.lists(st.integers(0, SECOND), max_size=FIRST)


def around(followers: list[int]) -> Neighbourhood:
    """A page with related ones, each of which has so many of its own."""
    nodes = [Node("http://0/", "", "", 0, -1, 1.0)]
    nodes += [Node(f"http://{n}/", "", "", 1, 0, 0.5) for n in range(1, len(followers) + 1)]
    for first, many in enumerate(followers, 1):
        nodes += [Node(f"http://{first}/{n}", "", "", 2, first, 0.4) for n in range(many)]
    edges = [Edge(node.reached_from, number, node.score) for number, node in enumerate(nodes) if number]
    return Neighbourhood(tuple(nodes), tuple(edges))


@given(followers)
def test_every_page_is_inside(followers: list[int]) -> None:
    drawn = laid_out(around(followers))
    for place in drawn.places:
        assert place.radius < place.x < drawn.width - place.radius
        assert place.radius < place.y < drawn.height - place.radius


@given(followers)
def test_the_names_of_one_column_have_room(followers: list[int]) -> None:
    drawn = laid_out(around(followers))
    for one, other in combinations(drawn.places, 2):
        if (one.side, one.node.step) == (other.side, other.node.step):
            assert abs(one.y - other.y) >= ROW_HEIGHT - 1


@given(followers)
def test_the_same_neighbourhood_has_the_same_map(followers: list[int]) -> None:
    assert laid_out(around(followers)) == laid_out(around(followers))


@given(followers)
def test_every_edge_is_a_line_between_its_places(followers: list[int]) -> None:
    drawn: Map = laid_out(around(followers))
    ends = {(line.start.number, line.end.number) for line in drawn.lines}
    assert ends == {(edge.first, edge.second) for edge in around(followers).edges}


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_name_is_never_too_long_and_never_empty(title: str, path: str) -> None:
    assert 0 < len(short_name(Node(f"http://site/{path}", title, "", 1, 0, 0.5))) <= LONGEST_NAME


def test_what_several_titles_begin_with_is_left_out() -> None:
    titles = ("Shed: Lava", "Shed: Ash", "Barn: Hay")
    nodes = tuple(Node(f"http://{title}/", title, "", min(n, 1), 0 if n else -1, 0.5) for n, title in enumerate(titles))
    assert [place.name for place in laid_out(Neighbourhood(nodes, ())).places] == ["Lava", "Ash", "Barn: Hay"]
