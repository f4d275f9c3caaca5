"""The neighbourhood of a page: its related pages, theirs, and which of all these are related to one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagekin.query.records import Related

FIRST, SECOND = 8, 3  # related pages of the page in the middle, and new ones of each of these
LOOKED_AT = 8  # related pages of each of these, to find what they have in common


@dataclass(frozen=True)
class Node:
    """A page, how many steps it is from the middle, and the number of the page that it was reached from."""

    url: str
    title: str
    site: str
    step: int
    reached_from: int
    score: float


@dataclass(frozen=True)
class Edge:
    """Two pages, by their numbers, and how related they are."""

    first: int
    second: int
    score: float


@dataclass(frozen=True)
class Neighbourhood:
    """Pages, the one in the middle first, and the edges between them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def neighbourhood(middle: Node, related: Callable[[str, int], Sequence[Related]]) -> Neighbourhood:
    """The pages to two steps from one; `related` gives so many related pages of a page."""
    growing = _Growing(middle, related)
    growing.look_around(0, FIRST)
    for number in range(1, len(growing.nodes)):
        growing.look_around(number, SECOND)
    edges = [Edge(*pair, score) for pair, score in sorted(growing.scores.items())]
    return Neighbourhood(tuple(growing.nodes), tuple(edges))


class _Growing:
    """A neighbourhood that is being looked at."""

    def __init__(self, middle: Node, related: Callable[[str, int], Sequence[Related]]) -> None:
        self._related, self._numbers = related, {middle.url: 0}
        self.nodes = [middle]
        self.scores: dict[tuple[int, int], float] = {}

    def look_around(self, number: int, most_new: int) -> None:
        """Add the related pages of a page, so many new ones at most, and its edges to all that are known."""
        most_nodes = len(self.nodes) + most_new
        for found in self._related(self.nodes[number].url, LOOKED_AT):
            if found.url not in self._numbers and len(self.nodes) < most_nodes:
                self._add(found, number)
            if found.url in self._numbers:
                other = self._numbers[found.url]
                pair = min(number, other), max(number, other)
                self.scores[pair] = max(self.scores.get(pair, 0.0), found.score)

    def _add(self, found: Related, reached_from: int) -> None:
        self._numbers[found.url] = len(self.nodes)
        step = self.nodes[reached_from].step + 1
        self.nodes.append(Node(found.url, found.title, found.site, step, reached_from, found.score))
