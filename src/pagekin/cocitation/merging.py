"""From pairs to the pages that are cited together most (Shen et al., "Merging related pairs").

The first fold has all that is said of a page p2 and gives TS(p1 -> p2) for every p1; the second has all of p1 and
keeps the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, group_starts, list_ends
from pagekin.cocitation.authority import settled
from pagekin.hashing import hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import CocitationSettings
from pagekin.tables import CITED, COCITED

Named = tuple[str, pa.RecordBatch]
Doubles = NDArray[np.float64]

PAPERS_PAGES, PAPERS_LEAST = 37_482_913, 4.0  # the size of the paper's corpus, and the T that was right for it
PART = 1 << 18  # entries that are added up at once
SOURCES = 3  # pages that are named as those that cite a pair
SMALL = 100_000  # pages of a crawl in which a single citation may be all there is


def least_total(settings: CocitationSettings, pages: int) -> float:
    """T, below which a pair does not count: as set, or by the size of the crawl.

    It falls with the logarithm of the number of pages from the paper's 4.0 to 0.

    >>> least_total(CocitationSettings(), 37_482_913), least_total(CocitationSettings(), 5_000)
    (4.0, 0.0)
    """
    if settings.least:
        return settings.least
    share = np.log(max(pages, 1) / SMALL) / np.log(PAPERS_PAGES / SMALL)
    return round(float(PAPERS_LEAST * min(max(share, 0.0), 1.0)), 3)


def strength(totals: NDArray[np.float32]) -> NDArray[np.float32]:
    """A total as evidence from 0 to 1: what is just enough in the paper is a half.

    >>> strength(np.array([0.0, 4.0, 36.0], np.float32)).tolist()
    [0.0, 0.5, 0.8999999761581421]
    """
    half = np.float32(PAPERS_LEAST)
    return totals / (totals + half)


@kernel
def sort_within(bounds: Ints, values: NDArray[Any], order: NDArray[np.int32], room: NDArray[np.int32]) -> None:
    """Put the places of each group into the order of their values, equal ones as they stood (merge sort)."""
    for group in range(len(bounds) - 1):
        first, last, width = bounds[group], bounds[group + 1], 1
        while width < last - first:
            for low in range(first, last, 2 * width):
                middle, high = min(low + width, last), min(low + 2 * width, last)
                if middle >= high or values[order[middle - 1]] <= values[order[middle]]:
                    continue
                for k in range(low, middle):
                    room[k] = order[k]
                i, j, k = low, middle, low
                while i < middle:
                    if j < high and values[order[j]] < values[room[i]]:
                        order[k] = order[j]
                        j += 1
                    else:
                        order[k] = room[i]
                        i += 1
                    k += 1
            width *= 2


# --- rows that say the same ---------------------------------------------------------------------------------


@kernel
def _hash_lists(ends: Ints, others: Ints, similarities: NDArray[np.int32], hashes: Ints) -> None:
    for i in range(len(hashes)):
        state = u64(ends[i + 1] - ends[i])
        for k in range(ends[i], ends[i + 1]):
            state = hash_step(hash_step(state, others[k]), similarities[k])
        hashes[i] = i64(state)


def fewer_citations(batches: Iterable[pa.RecordBatch], settings: CocitationSettings) -> Iterator[Named]:
    """The same without the blocks that a site repeats more often than may count; what is left stands for them.

    Of the rows of one page, site, anchor and list those of the first sources stay, which changes no result.
    """
    for batch in batches:
        page, site, anchor, source, blocks = (batch[name].to_numpy() for name in CITED.names[:5])
        others, bits = batch["others"], batch["similarities"].flatten().to_numpy().view(np.int32)
        lists = np.empty(batch.num_rows, np.int64)
        _hash_lists(list_ends(others), others.flatten().to_numpy(), bits, lists)
        order = np.lexsort([source, lists, anchor, site, page])
        starts = group_starts(page[order], site[order], anchor[order], lists[order])
        sizes = np.diff(starts, append=len(order))
        place = np.arange(len(order)) - np.repeat(starts, sizes)
        kept = place < max(settings.repeats, SOURCES)
        counts = blocks[order].copy()
        beyond = np.add.reduceat(np.where(kept, 0, counts), starts)
        counts[starts] += beyond
        rows = order[kept]
        shorter = batch.take(pa.array(rows))
        yield "cited", shorter.set_column(4, CITED.field("blocks"), pa.array(counts[kept]))


# --- total similarities -------------------------------------------------------------------------------------


class Said(NamedTuple):
    """All that blocks say of some pages, one entry a pair, sorted by (page, other, site, anchor, source)."""

    page: Ints
    other: Ints
    site: Ints
    anchor: Ints
    source: Ints
    similarity: NDArray[np.float32]
    factor: Doubles  # what the site counts
    blocks: Ints  # how many blocks cite the page


class Totals(NamedTuple):
    """TS(other -> page), one entry a pair of pages."""

    total: NDArray[np.float32]
    first: Ints  # an entry of Said that has the pages
    citing: NDArray[np.int32]
    sources: Ints  # [pair, place]: entries of Said that are nearest, or -1


@inlined_kernel
def _note_nearest(said: Said, entry: int, nearest: Ints) -> None:
    """Put an entry among the nearest, behind those that are as near."""
    place = len(nearest)
    while place > 0 and (nearest[place - 1] < 0 or said.similarity[nearest[place - 1]] < said.similarity[entry]):
        if place < len(nearest):
            nearest[place] = nearest[place - 1]
        place -= 1
    if place < len(nearest):
        nearest[place] = entry


@kernel
def _add_up(said: Said, repeats: int, most: float, best: Doubles, out: Totals) -> int:
    """Equations 12 and 13; returns how many pairs there are. `best` is room for the similarities of one anchor."""
    i, pairs, entries = 0, 0, len(said.page)
    while i < entries:
        first, total, citing = i, 0.0, 0
        out.sources[pairs] = -1
        page, other = said.page[i], said.other[i]
        while i < entries and said.page[i] == page and said.other[i] == other:
            site, of_site, factor = said.site[i], 0.0, said.factor[i]
            while i < entries and said.page[i] == page and said.other[i] == other and said.site[i] == site:
                anchor, count = said.anchor[i], 0
                while (
                    i < entries and said.page[i] == page and said.other[i] == other and said.site[i] == site
                    and said.anchor[i] == anchor
                ):  # fmt: skip
                    value = float(said.similarity[i])
                    _note_nearest(said, i, out.sources[pairs])
                    place = min(count, repeats)
                    while place > 0 and best[place - 1] < value:
                        best[place] = best[place - 1]
                        place -= 1
                    best[place] = value
                    count += 1
                    i += 1
                for k in range(min(count, repeats)):
                    of_site += best[k]
                citing += min(count, repeats)
            total += factor * (min(of_site, most) if most > 0 else of_site)
        out.first[pairs] = first
        out.citing[pairs] = citing
        out.total[pairs] = total / (1.0 + np.log(said.blocks[first]))
        pairs += 1
    return pairs


class SiteFactors(NamedTuple):
    """What the citations of each site count, beside 1 for one of no special authority."""

    sites: Ints
    factor: Doubles

    def of(self, sites: Ints) -> Doubles:
        """The factor of each."""
        if not len(self.sites):
            return np.ones(len(sites))
        place = np.minimum(np.searchsorted(self.sites, sites), len(self.sites) - 1)
        return np.where(self.sites[place] == sites, self.factor[place], 1.0)


def site_factors(authority: pa.Table, settings: CocitationSettings) -> SiteFactors:
    """A power of the authority of each site, which is 1 on average."""
    if not settings.authority:
        return SiteFactors(np.empty(0, np.int64), np.empty(0))
    factor = authority["authority"].to_numpy() ** settings.authority
    return SiteFactors(authority["site_id"].to_numpy(), factor)


def _said(batch: pa.RecordBatch, factors: SiteFactors) -> Said:
    """The entries of rows that come sorted by page."""
    page, site, anchor, source, blocks = (batch[name].to_numpy() for name in CITED.names[:5])
    rows = np.lexsort([source, anchor, site, page])
    batch = batch.take(pa.array(rows))
    page, site, anchor, source, blocks = (column[rows] for column in (page, site, anchor, source, blocks))
    starts = group_starts(page)
    number = np.cumsum(np.bincount(starts, minlength=len(page))) - 1
    cited = np.add.reduceat(blocks, starts)[number]
    sizes = np.diff(list_ends(batch["others"]))
    entry = np.repeat(np.arange(len(page), dtype=np.int32), sizes)
    other = batch["others"].flatten().to_numpy()
    order = np.arange(len(other), dtype=np.int32)
    bounds = np.append(list_ends(batch["others"])[starts], len(other))
    sort_within(bounds, other, order, np.empty_like(order))
    entry = entry[order]
    similarity = batch["similarities"].flatten().to_numpy()[order]
    return Said(
        page[entry], other[order], site[entry], anchor[entry], source[entry], similarity, factors.of(site)[entry],
        cited[entry],
    )  # fmt: skip


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Rows that come sorted by page, in parts of about PART entries, none of which holds a part of a page."""
    starts, ends = group_starts(batch["page"].to_numpy()), list_ends(batch["others"])
    cuts = np.unique(np.searchsorted(ends[starts], np.arange(0, ends[-1] + 1, PART)))
    bounds = [*starts[cuts[cuts < len(starts)]].tolist(), batch.num_rows]
    for low, high in pairwise(bounds):
        yield batch.slice(low, high - low)


def total_similarities(
    batches: Iterable[pa.RecordBatch], authority: pa.Table, settings: CocitationSettings
) -> Iterator[Named]:
    """TS from every page to the pages at hand; rows come sorted by page. Blocks cite what they cite alone, too."""
    settings = settled(settings, authority)
    factors = site_factors(authority, settings)
    for batch in (part for every in batches for part in _parts(every)):
        said = _said(batch, factors)
        if not len(said.page):
            continue
        size = len(said.page)
        out = Totals(
            np.empty(size, np.float32), np.empty(size, np.int64), np.empty(size, np.int32),
            np.empty((size, SOURCES), np.int64),
        )  # fmt: skip
        count = _add_up(said, settings.repeats, settings.site_most, np.empty(settings.repeats + 1), out)
        yield "totals", _totals_batch(said, out, count)


def _totals_batch(said: Said, out: Totals, count: int) -> pa.RecordBatch:
    first, nearest = out.first[:count], out.sources[:count]
    known = nearest >= 0
    ends = np.append(0, np.cumsum(known.sum(axis=1))).astype(np.int32)
    sources = pa.array(said.source[nearest[known]])
    columns = [said.other[first], said.page[first], out.total[:count], out.citing[:count]]
    lists = pa.ListArray.from_arrays(pa.array(ends), sources, type=COCITED.field("sources").type)
    return pa.record_batch([*(pa.array(column) for column in columns), lists], schema=COCITED)


# --- the best -----------------------------------------------------------------------------------------------


def _best(batch: pa.RecordBatch, most: int, least: float) -> pa.RecordBatch:
    """The best others of each page, the best first; those of equal totals by their ids. Rows come sorted by page."""
    batch = batch.filter(pa.array(batch["total"].to_numpy() >= np.float32(least)))
    starts = group_starts(batch["page"].to_numpy())
    bounds, order = np.append(starts, batch.num_rows), np.arange(batch.num_rows, dtype=np.int32)
    for values in (batch["other"].to_numpy(), -batch["total"].to_numpy()):
        sort_within(bounds, values, order, np.empty_like(order))
    place = np.arange(batch.num_rows) - np.repeat(starts, np.diff(bounds))
    return batch.take(pa.array(order[place < most]))


def fewer_totals(batches: Iterable[pa.RecordBatch], settings: CocitationSettings) -> Iterator[Named]:
    """Only what can still be among the best of a page."""
    for batch in batches:
        yield "totals", _best(batch, settings.pages, 0.0)


def best_cocited(batches: Iterable[pa.RecordBatch], urls: pa.Table, settings: CocitationSettings) -> Iterator[Named]:
    """COCITED: for each page the M pages of the highest totals, none below T; rows come sorted by page."""
    fetched = int(np.count_nonzero(urls["fetched"].to_numpy(zero_copy_only=False)))
    least = least_total(settings, fetched)
    for batch in batches:
        yield "cocited", _best(batch, settings.pages, least)
