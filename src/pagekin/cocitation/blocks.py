"""The links of a page in blocks, each about one thing (Shen et al., "The HTML segmentation flow").

*Scanning* cuts the stream of a page into sections where partitioning tags stand (the GetBlocks of Debnath et al.).
*Adjusting* goes through them once and joins neighbours by six rules. What remains with two links or more is a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import COLUMNS, Chunk, Ints, chunk_of, list_ends
from pagekin.cocitation.contrast import contrast
from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.settings import CocitationSettings
from pagekin.tables import Break

# What begins and ends with table, tr, hr, p, ul and div, the elements of their kinds, and headings.
PARTITION = int(
    Break.TABLE | Break.TABLE_END | Break.ROW | Break.RULE | Break.PARAGRAPH | Break.LIST | Break.LIST_END
    | Break.BLOCK | Break.HEADING | Break.HEADING_END | Break.TITLE
)  # fmt: skip

# What stands between two things for every reader: headings, rules, ends of tables, and edges of lists beside a block.
EDGE = int(Break.HEADING | Break.RULE | Break.TABLE_END)
LIST_EDGE = int(Break.LIST | Break.LIST_END)
BESIDE = int(Break.BLOCK | Break.PARAGRAPH | Break.TABLE | Break.TABLE_END | Break.ROW | Break.CELL)

GOING_ON = int(Break.PARAGRAPH | Break.ROW)  # after which a text or a table may go on

BOLD = 1.2  # what a bold character counts in the average font score, others counting 1
FONT_LIMIT = 0.5  # sections whose average font scores differ by more are not merged
LONG = 10  # nor are two of which each has more words than this
STYLES = ("style_at", "style_chars", "style_bold", "style_color", "style_background")
BLOCK_COLUMNS = (*COLUMNS, *STYLES)
NO_BLOCK = -1

SECTION = np.dtype(
    [
        ("first", np.int32),  # its words are [first, last) of the page
        ("last", np.int32),
        ("first_link", np.int32),  # its links are [first_link, last_link) of the page
        ("last_link", np.int32),
        ("kinds", np.int32),  # what breaks before it
        ("words", np.int64),
        ("anchor_words", np.int64),
        ("bold_lead", np.bool_),  # whether it begins in bold
        ("bold", np.float64),  # how many of its characters are bold
        ("characters", np.float64),
        ("font_score", np.float64),  # the sum above the line of Equation 1
        ("background", np.int32),
        ("background_characters", np.float64),
    ]
)


class Styled(NamedTuple):
    """Pages laid end to end, with the styles of their text."""

    chunk: Chunk
    style_at: NDArray[np.int32]
    style_chars: NDArray[np.int32]
    style_bold: NDArray[np.bool_]
    style_color: NDArray[np.int32]
    style_background: NDArray[np.int32]
    style_ends: Ints


def styled(pages: pa.Table, language: Ints) -> Styled:
    """PAGES as arrays; `language` holds a number for each page."""
    columns = [pages[name].combine_chunks() for name in STYLES]
    at, chars, bold, color, background = (column.flatten().to_numpy(zero_copy_only=False) for column in columns)
    return Styled(chunk_of(pages, language), at, chars, bold, color, background, list_ends(columns[0]))


class Rules(NamedTuple):
    """The two thresholds that make a section one of links, and whether edges count."""

    anchor_share: float
    links: int
    edges: bool


def rules_of(settings: CocitationSettings) -> Rules:
    """The thresholds as a kernel wants them."""
    return Rules(settings.anchor_share, settings.section_links, settings.edges)


# --- scanning -----------------------------------------------------------------------------------------------


@inlined_kernel
def _add_style(section: Any, characters: float, bold: bool, color: int, background: int) -> None:
    if section.characters == 0:
        section.bold_lead = bold
    section.characters += characters
    section.bold += characters * bold
    section.font_score += characters * (BOLD if bold else 1.0) * contrast(color, background)
    if section.background_characters < characters:
        section.background, section.background_characters = background, characters


@inlined_kernel
def _read_styles(pages: Styled, page: int, section: Any, style: int) -> int:
    """Add the styles of a section's words; returns the one that holds at its end.

    A style that reaches beyond the section gives it the part of its characters that its words are.
    """
    end, words = pages.style_ends[page + 1], pages.chunk.word_ends[page + 1] - pages.chunk.word_ends[page]
    while style < end:
        first = i64(pages.style_at[style])
        last = i64(pages.style_at[style + 1]) if style + 1 < end else words
        inside = min(last, i64(section.last)) - max(first, i64(section.first))
        if inside > 0:
            characters = pages.style_chars[style] * inside / (last - first)
            _add_style(
                section, characters, pages.style_bold[style], i64(pages.style_color[style]),
                i64(pages.style_background[style]),
            )  # fmt: skip
        if last > section.last:
            break
        style += 1
    return style


@inlined_kernel
def _begin_section(section: Any, kinds: int, first: int, last: int, first_link: int) -> None:
    section.kinds, section.bold_lead = kinds, False
    section.first, section.last, section.words = first, last, last - first
    section.first_link, section.last_link = first_link, first_link
    section.anchor_words, section.bold, section.characters, section.font_score = 0, 0.0, 0.0, 0.0
    section.background, section.background_characters = 0xFFFFFF, 0.0


@inlined_kernel
def _read_links(chunk: Chunk, page: int, section: Any, at_end: bool) -> int:
    """Add the links that begin in a section; returns the next one. Those without words stand before what follows."""
    start, link = chunk.link_ends[page], i64(section.first_link)
    while start + link < chunk.link_ends[page + 1]:
        first, last = i64(chunk.link_first[start + link]), i64(chunk.link_last[start + link])
        if first >= section.last and not at_end:
            break
        section.anchor_words += min(last, i64(section.last)) - first if last > first else 0
        link += 1
    section.last_link = link
    return link


@kernel
def scan_sections(pages: Styled, page: int, sections: Any) -> int:
    """The sections of a page that have a word or a link, in order; returns their number."""
    chunk = pages.chunk
    words, title = chunk.word_ends[page + 1] - chunk.word_ends[page], i64(chunk.title_last[page])
    number, link, style, kinds = 0, 0, pages.style_ends[page], 0
    first = title if chunk.title_first[page] == 0 else 0  # a title at the head is no text of the page
    for k in range(chunk.break_ends[page], chunk.break_ends[page + 1] + 1):
        at_end = k == chunk.break_ends[page + 1]
        at = words if at_end else i64(chunk.break_at[k])
        if (at_end or chunk.break_kinds[k] & PARTITION) and (at > first or at_end):
            section = sections[number]
            _begin_section(section, kinds, first, at, link)
            link = _read_links(chunk, page, section, at_end)
            style = _read_styles(pages, page, section, style)
            if section.words > 0 or section.last_link > section.first_link:
                number += 1
            first, kinds = at, 0 if at_end else i64(chunk.break_kinds[k])
    return number


# --- adjusting ----------------------------------------------------------------------------------------------


@inlined_kernel
def _is_link_section(words: int, anchor_words: int, links: int, rules: Rules) -> bool:
    return bool((anchor_words > rules.anchor_share * words or words == 0) and links > rules.links)


@inlined_kernel
def _font_score(section: Any) -> float:
    """The average font score (Equation 1)."""
    return float(section.font_score / section.characters) if section.characters > 0 else 1.0


@inlined_kernel
def _is_edge(kinds: int) -> bool:
    """Whether what breaks there divides two things, however alike they look.

    A list inside an item of another list, as in a menu, begins and ends without such an element beside it.
    """
    return bool(kinds & EDGE or (kinds & LIST_EDGE and kinds & BESIDE))


@inlined_kernel
def _goes_on(one: Any, other: Any) -> bool:
    """Whether two sections are paragraphs of one text, or rows of one table; what begins in bold begins anew."""
    if other.kinds & PARTITION & ~GOING_ON or one.background != other.background:
        return False
    return bool(not one.bold_lead and not other.bold_lead)


@inlined_kernel
def can_merge(one: Any, other: Any, rules: Rules) -> bool:
    """Whether two neighbours belong together: the first of the six rules that applies decides.

    Before them stand two of our own: the paper's pages showed what belongs together by colours, which since then
    stand in style sheets that no crawl has.
    """
    if rules.edges and _is_edge(other.kinds):
        return False
    links, other_links = one.last_link - one.first_link, other.last_link - other.first_link
    is_link = _is_link_section(one.words, one.anchor_words, links, rules)
    other_is_link = _is_link_section(other.words, other.anchor_words, other_links, rules)
    if rules.edges and not is_link and not other_is_link and _goes_on(one, other):
        return True
    if is_link and other_is_link and one.background == other.background:
        return True
    if one.bold > 0 or other.bold > 0:
        return False
    if abs(_font_score(one) - _font_score(other)) > FONT_LIMIT:
        return False
    if one.words > LONG and other.words > LONG:
        return False
    if is_link == other_is_link or (rules.edges and one.background != other.background):
        return False
    together = _is_link_section(
        one.words + other.words, one.anchor_words + other.anchor_words, links + other_links, rules
    )
    return bool(together == (is_link if one.words >= other.words else other_is_link))


@inlined_kernel
def _merge(one: Any, other: Any) -> None:
    """Put a section at the end of another."""
    one.last, one.last_link = other.last, other.last_link
    one.words += other.words
    one.anchor_words += other.anchor_words
    one.bold += other.bold
    one.characters += other.characters
    one.font_score += other.font_score
    if one.background_characters < other.background_characters:
        one.background, one.background_characters = other.background, other.background_characters


@kernel
def adjust(sections: Any, number: int, rules: Rules) -> int:
    """Merge neighbouring sections in place (Algorithm 1); returns how many remain, those of one link included."""
    kept = 0
    for k in range(1, number):
        if can_merge(sections[kept], sections[k], rules):
            _merge(sections[kept], sections[k])
        else:
            kept += 1
            sections[kept] = sections[k]
    return kept + 1 if number > 0 else 0


@kernel
def _number_blocks(pages: Styled, rules: Rules, sections: Any, blocks: Ints) -> None:
    """For each link the number of its block on its page; sections with one link are no blocks."""
    for page in range(len(pages.chunk.page)):
        start, block = pages.chunk.link_ends[page], 0
        for k in range(adjust(sections, scan_sections(pages, page, sections), rules)):
            first, last = i64(sections[k].first_link), i64(sections[k].last_link)
            for link in range(first, last):
                blocks[start + link] = block if last - first > 1 else NO_BLOCK
            block += last - first > 1


def link_blocks(pages: Styled, settings: CocitationSettings) -> Ints:
    """For each link of these pages the number of its block on its page, or -1."""
    if settings.whole_pages:
        return np.zeros(len(pages.chunk.link_page), np.int64)
    blocks = np.full(len(pages.chunk.link_page), NO_BLOCK, np.int64)
    _number_blocks(pages, rules_of(settings), _room(pages), blocks)
    return blocks


def _room(pages: Styled) -> NDArray[np.void]:
    return np.empty(int(np.diff(pages.chunk.break_ends).max(initial=0)) + 2, SECTION)


def sections_of(pages: Styled, page: int, settings: CocitationSettings) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """The sections of one page before they are adjusted, and after."""
    sections = _room(pages)
    before = sections[: scan_sections(pages, page, sections)].copy()
    after = before.copy()
    number = len(after) and 1 if settings.whole_pages else adjust(after, len(after), rules_of(settings))
    if settings.whole_pages and number:
        after[0]["last"], after[0]["last_link"] = before[-1]["last"], before[-1]["last_link"]
    return before, after[:number]
