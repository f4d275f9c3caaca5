"""What a site repeats on its pages: navigation, headers, footers.

A *segment* is the text between two breaks (sentence ends do not count). One that stands on more than n pages of its
site was not written for any of them: its words are no content, and its links are no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints, chunk_of, whole
from pagekin.hashing import SEED, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import Strategy
from pagekin.tables import SEGMENTS, Break

Named = tuple[str, pa.RecordBatch]

SENTENCE = int(Break.SENTENCE)
ITS_PAGES = 0  # the segment that stands for the page itself


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
    """The hash of a run of words; never 0."""
    state = SEED
    for i in range(first, last):
        state = hash_step(state, words[i])
    return i64(state | u64(1))


@inlined_kernel
def site_segment(site: int, segment: int) -> int:
    """One number for a segment of a site; never 0."""
    return i64(hash_step(u64(site), segment) | u64(1))


@kernel
def _find(table: Ints, key: int) -> int:
    """The slot of a key, or the empty one where it belongs."""
    slot = key & (len(table) - 1)
    while table[slot, 0] != 0 and table[slot, 0] != key:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@kernel
def _count_segments(chunk: Chunk, first: int, table: Ints, rows: Ints, used: int) -> tuple[int, int]:
    """Count, for each segment of a site, the pages it is on; stops before a page for which there is no room.

    A slot holds key, number of the row, and the last page that was counted.
    """
    for page in range(first, len(chunk.page)):
        words = chunk.word_ends[page + 1] - chunk.word_ends[page]
        if used + words + 1 > len(rows):
            return page, used
        start, at, number = chunk.word_ends[page], 0, chunk.break_ends[page]
        segment, end = ITS_PAGES, 0
        while True:
            slot = _find(table, site_segment(chunk.site[page], segment))
            if table[slot, 0] == 0:
                table[slot, 0], table[slot, 1] = site_segment(chunk.site[page], segment), used
                table[slot, 2] = -1
                rows[used, 0], rows[used, 1], rows[used, 2] = chunk.site[page], segment, 0
                used += 1
            if table[slot, 2] != page:
                table[slot, 2] = page
                rows[table[slot, 1], 2] += 1
            if end >= words:
                break
            at = end
            end, number = segment_end(chunk, page, at, number)
            segment = segment_hash(chunk.words, start + at, start + end)
    return len(chunk.page), used


def count_segments(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """SEGMENTS of the pages at hand, each page counted once for a segment."""
    pages = whole(batches)
    if pages is None:
        return
    chunk = chunk_of(pages, np.zeros(pages.num_rows, np.int64))
    room = int(max(np.diff(chunk.word_ends).max(), len(chunk.words) // 4) + 2)
    rows = np.empty((room, 3), np.int64)
    page = 0
    while page < len(chunk.page):
        table = np.zeros((1 << (2 * room).bit_length(), 3), np.int64)
        page, used = _count_segments(chunk, page, table, rows, 0)
        columns = [pa.array(rows[:used, k].copy()) for k in range(3)]
        yield "segments", pa.record_batch(columns, schema=SEGMENTS)


def add_pages(batches: Iterable[pa.RecordBatch], strategy: Strategy) -> Iterator[Named]:
    """The segments that are templates, and the number of pages of every site."""
    for batch in batches:
        counted = (
            pa.table(batch).group_by(["site_id", "segment"], use_threads=False).aggregate([("pages", "sum")])
        )
        its_pages = pc.equal(counted["segment"], ITS_PAGES)
        many = pc.greater(counted["pages_sum"], strategy.template_pages)
        kept = counted.filter(pc.or_(its_pages, many)).combine_chunks()
        if kept.num_rows:
            columns = [kept[k].chunk(0) for k in range(3)]
            yield "templates", pa.record_batch(columns, schema=SEGMENTS)


@kernel
def _fill(table: Ints, keys: Ints) -> None:
    for i in range(len(keys)):
        table[_find(table, keys[i]), 0] = keys[i]


@inlined_kernel
def is_template(table: Ints, site: int, segment: int) -> bool:
    """Whether a segment of a site is in the table."""
    return bool(table[_find(table, site_segment(site, segment)), 0] != 0)


def template_table(templates: pa.Table, strategy: Strategy) -> NDArray[np.int64]:
    """A table for `is_template`, without the segments of tiny sites."""
    site, segment, pages = (templates[name].to_numpy() for name in SEGMENTS.names)
    if not strategy.template_pages:
        site, segment, pages = site[:0], segment[:0], pages[:0]
    large = site[(segment == ITS_PAGES) & (pages >= strategy.template_site)]
    rows = np.flatnonzero((segment != ITS_PAGES) & np.isin(site, large))
    keys = np.empty(len(rows), np.int64)
    _site_segments(site[rows], segment[rows], keys)
    table = np.zeros((1 << max((2 * len(keys)).bit_length(), 3), 1), np.int64)
    _fill(table, keys)
    return table


@kernel
def _site_segments(site: Ints, segment: Ints, keys: Ints) -> None:
    for i in range(len(keys)):
        keys[i] = site_segment(site[i], segment[i])
