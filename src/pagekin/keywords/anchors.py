"""What others call a page: the texts of the links that lead to it.

A page that was never fetched can be found by them. A famous page has more links than anyone wants to read, so of
those to one page no more than MOST_LINKS are looked at: the ones of the least hashes, which are the same however the
links were parted among workers. Of what they say the commonest MOST_TEXTS different texts stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import group_starts, list_ends
from pagekin.crawl.hosts import hosts_and_rests, sites_of_hosts
from pagekin.hashing import SEED, hash_step, hash_texts
from pagekin.kernels import i64, kernel, u64
from pagekin.tables import ANCHOR_TEXTS, LINK_TEXTS

Named = tuple[str, pa.RecordBatch]
Ints = NDArray[np.int64]

LINK_COLUMNS = (
    "page", "language", "words", "link_page", "link_url", "link_first", "link_last", "link_nofollow",
)  # fmt: skip
LONGEST_TEXT = 32  # words; a link around a whole article says no more by all of them
MOST_LINKS = 1000
MOST_TEXTS = 200


# --- links to texts -----------------------------------------------------------------------------------------


@kernel
def _hash_links(words: Ints, first: Ints, last: Ints, language: Ints, source: Ints, text: Ints, draw: Ints) -> None:
    for link in range(len(first)):
        state = hash_step(SEED, u64(language[link]))
        for place in range(first[link], last[link]):
            state = hash_step(state, u64(words[place]))
        text[link] = i64(state)
        draw[link] = i64(hash_step(state, u64(source[link])))


def link_texts(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """LINK_TEXTS of the links that may count, lead elsewhere and have words."""
    for batch in batches:
        ends, links = list_ends(batch["words"]), np.diff(list_ends(batch["link_page"]))
        of_page = np.repeat(np.arange(batch.num_rows), links)
        first, last, target = (batch[f"link_{name}"].flatten().to_numpy() for name in ("first", "last", "page"))
        source = batch["page"].to_numpy()[of_page]
        nofollow = batch["link_nofollow"].flatten().to_numpy(zero_copy_only=False)
        kept = np.flatnonzero(~nofollow & (last > first) & (target != source))
        of_page, first = of_page[kept], first[kept] + ends[of_page[kept]]
        last = np.minimum(last[kept] + ends[of_page], first + LONGEST_TEXT)
        urls = batch["link_url"].flatten().take(pa.array(kept))
        language = batch["language"].take(pa.array(of_page))
        words = batch["words"].flatten().to_numpy()
        text, draw = np.empty((2, len(kept)), np.int64)
        _hash_links(words, first, last, hash_texts(language), source[kept], text, draw)
        columns = [hash_texts(sites_of_hosts(hosts_and_rests(urls)[0])), target[kept], text, draw]
        arrays = [*map(pa.array, columns), language, _spans(words, first, last)]
        yield "link_texts", pa.record_batch(arrays, schema=LINK_TEXTS)


def _spans(words: Ints, first: Ints, last: Ints) -> pa.ListArray:
    """The words of each of some spans."""
    ends = np.append(0, np.cumsum(last - first))
    places = np.arange(ends[-1]) + np.repeat(first - ends[:-1], last - first)
    return pa.ListArray.from_arrays(
        pa.array(ends.astype(np.int32)), pa.array(words[places]), type=LINK_TEXTS.field("words").type
    )


# --- texts of a page ----------------------------------------------------------------------------------------


def fewer_link_texts(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """The rows that are looked at for each page; of a link that a page repeats, one."""
    for batch in batches:
        yield "link_texts", batch.take(pa.array(_looked_at(batch)))


def _looked_at(batch: pa.RecordBatch) -> Ints:
    site, page, draw = (batch[name].to_numpy() for name in ("site_id", "page", "draw"))
    order = np.lexsort([draw, page, site])
    order = order[group_starts(site[order], page[order], draw[order])]
    return order[_places(group_starts(site[order], page[order]), len(order)) < MOST_LINKS]


def _places(starts: Ints, rows: int) -> Ints:
    """The place of each row in its group, from 0."""
    places: Ints = np.arange(rows) - np.repeat(starts, np.diff(starts, append=rows))
    return places


def _commonest(batch: pa.RecordBatch) -> Ints:
    """One row for each of the commonest texts of each page, those that most links have first."""
    site, page, text = (batch[name].to_numpy() for name in ("site_id", "page", "text"))
    order = np.lexsort([text, page, site])
    starts = group_starts(site[order], page[order], text[order])
    links, rows = np.diff(starts, append=len(order)), order[starts]
    rows = rows[np.lexsort([text[rows], -links, page[rows], site[rows]])]
    return rows[_places(group_starts(site[rows], page[rows]), len(rows)) < MOST_TEXTS]


def anchor_texts(batches: Iterable[pa.RecordBatch], urls: pa.Table) -> Iterator[Named]:
    """ANCHOR_TEXTS of the pages that links say something of; rows come sorted by site and page."""
    for batch in batches:
        looked_at = batch.take(pa.array(_looked_at(batch)))
        chosen = looked_at.take(pa.array(_commonest(looked_at)))
        site, page = chosen["site_id"].to_numpy(), chosen["page"].to_numpy()
        starts = group_starts(site, page)
        places = np.searchsorted(urls["page"].to_numpy(), page[starts])
        word_ends = list_ends(chosen["words"])
        group_ends = np.append(starts, len(page))
        text_last = word_ends[1:] - np.repeat(word_ends[starts], np.diff(group_ends))
        columns = [
            pa.array(site[starts]),
            pa.array(page[starts]),
            urls["url"].take(pa.array(places)).combine_chunks(),
            _lists(word_ends[group_ends], chosen["words"].flatten(), "words"),
            _lists(group_ends, pa.array(text_last.astype(np.int32)), "text_last"),
            _lists(group_ends, chosen["language"], "text_language"),
        ]
        yield "anchor_texts", pa.record_batch(columns, schema=ANCHOR_TEXTS)


def _lists(ends: Ints, values: pa.Array, column: str) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), values, type=ANCHOR_TEXTS.field(column).type)
