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
from pagekin.kernels import i64, kernel
from pagekin.settings import DuplicateSettings
from pagekin.tables import EXACT_COPIES, LISTED, LONG_LISTS, PAIRS

Named = tuple[str, pa.RecordBatch]

SUPER_SHINGLE, SHINGLE = 0, 1  # the kinds of list
ROOM = 1 << 18  # pairs of a batch of rows
SKETCHES_AT_ONCE = 1 << 14
SLICE = 1 << 18  # rows of lists that are paired together
DEVIATIONS = 3.0  # by which a sample may be smaller than it should be


def first_copies(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """EXACT_COPIES, and LISTED for the first page of each content; rows come sorted by digest."""
    for batch in batches:
        for rows in _slices(batch, group_starts(batch["digest"].to_numpy()), SKETCHES_AT_ONCE):
            digest, page = rows["digest"].to_numpy(), rows["page"].to_numpy()
            order = np.lexsort([page, digest])
            starts = group_starts(digest[order])
            first = page[order][np.repeat(starts, np.diff(starts, append=len(order)))]
            is_copy = first != page[order]
            copies = [pa.array(page[order][is_copy]), pa.array(first[is_copy])]
            yield "exact_copies", pa.record_batch(copies, schema=EXACT_COPIES)
            firsts = rows.take(pa.array(order[starts]))
            yield "listed", _listed(firsts, "super_shingles", SUPER_SHINGLE)
            yield "listed", _listed(firsts, "samples", SHINGLE)


def _slices(batch: pa.RecordBatch, starts: Ints, rows: int) -> Iterator[pa.RecordBatch]:
    """A batch in slices of about so many rows, each of whole groups: work on rows takes several times their memory."""
    cuts = starts[np.searchsorted(starts, np.arange(0, batch.num_rows, rows), "right") - 1]
    for first, last in pairwise(np.unique(np.append(cuts, batch.num_rows)).tolist()):
        yield batch.slice(first, last - first)


def _listed(sketches: pa.RecordBatch, column: str, kind: int) -> pa.RecordBatch:
    lengths = sketches[column].value_lengths().to_numpy()
    counts = [sketches["page"].to_numpy(), sketches["size"].to_numpy(), sketches["samples"].value_lengths().to_numpy()]
    numbers = sketches[column].flatten()
    rows = [pa.array(np.repeat(count, lengths)) for count in counts]
    return pa.record_batch([pa.array(np.full(len(numbers), kind, np.int32)), numbers, *rows], schema=LISTED)


# --- pairs --------------------------------------------------------------------------------------------------


class Lists(NamedTuple):
    """List k is rows [starts[k], starts[k + 1]), pages ascending."""

    starts: Ints
    page: Ints


class Pairs(NamedTuple):
    """Pairs as they are written: the numbers of the list and of the two rows."""

    number: Ints
    first: Ints
    second: Ints


@kernel
def _pair(lists: Lists, begin: int, end: int, longest: int, out: Pairs) -> int:
    """Write the pairs of some lists; of a list that is too long only those with its first page."""
    used = 0
    for k in range(begin, end):
        first, last = lists.starts[k], lists.starts[k + 1]
        centres = last if last - first <= longest else first + 1
        for i in range(first, centres):
            for j in range(i + 1, last):
                if lists.page[i] != lists.page[j]:
                    out.number[used], out.first[used], out.second[used] = k, i64(i), i64(j)
                    used += 1
    return used


def listed_pairs(batches: Iterable[pa.RecordBatch], settings: DuplicateSettings) -> Iterator[Named]:
    """PAIRS of pages that stand in one list, and LONG_LISTS; rows come sorted by kind and number."""
    for batch in batches:
        starts = group_starts(batch["kind"].to_numpy(), batch["number"].to_numpy())
        for rows in _slices(batch, starts, SLICE):
            yield from _slice_pairs(rows, settings)


def _slice_pairs(rows: pa.RecordBatch, settings: DuplicateSettings) -> Iterator[Named]:
    """The same for some whole lists."""
    unsorted = [rows[name].to_numpy() for name in LISTED.names]
    order = np.lexsort(unsorted[2::-1])
    kind, number, *page = (column[order] for column in unsorted)
    starts = group_starts(kind, number)
    lists = Lists(np.append(starts, len(order)), page[0])
    lengths = np.diff(lists.starts)
    is_long = lengths > settings.longest_list
    long = [kind[starts][is_long], number[starts][is_long], lengths[is_long]]
    yield "long_lists", pa.record_batch([pa.array(column) for column in long], schema=LONG_LISTS)
    for found in _paired(lists, np.where(is_long, lengths - 1, lengths * (lengths - 1) // 2), settings):
        yield "pairs", _pairs_batch(page, kind[starts[found.number]], found)


def _paired(lists: Lists, pairs: Ints, settings: DuplicateSettings) -> Iterator[Pairs]:
    """The pairs of all lists, in lots."""
    total = np.concatenate([[0], np.cumsum(pairs)])
    begin = 0
    while begin < len(pairs):
        end = max(int(np.searchsorted(total, total[begin] + ROOM, "right")) - 1, begin + 1)
        out = Pairs(*np.empty((3, int(total[end] - total[begin])), np.int64))
        used = _pair(lists, begin, end, settings.longest_list, out)
        yield Pairs(*(column[:used] for column in out))
        begin = end


def _pairs_batch(page: Sequence[Ints], kind: NDArray[np.int32], pairs: Pairs) -> pa.RecordBatch:
    """Rows of PAIRS; `page` holds the ids of pages, their sizes and how many samples they have."""
    columns = [column[place] for column in page for place in (pairs.first, pairs.second)]
    shared = [(kind == each).astype(np.int32) for each in (SUPER_SHINGLE, SHINGLE)]
    return pa.record_batch([pa.array(column) for column in (*columns, *shared)], schema=PAIRS)


def _added(batch: pa.RecordBatch) -> Sequence[NDArray[np.int64]]:
    """The rows of each pair as one; rows come sorted by page and other."""
    columns = [batch[name].to_numpy() for name in PAIRS.names]
    starts = group_starts(columns[0], columns[1])
    return [*(column[starts] for column in columns[:6]), *(np.add.reduceat(column, starts) for column in columns[6:])]


def fewer_pairs(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """PAIRS with the rows of each pair as one."""
    for batch in batches:
        yield "pairs", pa.record_batch([pa.array(column) for column in _added(batch)], schema=PAIRS)


def candidate_pairs(batches: Iterable[pa.RecordBatch], settings: DuplicateSettings) -> Iterator[Named]:
    """The pairs that share a super-shingle, or as many samples as a page has that is contained in another."""
    for batch in batches:
        columns = _added(batch)
        supers, shingles = columns[6:]
        kept = (supers > 0) | (shingles >= fewest_samples(np.stack(columns[2:4]), np.stack(columns[4:6]), settings))
        yield "candidates", pa.record_batch([pa.array(column[kept]) for column in columns], schema=PAIRS)


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
