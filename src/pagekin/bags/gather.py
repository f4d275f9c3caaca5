"""From windows and contents to bags, without ever making a row for each word in a window.

A page with a hundred links gives some seven thousand (page, term, weight) rows; written out and sorted they cost
more than all the rest. Here the *links* are sorted by what they lead to, and each bag is added up straight from the
stored stream. Frequencies are whole numbers (units of 1/1024), so no order of adding changes a bag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints, chunk_of, whole
from pagekin.bags.templates import template_table
from pagekin.bags.terms import language_numbers, term_map
from pagekin.bags.windows import Stream, Windows, anchor_windows, term_stream, window_width
from pagekin.hashing import hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import Strategy
from pagekin.tables import CITATIONS, FRAGMENTS

Named = tuple[str, pa.RecordBatch]

UNIT = 1024  # frequencies are counted in units of 1 / UNIT
ROOM = 1 << 21  # terms of a batch of fragments
FEW = 48  # terms that are sorted faster one by one than by their bits


def distance_weights(strategy: Strategy) -> Ints:
    """What a word at each distance from the anchor counts, in units of 1/1024: log2(W / (1 + d)), never below zero.

    A window of less than two words a side is the anchor alone: every word counts once.
    """
    width = window_width(strategy)
    distances = np.arange(width + 1)
    weights = np.ones(width + 1)
    if strategy.distance and width >= 2:
        weights = np.maximum(np.log2(width / (1 + distances)), 0)
    return np.rint(UNIT * strategy.anchors * weights).astype(np.int64)


# --- repeated citations -------------------------------------------------------------------------------------


@kernel
def _citation_keys(chunk: Chunk, windows: Windows, source: Ints, keys: Ints) -> None:
    for i in range(len(keys)):
        state = hash_step(u64(chunk.link_page[windows.link[i]]), u64(chunk.site[source[i]]))
        keys[i] = i64(hash_step(state, u64(windows.hash[i])) | u64(1))


class _Gatherable(NamedTuple):
    """A chunk with all that can be added up from it."""

    chunk: Chunk
    stream: Stream
    stream_ends: Ints
    windows: Windows
    source: Ints  # the page, as a number in the chunk, of each window's link
    citation: Ints


def _gatherable(
    pages: pa.Table,
    word_terms: pa.Table,
    terms: pa.Table,
    languages: pa.Table,
    templates: pa.Table,
    strategy: Strategy,
) -> _Gatherable:
    codes = languages["language"].to_pylist()
    numbers = language_numbers(pages["language"].combine_chunks(), codes)
    chunk = chunk_of(pages, numbers)
    stream, ends = term_stream(chunk, term_map(word_terms, terms, codes), template_table(templates, strategy))
    windows = anchor_windows(chunk, stream, strategy)
    source = np.searchsorted(chunk.link_ends, windows.link, side="right") - 1
    citation = np.empty(len(source), np.int64)
    _citation_keys(chunk, windows, source, citation)
    return _Gatherable(chunk, stream, ends, windows, source, citation)


def count_citations(
    batches: Iterable[pa.RecordBatch], word_terms: pa.Table, terms: pa.Table, languages: pa.Table,
    templates: pa.Table, strategy: Strategy,
) -> Iterator[Named]:  # fmt: skip
    """CITATIONS of the pages at hand."""
    pages = whole(batches)
    if pages is None or not strategy.repeats or not (strategy.anchors or strategy.links):
        return
    found = _gatherable(pages, word_terms, terms, languages, templates, strategy)
    if not len(found.citation):
        return
    order = np.lexsort([found.chunk.page[found.source], found.citation])
    citation = found.citation[order]
    first = np.flatnonzero(np.diff(citation, prepend=citation[0] - 1))
    times = np.diff(np.append(first, len(citation)))
    columns = [citation[first], found.chunk.page[found.source][order][first], times]
    yield "citations", pa.record_batch([pa.array(column) for column in columns], schema=CITATIONS)


def repeated_citations(batches: Iterable[pa.RecordBatch], strategy: Strategy) -> Iterator[Named]:
    """The citations that a site makes more often than may count."""
    for batch in batches:
        rows = (
            pa.table(batch)
            .group_by("citation", use_threads=False)
            .aggregate([("source", "min"), ("times", "sum")])
        )
        many = rows.filter(pa.compute.greater(rows["times_sum"], strategy.repeats)).combine_chunks()
        if many.num_rows:
            yield "repeated", pa.record_batch([column.chunk(0) for column in many.columns], schema=CITATIONS)


def _multiplicities(found: _Gatherable, repeated: pa.Table, strategy: Strategy) -> Ints:
    """How often each window counts: one of a repeated citation counts for all that may count, the others not."""
    times = np.ones(len(found.citation), np.int64)
    if not repeated.num_rows or not len(times):
        return times
    order = np.argsort(repeated["citation"].to_numpy())
    citations = repeated["citation"].to_numpy()[order]
    place = np.minimum(np.searchsorted(citations, found.citation), len(citations) - 1)
    many = citations[place] == found.citation
    times[many] = 0
    its_source = repeated["source"].to_numpy()[order][place] == found.chunk.page[found.source]
    speakers = np.flatnonzero(many & its_source)
    _, first = np.unique(found.citation[speakers], return_index=True)
    times[speakers[first]] = strategy.repeats
    return times


# --- adding up ----------------------------------------------------------------------------------------------


class Items(NamedTuple):
    """What is to be added up: spans of the stream, each for one page.

    Words in [first, last) count `weights[0]` each, the others by their distance; an item without windows (`flat` above
    zero) counts `flat` for every word; an item for a link (`term` not negative) is that one term.
    """

    page: Ints
    low: Ints
    first: Ints
    last: Ints
    high: Ints
    heading: Ints
    heading_last: Ints
    times: Ints
    flat: Ints
    term: Ints


class Totals(NamedTuple):
    """Where a bag is added up: a total for each term number, and which terms have one."""

    total: Ints
    touched: NDArray[np.int32]
    bits: NDArray[np.uint64]  # room for a bit for each term number, all zero between uses


def no_totals(vocabulary: int) -> Totals:
    """Totals for so many terms, all zero."""
    room = max(vocabulary, 1)
    return Totals(np.zeros(room, np.int64), np.empty(room, np.int32), np.zeros(room // 64 + 1, np.uint64))


class Gathered(NamedTuple):
    """Bags as they come out: the i-th ends at `ends[i]` in `terms` and `frequencies`."""

    page: Ints
    ends: Ints
    terms: NDArray[np.int32]
    frequencies: Ints


@inlined_kernel
def _add(totals: Totals, count: int, term: int, amount: int) -> int:
    if amount > 0:
        if totals.total[term] == 0:
            totals.touched[count] = term
            count += 1
        totals.total[term] += amount
    return count


@kernel
def _add_item(
    items: Items, i: int, terms: NDArray[np.int32], weights: Ints, totals: Totals, count: int
) -> int:
    times, flat = items.times[i], items.flat[i]
    if items.term[i] >= 0:
        return _add(totals, count, items.term[i], flat)
    if flat > 0:
        for k in range(items.low[i], items.high[i]):
            count = _add(totals, count, terms[k], flat)
        return count
    first, last = items.first[i], items.last[i]
    for k in range(items.low[i], first):
        count = _add(totals, count, terms[k], weights[first - k] * times)
    for k in range(first, last):
        count = _add(totals, count, terms[k], weights[0] * times)
    for k in range(last, items.high[i]):
        count = _add(totals, count, terms[k], weights[k - last + 1] * times)
    for k in range(items.heading[i], items.heading_last[i]):
        count = _add(totals, count, terms[k], weights[1] * times)
    return count


@kernel
def _insertion_sort(numbers: NDArray[np.int32], count: int) -> None:
    for i in range(1, count):
        number, k = numbers[i], i
        while k > 0 and numbers[k - 1] > number:
            numbers[k] = numbers[k - 1]
            k -= 1
        numbers[k] = number


@kernel
def _sort_by_bits(numbers: NDArray[np.int32], count: int, bits: NDArray[np.uint64]) -> None:
    """Sort distinct numbers by setting a bit for each and reading the bits in order."""
    one, least, most = u64(1), numbers[0] >> 6, numbers[0] >> 6
    for k in range(count):
        place = numbers[k] >> 6
        bits[place] |= one << u64(numbers[k] & 63)
        least, most = min(least, place), max(most, place)
    at = 0
    for place in range(least, most + 1):
        left = bits[place]
        bits[place] = 0
        while left != 0:
            lowest = left & (~left + one)
            numbers[at] = (place << 6) + _bit_number(lowest)
            at += 1
            left ^= lowest


@inlined_kernel
def _bit_number(bit: int) -> int:
    """Which of 64 bits is set, by halving."""
    number, step = 0, 32
    while step > 0:
        if bit >> u64(number + step) != 0:
            number += step
        step >>= 1
    return number


@kernel
def _end_bag(totals: Totals, count: int, out: Gathered, bags: int, used: int) -> None:
    """Write a bag, its terms in order, and clear the totals."""
    if count <= FEW:
        _insertion_sort(totals.touched, count)
    else:
        _sort_by_bits(totals.touched, count, totals.bits)
    for k in range(count):
        term = totals.touched[k]
        out.terms[used + k], out.frequencies[used + k] = term, totals.total[term]
        totals.total[term] = 0
    out.ends[bags] = used + count


@kernel
def _gather(
    items: Items,
    order: Ints,
    first: int,
    terms: NDArray[np.int32],
    weights: Ints,
    totals: Totals,
    out: Gathered,
) -> tuple[int, int]:
    """Add up bags from item `first` on, until the room is used; returns the next item and the number of bags."""
    i, bags, used = first, 0, 0
    while i < len(order):
        page, count, begin = items.page[order[i]], 0, i
        if bags == len(out.page) or used + len(totals.total) > len(out.terms):
            return begin, bags
        while i < len(order) and items.page[order[i]] == page:
            count = _add_item(items, order[i], terms, weights, totals, count)
            i += 1
        if count > 0:
            _end_bag(totals, count, out, bags, used)
            out.page[bags] = page
            used += count
            bags += 1
    return i, bags


def _items(found: _Gatherable, times: Ints, urls: pa.Table, vocabulary: int, strategy: Strategy) -> Items:
    """All that the pages of a chunk say of themselves and of others."""
    parts = []
    pages, ends = found.chunk.page, found.stream_ends
    if strategy.content:
        parts.append(_flat_items(pages, ends[:-1], ends[1:], _units(strategy.content)))
    if strategy.anchors:
        parts.append(_title_items(found, strategy))
        parts.append(_window_items(found, times))
    if strategy.links:
        parts.append(_link_items(found, times, urls, vocabulary, strategy))
    return Items(*(np.concatenate(columns) for columns in zip(*parts, strict=True))) if parts else _no_items()


def _no_items() -> Items:
    return Items(*(np.empty(0, np.int64) for _ in Items._fields))


def _units(factor: float) -> int:
    return round(UNIT * factor)


def _flat_items(page: Ints, low: Ints, high: Ints, flat: int) -> Items:
    zero, one = np.zeros(len(page), np.int64), np.ones(len(page), np.int64)
    return Items(page, low, zero, zero, high, zero, zero, one, flat * one, -one)


def _title_items(found: _Gatherable, strategy: Strategy) -> Items:
    """The title of a page always belongs to its anchors, as a word of an anchor does."""
    numbers = np.arange(len(found.chunk.page))
    base = found.chunk.word_ends[:-1] + numbers
    low, high = (
        found.stream.at[base + found.chunk.title_first],
        found.stream.at[base + found.chunk.title_last],
    )
    return _flat_items(found.chunk.page, low, high, int(distance_weights(strategy)[0]))


def _window_items(found: _Gatherable, times: Ints) -> Items:
    """Every window that counts speaks of the page that its link leads to."""
    kept = np.flatnonzero(times)
    link, low, first, last, high, heading, heading_last, _ = (column[kept] for column in found.windows)
    nothing, no_term = np.zeros(len(kept), np.int64), np.full(len(kept), -1, np.int64)
    target = found.chunk.link_page[link]
    return Items(target, low, first, last, high, heading, heading_last, times[kept], nothing, no_term)


def _link_items(
    found: _Gatherable, times: Ints, urls: pa.Table, vocabulary: int, strategy: Strategy
) -> Items:
    """A page that links is a term of what it links to; its number follows those of the words."""
    numbers = vocabulary + np.searchsorted(urls["page"].to_numpy(), found.chunk.page[found.source])
    kept = np.flatnonzero(times)
    zero, one = np.zeros(len(kept), np.int64), np.ones(len(kept), np.int64)
    target = found.chunk.link_page[found.windows.link[kept]]
    return Items(target, zero, zero, zero, zero, zero, zero, one, _units(strategy.links) * one, numbers[kept])


def bag_fragments(
    batches: Iterable[pa.RecordBatch], word_terms: pa.Table, terms: pa.Table, languages: pa.Table,
    templates: pa.Table, repeated: pa.Table, urls: pa.Table, strategy: Strategy,
) -> Iterator[Named]:  # fmt: skip
    """What the pages at hand say of themselves and of the pages they link to, added up for each page."""
    pages = whole(batches)
    if pages is None:
        return
    found = _gatherable(pages, word_terms, terms, languages, templates, strategy)
    times = _multiplicities(found, repeated, strategy)
    items = _items(found, times, urls, terms.num_rows, strategy)
    vocabulary = terms.num_rows + (urls.num_rows if strategy.links else 0)
    yield from _gathered(items, found.stream.terms, distance_weights(strategy), vocabulary)


def _gathered(items: Items, terms: NDArray[np.int32], weights: Ints, vocabulary: int) -> Iterator[Named]:
    order = np.argsort(items.page, kind="stable")
    totals = no_totals(vocabulary)
    room = ROOM + vocabulary
    done = 0
    while done < len(order):
        out = Gathered(
            np.empty(ROOM >> 4, np.int64),
            np.empty(ROOM >> 4, np.int64),
            np.empty(room, np.int32),
            np.empty(room, np.int64),
        )
        done, bags = _gather(items, order, done, terms, weights, totals, out)
        if bags:
            yield "fragments", fragment_batch(out, bags)


def fragment_batch(bags: Gathered, count: int) -> pa.RecordBatch:
    """FRAGMENTS of the first bags."""
    offsets = np.zeros(count + 1, np.int32)
    offsets[1:] = bags.ends[:count]
    used = int(offsets[-1])
    lists = [
        pa.ListArray.from_arrays(
            pa.array(offsets), pa.array(values[:used].copy()), type=FRAGMENTS.field(name).type
        )
        for name, values in (("terms", bags.terms), ("frequencies", bags.frequencies))
    ]
    return pa.record_batch([pa.array(bags.page[:count].copy()), *lists], schema=FRAGMENTS)


# --- fragments of one page, together ------------------------------------------------------------------------


@kernel
def _add_fragments(
    page: Ints, ends: Ints, terms: NDArray[np.int32], frequencies: Ints, totals: Totals, out: Gathered
) -> int:
    bags, used, i = 0, 0, 0
    while i < len(page):
        count, key = 0, page[i]
        while i < len(page) and page[i] == key:
            for k in range(ends[i], ends[i + 1]):
                count = _add(totals, count, terms[k], frequencies[k])
            i += 1
        _end_bag(totals, count, out, bags, used)
        out.page[bags] = key
        used += count
        bags += 1
    return bags


def add_fragments(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """One bag a page; rows come sorted by page."""
    for batch in batches:
        page = batch["page"].to_numpy()
        if len(page) < 2 or (np.diff(page) != 0).all():
            yield "counted", batch
            continue
        terms, frequencies = batch["terms"].flatten().to_numpy(), batch["frequencies"].flatten().to_numpy()
        offsets = batch["terms"].offsets.to_numpy().astype(np.int64)
        totals = no_totals(int(terms.max(initial=0)) + 1)
        out = Gathered(
            np.empty_like(page), np.empty_like(page), np.empty_like(terms), np.empty_like(frequencies)
        )
        bags = _add_fragments(page, offsets - offsets[0], terms, frequencies, totals, out)
        yield "counted", fragment_batch(out, bags)
