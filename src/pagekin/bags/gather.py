"""From windows and contents to bags, without ever making a row for each word in a window.

A page with a hundred links gives some seven thousand (page, term, weight) rows; written out and sorted they
cost more than all the rest. Here the *links* are sorted by what they lead to, and each bag is added up straight
from the stored stream. Frequencies are whole numbers (units of 1/1024), so no order of adding changes a bag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints, chunk_of, group_starts, whole
from pagekin.bags.templates import template_table
from pagekin.bags.terms import language_numbers, term_map
from pagekin.bags.windows import Stream, anchor_windows, window_width
from pagekin.copies import representatives
from pagekin.errors import SettingsError
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import Strategy
from pagekin.side_tables import row_numbers, total_rows
from pagekin.tables import CITATIONS, FRAGMENTS

Named = tuple[str, pa.RecordBatch]

UNIT = 1024  # frequencies are counted in units of 1 / UNIT
ROOM = 1 << 21  # terms of a batch of fragments
SLOTS = 1 << 20  # of the table in which citations are counted: 24 MiB
LARGEST_FACTOR = 1e6


def distance_weights(strategy: Strategy) -> Ints:
    """What a word at each distance from the anchor counts, in units of 1/1024.

    That is log2(W / (1 + d)), never below zero. With a window of less than two words a side every word counts
    once: the formula would leave nothing.
    """
    width = window_width(strategy)
    distances = np.arange(width + 1)
    weights = np.ones(width + 1)
    if strategy.distance and width >= 2:
        weights = np.maximum(np.log2(width / (1 + distances)), 0)
    return np.rint(_units("anchors", strategy.anchors) * weights).astype(np.int64)


def _units(name: str, factor: float) -> float:
    """A factor in units of 1/1024."""
    if factor > LARGEST_FACTOR:
        raise SettingsError(f"strategy.{name} cannot be {factor!r}: it must be {LARGEST_FACTOR:,.0f} or less")
    return UNIT * factor


# --- repeated citations -------------------------------------------------------------------------------------


class Gatherable(NamedTuple):
    """A chunk with all that can be added up from it."""

    chunk: Chunk
    stream: Stream
    windows: NDArray[np.void]


def gatherable(
    pages: pa.Table,
    word_terms: pa.Table,
    terms: pa.Table,
    languages: pa.Table,
    templates: pa.Table,
    strategy: Strategy,
) -> Gatherable:
    """The stream of terms of these pages, and the windows of their links."""
    codes = languages["language"].to_pylist()
    chunk = chunk_of(pages, language_numbers(pages["language"].combine_chunks(), codes))
    table = term_map(word_terms, terms, codes)
    return Gatherable(chunk, *anchor_windows(chunk, table, template_table(templates, strategy), strategy))


CITATION, SOURCE, TIMES = 0, 1, 2  # the columns of a table of citations; an empty slot has citation 0


@inlined_kernel
def _citation_slot(table: Ints, citation: int) -> int:
    slot = (citation >> 1) & (len(table) - 1)
    while table[slot, CITATION] != 0 and table[slot, CITATION] != citation:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@kernel
def _count_citations(page: Ints, windows: Any, first: int, table: Ints) -> int:
    """Count windows by citation until the table is half full; returns the next window."""
    used = 0
    for i in range(first, len(windows)):
        citation, source = windows[i].citation, page[windows[i].page]
        slot = _citation_slot(table, citation)
        if table[slot, CITATION] == 0:
            if 2 * used >= len(table):
                return i
            table[slot, CITATION], table[slot, SOURCE], table[slot, TIMES] = citation, source, 0
            used += 1
        table[slot, SOURCE] = min(table[slot, SOURCE], source)
        table[slot, TIMES] += 1
    return len(windows)


def count_citations(
    batches: Iterable[pa.RecordBatch], word_terms: pa.Table, terms: pa.Table, languages: pa.Table,
    templates: pa.Table, strategy: Strategy,
) -> Iterator[Named]:  # fmt: skip
    """CITATIONS of the pages at hand."""
    pages = whole(batches)
    if pages is None or not strategy.repeats or not strategy.anchors:
        return
    if strategy.template_links:
        templates = templates.slice(0, 0)  # what is in a template matters for content only
    found = gatherable(pages, word_terms, terms, languages, templates, strategy)
    slots, done = min(SLOTS, 1 << max((2 * len(found.windows)).bit_length(), 2)), 0
    while done < len(found.windows):
        table = np.zeros((slots, 3), np.int64)
        done = _count_citations(found.chunk.page, found.windows, done, table)
        rows = table[table[:, CITATION] != 0]
        columns = [pa.array(np.ascontiguousarray(rows[:, k])) for k in (CITATION, SOURCE, TIMES)]
        yield "citations", pa.record_batch(columns, schema=CITATIONS)


def repeated_citations(batches: Iterable[pa.RecordBatch], strategy: Strategy) -> Iterator[Named]:
    """The citations that a site makes more often than may count; rows come sorted."""
    for batch in batches:
        citation, source, times = (batch[name].to_numpy() for name in CITATIONS.names)
        starts = group_starts(citation)
        total = np.add.reduceat(times, starts)
        many = total > strategy.repeats
        columns = [citation[starts][many], np.minimum.reduceat(source, starts)[many], total[many]]
        yield "repeated", pa.record_batch([pa.array(column) for column in columns], schema=CITATIONS)


@kernel
def _fill_repeated(rows: Ints, table: Ints) -> None:
    for i in range(len(rows)):
        slot = _citation_slot(table, rows[i, CITATION])
        for k in range(3):
            table[slot, k] = rows[i, k]


@kernel
def _limit(page: Ints, windows: Any, table: Ints, repeats: int, times: NDArray[np.int32]) -> None:
    """One window of a repeated citation counts for all that may count, the others not at all."""
    for i in range(len(windows)):
        slot = _citation_slot(table, windows[i].citation)
        if table[slot, CITATION] != 0:
            speaks = table[slot, TIMES] > 0 and table[slot, SOURCE] == page[windows[i].page]
            times[i] = repeats if speaks else 0
            if speaks:
                table[slot, TIMES] = 0


def _multiplicities(found: Gatherable, repeated: pa.Table, strategy: Strategy) -> NDArray[np.int32]:
    """How often each window counts."""
    times = np.ones(len(found.windows), np.int32)
    if repeated.num_rows:
        rows = np.column_stack([repeated[name].to_numpy() for name in CITATIONS.names])
        table = np.zeros((1 << (2 * len(rows)).bit_length(), 3), np.int64)
        _fill_repeated(rows, table)
        _limit(found.chunk.page, found.windows, table, strategy.repeats, times)
    return times


# --- adding up ----------------------------------------------------------------------------------------------


class Amounts(NamedTuple):
    """What is added for a word of the content, of the title, at each distance in a window, and for a link."""

    content: int
    title: int
    by_distance: Ints
    farthest: int  # the last distance at which a word counts
    link: int


def amounts(strategy: Strategy) -> Amounts:
    """The whole numbers that a strategy adds up; a title counts as the words of an anchor do."""
    by_distance = distance_weights(strategy)
    farthest = int(np.flatnonzero(by_distance).max(initial=0))
    content, link = _units("content", strategy.content), _units("links", strategy.links)
    return Amounts(round(content), int(by_distance[0]), by_distance, farthest, round(link))


class Totals(NamedTuple):
    """Where a bag is added up: a total for each term number, and which terms have one."""

    total: Ints
    touched: NDArray[np.int32]
    bits: NDArray[np.uint64]  # room for a bit for each term number, all zero between uses
    filled: NDArray[np.uint64]  # and for a bit for each number in `bits`


def no_totals(vocabulary: int) -> Totals:
    """Totals for so many terms, all zero."""
    bits = vocabulary // 64 + 1
    return Totals(
        np.zeros(vocabulary + 1, np.int64),
        np.empty(vocabulary + 1, np.int32),
        np.zeros(bits, np.uint64),
        np.zeros(bits // 64 + 1, np.uint64),
    )


class Gathered(NamedTuple):
    """Bags as they come out: the i-th ends at `ends[i]` in `terms` and `frequencies`."""

    page: Ints
    ends: Ints
    terms: NDArray[np.int32]
    frequencies: Ints


@inlined_kernel
def _add(totals: Totals, count: int, term: int, amount: int) -> int:
    before = totals.total[term]
    totals.total[term] = before + amount
    totals.touched[count] = term  # without asking, which cannot be foretold: it stays only if it is counted
    return count + i64(before == 0)


@kernel
def _add_page(stream: Stream, page: int, amounts: Amounts, totals: Totals, count: int) -> int:
    """Add what a page says of itself; terms of templates, which are complements, do not count."""
    if amounts.content > 0:
        for k in range(stream.ends[page], stream.ends[page + 1]):
            if stream.terms[k] >= 0:
                count = _add(totals, count, stream.terms[k], amounts.content)
    if amounts.title > 0:
        for k in range(stream.titles[page, 0], stream.titles[page, 1]):
            if stream.terms[k] >= 0:
                count = _add(totals, count, stream.terms[k], amounts.title)
    return count


@inlined_kernel
def _term(number: int) -> int:
    """A term of the stream, in a template or not."""
    return number ^ (number >> 31)


@kernel
def _add_window(window: Any, times: int, terms: NDArray[np.int32], amounts: Amounts, totals: Totals, count: int) -> int:
    first, last = i64(window.first), i64(window.last)
    by_distance = amounts.by_distance
    for k in range(max(i64(window.low), first - amounts.farthest), first):
        count = _add(totals, count, _term(terms[k]), by_distance[first - k] * times)
    for k in range(first, last):
        count = _add(totals, count, _term(terms[k]), by_distance[0] * times)
    for k in range(last, min(i64(window.high), last + amounts.farthest)):
        count = _add(totals, count, _term(terms[k]), by_distance[k - last + 1] * times)
    if amounts.farthest > 0:
        for k in range(window.heading, window.heading_last):
            count = _add(totals, count, _term(terms[k]), by_distance[1] * times)
    return count


# The place of the one bit that is set in a number of 64: by de Bruijn's sequence, whose six highest bits after a
# shift by any place are different from those after any other.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, np.int64)
for _place in range(64):
    PLACES[((int(DE_BRUIJN) << _place) & (1 << 64) - 1) >> 58] = _place


@inlined_kernel
def _lowest_bit(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return i64(PLACES[((bits & (~bits + u64(1))) * DE_BRUIJN) >> u64(58)])


@kernel
def _sort_by_bits(numbers: NDArray[np.int32], count: int, bits: NDArray[np.uint64], filled: NDArray[np.uint64]) -> None:
    """Sort distinct numbers by setting a bit for each and reading the bits in order."""
    one, at = u64(1), 0
    for k in range(count):
        place = numbers[k] >> 6
        bits[place] |= one << u64(numbers[k] & 63)
        filled[place >> 6] |= one << u64(place & 63)
    for group in range(len(filled)):
        places = filled[group]
        filled[group] = 0
        while places != 0:
            place = (group << 6) + _lowest_bit(places)
            places &= places - one
            left = bits[place]
            bits[place] = 0
            while left != 0:
                numbers[at] = (place << 6) + _lowest_bit(left)
                at += 1
                left &= left - one


@kernel
def _end_bag(totals: Totals, count: int, out: Gathered, bags: int, used: int) -> None:
    """Write a bag, its terms in order, and clear the totals."""
    _sort_by_bits(totals.touched, count, totals.bits, totals.filled)
    for k in range(count):
        term = totals.touched[k]
        out.terms[used + k], out.frequencies[used + k] = term, totals.total[term]
        totals.total[term] = 0
    out.ends[bags] = used + count


class Items(NamedTuple):
    """What is to be added up, sorted by the page that it is for.

    An item below the number of pages is what that page says of itself; the others are windows.
    """

    page: Ints
    number: NDArray[np.int32]


@kernel
def _gather(
    items: Items, first: int, found: Gatherable, times: NDArray[np.int32], link_terms: NDArray[np.int32],
    amounts: Amounts, totals: Totals, out: Gathered,
) -> tuple[int, int]:  # fmt: skip
    """Add up bags from item `first` on, until the room is used; returns the next item and how many bags."""
    i, bags, used = first, 0, 0
    pages = len(found.chunk.page)
    while i < len(items.page):
        page, count = items.page[i], 0
        if bags == len(out.page) or used + len(totals.total) > len(out.terms):
            return i, bags
        while i < len(items.page) and items.page[i] == page:
            item = items.number[i]
            if item < pages:
                count = _add_page(found.stream, item, amounts, totals, count)
            else:
                window = found.windows[item - pages]
                if times[item - pages] > 0 and amounts.title > 0:
                    count = _add_window(window, times[item - pages], found.stream.terms, amounts, totals, count)
                if amounts.link > 0:
                    count = _add(totals, count, link_terms[window.page], amounts.link)
            i += 1
        if count > 0:
            _end_bag(totals, count, out, bags, used)
            out.page[bags] = page
            used += count
            bags += 1
    return i, bags


@kernel
def _sort_by_digit(
    keys: Ints,
    numbers: NDArray[np.int32],
    shift: int,
    counts: Ints,
    new_keys: Ints,
    new_numbers: NDArray[np.int32],
) -> None:
    """Sort by one digit of eleven bits, leaving equal ones in their order; the sign comes first."""
    flip, digit = u64(1 << 63), u64(len(counts) - 1)
    counts[:] = 0
    for i in range(len(keys)):
        counts[((u64(keys[i]) ^ flip) >> u64(shift)) & digit] += 1
    place = 0
    for k in range(len(counts)):
        place, counts[k] = place + counts[k], place
    for i in range(len(keys)):
        k = ((u64(keys[i]) ^ flip) >> u64(shift)) & digit
        new_keys[counts[k]], new_numbers[counts[k]] = keys[i], numbers[i]
        counts[k] += 1


def sorted_items(keys: Ints, numbers: NDArray[np.int32]) -> Items:
    """The items in the order of their keys (a radix sort: ids are hashes, and there are many)."""
    counts = np.empty(1 << 11, np.int64)
    here, there = Items(keys, numbers), Items(np.empty_like(keys), np.empty_like(numbers))
    for shift in range(0, 64, 11):
        _sort_by_digit(*here, shift, counts, *there)
        here, there = there, here
    return here


def _items(found: Gatherable, times: NDArray[np.int32], amounts: Amounts, duplicates: pa.Table) -> Items:
    """All that the pages of a chunk say of themselves and of others.

    What a link says of a copy is said of the page that stands for it too.
    """
    pages = len(found.chunk.page)
    kept = np.arange(len(times)) if amounts.link else np.flatnonzero(times)
    targets = found.chunk.link_page[found.windows["link"][kept]]
    copies = representatives(duplicates)
    stands, source = copies.of(targets), copies.of(found.chunk.page)
    of_copies = (stands != targets) & (stands != source[found.windows["page"][kept]])
    numbers = np.concatenate([np.arange(pages), kept + pages, kept[of_copies] + pages]).astype(np.int32)
    return sorted_items(np.concatenate([found.chunk.page, targets, stands[of_copies]]), numbers)


def bag_fragments(
    batches: Iterable[pa.RecordBatch], word_terms: pa.Table, terms: pa.Table, languages: pa.Table,
    templates: pa.Table, repeated: pa.Table, urls: pa.Table, duplicates: pa.Table, strategy: Strategy,
) -> Iterator[Named]:  # fmt: skip
    """What the pages at hand say of themselves and of the pages they link to, added up for each page."""
    pages = whole(batches)
    if pages is None:
        return
    found = gatherable(pages, word_terms, terms, languages, templates, strategy)
    link_terms, vocabulary = np.empty(0, np.int32), total_rows(terms)
    if strategy.links:
        # A page that links is a term of what it links to; its number follows those of the words.
        places = row_numbers(urls)[np.searchsorted(urls["page"].to_numpy(), found.chunk.page)]
        link_terms, vocabulary = (vocabulary + places).astype(np.int32), vocabulary + total_rows(urls)
    times = _multiplicities(found, repeated, strategy)
    counting = amounts(strategy)
    items = _items(found, times, counting, duplicates)
    yield from _gathered(items, found, times, link_terms, counting, no_totals(vocabulary))


def _gathered(
    items: Items,
    found: Gatherable,
    times: NDArray[np.int32],
    link_terms: NDArray[np.int32],
    amounts: Amounts,
    totals: Totals,
) -> Iterator[Named]:
    room, done = ROOM + len(totals.total), 0
    while done < len(items.page):
        out = Gathered(
            np.empty(ROOM >> 4, np.int64),
            np.empty(ROOM >> 4, np.int64),
            np.empty(room, np.int32),
            np.empty(room, np.int64),
        )
        done, bags = _gather(items, done, found, times, link_terms, amounts, totals, out)
        if bags:
            yield "fragments", fragment_batch(out, bags)


def fragment_batch(bags: Gathered, count: int) -> pa.RecordBatch:
    """FRAGMENTS of the first bags."""
    offsets = np.zeros(count + 1, np.int32)
    offsets[1:] = bags.ends[:count]
    used = int(offsets[-1])
    lists = [
        pa.ListArray.from_arrays(pa.array(offsets), pa.array(values[:used]), type=FRAGMENTS.field(name).type)
        for name, values in (("terms", bags.terms), ("frequencies", bags.frequencies))
    ]
    return pa.record_batch([pa.array(bags.page[:count]), *lists], schema=FRAGMENTS)


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


def add_fragments(batches: Iterable[pa.RecordBatch], table: str = "counted") -> Iterator[Named]:
    """One bag a page, written to a table; rows come sorted by page."""
    for batch in batches:
        page = batch["page"].to_numpy()
        if len(page) < 2 or (np.diff(page) != 0).all():
            yield table, batch
            continue
        terms, frequencies = batch["terms"].flatten().to_numpy(), batch["frequencies"].flatten().to_numpy()
        offsets = batch["terms"].offsets.to_numpy().astype(np.int64)
        totals = no_totals(int(terms.max(initial=0)) + 1)
        out = Gathered(np.empty_like(page), np.empty_like(page), np.empty_like(terms), np.empty_like(frequencies))
        bags = _add_fragments(page, offsets - offsets[0], terms, frequencies, totals, out)
        yield table, fragment_batch(out, bags)
