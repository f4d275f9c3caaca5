"""From PAGES to NEIGHBOURS: the links between pages, but for those that a site repeats on its pages.

A link in navigation says where a site has its parts; one in the text says what a page has to do with another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints, chunk_of, group_starts, whole
from pagekin.bags.templates import is_template, segment_end, segment_hash, template_table
from pagekin.copies import representatives
from pagekin.kernels import i64, kernel
from pagekin.settings import LinkSettings, Strategy
from pagekin.tables import NEIGHBOURS

Named = tuple[str, pa.RecordBatch]

TO, FROM = 1, 2  # ways of a link: the page links to its neighbour, the neighbour links to the page


@kernel
def _mark_repeated(chunk: Chunk, templates: Ints, repeated: NDArray[np.bool_]) -> None:
    """Say of each link whether its anchor begins in a template; an empty one belongs to the word behind it."""
    for page in range(len(chunk.page)):
        start, length = chunk.word_ends[page], chunk.word_ends[page + 1] - chunk.word_ends[page]
        if length == 0:
            continue
        first, last, number, known = i64(0), i64(0), chunk.break_ends[page], False
        for link in range(chunk.link_ends[page], chunk.link_ends[page + 1]):
            word = min(i64(chunk.link_first[link]), length - 1)
            if word < first:
                first, last, number = i64(0), i64(0), chunk.break_ends[page]
            is_new = word >= last
            while word >= last:
                first = last
                last, number = segment_end(chunk, page, first, number)
            if is_new:
                segment = segment_hash(chunk.words, start + first, start + last)
                known = is_template(templates, chunk.site[page], segment)
            repeated[link] = known


def own_links(chunk: Chunk, templates: Ints, strategy: Strategy) -> NDArray[np.bool_]:
    """Which links of a chunk are evidence."""
    kept = ~chunk.link_nofollow | strategy.nofollow
    if strategy.template_links or not len(templates):
        return kept
    repeated = np.zeros(len(chunk.link_page), np.bool_)
    _mark_repeated(chunk, templates, repeated)
    return kept & ~repeated


def page_links(
    batches: Iterable[pa.RecordBatch],
    templates: pa.Table,
    duplicates: pa.Table,
    strategy: Strategy,
    settings: LinkSettings,
) -> Iterator[Named]:
    """NEIGHBOURS of the pages at hand, one row for each end of a link; a link to a copy leads to what stands for it."""
    pages = whole(batches)
    if pages is None or not settings.neighbours:
        return
    chunk = chunk_of(pages, np.zeros(pages.num_rows, np.int64))
    kept = own_links(chunk, template_table(templates, strategy), strategy)
    copies = representatives(duplicates)
    source = copies.of(np.repeat(chunk.page, np.diff(chunk.link_ends))[kept])
    target = copies.of(chunk.link_page[kept])
    others = source != target
    source, target = source[others], target[others]
    ways = np.repeat(np.array([TO, FROM], np.int32), len(source))
    yield "linked", _joined(np.append(source, target), np.append(target, source), ways)


def _joined(page: Ints, neighbour: Ints, ways: NDArray[np.int32]) -> pa.RecordBatch:
    """One row for each two pages, in order, with all ways that lie between them."""
    order = np.lexsort([neighbour, page])
    page, neighbour, ways = page[order], neighbour[order], ways[order]
    starts = group_starts(page, neighbour)
    all_ways = np.bitwise_or.reduceat(ways, starts) if len(starts) else ways
    columns = [page[starts], neighbour[starts], all_ways]
    return pa.record_batch([pa.array(column) for column in columns], schema=NEIGHBOURS)


def join_links(batches: Iterable[pa.RecordBatch], table: str = "neighbours") -> Iterator[Named]:
    """One row for each two pages, whose rows come together: all of a page that millions link to need not."""
    for batch in batches:
        yield table, _joined(*(batch[name].to_numpy() for name in NEIGHBOURS.names))
