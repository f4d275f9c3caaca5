"""Clusters of pages that are copies of one another, and the page that stands for each.

Two pages are copies if they resemble one another enough; or if one is contained in the other and makes up most of it,
as a print version does of an article with links below it. A page that is a small part of another, such as an article
of a collection, is no copy of it, and joins nothing: two different articles are never both the most of one page.

Connected components of that (union-find, the last of the five steps of the lecture) join too much: the versions of a
wiki page are each a copy of the next, the first and the hundredth have nothing in common, and the hundredth would
be dropped. So a component is cut into stars: every page of a cluster is a copy of the one in its middle. That stands
for the cluster, unless more links lead to a part of it, or there are more copies than a list may have, each of which
was compared with the first of the list alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, group_starts, whole
from pagekin.duplicates.graph import components, stars
from pagekin.duplicates.mirrors import mirrored_hosts, originals
from pagekin.hashing import MULTIPLIER
from pagekin.settings import DuplicateSettings
from pagekin.tables import DUPLICATES, RESEMBLANCES

Named = tuple[str, pa.RecordBatch]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Nodes(NamedTuple):
    """The pages that have copies: ids ascending; the first of their exact copies; who would stand for a cluster."""

    page: Ints
    first: Ints
    rank: Ints


def clustered(
    batches: Iterable[pa.RecordBatch], exact_copies: pa.Table, urls: pa.Table, settings: DuplicateSettings
) -> Iterator[Named]:
    """DUPLICATES, MIRRORS, and RESEMBLANCES of copies and parts; all that was compared comes together."""
    table = _each_once(whole(batches) or RESEMBLANCES.empty_table())
    edges = _edges(table, settings)
    yield "resemblances", _one_batch(table.filter(pa.array(edges.first_takes | edges.second_takes | edges.part)))
    page, other = (table[name].to_numpy() for name in ("page", "other"))
    taker = np.concatenate([page[edges.first_takes], other[edges.second_takes]])
    taken = np.concatenate([other[edges.first_takes], page[edges.second_takes]])
    nodes = _nodes(taker, taken, exact_copies, urls)
    taker, taken = np.searchsorted(nodes.page, taker), np.searchsorted(nodes.page, taken)
    is_chain, many = settings.chains, settings.longest_list
    middle = components(taker, taken, len(nodes.page)) if is_chain else stars(taker, taken, nodes.rank, many)
    cluster = middle[np.searchsorted(nodes.page, nodes.first)]  # exact copies go with their first
    best = _best(cluster, nodes.rank)
    likeness = _likeness(nodes.first, nodes.first[best], nodes.first[cluster], table)
    is_copy = best != np.arange(len(best))
    rows = [nodes.page, nodes.page[best], likeness]
    yield "duplicates", pa.record_batch([pa.array(row[is_copy]) for row in rows], schema=DUPLICATES)
    mirrored = mirrored_hosts(nodes.page, nodes.page[best], urls)
    yield "mirrored_hosts", mirrored
    yield "mirrors", originals(mirrored)


def _each_once(table: pa.Table) -> pa.Table:
    """The pairs in their order; two lots may have compared the same."""
    table = table.sort_by([("page", "ascending"), ("other", "ascending")]).combine_chunks()
    return table.take(pa.array(group_starts(table["page"].to_numpy(), table["other"].to_numpy())))


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)


class Edges(NamedTuple):
    """What the pages of pairs are to one another."""

    first_takes: Flags  # whether the second is a copy that the first may stand for
    second_takes: Flags
    part: Flags  # whether one is contained in the other


def _edges(table: pa.Table, settings: DuplicateSettings) -> Edges:
    """Pages that are alike may each stand for the other; a page may for what it contains, if that is most of it.

    Not the other way round: a page of nothing but what a hundred others begin with is contained in all of them, and
    they are no copies of one another.
    """
    resemblance = table["resemblance"].to_numpy()
    least = max(settings.contained, settings.threshold)
    in_second, in_first = (table[name].to_numpy() >= least for name in ("containment", "other_containment"))
    alike, is_main = resemblance >= settings.threshold, resemblance >= settings.main_part
    return Edges(alike | (in_first & is_main), alike | (in_second & is_main), in_first | in_second)


def _nodes(one: Ints, other: Ints, exact_copies: pa.Table, urls: pa.Table) -> Nodes:
    copies, firsts = (exact_copies[name].to_numpy() for name in ("page", "first"))
    pages = np.unique(np.concatenate([one, other, copies, firsts]))
    first = pages.copy()
    first[np.searchsorted(pages, copies)] = firsts
    return Nodes(pages, first, _ranks(pages, urls))


def _ranks(pages: Ints, urls: pa.Table) -> Ints:
    """The place of each page among all: by in-links, most first, then the shortest address, then the first."""
    rows = pa.array(np.searchsorted(urls["page"].to_numpy(), pages))
    url, links = (urls[name].take(rows).to_pylist() for name in ("url", "in_links"))
    order = sorted(range(len(pages)), key=lambda k: (-links[k], len(url[k]), url[k]))
    ranks = np.empty(len(pages), np.int64)
    ranks[order] = np.arange(len(pages))
    return ranks


def _best(cluster: Ints, rank: Ints) -> Ints:
    """For each page the one of the lowest rank in its cluster."""
    order = np.lexsort([rank, cluster])
    starts = group_starts(cluster[order])
    best = np.empty(len(cluster), np.int64)
    best[order] = np.repeat(order[starts], np.diff(starts, append=len(order)))
    return best


# --- how alike a copy and its representative are ------------------------------------------------------------


def _likeness(firsts: Ints, best: Ints, middles: Ints, table: pa.Table) -> Floats:
    """The resemblance of each page and its representative, exact copies standing for one another.

    In a large cluster the two may not have been compared. 1 - resemblance is a metric, so that the page in the middle,
    which was compared with both, gives the least that it can be.
    """
    known = _resemblances(firsts, best, table)
    by_middle = _resemblances(firsts, middles, table) + _resemblances(best, middles, table) - 1
    return np.where(known > 0, known, np.maximum(by_middle, 0.0))


def _resemblances(page: Ints, other: Ints, table: pa.Table) -> Floats:
    """The resemblance of pairs; 0 for those that were not compared."""
    keys = _pair_keys(table["page"].to_numpy(), table["other"].to_numpy())
    order = np.argsort(keys)
    keys, resemblance = keys[order], table["resemblance"].to_numpy()[order]
    found = np.where(page == other, 1.0, 0.0)
    if len(keys):
        wanted = _pair_keys(page, other)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found = np.where((keys[place] == wanted) & (page != other), resemblance[place], found)
    return found


def _pair_keys(page: Ints, other: Ints) -> NDArray[np.uint64]:
    low, high = np.minimum(page, other).astype(np.uint64), np.maximum(page, other).astype(np.uint64)
    return low * np.uint64(MULTIPLIER) + high
