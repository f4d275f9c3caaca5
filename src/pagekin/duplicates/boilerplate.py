"""What hosts repeat on most of their pages, which says nothing about which pages are copies.

Bags leave out what stands on more than three pages of a site. Here that would be wrong: of four copies on one site
nothing would be left. What counts is the share of the pages; of a host, since the departments of a university are one
site with many templates. And a segment that is boilerplate on one host is left out everywhere, so that what is left of
a page depends on its words alone: an exact copy of a page, navigation and all, on another host loses the same words as
the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from pagekin.bags.chunk import COLUMNS, group_starts, whole
from pagekin.bags.templates import ITS_PAGES, count_segments
from pagekin.crawl.hosts import hosts_and_rests
from pagekin.hashing import hash_texts
from pagekin.settings import DuplicateSettings
from pagekin.tables import BOILERPLATE, SEGMENTS

Named = tuple[str, pa.RecordBatch]


SEGMENT_COLUMNS = (*COLUMNS, "url")


def page_segments(batches: Iterable[pa.RecordBatch], settings: DuplicateSettings) -> Iterator[Named]:
    """SEGMENTS of the pages at hand, with the host in place of the site; none if boilerplate is kept."""
    if settings.boilerplate:
        for _, batch in count_segments(_by_host(batch) for batch in batches):
            yield "page_segments", batch


def _by_host(pages: pa.RecordBatch) -> pa.RecordBatch:
    hosts, _ = hosts_and_rests(pages["url"])
    return pages.set_column(pages.schema.get_field_index("site_id"), "site_id", pa.array(hash_texts(hosts)))


def host_segments(batches: Iterable[pa.RecordBatch], settings: DuplicateSettings) -> Iterator[Named]:
    """The segments that may be boilerplate, and the number of pages of every host; rows come sorted."""
    least = max(settings.boilerplate * settings.boilerplate_host, 1)
    for batch in batches:
        host, segment, pages = (batch[name].to_numpy() for name in SEGMENTS.names)
        starts = group_starts(host, segment)
        total = np.add.reduceat(pages, starts)
        kept = (segment[starts] == ITS_PAGES) | (total > least)
        columns = [host[starts][kept], segment[starts][kept], total[kept]]
        yield "host_segments", pa.record_batch([pa.array(column) for column in columns], schema=SEGMENTS)


def boilerplate(batches: Iterable[pa.RecordBatch], settings: DuplicateSettings) -> Iterator[Named]:
    """BOILERPLATE: what stands on more than the given share of the pages of a host that is not tiny."""
    table = whole(batches)
    if table is None:
        return
    host, segment, pages = (table[name].to_numpy() for name in SEGMENTS.names)
    is_total = segment == ITS_PAGES
    order = np.argsort(host[is_total])
    hosts, totals = host[is_total][order], pages[is_total][order]
    of_host = totals[np.searchsorted(hosts, host)]
    found = ~is_total & (of_host >= settings.boilerplate_host) & (pages > settings.boilerplate * of_host)
    yield "boilerplate", pa.record_batch([pa.array(np.unique(segment[found]))], schema=BOILERPLATE)
