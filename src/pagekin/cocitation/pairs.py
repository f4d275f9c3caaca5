"""From blocks to pairs of pages that are cited together (Shen et al., "Generating related pairs").

A block of 80 links has 3,160 pairs. They are never rows: there is one row for each link of a block, with the others
as a list, in the order in which they stand. That is a quarter of the bytes, and no more
rows to sort than there are links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, group_starts, whole
from pagekin.bags.templates import segment_hash
from pagekin.bags.terms import TermMap, language_numbers, term_map, term_number
from pagekin.cocitation.authority import settled
from pagekin.cocitation.blocks import Styled, link_blocks, styled
from pagekin.cocitation.filters import FILTERS, Links, filtered
from pagekin.cocitation.targets import MIRRORED
from pagekin.hashing import SEED, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import CocitationSettings, Strategy
from pagekin.tables import CITED, FILTERED

Named = tuple[str, pa.RecordBatch]
Floats = NDArray[np.float32]

LONGEST_ANCHOR = 64  # words that are compared; a link that was never closed may hold a whole page
MOST_PAIRS = 1 << 20  # of one page; what has more was made by a machine
LARGEST_BLOCK = 1449  # links: a larger one would have more pairs
TOO_MANY = "too many pairs"  # what became of the links of further blocks, as FILTERED tells it
ROOM = 1 << 20  # pairs of a batch of rows
SLOTS = 1 << 22  # of the table of pairs that a page has given already


class Anchors(NamedTuple):
    """The words of each link: a hash of all in their order, and the different terms, ascending."""

    hashes: Ints
    terms: NDArray[np.int32]  # those of link i are terms[i, :counts[i]]
    counts: NDArray[np.int32]


@inlined_kernel
def _insert(terms: NDArray[np.int32], count: int, term: int) -> int:
    """Put a term into an ascending list that does not have it yet; returns how many there are."""
    place = count
    while place > 0 and terms[place - 1] > term:
        place -= 1
    if place > 0 and terms[place - 1] == term:
        return count
    for k in range(count, place, -1):
        terms[k] = terms[k - 1]
    terms[place] = term
    return count + 1


@kernel
def _read_anchors(words: Ints, links: Links, language: Ints, table: TermMap, out: Anchors) -> None:
    for i in range(len(links.block)):
        first, last = links.first[i], links.last[i]
        out.hashes[i] = segment_hash(words, first, last)
        count = 0
        for k in range(first, min(last, first + LONGEST_ANCHOR)):
            term = term_number(table, words[k], language[links.page[i]])
            if term >= 0:
                count = _insert(out.terms[i], count, term)
        out.counts[i] = count


def anchors_of(pages: Styled, links: Links, table: TermMap) -> Anchors:
    """What the links say."""
    longest = int(min(max((links.last - links.first).max(initial=0), 1), LONGEST_ANCHOR))
    size = len(links.block)
    out = Anchors(np.empty(size, np.int64), np.empty((size, longest), np.int32), np.empty(size, np.int32))
    _read_anchors(pages.chunk.words, links, pages.chunk.language, table, out)
    return out


# --- pairs --------------------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Rows of CITED as they come out: the i-th ends at `ends[i]` in `others` and `similarities`."""

    link: Ints
    ends: Ints
    others: Ints
    similarities: Floats


class Work(NamedTuple):
    """What the kernel writes on: the pairs of one block, and those that the page gave before."""

    block: Floats
    seen: Ints
    used: Ints


class Pairing(NamedTuple):
    """What says which links are pairs, and by how much."""

    starts: Ints  # block b is [starts[b], starts[b + 1]) of the links
    again: NDArray[np.bool_]  # whether another block of the page cites the same
    near: int
    within_sites: bool


@inlined_kernel
def _proximity(distance: int, near: int) -> float:
    """Equation 5."""
    return 1.0 if distance <= near else float(np.exp(-(distance - near) / 2))


@inlined_kernel
def _anchor_similarity(anchors: Anchors, one: int, other: int) -> float:
    """The Jaccard coefficient of the terms of two anchors (Equation 6); 0 if neither has any."""
    i, j, common = 0, 0, 0
    first, second = i64(anchors.counts[one]), i64(anchors.counts[other])
    while i < first and j < second:
        a, b = anchors.terms[one, i], anchors.terms[other, j]
        common += a == b
        i += a <= b
        j += b <= a
    return common / (first + second - common) if common else 0.0


@inlined_kernel
def _is_new(work: Work, one: int, other: int, used: int) -> bool:
    """Whether a page has not given a pair before; notes that it has."""
    low, high = min(one, other), max(one, other)
    key = i64(hash_step(hash_step(SEED, low), high) | u64(1))
    slot = (key >> 1) & (SLOTS - 1)
    while work.seen[slot] != 0:
        if work.seen[slot] == key:
            return False
        slot = (slot + 1) & (SLOTS - 1)
    work.seen[slot], work.used[used] = key, slot
    return True


@inlined_kernel
def _pair_block(links: Links, anchors: Anchors, pairing: Pairing, block: int, work: Work, used: int) -> tuple[int, int]:
    """The similarity of each pair of a block (Equation 7), 0 for what is none; returns (pairs, places used)."""
    first, size = pairing.starts[block], pairing.starts[block + 1] - pairing.starts[block]
    pairs = 0
    for i in range(size):
        work.block[i * size + i] = 0.0
        for j in range(i + 1, size):
            one, other = first + i, first + j
            similarity = 0.0
            if pairing.within_sites or links.site[one] != links.site[other]:
                new = True
                if pairing.again[one] and pairing.again[other]:
                    new = _is_new(work, links.target[one], links.target[other], used)
                    used += new
                if new:
                    likeness = _anchor_similarity(anchors, one, other)
                    similarity = _proximity(j - i, pairing.near) * (1.0 + likeness)
                    pairs += 1
            work.block[i * size + j] = work.block[j * size + i] = similarity
    return pairs, used


@inlined_kernel
def _write_rows(links: Links, pairing: Pairing, block: int, work: Work, out: Rows, rows: int, used: int) -> int:
    """Write the rows of a block; returns the place behind them."""
    first, size = pairing.starts[block], pairing.starts[block + 1] - pairing.starts[block]
    for i in range(size):
        for j in range(size):
            if work.block[i * size + j] > 0:
                out.others[used], out.similarities[used] = links.target[first + j], work.block[i * size + j]
                used += 1
        out.link[rows + i], out.ends[rows + i] = first + i, used
    return used


@kernel
def _pair(links: Links, anchors: Anchors, pairing: Pairing, start: int, work: Work, out: Rows) -> tuple[int, int, int]:
    """Pair the links of blocks from `start` on until the room is used; returns (next block, rows, links passed over).

    It stops only between two pages, because what a page has given before is forgotten then.
    """
    block, rows, used, over = start, 0, 0, 0
    while block < len(pairing.starts) - 1:
        page, pairs, seen = links.page[pairing.starts[block]], 0, 0
        last, most = block, 0
        while last < len(pairing.starts) - 1 and links.page[pairing.starts[last]] == page:
            size = pairing.starts[last + 1] - pairing.starts[last]
            most += size * (size - 1)
            last += 1
        if used > 0 and used + min(most, 2 * MOST_PAIRS) > len(out.others):
            break
        for b in range(block, last):
            size = pairing.starts[b + 1] - pairing.starts[b]
            if pairs + size * (size - 1) // 2 > MOST_PAIRS:
                over += size
                continue
            more, seen = _pair_block(links, anchors, pairing, b, work, seen)
            pairs += more
            used = _write_rows(links, pairing, b, work, out, rows, used)
            rows += size
        for k in range(seen):
            work.seen[work.used[k]] = 0
        block = last
    return block, rows, over


def _cited_again(links: Links) -> NDArray[np.bool_]:
    """Whether another block of the page has a link to the same target."""
    order = np.lexsort([links.target, links.page])
    starts = group_starts(links.page[order], links.target[order])
    sizes = np.diff(starts, append=len(order))
    again = np.empty(len(order), np.bool_)
    again[order] = np.repeat(sizes > 1, sizes)
    return again


def _rows_batch(pages: Styled, links: Links, anchors: Anchors, out: Rows, rows: int) -> pa.RecordBatch:
    link, ends = out.link[:rows], np.concatenate([[0], out.ends[:rows]]).astype(np.int32)
    source = links.page[link]
    lists = [
        pa.ListArray.from_arrays(pa.array(ends), pa.array(values[: ends[-1]].copy()), type=CITED.field(name).type)
        for name, values in (("others", out.others), ("similarities", out.similarities))
    ]
    columns = [links.target[link], pages.chunk.site[source], anchors.hashes[link], pages.chunk.page[source]]
    plain = [pa.array(column) for column in (*columns, np.ones(rows, np.int64))]
    return pa.record_batch([*plain, *lists], schema=CITED)


def _room(sizes: Ints) -> tuple[Rows, Work]:
    """Arrays for the rows of a batch, and to work on; no more than the blocks at hand can fill."""
    links, largest = int(sizes.sum()), min(int(sizes.max(initial=0)), LARGEST_BLOCK)
    pairs = int(min(ROOM + 2 * MOST_PAIRS, (sizes * (sizes - 1)).sum()))
    link, ends = np.empty((2, links), np.int64)
    work = Work(np.empty(largest * largest, np.float32), np.zeros(SLOTS, np.int64), np.empty(MOST_PAIRS, np.int64))
    return Rows(link, ends, np.empty(pairs, np.int64), np.empty(pairs, np.float32)), work


def _cited(pages: Styled, links: Links, anchors: Anchors, settings: CocitationSettings) -> Iterator[Named]:
    starts = np.append(group_starts(links.block), len(links.block)) if len(links.block) else np.zeros(1, np.int64)
    within_sites = settings.site_pairs or settings.own_site == "yes"
    pairing = Pairing(starts, _cited_again(links), settings.near, within_sites)
    out, work = _room(np.diff(starts))
    block, passed_over = 0, 0
    while block < len(starts) - 1:
        block, rows, over = _pair(links, anchors, pairing, block, work, out)
        passed_over += over
        yield "cited", _rows_batch(pages, links, anchors, out, rows)
    yield "dropped", _filtered_batch({TOO_MANY: passed_over})


# --- the step -----------------------------------------------------------------------------------------------


def _links(pages: Styled, targets: pa.Table, strategy: Strategy, settings: CocitationSettings) -> Links:
    """The links of these pages that stand in blocks and may count, with what TARGETS says of them."""
    chunk, block = pages.chunk, link_blocks(pages, settings)
    count = np.diff(chunk.link_ends)
    page = np.repeat(np.arange(len(count)), count)
    kept = (block >= 0) & (strategy.nofollow | ~chunk.link_nofollow)
    page, block = page[kept], block[kept]
    apart = page * (int(block.max(initial=0)) + 1) + block
    row = np.searchsorted(targets["page"].to_numpy(), chunk.link_page[kept])
    target, site, kind = (targets[name].to_numpy()[row].astype(np.int64) for name in ("target", "site_id", "kind"))
    start = chunk.word_ends[:-1][page]
    first, last = start + chunk.link_first[kept], start + chunk.link_last[kept]
    return Links(page, apart, target, site, chunk.site[page], kind, first, last)


def block_citations(
    batches: Iterable[pa.RecordBatch], targets: pa.Table, authority: pa.Table, word_terms: pa.Table, terms: pa.Table,
    languages: pa.Table, strategy: Strategy, settings: CocitationSettings,
) -> Iterator[Named]:  # fmt: skip
    """CITED, a row for each link of a block that passes the filters, and FILTERED, what did not."""
    table = whole(batches)
    if table is None:
        return
    settings = settled(settings, authority)
    table = _without_mirrored(table, targets)
    if not table.num_rows:
        return
    codes = languages["language"].to_pylist()
    pages = styled(table, language_numbers(table["language"].combine_chunks(), codes))
    links, dropped = filtered(_links(pages, targets, strategy, settings), settings)
    yield "dropped", _filtered_batch(dropped)
    anchors = anchors_of(pages, links, term_map(word_terms, terms, codes))
    yield from _cited(pages, links, anchors, settings)


def _without_mirrored(pages: pa.Table, targets: pa.Table) -> pa.Table:
    """The pages that no original stands for; a mirror cites what its original cites."""
    row = np.searchsorted(targets["page"].to_numpy(), pages["page"].to_numpy())
    return pages.filter(pa.array(targets["kind"].to_numpy()[row] & MIRRORED == 0))


def _filtered_batch(dropped: Mapping[str, int]) -> pa.RecordBatch:
    return pa.record_batch([pa.array(list(dropped)), pa.array(list(dropped.values()), pa.int64())], schema=FILTERED)


def add_filtered(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """FILTERED of all pages together, in the order of the filters."""
    total = dict.fromkeys((*FILTERS, TOO_MANY), 0)
    for batch in batches:
        for row in batch.to_pylist():
            total[row["filter"]] += row["links"]
    yield "filtered", _filtered_batch(total)
