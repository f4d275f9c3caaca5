"""What a site repeats on its pages: navigation, headers, footers.

A *segment* is the text between two breaks (sentence ends do not count). One that stands on more than n pages of
its site was not written for any of them: its words are no content, and its links are no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints, chunk_of, group_starts, whole
from pagekin.hashing import MULTIPLIER, SEED, SHIFT, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.number_set import find, number_set
from pagekin.settings import Strategy
from pagekin.tables import SEGMENTS, Break

Named = tuple[str, pa.RecordBatch]

SENTENCE = int(Break.SENTENCE)
ITS_PAGES = 0  # the segment that stands for the page itself
SLOTS = 1 << 20  # of the table in which segments are counted: 32 MiB


@inlined_kernel
def segment_end(chunk: Chunk, page: int, at: int, number: int) -> tuple[int, int]:
    """Where the segment that holds word `at` of the page ends, and the number of the break there.

    `number` is the break from which to look on, counted in the chunk.
    """
    length = chunk.word_ends[page + 1] - chunk.word_ends[page]
    while number < chunk.break_ends[page + 1]:
        if chunk.break_kinds[number] & ~SENTENCE and chunk.break_at[number] > at:
            return min(i64(chunk.break_at[number]), length), number
        number += 1
    return length, number


@inlined_kernel
def segment_hash(words: Ints, first: int, last: int) -> int:
    """The hash of a run of words; never 0.

    Words are hashes already. Each is multiplied by a number that depends on its place, so that no product waits
    for the one before, as in a chain of `hash_step`.
    """
    state = SEED
    for i in range(first, last):
        place = u64(i - first + 1) * MULTIPLIER
        state += u64(words[i]) * (place ^ (place >> SHIFT) | u64(1))
    return i64(state | u64(1))


@inlined_kernel
def site_segment(site: int, segment: int) -> int:
    """One number for a segment of a site; never 0."""
    return i64(hash_step(u64(site), segment) | u64(1))


# --- counting -----------------------------------------------------------------------------------------------

SITE, SEGMENT, COUNT, LAST_PAGE = 0, 1, 2, 3  # the columns of the table in which segments are counted


@inlined_kernel
def _count_segment(table: Ints, site: int, segment: int, page: int) -> int:
    """Count a segment once for a page; 1 if it was not in the table, else 0."""
    slot, new = (site_segment(site, segment) >> 1) & (len(table) - 1), 0
    while table[slot, COUNT] != 0 and (table[slot, SEGMENT] != segment or table[slot, SITE] != site):
        slot = (slot + 1) & (len(table) - 1)
    if table[slot, COUNT] == 0:
        table[slot, SITE], table[slot, SEGMENT], table[slot, LAST_PAGE] = site, segment, -1
        new = 1
    if table[slot, LAST_PAGE] != page:
        table[slot, LAST_PAGE] = page
        table[slot, COUNT] += 1
    return new


@kernel
def _count_segments(chunk: Chunk, first: int, table: Ints) -> int:
    """Count, for each segment of a site, the pages it is on; stops before a page that may not fit."""
    used = 0
    for page in range(first, len(chunk.page)):
        start, length = chunk.word_ends[page], chunk.word_ends[page + 1] - chunk.word_ends[page]
        at, number = i64(0), chunk.break_ends[page]
        if used + chunk.break_ends[page + 1] - number + 2 > len(table) // 2:
            return page
        used += _count_segment(table, chunk.site[page], ITS_PAGES, page)
        while at < length:
            end, number = segment_end(chunk, page, at, number)
            used += _count_segment(table, chunk.site[page], segment_hash(chunk.words, start + at, start + end), page)
            at = end
    return len(chunk.page)


def count_segments(batches: Iterable[pa.RecordBatch], strategy: Strategy | None = None) -> Iterator[Named]:
    """SEGMENTS of the pages at hand, each page counted once for a segment; none if templates are not asked for."""
    pages = whole(batches)
    if pages is None or (strategy is not None and not strategy.template_pages):
        return
    chunk = chunk_of(pages, np.zeros(pages.num_rows, np.int64))
    longest = int(np.diff(chunk.break_ends).max()) + 2
    room = max(min(len(chunk.break_at) + 2 * len(chunk.page), SLOTS // 4), longest)
    done = 0
    while done < len(chunk.page):
        table = np.zeros((1 << (2 * room).bit_length(), 4), np.int64)
        done = _count_segments(chunk, done, table)
        rows = table[table[:, COUNT] > 0]
        columns = [pa.array(np.ascontiguousarray(rows[:, k])) for k in (SITE, SEGMENT, COUNT)]
        yield "segments", pa.record_batch(columns, schema=SEGMENTS)


def add_pages(batches: Iterable[pa.RecordBatch], strategy: Strategy) -> Iterator[Named]:
    """The segments that are templates, and the number of pages of every site; rows come sorted."""
    for batch in batches:
        site, segment, pages = (batch[name].to_numpy() for name in SEGMENTS.names)
        starts = group_starts(site, segment)
        total = np.add.reduceat(pages, starts)
        kept = (segment[starts] == ITS_PAGES) | (total > strategy.template_pages)
        columns = [site[starts][kept], segment[starts][kept], total[kept]]
        yield "templates", pa.record_batch([pa.array(column) for column in columns], schema=SEGMENTS)


# --- looking up ---------------------------------------------------------------------------------------------


@inlined_kernel
def is_template(table: Ints, site: int, segment: int) -> bool:
    """Whether a segment of a site is in the table."""
    return bool(table[find(table, len(table), site_segment(site, segment))] != 0)


def template_table(templates: pa.Table, strategy: Strategy) -> NDArray[np.int64]:
    """A table for `is_template`, without the segments of tiny sites; of length 0 if there are none."""
    site, segment, pages = (templates[name].to_numpy() for name in SEGMENTS.names)
    if not strategy.template_pages:
        site, segment, pages = site[:0], segment[:0], pages[:0]
    large = site[(segment == ITS_PAGES) & (pages >= strategy.template_site)]
    rows = np.flatnonzero((segment != ITS_PAGES) & np.isin(site, large))
    keys = np.empty(len(rows), np.int64)
    _site_segments(site[rows], segment[rows], keys)
    return number_set(keys)


@kernel
def _site_segments(site: Ints, segment: Ints, keys: Ints) -> None:
    for i in range(len(keys)):
        keys[i] = site_segment(site[i], segment[i])
