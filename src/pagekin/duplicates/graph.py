"""Which nodes of a graph belong together: connected components, and stars within them."""

from __future__ import annotations

import numpy as np

from pagekin.bags.chunk import Ints
from pagekin.kernels import inlined_kernel, kernel


@inlined_kernel
def _root(parents: Ints, node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@kernel
def _join(first: Ints, second: Ints, parents: Ints) -> None:
    for k in range(len(first)):
        one, other = _root(parents, first[k]), _root(parents, second[k])
        parents[max(one, other)] = min(one, other)
    for node in range(len(parents)):
        parents[node] = _root(parents, node)


def components(first: Ints, second: Ints, nodes: int) -> Ints:
    """For each node the least of those that it is connected with, itself included.

    >>> components(np.array([0, 3]), np.array([2, 2]), 5).tolist()
    [0, 1, 0, 0, 4]
    """
    parents = np.arange(nodes)
    _join(first, second, parents)
    return parents


@kernel
def _cover(order: Ints, ends: Ints, neighbours: Ints, centre: Ints) -> None:
    for k in range(len(order)):
        node = order[k]
        if centre[node] < 0:
            centre[node] = node
            for i in range(ends[node], ends[node + 1]):
                if centre[neighbours[i]] < 0:
                    centre[neighbours[i]] = node


def stars(taker: Ints, taken: Ints, rank: Ints, many: int) -> Ints:
    """For each node the centre of the star that it is in: itself, or one that may take it.

    In the order of their ranks nodes become centres, and take what they may and no other has taken. But those that
    may take more than `many` come first, those that may take most before the others; and those that another may take
    which they may not, last.

    >>> path = np.array([0, 1, 1, 2, 2, 3]), np.array([1, 0, 2, 1, 3, 2])
    >>> stars(*path, np.arange(4), 9).tolist(), stars(*path, np.arange(4), 1).tolist()
    ([0, 0, 2, 2], [1, 1, 1, 3])
    >>> stars(np.array([1, 2]), np.array([0, 0]), np.arange(3), 9).tolist()
    [1, 1, 2]
    """
    degree = np.bincount(taker, minlength=len(rank))
    back = np.isin(taken * len(rank) + taker, taker * len(rank) + taken)
    last = np.zeros(len(rank), np.bool_)
    last[taken[~back]] = True
    centre = np.full(len(rank), -1, np.int64)
    ends = np.concatenate([[0], np.cumsum(degree)])
    order = np.lexsort([rank, -np.where(degree > many, degree, 0), last])
    _cover(order, ends, taken[np.argsort(taker, kind="stable")], centre)
    return centre
