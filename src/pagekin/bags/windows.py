"""The text around a link that speaks of what it leads to (Haveliwala et al. 2002, section 3.1).

First the words of each page become its *stream* of terms: stop words and what a site repeats are gone, so that
they count towards no distance. A window is a span of that stream around the anchor. BASIC windows are W terms a side;
SYNTACTIC ones end where the text does that the anchor stands in: at a paragraph, a cell, a list item, or a line
break behind a sentence; TOPICAL ones reach over the region that a heading begins or that the end of a list or table
bounds. The heading of a region speaks of every link in it, so it counts as standing next to each anchor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints
from pagekin.bags.templates import is_template, segment_end, segment_hash
from pagekin.bags.terms import TermMap, term_number
from pagekin.hashing import MULTIPLIER, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import Strategy
from pagekin.tables import Break

BASIC, SYNTACTIC, TOPICAL = 0, 1, 2

SENTENCE, LINE, HEADING = int(Break.SENTENCE), int(Break.LINE), int(Break.HEADING)
HEADING_END, TITLE = int(Break.HEADING_END), int(Break.TITLE)
TOPIC_CUTS = int(Break.HEADING | Break.LIST_END | Break.TABLE_END | Break.TITLE)
TEXT_CUTS = int(
    Break.PARAGRAPH | Break.BLOCK | Break.CELL | Break.ROW | Break.ITEM | Break.HEADING | Break.HEADING_END
    | Break.LIST | Break.LIST_END | Break.TABLE | Break.TABLE_END | Break.RULE | Break.TITLE
)  # fmt: skip


class Stream(NamedTuple):
    """The terms of a chunk's pages, and where its words are among them."""

    terms: NDArray[np.int32]
    at: Ints  # for each word (and the end of each page) the number of terms before it; page p begins at word_ends[p] + p
    repeated: NDArray[np.bool_]  # for each word, whether it stands in a template
    rolling: NDArray[np.uint64]  # a hash of all terms before, from which that of any span follows


class Windows(NamedTuple):
    """Windows as spans of the stream: [low, first) [first, last) [last, high), and the heading's own span."""

    link: Ints
    low: Ints
    first: Ints
    last: Ints
    high: Ints
    heading: Ints
    heading_last: Ints
    hash: Ints


@kernel
def _fill_stream(chunk: Chunk, table: TermMap, templates: Ints, stream: Stream, ends: Ints) -> int:
    count = 0
    for page in range(len(chunk.page)):
        start = chunk.word_ends[page]
        length = chunk.word_ends[page + 1] - start
        first, number = 0, chunk.break_ends[page]
        ends[page] = count
        while first < length:
            last, number = segment_end(chunk, page, first, number)
            repeated = False
            if len(templates) > 8:
                segment = segment_hash(chunk.words, start + first, start + last)
                repeated = is_template(templates, chunk.site[page], segment)
            for i in range(start + first, start + last):
                stream.at[i + page] = count
                stream.repeated[i] = repeated
                if not repeated:
                    term = term_number(table, chunk.words[i], chunk.language[page])
                    if term >= 0:
                        stream.terms[count] = term
                        stream.rolling[count + 1] = stream.rolling[count] * MULTIPLIER + u64(term + 1)
                        count += 1
            first = last
        stream.at[start + length + page] = count
    ends[len(chunk.page)] = count
    return count


def term_stream(chunk: Chunk, table: TermMap, templates: Ints) -> tuple[Stream, Ints]:
    """The stream of a chunk, and where each page begins in it."""
    words, pages = len(chunk.words), len(chunk.page)
    stream = Stream(
        np.empty(words, np.int32),
        np.empty(words + pages, np.int64),
        np.empty(words, np.bool_),
        np.zeros(words + 1, np.uint64),
    )
    ends = np.empty(pages + 1, np.int64)
    _fill_stream(chunk, table, templates, stream, ends)
    return stream, ends


@inlined_kernel
def _is_cut(kinds: int, way: int) -> bool:
    if way == TOPICAL:
        return kinds & TOPIC_CUTS != 0
    return kinds & TEXT_CUTS != 0 or (kinds & LINE != 0 and kinds & SENTENCE != 0)


@inlined_kernel
def _in_template(chunk: Chunk, stream: Stream, page: int, word: int) -> bool:
    """Whether the text in which a link stands is a template; an empty anchor belongs to the word behind it."""
    start, end = chunk.word_ends[page], chunk.word_ends[page + 1]
    return bool(end > start and stream.repeated[min(start + word, end - 1)])


@inlined_kernel
def _span_hash(stream: Stream, first: int, last: int, power: NDArray[np.uint64]) -> int:
    return u64(stream.rolling[last] - stream.rolling[first] * power[last - first])


@kernel
def _fill_windows(
    chunk: Chunk, stream: Stream, way: int, width: int, nofollow: bool, in_templates: bool,
    power: NDArray[np.uint64], out: Windows,
) -> int:  # fmt: skip
    count = 0
    for page in range(len(chunk.page)):
        base = chunk.word_ends[page] + page
        length = chunk.word_ends[page + 1] - chunk.word_ends[page]
        floor = i64(chunk.title_last[page])
        breaks, breaks_end = chunk.break_ends[page], chunk.break_ends[page + 1]
        for link in range(chunk.link_ends[page], chunk.link_ends[page + 1]):
            first, last = i64(chunk.link_first[link]), i64(chunk.link_last[link])
            if chunk.link_nofollow[link] and not nofollow:
                continue
            if not in_templates and _in_template(chunk, stream, page, first):
                continue
            left, right = floor if floor <= first else 0, length
            heading, heading_last = 0, 0
            if way != BASIC:
                # The last cut before the anchor and the first one behind it.
                cut, high = breaks, breaks_end
                while cut < high:
                    middle = (cut + high) // 2
                    if chunk.break_at[middle] <= first:
                        cut = middle + 1
                    else:
                        high = middle
                after = cut
                cut -= 1
                while cut >= breaks and not _is_cut(chunk.break_kinds[cut], way):
                    cut -= 1
                if cut >= breaks:
                    left = max(left, i64(chunk.break_at[cut]))
                    if way == TOPICAL and chunk.break_kinds[cut] & HEADING:
                        end = cut + 1
                        while end < breaks_end and not chunk.break_kinds[end] & HEADING_END:
                            end += 1
                        if end < breaks_end and chunk.break_at[end] <= first:
                            heading, heading_last = left, i64(chunk.break_at[end])
                while after < breaks_end and (
                    chunk.break_at[after] < last or not _is_cut(chunk.break_kinds[after], way)
                ):
                    after += 1
                if after < breaks_end:
                    right = min(right, i64(chunk.break_at[after]))
            start, stop = stream.at[base + first], stream.at[base + last]
            if heading < heading_last:
                left = heading_last
            out.link[count], out.first[count], out.last[count] = link, start, stop
            out.low[count] = max(stream.at[base + left], start - width)
            out.high[count] = max(min(stream.at[base + right], stop + width), stop)
            out.heading[count], out.heading_last[count] = (
                stream.at[base + heading],
                stream.at[base + heading_last],
            )
            state = hash_step(u64(start - out.low[count]), u64(stop - out.low[count]))
            state = hash_step(state, _span_hash(stream, out.low[count], out.high[count], power))
            state = hash_step(state, _span_hash(stream, out.heading[count], out.heading_last[count], power))
            out.hash[count] = i64(state)
            count += 1
    return count


def anchor_windows(chunk: Chunk, stream: Stream, strategy: Strategy) -> Windows:
    """The windows of all links of a chunk that are evidence."""
    links = len(chunk.link_page)
    out = Windows(*(np.empty(links, np.int64) for _ in Windows._fields))
    longest = int(np.diff(chunk.word_ends).max(initial=0)) + 1
    power = np.ones(longest + 1, np.uint64)
    _fill_powers(power)
    way = {"syntactic": SYNTACTIC, "topical": TOPICAL}.get(strategy.window, BASIC)
    count = _fill_windows(
        chunk, stream, way, window_width(strategy), strategy.nofollow, strategy.template_links, power, out
    )
    return Windows(*(column[:count] for column in out))


@kernel
def _fill_powers(power: NDArray[np.uint64]) -> None:
    for i in range(1, len(power)):
        power[i] = power[i - 1] * MULTIPLIER


def window_width(strategy: Strategy) -> int:
    """The most terms that a window has on one side."""
    return int(strategy.window) if strategy.window.isdecimal() else strategy.reach
