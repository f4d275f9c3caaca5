"""Which pages are worth comparing: those that stand in one list of a super-shingle or of sampled shingles.

Of exact copies only the first goes into the lists: ten thousand of one page are ten thousand rows, and no pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, group_starts
from pagekin.duplicates.sketches import sample_rates
from pagekin.hashing import SEED, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.settings import DuplicateSettings
from pagekin.tables import CANDIDATES, EXACT_COPIES, LISTED, LONG_LISTS, PAIRS, SIZES

Named = tuple[str, pa.RecordBatch]

PAIRS_AT_ONCE = 1 << 17  # that are counted before they are written
SLICE = 1 << 18  # rows of lists that are paired together
DEVIATIONS = 3.0  # by which a sample may be smaller than it should be


def first_copies(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """EXACT_COPIES; rows come sorted by digest."""
    for batch in batches:
        digest, page = batch["digest"].to_numpy(), batch["page"].to_numpy()
        order = np.lexsort([page, digest])
        starts = group_starts(digest[order])
        first = page[order][np.repeat(starts, np.diff(starts, append=len(order)))]
        is_copy = first != page[order]
        copies = [pa.array(page[order][is_copy]), pa.array(first[is_copy])]
        yield "exact_copies", pa.record_batch(copies, schema=EXACT_COPIES)


# --- pairs --------------------------------------------------------------------------------------------------


class Lists(NamedTuple):
    """List k is rows [starts[k], starts[k + 1]); `kind` says what number it is that its pages share.

    The first page of a list is the one that all others are paired with if it is too long: of a list of a shingle the
    smallest page, for that is what the others may contain.
    """

    starts: Ints
    page: Ints
    kind: Ints  # 0: a super-shingle; 1: a sampled shingle
    is_long: NDArray[np.bool_]

    @property
    def pairs(self) -> Ints:
        """How many pairs each list has."""
        lengths = np.diff(self.starts)
        return np.where(self.is_long, lengths - 1, lengths * (lengths - 1) // 2)


class Counted(NamedTuple):
    """Pairs in a hash table: their pages, and how many numbers of each kind they share, 0 and 0 in a free slot."""

    page: Ints
    other: Ints
    shared: NDArray[np.int32]
    used: Ints  # the slots that are not free, in the order in which they were taken


@inlined_kernel
def _slot(out: Counted, page: int, other: int) -> int:
    last = len(out.page) - 1
    slot = i64(hash_step(hash_step(SEED, page), other)) & last
    while out.shared[slot, 0] + out.shared[slot, 1] > 0 and (out.page[slot] != page or out.other[slot] != other):
        slot = (slot + 1) & last
    return slot


@kernel
def _count_pairs(lists: Lists, pairs: Ints, begin: int, out: Counted) -> tuple[int, int]:
    """Count the pairs of lists from `begin` on, until the room is used; returns the next list and how many pairs."""
    used = 0
    for k in range(begin, len(pairs)):
        first, last, kind = lists.starts[k], lists.starts[k + 1], lists.kind[k]
        if used + pairs[k] > len(out.used):
            return k, used
        for i in range(first, first + 1 if lists.is_long[k] else last):
            for j in range(i + 1, last):
                page, other = min(lists.page[i], lists.page[j]), max(lists.page[i], lists.page[j])
                slot = _slot(out, page, other)
                if out.shared[slot, 0] + out.shared[slot, 1] == 0:
                    out.page[slot], out.other[slot], out.used[used] = page, other, slot
                    used += 1
                out.shared[slot, kind] += 1
    return len(pairs), used


def listed_pairs(
    batches: Iterable[pa.RecordBatch], exact_copies: pa.Table, settings: DuplicateSettings
) -> Iterator[Named]:
    """PAIRS of pages that stand in one list, and LONG_LISTS; rows come sorted by number."""
    copies = np.sort(exact_copies["page"].to_numpy())
    for batch in batches:
        kept = np.flatnonzero(~_are_members(batch["page"].to_numpy(), copies))
        starts = group_starts(batch["number"].to_numpy()[kept])
        lengths = np.diff(starts, append=len(kept))
        shared = batch.take(pa.array(kept[np.repeat(lengths > 1, lengths)]))  # most numbers are those of one page
        for first, last in _slices(shared["number"].to_numpy(), SLICE):
            yield from _slice_pairs(shared.slice(first, last - first), settings)


def _are_members(numbers: Ints, members: Ints) -> NDArray[np.bool_]:
    """Which numbers are among some that come in order."""
    place = np.searchsorted(members, numbers)
    return np.append(members, 0)[place] == numbers if len(members) else np.zeros(len(numbers), np.bool_)


def _slices(keys: Ints, rows: int) -> Iterator[tuple[int, int]]:
    """Sorted rows in slices of about so many, each of whole groups: work takes several times their memory."""
    starts = np.append(group_starts(keys), len(keys))
    cuts = starts[np.searchsorted(starts, np.arange(0, len(keys), rows), "right") - 1]
    yield from pairwise(np.unique(np.append(cuts, len(keys))).tolist())


def _slice_pairs(rows: pa.RecordBatch, settings: DuplicateSettings) -> Iterator[Named]:
    """The same for some whole lists."""
    number, page, size = (rows[name].to_numpy() for name in LISTED.names)
    starts = group_starts(number)
    lengths, kind = np.diff(starts, append=len(number)), number[starts] & 1
    is_long = lengths > np.where(kind == 0, settings.longest_list, settings.longest_shingle_list)
    lists = Lists(np.append(starts, len(number)), page[np.lexsort([page, size * (number & 1), number])], kind, is_long)
    long = [number[starts][is_long], lengths[is_long]]
    yield "long_lists", pa.record_batch([pa.array(column) for column in long], schema=LONG_LISTS)
    for counted in _counted(lists, lists.pairs):
        yield "pairs", counted


def _counted(lists: Lists, pairs: Ints) -> Iterator[pa.RecordBatch]:
    """PAIRS of all lists, in lots."""
    room = max(min(PAIRS_AT_ONCE, int(pairs.sum())), int(pairs.max(initial=0)))
    slots = 1 << (2 * room).bit_length()
    page, other = np.empty((2, slots), np.int64)
    out = Counted(page, other, np.zeros((slots, 2), np.int32), np.empty(room, np.int64))
    done = 0
    while done < len(pairs):
        done, used = _count_pairs(lists, pairs, done, out)
        slot = out.used[:used]
        columns = [out.page[slot], out.other[slot], *out.shared[slot].T]
        yield pa.record_batch([pa.array(np.ascontiguousarray(column)) for column in columns], schema=PAIRS)
        out.shared[slot] = 0


def _added(batch: pa.RecordBatch) -> Sequence[Ints]:
    """The rows of each pair as one; rows come sorted by page and other."""
    columns = [batch[name].to_numpy() for name in PAIRS.names]
    starts = group_starts(columns[0], columns[1])
    return [*(column[starts] for column in columns[:2]), *(np.add.reduceat(column, starts) for column in columns[2:])]


def fewer_pairs(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """PAIRS with the rows of each pair as one."""
    for batch in batches:
        yield "pairs", pa.record_batch([pa.array(column) for column in _added(batch)], schema=PAIRS)


# --- candidates ---------------------------------------------------------------------------------------------


def candidate_pairs(batches: Iterable[pa.RecordBatch], sizes: pa.Table, settings: DuplicateSettings) -> Iterator[Named]:
    """CANDIDATES: who share a super-shingle, or as many samples as a page has that is contained in another."""
    known = sizes.sort_by("page")
    pages, size, samples = (known[name].to_numpy() for name in SIZES.names)
    for batch in batches:
        page, other, supers, shingles = _added(batch)
        rows = np.searchsorted(pages, np.stack([page, other]))
        kept = (supers > 0) | (shingles >= fewest_samples(size[rows], samples[rows], settings))
        columns = [column[kept] for column in (page, other, *size[rows])]
        yield "candidates", pa.record_batch([pa.array(column) for column in columns], schema=CANDIDATES)


def fewest_samples(sizes: Ints, samples: Ints, settings: DuplicateSettings) -> NDArray[np.float64]:
    """How many samples two pages share if one is contained in the other, chance allowed for.

    `sizes` and `samples` hold a row for each of the two pages. Of pages so long that they are sampled at different
    rates, the samples at the lower rate are what can be shared; their number is not known, only to be expected.
    """
    rates = sample_rates(sizes, max(settings.sample, 1))
    known = rates[0] == rates[1]
    tried = (samples * (rates / rates.max(axis=0))).min(axis=0)
    expected = settings.contained * tried
    deviation = np.sqrt(np.where(known, expected * (1 - settings.contained), expected))
    fewest: NDArray[np.float64] = np.maximum(expected - DEVIATIONS * deviation, 1.0)
    return fewest
