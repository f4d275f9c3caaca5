"""The text around a link that speaks of what it leads to (Haveliwala et al. 2002, section 3.1).

First the words of each page become its *stream* of terms: stop words are gone, so that they count towards no
distance, and so is what a site repeats. A window is a span of that stream around the anchor. BASIC windows are W
terms a side; SYNTACTIC ones end where the text does that the anchor stands in: at a paragraph, a cell, a list
item, or a line break behind a sentence; TOPICAL ones reach over the region that a heading begins or that the end
of a list or table bounds. The heading of a region speaks of every link in it, so it counts as standing next to
each anchor. No window reaches into the title of the page it stands on.

When links in templates are evidence, so is the text of templates around them: then it stays in the stream, and
only the content of the page is without it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints
from pagekin.bags.templates import is_template, segment_end, segment_hash
from pagekin.bags.terms import RECENT, TermMap, recent_term_number
from pagekin.hashing import MULTIPLIER, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.settings import Strategy
from pagekin.tables import Break

BASIC, SYNTACTIC, TOPICAL = 0, 1, 2

SENTENCE, LINE, HEADING = int(Break.SENTENCE), int(Break.LINE), int(Break.HEADING)
HEADING_END = int(Break.HEADING_END)
TOPIC_CUTS = int(Break.HEADING | Break.LIST_END | Break.TABLE_END | Break.TITLE)
TEXT_CUTS = int(
    Break.PARAGRAPH | Break.BLOCK | Break.CELL | Break.ROW | Break.ITEM | Break.HEADING | Break.HEADING_END
    | Break.LIST | Break.LIST_END | Break.TABLE | Break.TABLE_END | Break.RULE | Break.TITLE
)  # fmt: skip

# A window: [low, first) [first, last) [last, high) of the stream are what stands before the anchor, its own words
# and what follows, [heading, heading_last) is the heading of its region. It is one record, and not a number in each
# of nine arrays, because windows are read in the order of what they are for, which is no order in memory.
WINDOW = np.dtype(
    [
        ("citation", np.int64),  # the hash of linked page, linking site and window
        ("link", np.int32),
        ("page", np.int32),  # the page it stands on, as a number in the chunk
        ("low", np.int32),
        ("first", np.int32),
        ("last", np.int32),
        ("high", np.int32),
        ("heading", np.int32),
        ("heading_last", np.int32),
    ]
)


class Stream(NamedTuple):
    """The terms of a chunk's pages; those in templates, if they are kept, as complements of their numbers."""

    terms: NDArray[np.int32]
    ends: Ints  # the terms of page p are terms[ends[p]:ends[p + 1]]
    titles: NDArray[np.int32]  # for each page, the span of its title


class Scratch(NamedTuple):
    """What is known of the words of one page while its windows are found."""

    at: NDArray[np.int32]  # for each word, and for the end, the number of terms before it
    repeated: NDArray[np.bool_]  # for each word, whether it stands in a template
    rolling: NDArray[np.uint64]  # for each term, a hash of all before it, from which that of any span follows
    powers: NDArray[np.uint64]
    recent: TermMap  # a word that was looked up lately, and its term, in the slot of the word


class Choice(NamedTuple):
    """What a strategy says of windows, as numbers."""

    windows: bool  # whether any are wanted
    way: int
    width: int
    nofollow: bool
    in_templates: bool


@kernel
def _fill_stream(
    chunk: Chunk, page: int, table: TermMap, templates: Ints, keep: bool, terms: NDArray[np.int32],
    begin: int, scratch: Scratch,
) -> int:  # fmt: skip
    """Write the terms of a page from `begin` on; returns where they end."""
    start, count = chunk.word_ends[page], begin
    length = chunk.word_ends[page + 1] - start
    first, number = i64(0), chunk.break_ends[page]
    while first < length:
        last, repeated = length, False
        if len(templates) > 0:
            last, number = segment_end(chunk, page, first, number)
            segment = segment_hash(chunk.words, start + first, start + last)
            repeated = is_template(templates, chunk.site[page], segment)
        for i in range(first, last):
            scratch.at[i] = count
            scratch.repeated[i] = repeated
            if keep or not repeated:
                # Half of all words are dropped: to write every one and count some is faster than to ask.
                term = recent_term_number(table, chunk.words[start + i], chunk.language[page], scratch.recent)
                terms[count] = ~term if repeated else term
                count += term >= 0
        first = last
    scratch.at[length] = count
    return count


@kernel
def _fill_rolling(terms: NDArray[np.int32], begin: int, end: int, rolling: NDArray[np.uint64]) -> None:
    state = u64(0)
    rolling[0] = state
    for k in range(begin, end):
        state = state * MULTIPLIER + u64((terms[k] ^ (terms[k] >> 31)) + 1)
        rolling[k - begin + 1] = state


@inlined_kernel
def _span_hash(scratch: Scratch, begin: int, first: int, last: int) -> int:
    rolling = scratch.rolling
    return u64(rolling[last - begin] - rolling[first - begin] * scratch.powers[last - first])


@inlined_kernel
def _is_cut(kinds: int, way: int) -> bool:
    if way == TOPICAL:
        return kinds & TOPIC_CUTS != 0
    return kinds & TEXT_CUTS != 0 or (kinds & LINE != 0 and kinds & SENTENCE != 0)


@inlined_kernel
def _heading_end(chunk: Chunk, cut: int, breaks_end: int, first: int) -> int:
    """Where the heading that begins at a break ends, if that is before the anchor; else 0."""
    end = cut + 1
    while end < breaks_end and not chunk.break_kinds[end] & HEADING_END:
        end += 1
    if end < breaks_end and chunk.break_at[end] <= first:
        return i64(chunk.break_at[end])
    return i64(0)


@inlined_kernel
def _region(chunk: Chunk, page: int, way: int, first: int, last: int, length: int) -> tuple[int, int, int, int]:
    """[left, right), the words that a window may reach, and [heading, heading_last), what begins them."""
    left, right = i64(0), length
    title, title_last = i64(chunk.title_first[page]), i64(chunk.title_last[page])
    if title < title_last <= first:
        left = title_last
    if last <= title < title_last:
        right = title
    heading, heading_last = i64(0), i64(0)
    if way == BASIC:
        return left, right, heading, heading_last
    breaks, breaks_end = chunk.break_ends[page], chunk.break_ends[page + 1]
    after, high = breaks, breaks_end  # the first break behind the beginning of the anchor, by halving
    while after < high:
        middle = (after + high) // 2
        if chunk.break_at[middle] <= first:
            after = middle + 1
        else:
            high = middle
    cut = after - 1
    while cut >= breaks and not _is_cut(chunk.break_kinds[cut], way):
        cut -= 1
    if cut >= breaks:
        left = max(left, i64(chunk.break_at[cut]))
        if way == TOPICAL and chunk.break_kinds[cut] & HEADING:
            heading_last = _heading_end(chunk, cut, breaks_end, first)
            if heading_last > left:
                heading, left = left, heading_last
            else:
                heading_last = heading
    while after < breaks_end and (chunk.break_at[after] < last or not _is_cut(chunk.break_kinds[after], way)):
        after += 1
    if after < breaks_end:
        right = min(right, i64(chunk.break_at[after]))
    return left, right, heading, heading_last


@inlined_kernel
def _is_evidence(chunk: Chunk, link: int, length: int, choice: Choice, scratch: Scratch) -> bool:
    """Whether a link counts; an empty anchor belongs to the word behind it."""
    if chunk.link_nofollow[link] and not choice.nofollow:
        return False
    word = min(i64(chunk.link_first[link]), length - 1)
    return choice.in_templates or word < 0 or not scratch.repeated[word]


@kernel
def _fill_windows(chunk: Chunk, page: int, begin: int, choice: Choice, scratch: Scratch, out: Any, count: int) -> int:
    """Write the windows of a page's links from number `count` on; returns the number that is then reached."""
    length = chunk.word_ends[page + 1] - chunk.word_ends[page]
    for link in range(chunk.link_ends[page], chunk.link_ends[page + 1]):
        if not _is_evidence(chunk, link, length, choice, scratch):
            continue
        first, last = i64(chunk.link_first[link]), i64(chunk.link_last[link])
        left, right, heading, heading_last = _region(chunk, page, choice.way, first, last, length)
        at, window = scratch.at, out[count]
        start, stop = i64(at[first]), i64(at[last])
        low = max(i64(at[left]), start - choice.width)
        high = max(min(i64(at[right]), stop + choice.width), stop)
        heading_low = i64(at[heading])
        heading_high = min(i64(at[heading_last]), heading_low + choice.width)
        state = hash_step(u64(chunk.link_page[link]), u64(chunk.site[page]))
        state = hash_step(state, u64(start - low) << u64(32) | u64(stop - low))
        state = hash_step(state, _span_hash(scratch, begin, low, high))
        state = hash_step(state, _span_hash(scratch, begin, heading_low, heading_high))
        window.citation = i64(state | u64(1))
        window.link, window.page = link, page
        window.low, window.first, window.last, window.high = low, start, stop, high
        window.heading, window.heading_last = heading_low, heading_high
        count += 1
    return count


@kernel
def _fill(
    chunk: Chunk, table: TermMap, templates: Ints, choice: Choice, scratch: Scratch, stream: Stream, out: Any
) -> int:
    count = 0
    for page in range(len(chunk.page)):
        begin = stream.ends[page]
        end = _fill_stream(chunk, page, table, templates, choice.in_templates, stream.terms, begin, scratch)
        stream.ends[page + 1] = end
        stream.titles[page, 0] = scratch.at[chunk.title_first[page]]
        stream.titles[page, 1] = scratch.at[chunk.title_last[page]]
        if choice.windows and chunk.link_ends[page + 1] > chunk.link_ends[page]:
            _fill_rolling(stream.terms, begin, end, scratch.rolling)
            count = _fill_windows(chunk, page, begin, choice, scratch, out, count)
    return count


def anchor_windows(
    chunk: Chunk, table: TermMap, templates: Ints, strategy: Strategy
) -> tuple[Stream, NDArray[np.void]]:
    """The stream of a chunk, and the windows of all its links that are evidence."""
    words, pages = len(chunk.words), len(chunk.page)
    longest = int(np.diff(chunk.word_ends).max(initial=0)) + 2
    powers = np.cumprod(np.append(np.uint64(1), np.full(longest, MULTIPLIER)), dtype=np.uint64)
    scratch = Scratch(
        np.zeros(longest, np.int32), np.zeros(longest, np.bool_), np.zeros(longest, np.uint64), powers,
        np.zeros((RECENT, 2), np.int64),
    )  # fmt: skip
    stream = Stream(np.empty(words + 1, np.int32), np.zeros(pages + 1, np.int64), np.empty((pages, 2), np.int32))
    wanted = bool(strategy.anchors or strategy.links)
    way = {"syntactic": SYNTACTIC, "topical": TOPICAL}.get(strategy.window, BASIC)
    choice = Choice(wanted, way, window_width(strategy), strategy.nofollow, strategy.template_links)
    out = np.empty(len(chunk.link_page) if wanted else 0, WINDOW)
    count = _fill(chunk, table, templates, choice, scratch, stream, out)
    return stream._replace(terms=stream.terms[: stream.ends[-1]]), out[:count]


def window_width(strategy: Strategy) -> int:
    """The most terms that a window has on one side."""
    return int(strategy.window) if strategy.window.isdecimal() else strategy.reach
