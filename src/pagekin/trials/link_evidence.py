"""How related pages are by links alone: block co-citation, what it is compared with, and neighbourhoods."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.authority import page_rank, settled
from pagekin.cocitation.merging import strength
from pagekin.cocitation.targets import spelled_pages
from pagekin.copies import representatives
from pagekin.engines.parts import read_table
from pagekin.evaluation.link_peers import LinkGraph, Scores, companion, coupling, traditional_cocitation
from pagekin.evaluation.scores import Floats
from pagekin.evaluation.strategies import Contender
from pagekin.links.evidence import TO
from pagekin.links.likeness import Neighbourhoods, near_pages, neighbourhoods
from pagekin.pipelines import SCHEMAS, pages_to_cocited, pages_to_neighbours, pages_to_sites
from pagekin.settings import Settings
from pagekin.stores.link_store import authority
from pagekin.trials.bag_maker import BagMaker

Numbers = NDArray[np.int64]

EVERY = 1 << 30  # pages that are kept for each: what is judged is the whole ranking


class _Rows(NamedTuple):
    """The co-cited pages of each page: [first[i], last[i]) of the other two."""

    first: Numbers
    last: Numbers
    other: Numbers
    score: Floats

    def scores(self, source: int) -> Floats:
        """The score of every page."""
        scores = np.zeros(len(self.first), np.float32)
        span = slice(self.first[source], self.last[source])
        scores[self.other[span]] = self.score[span]
        return scores


class _Linked(NamedTuple):
    """Who links to whom: the pages, by their ids, the place of that which stands for each of those that are judged."""

    hoods: Neighbourhoods
    places: Numbers
    authority: Floats

    def scores(self, source: int) -> Floats:
        """How near every page is."""
        size = len(self.hoods.lengths)
        near, likeness = near_pages(
            self.hoods, int(self.places[source]), np.zeros(size, np.float32), np.empty(size + 1, np.uint32)
        )
        every = np.zeros(size, np.float32)
        every[near] = likeness
        return every[self.places]


class LinkEvidence:
    """Scores by links, of any contender."""

    def __init__(self, maker: BagMaker) -> None:
        self.maker = maker
        self._graph_of = cache(self._graph)

    def scores(self, contender: Contender, pages: Numbers) -> Callable[[int], Floats]:
        """How related one of these pages (ids, ascending) is to each of them, from 0 to 1."""
        if contender.citations == "blocks":
            return self._blocks(contender, pages).scores
        all_pages, scores = self._peer(contender)
        places = np.searchsorted(all_pages, pages)
        return lambda source: _scaled(scores(int(places[source])))[places]

    def _blocks(self, contender: Contender, pages: Numbers) -> _Rows:
        citing = replace(contender.citing, pages=EVERY)
        settings = Settings(strategy=contender.strategy, cocitation=citing)
        terms, sites = self.maker.terms(contender.strategy), self._sites(contender)
        sides = dict.fromkeys(("word_terms", "terms", "languages"), terms)
        sides |= dict.fromkeys(("targets", "authority"), sites)
        named = hashlib.blake2b(f"{terms.name} {citing} {sites.name}".encode(), digest_size=8).hexdigest()
        folder = self.maker.made(f"cocited-{named}", pages_to_cocited(settings), sides)
        self.maker.forget_oldest("cocited-*")
        rows = read_table(folder / "cocited", SCHEMAS["cocited"], ["page", "other", "total"])
        page, other, total = (column.to_numpy() for column in rows.columns)
        spelled = spelled_pages(pages, read_table(sites / "targets", SCHEMAS["targets"]))
        order = np.argsort(
            spelled, kind="stable"
        )  # several pages may have one spelling: copies and what stands for them
        begin, end = (np.searchsorted(spelled[order], other, side) for side in ("left", "right"))
        row = np.repeat(np.arange(len(other)), end - begin)
        within = np.arange(len(row)) - np.repeat(np.cumsum(end - begin) - (end - begin), end - begin)
        others, page = order[begin[row] + within], page[row]
        first, last = np.searchsorted(page, spelled), np.searchsorted(page, spelled, "right")
        return _Rows(first, last, others, strength(total[row]))

    def linked(self, contender: Contender, pages: Numbers) -> _Linked:
        """The links between all pages, templates aside, and where those that are judged stand among them."""
        strategy = contender.strategy
        settings = Settings(strategy=strategy, links=contender.linking)
        rules = f"{strategy.template_pages}-{strategy.template_site}-{strategy.template_links}-{strategy.nofollow}"
        sides = {"templates": self.maker.templates(strategy)} | self.maker.copies()
        folder = self.maker.made(f"neighbours-{rules}", pages_to_neighbours(settings), sides)
        rows = read_table(folder / "neighbours", SCHEMAS["neighbours"])
        page, neighbour, ways = (column.to_numpy() for column in rows.columns)
        copies = representatives(read_table(sides["duplicates"] / "duplicates", SCHEMAS["duplicates"]))
        standing = copies.of(pages)
        known = np.union1d(page, standing)
        source, target = np.searchsorted(known, page), np.searchsorted(known, neighbour)
        ends = np.append(0, np.cumsum(np.bincount(source, minlength=len(known))))
        hoods = neighbourhoods(ends, target.astype(np.uint32), contender.linking)
        links = (ways & TO) > 0
        ranks = authority(page_rank(source[links], target[links], len(known)))
        return _Linked(hoods, np.searchsorted(known, standing), ranks)

    def _sites(self, contender: Contender) -> Path:
        settings = Settings(strategy=contender.strategy, cocitation=contender.citing)
        name = f"sites-{contender.citing.dynamic}-{contender.citing.mirrors}-{contender.strategy.nofollow}"
        return self.maker.made(name, pages_to_sites(settings), self.maker.copies())

    def _peer(self, contender: Contender) -> tuple[Numbers, Scores]:
        pages, graph, is_one_site = self._graph_of(self._sites(contender), contender)
        if contender.citations == "companion":
            return pages, companion(graph, own_hosts=is_one_site)
        return pages, {"traditional": traditional_cocitation, "coupling": coupling}[contender.citations](graph)

    def _graph(self, sites: Path, contender: Contender) -> tuple[Numbers, LinkGraph, bool]:
        """All pages, and the links between them; without those within a site, unless there is but one."""
        targets = read_table(sites / "targets", SCHEMAS["targets"])
        pages, site = targets["page"].to_numpy(), targets["site_id"].to_numpy()
        within = settled(contender.citing, read_table(sites / "authority", SCHEMAS["authority"])).own_site == "yes"
        rows = read_table(
            self.maker.tables.folder / "pages", SCHEMAS["pages"], ["page", "link_page", "link_nofollow"]
        ).sort_by("page")
        links = rows["link_page"].combine_chunks()
        source = np.repeat(np.searchsorted(pages, rows["page"].to_numpy()), links.value_lengths().to_numpy())
        target = np.searchsorted(pages, links.flatten().to_numpy())
        nofollow = rows["link_nofollow"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        kept = (contender.strategy.nofollow | ~nofollow) & (within | (site[source] != site[target]))
        ends = np.append(0, np.cumsum(np.bincount(source[kept], minlength=len(pages))))
        return pages, LinkGraph(target[kept].astype(np.int32), ends, site), within


def _scaled(scores: Floats) -> Floats:
    """The best is 1."""
    best = float(scores.max(initial=0))
    return scores / np.float32(best) if best else scores
