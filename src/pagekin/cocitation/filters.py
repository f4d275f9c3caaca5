"""The seven filters that a block passes before its links give pairs (Shen et al., "Filtering hyperlinks")."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.chunk import Ints, group_starts
from pagekin.cocitation.targets import DYNAMIC, FILE, LOST, RESPELLED
from pagekin.settings import CocitationSettings

Mask = NDArray[np.bool_]


class Links(NamedTuple):
    """The links of many blocks, in the order in which they stand there."""

    page: Ints  # the page they stand on, by its number in the chunk
    block: Ints  # ascending; no two pages share a block
    target: Ints  # what they lead to
    site: Ints  # the site of that
    own_site: Ints  # the site of the page they stand on
    kind: Ints  # of their targets, as in TARGETS
    first: Ints  # their anchors are [first, last) of the words of the chunk
    last: Ints

    def where(self, mask: Mask) -> Links:
        """Some of the links."""
        return Links(*(column[mask] for column in self))


Filtered = tuple[Links, int]  # what passes, and how many links were dropped or changed


def _without(links: Links, dropped: Mask) -> Filtered:
    return links.where(~dropped), int(dropped.sum())


def large_blocks(links: Links, settings: CocitationSettings) -> Filtered:
    """Drop blocks of so many links that they are likely to be about several things."""
    sizes = np.diff(group_starts(links.block), append=len(links.block))
    return _without(links, np.repeat(sizes > settings.block_links, sizes))


def files(links: Links, settings: CocitationSettings) -> Filtered:
    """Drop links to what is no page, such as music and documents."""
    return _without(links, links.kind & FILE != 0)


def dynamic(links: Links, settings: CocitationSettings) -> Filtered:
    """Links with a query count for the front page of their host, if that is known; TARGETS says which it is."""
    changed = int(np.count_nonzero(links.kind & DYNAMIC))
    return links.where(links.kind & (DYNAMIC | LOST) != DYNAMIC | LOST), changed


def spelling(links: Links, settings: CocitationSettings) -> Filtered:
    """Addresses got their one spelling in the scan, and TARGETS says which of two hosts is meant: count those."""
    return links, int(np.count_nonzero(links.kind & RESPELLED))


def singletons(links: Links, settings: CocitationSettings) -> Filtered:
    """Drop links to what an earlier link of the block leads to."""
    order = np.lexsort([links.target, links.block])
    later = np.ones(len(order), np.bool_)
    later[order[group_starts(links.block[order], links.target[order])]] = False
    return _without(links, later)


def empty_anchors(links: Links, settings: CocitationSettings) -> Filtered:
    """Drop links without a word."""
    return _without(links, links.first == links.last)


def common_site(links: Links, settings: CocitationSettings) -> Filtered:
    """Drop links within a site, unless they are to count."""
    return _without(links, (links.site == links.own_site) & (settings.own_site != "yes"))


FILTERS: dict[str, Callable[[Links, CocitationSettings], Filtered]] = {
    "large block": large_blocks,
    "file": files,
    "dynamic": dynamic,
    "spelling": spelling,
    "repeated": singletons,
    "empty anchor": empty_anchors,
    "own site": common_site,
}


def filtered(links: Links, settings: CocitationSettings) -> tuple[Links, dict[str, int]]:
    """The links that pass all filters in their order, and how many each of them dropped or changed."""
    touched: dict[str, int] = {}
    for name, passed in FILTERS.items():
        links, touched[name] = passed(links, settings) if len(links.block) else (links, 0)
    return links, touched
