"""Candidates compared exactly, in lots of bounded size.

Pages that are candidates of one another should come together, but nothing bounds how many there are. So the pairs, in
an order that keeps connected ones together, are cut into *lots* whose pages have about a million shingles; a page that
has pairs in several lots goes into each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from pagekin.bags.chunk import Ints, group_starts, whole
from pagekin.duplicates.graph import components
from pagekin.duplicates.shingles import shingles_of, text_chunk
from pagekin.kernels import kernel
from pagekin.number_set import clear, find, number_set, room, slots_for
from pagekin.settings import DuplicateSettings
from pagekin.tables import COMPARED, MEMBERS, RESEMBLANCES

Named = tuple[str, pa.RecordBatch]

LOT_SHINGLES = 1 << 20
SMALL = 12  # pages: in a component of no more than these, every pair is compared


# --- lots ---------------------------------------------------------------------------------------------------


class Edges(NamedTuple):
    """Pairs by the numbers of their pages."""

    first: Ints
    second: Ints


@kernel
def _pack(edges: Edges, size: Ints, most: int, last: Ints, lot_of: Ints, members: Ints) -> int:
    """Put edges into lots in their order; writes (lot, page) for each page of a lot, returns how many there are.

    `last` holds for each page the last lot that it is in, at first -1.
    """
    lot, filled, used = 0, 0, 0
    for k in range(len(edges.first)):
        one, other = edges.first[k], edges.second[k]
        wanted = size[one] * (last[one] != lot) + size[other] * (last[other] != lot)
        if filled > 0 and filled + wanted > most:
            lot, filled = lot + 1, 0
        for page in (one, other):
            if last[page] != lot:
                last[page] = lot
                members[used, 0], members[used, 1] = lot, page
                filled += size[page]
                used += 1
        lot_of[k] = lot
    return used


def compared_lots(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """MEMBERS, which pages are in which lots, and COMPARED rows for the pairs; all candidates come together."""
    table = whole(batches)
    if table is None:
        return
    first, second, first_size, second_size = (table[name].to_numpy() for name in table.schema.names[:4])
    pages, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    size = np.zeros(len(pages), np.int64)
    size[places] = np.concatenate([first_size, second_size])
    edges = _with_small_components(Edges(*places.reshape(2, -1)), len(pages))
    lot_of, members = np.empty(len(edges.first), np.int64), np.empty((2 * len(edges.first), 2), np.int64)
    size = np.minimum(size, LOT_SHINGLES // 2)  # a page that fills a lot by itself would be in one for each pair
    used = _pack(edges, size, LOT_SHINGLES, np.full(len(pages), -1, np.int64), lot_of, members)
    lot, page = members[:used, 0], pages[members[:used, 1]]
    order = np.lexsort([lot, page])
    yield "members", pa.record_batch([pa.array(page[order]), pa.array(lot[order])], schema=MEMBERS)
    columns = [lot_of, pages[edges.first], pages[edges.second]]
    nothing = pa.ListArray.from_arrays(
        pa.array(np.zeros(len(lot_of) + 1, np.int32)), pa.array([], pa.int64()), type=COMPARED.field("shingles").type
    )
    yield "compared", pa.record_batch([*(pa.array(column) for column in columns), nothing], schema=COMPARED)


def _with_small_components(edges: Edges, pages: int) -> Edges:
    """The edges, connected ones together, and all that a small component can have.

    So it is known how alike any two pages of a small cluster are, also if they were no candidates.
    """
    component = components(edges.first, edges.second, pages)
    order = np.argsort(component, kind="stable")
    starts = group_starts(component[order])
    sizes = np.diff(starts, append=pages)
    made: list[tuple[Ints, Ints]] = []
    for count in range(2, SMALL + 1):
        members = order[starts[sizes == count][:, None] + np.arange(count)]
        one, other = np.triu_indices(count, 1)
        made.append((members[:, one].ravel(), members[:, other].ravel()))
    small = np.zeros(pages, np.bool_)
    small[order] = np.repeat(sizes <= SMALL, sizes)
    made.append((edges.first[~small[edges.first]], edges.second[~small[edges.first]]))
    first, second = (np.concatenate([pair[k] for pair in made]) for k in (0, 1))
    together = np.lexsort([second, first, component[first]])
    return Edges(first[together], second[together])


def shingled_pages(
    batches: Iterable[pa.RecordBatch], members: pa.Table, boilerplate: pa.Table, settings: DuplicateSettings
) -> Iterator[Named]:
    """COMPARED rows with the shingles of the pages that are in lots, one for each lot."""
    wanted, lots = (members[name].to_numpy() for name in MEMBERS.names)
    known = number_set(boilerplate["segment"].to_numpy())
    for batch in batches:
        page = batch["page"].to_numpy()
        begin, end = (np.searchsorted(wanted, page, side) for side in ("left", "right"))
        chosen = np.flatnonzero(end > begin)
        if not len(chosen):
            continue
        flat, ends = shingles_of(text_chunk(batch), chosen, known, settings)
        lists = pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(flat))
        times = (end - begin)[chosen]
        row = np.repeat(np.arange(len(chosen)), times)
        within = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
        lot, own = lots[begin[chosen][row] + within], page[chosen][row]
        shingles = (lists.take(pa.array(row)) if (times > 1).any() else lists).cast(COMPARED.field("shingles").type)
        yield "compared", pa.record_batch([pa.array(lot), pa.array(own), pa.array(own), shingles], schema=COMPARED)


# --- comparison ---------------------------------------------------------------------------------------------


@kernel
def _count_shared(edges: Edges, shingles: Ints, ends: Ints, slots: Ints, shared: Ints) -> None:
    """How many shingles the two pages of each edge have in common; edges come sorted by their first page."""
    size, loaded = 4, -1
    for k in range(len(shared)):
        first, second = edges.first[k], edges.second[k]
        if first != loaded:
            size, loaded = room(ends[first + 1] - ends[first]), first
            clear(slots, size)
            for i in range(ends[first], ends[first + 1]):
                slots[find(slots, size, shingles[i])] = shingles[i]
        shared[k] = 0
        for i in range(ends[second], ends[second + 1]):
            shared[k] += slots[find(slots, size, shingles[i])] != 0


def resemblances(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """RESEMBLANCES of all pairs that have anything in common; rows come sorted by lot."""
    for batch in batches:
        lot = batch["lot"].to_numpy()
        starts = group_starts(lot)
        for first, last in zip(starts, np.append(starts[1:], len(lot)), strict=True):
            yield "compared_pairs", _compared(batch.slice(first, last - first))


def _compared(rows: pa.RecordBatch) -> pa.RecordBatch:
    page, other = rows["page"].to_numpy(), rows["other"].to_numpy()
    own = np.flatnonzero(page == other)
    own = own[np.argsort(page[own])]
    lists = rows["shingles"].take(pa.array(own))
    lengths = lists.value_lengths().to_numpy().astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    pairs = np.flatnonzero(page != other)
    pairs = pairs[np.lexsort([other[pairs], page[pairs]])]
    edges = Edges(*(np.searchsorted(page[own], column[pairs]) for column in (page, other)))
    shared = np.empty(len(pairs), np.int64)
    slots = slots_for(int(lengths.max(initial=0)))
    _count_shared(edges, lists.flatten().to_numpy(), ends, slots, shared)
    of_page, of_other = lengths[edges.first], lengths[edges.second]
    columns = [
        page[pairs], other[pairs], shared / (of_page + of_other - shared), shared / of_page, shared / of_other,
        shared, of_page, of_other,
    ]  # fmt: skip
    kept = shared > 0
    return pa.record_batch([pa.array(column[kept]) for column in columns], schema=RESEMBLANCES)
