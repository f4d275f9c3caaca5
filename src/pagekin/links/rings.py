"""Rings of sites, which lead to one another by links: strongly connected components (Tarjan 1972).

Nearly all sites of the web that are in a ring are in one and the same (Broder et al. 2000). Sites that are made to lift
one another are a ring too; they link to others, to look like hubs, but nobody else links back. So a ring that a site
does not lead to is one that nobody vouches for whom this site would trust: docs/decisions/0025.

A page counts for the site on which it stands, not for that of the page of which it is a copy: else whoever copies a
page that many link to, and links to the copy more often, would have all of them vouch for him.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, list_ends
from pagekin.grouping import grouped
from pagekin.kernels import kernel
from pagekin.tables import FOLLOWED, RINGS

Named = tuple[str, pa.RecordBatch]
Mask = NDArray[np.bool_]

FEWEST = 2  # rings: where there is but one, no site can be a stranger to it
FOLLOWED_COLUMNS = ("site_id", "link_page", "link_nofollow")


def followed_links(batches: Iterable[pa.RecordBatch], targets: pa.Table) -> Iterator[Named]:
    """FOLLOWED of the pages at hand; who marks a link as nofollow does not vouch for where it leads."""
    pages, sites = targets["page"].to_numpy(), targets["own_site"].to_numpy()
    for batch in batches:
        counts = np.diff(list_ends(batch["link_page"]))
        kept = ~batch["link_nofollow"].flatten().to_numpy(zero_copy_only=False)
        source = np.repeat(batch["site_id"].to_numpy(), counts)[kept]
        target = sites[np.searchsorted(pages, batch["link_page"].flatten().to_numpy()[kept])]
        other = source != target
        yield "followed", _each_once(pa.table([source[other], target[other]], schema=FOLLOWED))


def _each_once(rows: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
    table = grouped(rows, FOLLOWED.names, [])
    return pa.record_batch([column.combine_chunks() for column in table.columns], schema=FOLLOWED)


def followed_sites(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """One row for two sites; rows come sorted."""
    for batch in batches:
        yield "followed_sites", _each_once(batch)


def site_rings(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """RINGS; no row if there are fewer than two rings."""
    rows = [batch for batch in batches if batch.num_rows]
    if not rows:
        return
    links = pa.Table.from_batches(rows).sort_by([(name, "ascending") for name in FOLLOWED.names])
    ids = [links[name].to_numpy() for name in FOLLOWED.names]
    sites = np.union1d(*ids)
    source, target = (np.searchsorted(sites, each) for each in ids)
    component = components(source, target, len(sites))
    is_ring = np.bincount(component) > 1
    if np.count_nonzero(is_ring) < FEWEST:
        return
    upper, lower = _each_pair_once(component[source], component[target], len(is_ring))
    kept = leading(upper, lower, is_ring)
    yield "rings", _rings(sites, component, upper, lower, kept)


def _each_pair_once(source: Ints, target: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Links between different nodes, in order."""
    other = source != target
    pairs = np.unique(source[other] * nodes + target[other])
    return pairs // nodes, pairs % nodes


def _rings(sites: Ints, component: Ints, upper: Ints, lower: Ints, kept: Mask) -> pa.RecordBatch:
    """RINGS of the components that are kept, in their order."""
    row = np.cumsum(kept) - 1
    count, of_kept, between = int(kept.sum()), kept[component], kept[upper] & kept[lower]
    columns = [
        _lists(row[component[of_kept]], sites[of_kept], count),
        _lists(row[upper[between]], row[lower[between]], count),
    ]
    return pa.record_batch(columns, schema=RINGS)


def _lists(rows: Ints, values: Ints, count: int) -> pa.ListArray:
    """The values of each of so many rows, ascending."""
    ends = np.append(0, np.cumsum(np.bincount(rows, minlength=count)))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(values[np.lexsort([values, rows])]))


# --- components ---------------------------------------------------------------------------------------------


@kernel
def fill_components(ends: Ints, targets: Ints, component: Ints, room: Ints) -> int:
    """Number the components, and say how many there are; `room` has five rows of a number for each node.

    Tarjan's algorithm with a path of its own: a chain of sites would be too deep for calls that call themselves.
    """
    found, lowest, next_link, path, open_nodes = room[0], room[1], room[2], room[3], room[4]
    clock = count = opened = 0
    for root in range(len(component)):
        if found[root]:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            node = path[depth]
            if not found[node]:
                clock += 1
                found[node] = lowest[node] = clock
                next_link[node] = ends[node]
                open_nodes[opened] = node
                opened += 1
            if next_link[node] < ends[node + 1]:
                other = targets[next_link[node]]
                next_link[node] += 1
                if not found[other]:
                    depth += 1
                    path[depth] = other
                elif component[other] < 0:
                    lowest[node] = min(lowest[node], found[other])
                continue
            if lowest[node] == found[node]:
                while component[node] < 0:
                    opened -= 1
                    component[open_nodes[opened]] = count
                count += 1
            depth -= 1
            if depth >= 0:
                lowest[path[depth]] = min(lowest[path[depth]], lowest[node])
    return count


def components(source: Ints, target: Ints, nodes: int) -> Ints:
    """The component of each of so many nodes; links, which come in the order of their sources, lead to lower ones.

    >>> components(np.array([0, 1, 2]), np.array([1, 0, 1]), 3).tolist()
    [0, 0, 1]
    """
    ends = np.append(0, np.cumsum(np.bincount(source, minlength=nodes)))
    component = np.full(nodes, -1, np.int64)
    fill_components(ends, target, component, np.zeros((5, nodes), np.int64))
    return component


@kernel
def _mark_leading(upper: Ints, lower: Ints, leads: Mask) -> None:
    for k in range(len(upper)):
        if leads[lower[k]]:
            leads[upper[k]] = True


def leading(upper: Ints, lower: Ints, goals: Mask) -> Mask:
    """Which nodes are goals or lead to one; links go to lower nodes, and come in the order of the upper.

    >>> leading(np.array([1, 2, 3]), np.array([0, 1, 0]), np.array([False, True, False, False])).tolist()
    [False, True, True, False]
    """
    leads = goals.copy()
    _mark_leading(upper, lower, leads)
    return leads


@kernel
def _raise_largest(upper: Ints, lower: Ints, largest: Ints) -> None:
    for k in range(len(upper)):
        largest[upper[k]] = max(largest[upper[k]], largest[lower[k]])


def largest_reached(upper: Ints, lower: Ints, sizes: Ints) -> Ints:
    """The largest of the sizes of each node and those it leads to; links are as for `leading`.

    >>> largest_reached(np.array([1, 2, 3]), np.array([0, 1, 0]), np.array([3, 5, 0, 0])).tolist()
    [3, 5, 5, 3]
    """
    largest = sizes.copy()
    _raise_largest(upper, lower, largest)
    return largest


@kernel
def _mark_reached(ends: Ints, lower: Ints, reached: Mask) -> None:
    for node in range(len(reached) - 1, -1, -1):
        if reached[node]:
            for k in range(ends[node], ends[node + 1]):
                reached[lower[k]] = True


def reached(ends: Ints, lower: Ints, starts: Ints) -> Mask:
    """Which nodes are starts or are reached from one; those that node i links to are [ends[i], ends[i + 1]) of lower.

    >>> reached(np.array([0, 0, 1, 2]), np.array([0, 0]), np.array([2])).tolist()
    [True, False, True]
    """
    found = np.zeros(len(ends) - 1, np.bool_)
    found[starts] = True
    _mark_reached(ends, lower, found[: starts.max(initial=-1) + 1])
    return found
