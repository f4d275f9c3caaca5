"""Where the pages of a neighbourhood stand on the map: the same pages always at the same places.

The page in the middle has its related pages to the left and to the right of it in turn, and theirs further out. All
outer pages of one side have rows of their own, so that their names never lie upon one another.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from pagekin.query.neighbourhood import Edge, Neighbourhood, Node

WIDTH, ROW_HEIGHT, MARGIN = 1200, 48, 40
INNER, INNER_BULGE = 150, 40  # how far from the middle the first step is, and how much more half-way up
OUTER, OUTER_BULGE = 275, 50
SMALLEST, LARGEST = 5.0, 13.0  # radii
LONGEST_NAME = 30  # letters


@dataclass(frozen=True)
class Place:
    """A page on the map; `side` is -1 to the left of the middle, 1 to the right, 0 in it."""

    number: int
    node: Node
    x: float
    y: float
    radius: float
    side: int
    name: str


@dataclass(frozen=True)
class Line:
    """An edge on the map."""

    edge: Edge
    start: Place
    end: Place
    width: float

    @property
    def is_step(self) -> bool:
        """Whether the one page was reached from the other."""
        return self.end.node.reached_from == self.start.number


@dataclass(frozen=True)
class Map:
    """A neighbourhood as it is drawn."""

    width: int
    height: int
    places: tuple[Place, ...]
    lines: tuple[Line, ...]


def laid_out(found: Neighbourhood) -> Map:
    """The map of a neighbourhood."""
    firsts = [number for number, node in enumerate(found.nodes) if node.step == 1]
    followers: dict[int, list[int]] = defaultdict(list)
    for number, node in enumerate(found.nodes):
        if node.step == 2:
            followers[node.reached_from].append(number)
    sides = {1: firsts[::2], -1: firsts[1::2]}
    rows = max(sum(max(len(followers[first]), 1) for first in side) for side in sides.values())
    height = max(rows, 6) * ROW_HEIGHT + 2 * MARGIN
    at = {0: (WIDTH / 2, height / 2, 0)}
    for side, members in sides.items():
        at |= _side(side, members, followers, height)
    heads = _common_heads(found.nodes)
    places = tuple(
        Place(number, node, x, y, _radius(node), side, short_name(node, heads))
        for number, node in enumerate(found.nodes)
        for x, y, side in [at[number]]
    )
    lines = (Line(e, places[e.first], places[e.second], round(0.75 + 3 * e.score, 2)) for e in found.edges)
    return Map(WIDTH, height, places, tuple(sorted(lines, key=lambda line: line.is_step)))


def short_name(node: Node, heads: Container[str] = ()) -> str:
    """The beginning of a title without what it shares with others, or else the end of the address.

    >>> short_name(Node("http://a.test/", "Volcanoes shed: Lava", "a.test", 1, 0, 0.5), {"Volcanoes shed"})
    'Lava'
    """
    head, _, rest = node.title.partition(": ")
    title, address = rest if rest and head in heads else node.title, node.url.partition("://")[2] or node.url
    if title:
        return title if len(title) <= LONGEST_NAME else title[: LONGEST_NAME - 1].rstrip() + "…"
    return address if len(address) <= LONGEST_NAME else "…" + address[1 - LONGEST_NAME :]


def _common_heads(nodes: Iterable[Node]) -> set[str]:
    """What the titles of several pages begin with, up to a colon: most often the name of the site."""
    heads = Counter(node.title.partition(": ")[0] for node in nodes if ": " in node.title)
    return {head for head, pages in heads.items() if pages > 1}


def _side(
    side: int, firsts: Sequence[int], followers: dict[int, list[int]], height: float
) -> dict[int, tuple[float, float, int]]:
    """Places of the pages of one side; those that one page leads to stand in rows beside it."""
    rows = [follower for first in firsts for follower in followers[first] or [first]]
    height_of = {number: _row_y(row, len(rows), height) for row, number in enumerate(rows)}
    at = {}
    for first in firsts:
        y = sum(height_of[number] for number in followers[first] or [first]) / max(len(followers[first]), 1)
        at[first] = (_x(side, INNER, INNER_BULGE, y, height), round(y, 1), side)
        for number in followers[first]:
            y = height_of[number]
            at[number] = (_x(side, OUTER, OUTER_BULGE, y, height), round(y, 1), side)
    return at


def _row_y(row: int, rows: int, height: float) -> float:
    return MARGIN + (row + 0.5) * (height - 2 * MARGIN) / rows


def _x(side: int, distance: float, bulge: float, y: float, height: float) -> float:
    """How far out, on a flat curve around the middle."""
    upwards = abs(2 * y / height - 1)
    return round(WIDTH / 2 + side * (distance + bulge * math.sqrt(1 - upwards**2)), 1)


def _radius(node: Node) -> float:
    if node.step == 0:
        return LARGEST + 3
    return round(SMALLEST + (LARGEST - SMALLEST) * min(node.score, 1.0) * (1.0 if node.step == 1 else 0.6), 1)
