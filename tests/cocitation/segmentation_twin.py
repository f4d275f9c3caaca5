"""Sections and blocks of links, rule by rule from Shen et al. and from ours, on objects: slow and obvious."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any

from pagekin.settings import CocitationSettings
from pagekin.tables import Break

Row = dict[str, Any]

CUTS = Break.TABLE | Break.TABLE_END | Break.ROW | Break.RULE | Break.PARAGRAPH | Break.LIST | Break.LIST_END
CUTS |= Break.BLOCK | Break.HEADING | Break.HEADING_END | Break.TITLE


# --- colours ------------------------------------------------------------------------------------------------


def lab(color: int) -> tuple[float, float, float]:
    """CIELAB by the textbook: sRGB to light, light to XYZ, XYZ beside white D65 to L*a*b*."""
    red, green, blue = (_light(color >> shift & 0xFF) for shift in (16, 8, 0))
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = map(_cube_root, (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _light(channel: int) -> float:
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _cube_root(value: float) -> float:
    """The cube root, but for very dark colours the line that CIE put in its place."""
    return float(value ** (1 / 3)) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29


@cache
def distance(color: int, background: int) -> float:
    """edis of Equation 1: how far two colours are apart, where black and white are 1."""
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(lab(color), lab(background), strict=True))) / 100


# --- sections -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """Text of one style in a section."""

    characters: float
    bold: bool
    color: int
    background: int


@dataclass(frozen=True)
class Section:
    """What stands between two partitioning tags, or several of them put together."""

    words: tuple[int, int]
    links: tuple[int, ...]
    anchor_words: int
    kinds: Break
    runs: tuple[Run, ...] = ()
    begins: tuple[Run, ...] = field(default=())  # the runs of the first section of several

    @property
    def size(self) -> int:
        return self.words[1] - self.words[0]

    @property
    def bold_lead(self) -> bool:
        return bool(self.begins) and self.begins[0].bold

    @property
    def bold(self) -> bool:
        return any(run.bold for run in self.runs)

    @property
    def font_score(self) -> float:
        """afs(s), Equation 1."""
        above = sum(
            run.characters * (1.2 if run.bold else 1) * distance(run.color, run.background) for run in self.runs
        )
        below = sum(run.characters for run in self.runs)
        return above / below if below else 1.0

    @property
    def background(self) -> int:
        """What lies behind the longest run, the first of those that are as long; white if there is none."""
        longest = max(self.runs, key=lambda run: run.characters, default=None)
        return longest.background if longest else 0xFFFFFF

    def is_link(self, settings: CocitationSettings) -> bool:
        """The type of the section, in rule 1."""
        enough = self.anchor_words > settings.anchor_share * self.size if self.size else True
        return enough and len(self.links) > settings.section_links


def sections(page: Row) -> list[Section]:
    """The scanning stage: cut the page at each partitioning tag. A title at the head is no part of it."""
    start = page["title_last"] if page["title_first"] == 0 else 0
    end = len(page["words"])
    kinds = {at: Break(kind) for at, kind in zip(page["break_at"], page["break_kinds"], strict=True)}
    cuts = [at for at in kinds if kinds[at] & CUTS and start < at <= end]
    edges = [start, *cuts, *([] if cuts and cuts[-1] == end else [end])]
    spans = [*pairwise(edges)] or [(start, start)]
    if spans[-1][0] < end and cuts and cuts[-1] == end:
        spans.append((end, end))
    found = []
    for number, (first, last) in enumerate(spans):
        links = _links_in(page, first if number else -1, last, number == len(spans) - 1)
        spoken = sum(max(min(page["link_last"][link], last) - page["link_first"][link], 0) for link in links)
        runs = _runs_in(page, first, last)
        kind = kinds.get(first, Break(0)) if number else Break(0)
        if first < last or links:
            found.append(Section((first, last), links, spoken, kind, runs, runs))
    return found


def _links_in(page: Row, first: int, last: int, is_last: bool) -> tuple[int, ...]:
    """The links that begin in a span; those without words belong to the word that follows."""
    begins = enumerate(page["link_first"])
    return tuple(link for link, at in begins if first <= at and (at < last or is_last))


def _runs_in(page: Row, first: int, last: int) -> tuple[Run, ...]:
    """The styles of a span, each with the part of its characters that its words there are."""
    starts = [*page["style_at"], len(page["words"])]
    columns = zip(*(page[f"style_{name}"] for name in ("chars", "bold", "color", "background")), strict=True)
    found = []
    for (start, end), (characters, bold, color, background) in zip(pairwise(starts), columns, strict=True):
        inside = min(end, last) - max(start, first)
        if inside > 0:
            found.append(Run(characters * inside / (end - start), bold, color, background))
    return tuple(found)


# --- adjusting ----------------------------------------------------------------------------------------------


def ends_block(kinds: Break) -> bool:
    """Our own rule: what divides two things however alike they look."""
    beside = Break.BLOCK | Break.PARAGRAPH | Break.TABLE | Break.TABLE_END | Break.ROW | Break.CELL
    is_list = bool(kinds & (Break.LIST | Break.LIST_END)) and bool(kinds & beside)
    return is_list or bool(kinds & (Break.HEADING | Break.RULE | Break.TABLE_END))


def goes_on(one: Section, other: Section, settings: CocitationSettings) -> bool:
    """Our own rule: the next paragraph or row of a text is no new thing, unless one begins in bold."""
    is_text = not one.is_link(settings) and not other.is_link(settings)
    is_next = not other.kinds & CUTS & ~(Break.PARAGRAPH | Break.ROW)
    return is_text and is_next and one.background == other.background and not (one.bold_lead or other.bold_lead)


def merged(one: Section, other: Section) -> Section:
    return replace(
        one,
        words=(one.words[0], other.words[1]),
        links=one.links + other.links,
        anchor_words=one.anchor_words + other.anchor_words,
        runs=one.runs + other.runs,
    )


def can_merge(one: Section, other: Section, settings: CocitationSettings) -> bool:
    """The six rules in their order, and before them ours."""
    if settings.edges and ends_block(other.kinds):
        return False
    if settings.edges and goes_on(one, other, settings):
        return True
    is_link, other_is_link = one.is_link(settings), other.is_link(settings)
    if is_link and other_is_link and one.background == other.background:
        return True
    if one.bold or other.bold:
        return False
    if abs(one.font_score - other.font_score) > 0.5:
        return False
    if one.size > 10 and other.size > 10:
        return False
    if settings.edges and one.background != other.background:
        return False
    if is_link != other_is_link:
        larger = one if one.size >= other.size else other
        return merged(one, other).is_link(settings) == larger.is_link(settings)
    return False


def adjusted(found: list[Section], settings: CocitationSettings) -> list[Section]:
    """Algorithm 1, with the sections of one link still in."""
    kept: list[Section] = []
    for section in found:
        if kept and can_merge(kept[-1], section, settings):
            kept[-1] = merged(kept[-1], section)
        else:
            kept.append(section)
    return kept


def block_numbers(page: Row, settings: CocitationSettings) -> list[int]:
    """For each link the number of its block, or -1."""
    numbers = [-1] * len(page["link_url"])
    blocks = [section.links for section in adjusted(sections(page), settings) if len(section.links) > 1]
    for number, links in enumerate(blocks):
        for link in links:
            numbers[link] = number
    return numbers
