"""Advice to the owner of a site: pages that should link to each other, that nobody links to, that say the same.

A link that more than half of the pages of a host have belongs to its template, such as a menu; on hosts of few pages
there is none. It makes a page known, so a page that has one is no orphan; but it says nothing of two subjects, so two
pages are not linked by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.copies import representatives
from pagekin.engines.parts import read_table
from pagekin.errors import UnknownPage
from pagekin.exports.rows import address_within_host, host_and_port
from pagekin.index import Index
from pagekin.stores.documents import Documents
from pagekin.stores.tables import SortedTable
from pagekin.stores.verified import readable
from pagekin.tables import DUPLICATES

Ints = NDArray[np.int64]

NEIGHBOURS = 20  # related pages of each page that are looked at
LINK_FROM = 3  # pages that are named to link to an orphan
FEW_WORDS = 10
TEMPLATE_SHARE = 0.5


@dataclass(frozen=True)
class MissingLink:
    """Two pages of a host that are related, neither of which links to the other."""

    url: str
    title: str
    other_url: str
    other_title: str
    score: float
    in_template: bool  # whether a menu or the like links them all the same


@dataclass(frozen=True)
class Orphan:
    """A page that no other page links to, and related pages of its host that could."""

    url: str
    title: str
    link_from: tuple[str, ...]


@dataclass(frozen=True)
class CopyGroup:
    """Pages that say the same, and the one that most links lead to."""

    keep: str
    copies: tuple[str, ...]


@dataclass(frozen=True)
class BarePage:
    """A page with hardly a word beside its title."""

    url: str
    title: str
    words: int


@dataclass(frozen=True)
class Advice:
    """All that was found, the most pressing first."""

    site: str  # the host; empty for all hosts of the crawl
    pages: int
    missing_links: tuple[MissingLink, ...]
    orphans: tuple[Orphan, ...]
    copies: tuple[CopyGroup, ...]
    bare: tuple[BarePage, ...]


def advise(index: Index, site: str = "", advanced: Callable[[int, int], None] = lambda done, total: None) -> Advice:
    """What the owner of a site, or of all sites of a crawl, could do; `advanced` is told how many pages are done."""
    crawled = _Crawled(index)
    wanted = [n for n in range(len(crawled)) if site in ("", crawled.hosts[n])]
    if not wanted:
        raise UnknownPage(f"no page of {site} was fetched" if site else f"{index.path} has no page that was fetched")
    neighbours = _neighbours(index, crawled, wanted, advanced)
    return Advice(
        site,
        len(wanted),
        _missing_links(crawled, neighbours),
        _orphans(crawled, wanted, neighbours),
        _copies(crawled, wanted),
        _bare(crawled, wanted),
    )


# --- what was crawled ---------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """What is needed of PAGES: who the pages are, how much they say, and where they lead."""

    pages: Ints
    urls: list[str]
    titles: list[str]
    words: Ints  # beside the title
    links: Ints  # how many each page has
    targets: Ints  # of all links, one page after another


class _Crawled:
    """The fetched pages by number, and the links between them; a copy counts as the page that stands for it."""

    def __init__(self, index: Index) -> None:
        index.check("pages", "duplicates")
        with readable(index.path / "pages"):
            rows = _read_rows(index)
        order = np.argsort(rows.pages)
        self.pages = rows.pages[order]
        self.urls, self.titles = ([texts[n] for n in order.tolist()] for texts in (rows.urls, rows.titles))
        self.words = rows.words[order]
        self.hosts = [host_and_port(url) for url in self.urls]
        with readable(index.path / "duplicates"):
            stands = representatives(read_table(index.path / "duplicates", DUPLICATES))
        self.stands_for = self._numbers(stands.of(self.pages))
        targets = stands.of(rows.targets)  # old addresses have been settled in PAGES
        sources = np.repeat(stands.of(rows.pages), rows.links)
        known = np.isin(targets, self.pages) & (targets != sources)
        self.sources, self.targets = self._numbers(sources[known]), self._numbers(targets[known])
        self._least_pages = index.strategy.template_site

    def __len__(self) -> int:
        return len(self.pages)

    def _numbers(self, pages: Ints) -> Ints:
        return np.searchsorted(self.pages, pages)

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The number of a page by its address."""
        return {url: number for number, url in enumerate(self.urls)}

    def pairs(self, sources: Ints, targets: Ints) -> Ints:
        """One number for each pair of pages."""
        return sources * len(self) + targets

    @cached_property
    def links(self) -> tuple[Ints, Ints]:
        """The pairs of pages of which one links to the other: by its content, and by a template."""
        every = np.unique(self.pairs(self.sources, self.targets))
        is_template = self._in_template(every)
        return every[~is_template], every[is_template]

    def _in_template(self, every: Ints) -> NDArray[np.bool_]:
        """Whether more than half of the pages of the linking page's host link to the same page."""
        names = {host: number for number, host in enumerate(sorted(set(self.hosts)))}
        hosts = np.array([names[host] for host in self.hosts], np.int64)
        sizes = np.bincount(hosts[np.unique(self.stands_for)], minlength=len(names))
        host, target = hosts[every // len(self)], every % len(self)
        _, group, count = np.unique(self.pairs(host, target), return_inverse=True, return_counts=True)
        is_common = count[group] > TEMPLATE_SHARE * sizes[host]
        is_template: NDArray[np.bool_] = is_common & (sizes[host] >= self._least_pages)
        return is_template

    def is_front(self, number: int) -> bool:
        """Whether a page is the front page of its host, which is about no subject."""
        return address_within_host(self.urls[number]) == "/"


def _read_rows(index: Index) -> _Rows:
    """One pass over PAGES, a row group at a time."""
    columns = ["page", "url", "title", "title_first", "title_last", "words", "link_page"]
    found: list[_Rows] = [_Rows(*(np.empty(0, np.int64), [], []), *(np.empty(0, np.int64) for _ in range(3)))]
    for part in SortedTable(index.path / "pages", "page").parts:
        with pq.ParquetFile(part) as file:
            for batch in file.iter_batches(columns=columns):
                in_title = batch["title_last"].to_numpy() - batch["title_first"].to_numpy()
                found.append(
                    _Rows(
                        batch["page"].to_numpy(),
                        batch["url"].to_pylist(),
                        batch["title"].to_pylist(),
                        batch["words"].value_lengths().to_numpy() - in_title,
                        batch["link_page"].value_lengths().to_numpy(),
                        batch["link_page"].flatten().to_numpy(),
                    )
                )
    return _Rows(
        np.concatenate([rows.pages for rows in found]),
        [url for rows in found for url in rows.urls],
        [title for rows in found for title in rows.titles],
        np.concatenate([rows.words for rows in found]),
        np.concatenate([rows.links for rows in found]),
        np.concatenate([rows.targets for rows in found]),
    )


# --- advice -------------------------------------------------------------------------------------------------


class _Neighbours(NamedTuple):
    """Pairs of pages of one host that are related: the first was asked for, the second answered."""

    first: Ints
    second: Ints
    score: NDArray[np.float64]


def _neighbours(
    index: Index, crawled: _Crawled, wanted: list[int], advanced: Callable[[int, int], None]
) -> _Neighbours:
    """The related pages of all pages that are no copies, as far as they stand on the same host."""
    documents = set(Documents(index.path / "documents").pages.tolist())
    asked = [n for n in wanted if crawled.stands_for[n] == n and int(crawled.pages[n]) in documents]
    found = list(_related_pairs(index, crawled, asked, advanced))
    columns = list(zip(*found, strict=True)) or [(), (), ()]
    return _Neighbours(np.array(columns[0], np.int64), np.array(columns[1], np.int64), np.array(columns[2], float))


def _related_pairs(
    index: Index, crawled: _Crawled, asked: list[int], advanced: Callable[[int, int], None]
) -> Iterator[tuple[int, int, float]]:
    for done, number in enumerate(asked, 1):
        for answer in index.related(crawled.urls[number], k=NEIGHBOURS).whole().results:
            other = crawled.number_of.get(answer.url)
            if other is not None and crawled.hosts[other] == crawled.hosts[number]:
                yield number, other, answer.score
        advanced(done, len(asked))


def _missing_links(crawled: _Crawled, near: _Neighbours) -> tuple[MissingLink, ...]:
    """The pairs that no content links, the most related first; each once, with the better of its two scores."""
    best: dict[tuple[int, int], float] = defaultdict(float)
    low, high = np.minimum(near.first, near.second), np.maximum(near.first, near.second)
    content, template = crawled.links
    keys = crawled.pairs(low, high), crawled.pairs(high, low)
    is_linked = np.isin(keys[0], content) | np.isin(keys[1], content)
    for n in np.flatnonzero(~is_linked).tolist():
        pair = int(low[n]), int(high[n])
        if not any(map(crawled.is_front, pair)):
            best[pair] = max(best[pair], float(near.score[n]))
    templates = set(template.tolist())
    order = sorted(best.items(), key=lambda item: (-item[1], crawled.urls[item[0][0]], crawled.urls[item[0][1]]))
    return tuple(_missing_link(crawled, pair, score, templates) for pair, score in order)


def _missing_link(crawled: _Crawled, pair: tuple[int, int], score: float, templates: set[int]) -> MissingLink:
    one, two = sorted(pair, key=lambda number: crawled.urls[number])
    in_template = any(key in templates for key in (one * len(crawled) + two, two * len(crawled) + one))
    return MissingLink(
        crawled.urls[one], crawled.titles[one], crawled.urls[two], crawled.titles[two], score, in_template
    )


def _orphans(crawled: _Crawled, wanted: list[int], near: _Neighbours) -> tuple[Orphan, ...]:
    """The pages that stand for themselves, are no front page, and that no other page links to."""
    linked = set(crawled.targets.tolist())
    lost = [n for n in wanted if n not in linked and crawled.stands_for[n] == n and not crawled.is_front(n)]
    related: dict[int, list[str]] = defaultdict(list)
    for first, second in zip(near.first.tolist(), near.second.tolist(), strict=True):
        related[first].append(crawled.urls[second])
    found = [Orphan(crawled.urls[n], crawled.titles[n], tuple(related[n][:LINK_FROM])) for n in lost]
    return tuple(sorted(found, key=lambda orphan: orphan.url))


def _copies(crawled: _Crawled, wanted: list[int]) -> tuple[CopyGroup, ...]:
    """The groups of copies of which some are wanted, the largest first."""
    members: dict[int, list[int]] = defaultdict(list)
    for number in np.flatnonzero(crawled.stands_for != np.arange(len(crawled))).tolist():
        members[int(crawled.stands_for[number])].append(number)
    here = set(wanted)
    groups = [
        CopyGroup(crawled.urls[keep], tuple(sorted(crawled.urls[n] for n in others)))
        for keep, others in members.items()
        if here & {keep, *others}
    ]
    return tuple(sorted(groups, key=lambda group: (-len(group.copies), group.keep)))


def _bare(crawled: _Crawled, wanted: list[int]) -> tuple[BarePage, ...]:
    """The pages with hardly a word, the barest first."""
    few = [n for n in wanted if crawled.words[n] <= FEW_WORDS]
    found = [BarePage(crawled.urls[n], crawled.titles[n], int(crawled.words[n])) for n in few]
    return tuple(sorted(found, key=lambda page: (page.words, page.url)))
