"""The link blocks of one page, in words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from pagekin.cocitation.blocks import SECTION, Styled, sections_of, styled
from pagekin.settings import CocitationSettings
from pagekin.stores.soundness import check_page_rows
from pagekin.tables import PAGES, Break

LONGEST_HEADING = 20  # words
LONGEST_ANCHOR = 20
REGION_ENDS = Break.LIST_END | Break.TABLE_END | Break.RULE  # beyond which a heading speaks of nothing


@dataclass(frozen=True)
class BlockLink:
    """A link of a block: where it leads, and what it says."""

    url: str
    anchor: str


@dataclass(frozen=True)
class LinkBlock:
    """Links that stand together on a page, and the heading above them."""

    heading: str
    links: tuple[BlockLink, ...]
    is_block: bool  # whether they are enough to be one


class BlockReader:
    """Reads the blocks of a row of PAGES; `words` are its word forms by their ids."""

    _LAST = (1 << 62, 0)  # behind every span of words

    def __init__(self, row: Mapping[str, Any], words: Mapping[int, str]) -> None:
        self.row = row
        table = pa.Table.from_pylist([dict(row)], schema=PAGES)
        check_page_rows(table)
        self._breaks = list(zip(row["break_at"], row["break_kinds"], strict=True))
        self.texts = [words[word] for word in row["words"]]
        self._pages: Styled = styled(table, np.zeros(1, np.int64))

    def blocks(self, settings: CocitationSettings, adjusted: bool = True) -> list[LinkBlock]:
        """What the page's links are grouped in, sections of one link included; or the sections before adjusting."""
        before, after = sections_of(self._pages, 0, settings)
        sections = after if adjusted else before
        return [self._block(section) for section in sections if section["last_link"] > section["first_link"]]

    def _block(self, section: np.void) -> LinkBlock:
        assert section.dtype == SECTION
        numbers = range(section["first_link"], section["last_link"])
        links = tuple(BlockLink(self.row["link_url"][n], self._anchor(n)) for n in numbers)
        return LinkBlock(self._heading(section), links, len(links) > 1)

    def _anchor(self, link: int) -> str:
        return self._said(self.row["link_first"][link], self.row["link_last"][link], LONGEST_ANCHOR)

    def _said(self, first: int, last: int, most: int) -> str:
        return " ".join(self.texts[first : min(last, first + most)])

    def _heading(self, section: np.void) -> str:
        """The bold words that a section begins with, or else the heading whose region it stands in."""
        if section["bold_lead"]:
            return self._said(section["first"], self._bold_end(int(section["first"])), LONGEST_HEADING)
        region = bisect_right(self._regions, (int(section["first"]), self._LAST)) - 1
        return self._said(*self._regions[region][1], LONGEST_HEADING) if region >= 0 else ""

    @cached_property
    def _regions(self) -> list[tuple[int, tuple[int, int]]]:
        """Where a region begins, and the words of its heading; those of one without a heading are none."""
        ends = [at for at, kinds in self._breaks if kinds & Break.HEADING_END]
        regions = []
        for at, kinds in self._breaks:
            if kinds & Break.HEADING:
                end = bisect_right(ends, at)
                regions.append((at, (at, ends[end] if end < len(ends) else at)))
            elif kinds & REGION_ENDS:
                regions.append((at, (at, at)))
        return regions

    def _bold_end(self, first: int) -> int:
        """Where the style that holds at a word ends."""
        return next((at for at in self.row["style_at"] if at > first), len(self.texts))
