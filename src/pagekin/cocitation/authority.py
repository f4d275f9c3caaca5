"""How much a site is worth as one that cites: PageRank over sites (Brin and Page 1998).

Sites and not pages, because a site can make as many pages as it likes, but not as many sites that link to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, list_ends
from pagekin.grouping import grouped
from pagekin.settings import CocitationSettings, Strategy
from pagekin.tables import AUTHORITY, SITE_LINKS

Named = tuple[str, pa.RecordBatch]
Doubles = NDArray[np.float64]

DAMPING = 0.85
ROUNDS, ENOUGH = 100, 1e-9


def site_links(batches: Iterable[pa.RecordBatch], targets: pa.Table, strategy: Strategy) -> Iterator[Named]:
    """SITE_LINKS of the pages at hand; a site that links to no other has a row to itself."""
    pages, sites = targets["page"].to_numpy(), targets["site_id"].to_numpy()
    for batch in batches:
        counts = np.diff(list_ends(batch["link_page"]))
        kept = strategy.nofollow | ~batch["link_nofollow"].flatten().to_numpy(zero_copy_only=False)
        own = sites[np.searchsorted(pages, batch["page"].to_numpy())]  # a mirror's pages are its original's
        source = np.repeat(own, counts)[kept]
        target = sites[np.searchsorted(pages, batch["link_page"].flatten().to_numpy()[kept])]
        other = source != target
        source, target = np.concatenate([own, source[other]]), np.concatenate([own, target[other]])
        own_pages = np.concatenate([np.ones(len(own), np.int64), np.zeros(other.sum(), np.int64)])
        rows = pa.table([pa.array(column) for column in (source, target, own_pages)], schema=SITE_LINKS)
        yield "site_links", _added(rows)


def _added(rows: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
    table = grouped(rows, ["site_id", "target_site"], [("pages", "sum")])
    return pa.record_batch([column.combine_chunks() for column in table.columns], schema=SITE_LINKS)


def add_site_links(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """One row a link between two sites; rows come sorted."""
    for batch in batches:
        yield "linked_sites", _added(batch)


def site_authority(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """AUTHORITY of every site that was fetched or is linked to."""
    rows = [batch for batch in batches if batch.num_rows]
    if not rows:
        return
    links = pa.Table.from_batches(rows).sort_by([("site_id", "ascending"), ("target_site", "ascending")])
    source, target, pages = (links[name].to_numpy() for name in SITE_LINKS.names)
    sites = np.union1d(source, target)
    fetched = np.zeros(len(sites), np.int64)
    np.add.at(fetched, np.searchsorted(sites, source), pages)
    between = source != target
    edges = np.searchsorted(sites, source[between]), np.searchsorted(sites, target[between])
    columns = [sites, fetched, page_rank(*edges, len(sites)) * len(sites)]
    yield "authority", pa.record_batch([pa.array(column) for column in columns], schema=AUTHORITY)


def page_rank(source: Ints, target: Ints, nodes: int) -> Doubles:
    """The PageRank of each of so many nodes, all together 1; what ends in a node without links goes to all alike.

    >>> page_rank(np.array([0, 1]), np.array([2, 2]), 3).round(2).tolist()
    [0.21, 0.21, 0.57]
    """
    degree = np.bincount(source, minlength=nodes)
    share = 1 / np.maximum(degree, 1)
    rank = np.full(nodes, 1 / nodes)
    for _ in range(ROUNDS):
        given = np.bincount(target, (rank * share)[source], nodes)
        lost = rank[degree == 0].sum()
        new = (1 - DAMPING) / nodes + DAMPING * (given + lost / nodes)
        change = np.abs(new - rank).sum()
        rank = new
        if change < ENOUGH:
            break
    return rank


def settled(settings: CocitationSettings, authority: pa.Table) -> CocitationSettings:
    """The settings with `auto` decided: links within a site count if the crawl is of one site alone."""
    if settings.own_site != "auto":
        return settings
    is_one = np.count_nonzero(authority["pages"].to_numpy()) <= 1
    return replace(settings, own_site="yes" if is_one else "no")
