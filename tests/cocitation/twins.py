"""Block co-citation, word for word from Shen et al.: slow, with nothing but dicts, sets and loops.

Blocks are given (`segmentation_twin.py` has the twin of those). What pagekin adds to the paper stands here too:
files, front pages and spellings as TARGETS has them, mirrors, citations by authority. Similarities are rounded
to four bytes where the tables hold them so; all else is as exact as Python makes it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import Stemmer
from numpy.typing import NDArray

from pagekin.cocitation.targets import FILE_ENDINGS
from pagekin.crawl.urls import page_id, site_of
from pagekin.hashing import hash_text
from pagekin.languages import STEMMERS, known_language, stop_words
from pagekin.settings import CocitationSettings

Row = dict[str, Any]
Pair = tuple[int, int]

FILTERS = ("large block", "file", "dynamic", "spelling", "repeated", "empty anchor", "own site")
TOLD = (*FILTERS, "too many pairs")  # as FILTERED has it
COMPARED_WORDS = 64  # of an anchor


def in_four_bytes(value: float) -> float:
    return float(np.float32(value))


# --- what a link leads to -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """What a link to an address counts for."""

    page: int
    site: int
    is_file: bool = False
    is_dynamic: bool = False
    is_respelled: bool = False
    is_lost: bool = False
    is_mirrored: bool = False


def parts_of(url: str) -> tuple[str, str]:
    """The host of an address, and what follows it."""
    host, path = re.fullmatch(r"https?://([^/?]*)(.*)", url, re.DOTALL).groups()  # type: ignore[union-attr]
    return host, path


class Targets:
    """What links lead to, given URLS, the original of each mirrored host, and what stands for each copy."""

    def __init__(
        self, urls: Sequence[Row], mirrors: Mapping[str, str], copies: Mapping[str, str], settings: CocitationSettings
    ) -> None:
        self.worth = {page_id(row["url"]): (row["fetched"], row["in_links"]) for row in urls}
        self.mirrors, self.copies = (mirrors, copies) if settings.mirrors else ({}, {})
        self.settings = settings
        self.target = cache(self._target)

    def _target(self, url: str) -> Target:
        stands = self.copies.get(url, url)
        if self.settings.dynamic and "?" in stands and "?" not in url:
            stands = url
        host, path = parts_of(stands)
        ending = path.partition("?")[0].rpartition("/")[2].rpartition(".")
        is_file = bool(ending[1]) and any(re.fullmatch(end, ending[2], re.IGNORECASE) for end in FILE_ENDINGS)
        is_dynamic = self.settings.dynamic and "?" in path and not is_file
        if is_dynamic:
            path = "/"
        original = self.mirrors.get(host, host)
        is_alone = stands == url and url not in self.copies.values()
        is_mirrored = is_alone and original != host and page_id(f"http://{original}{path}") in self.worth
        host = original if is_mirrored else host
        named = page_id(f"http://{host}{path}")
        page = self._spelling(host, path)
        is_mirrored = is_mirrored or stands != url
        respelled = page != named and not is_mirrored
        site = hash_text(site_of(f"http://{host}/"))
        return Target(page, site, is_file, is_dynamic, respelled, page not in self.worth, is_mirrored)

    def _spelling(self, host: str, path: str) -> int:
        """With or without www.: the one that was fetched, then the one with more links, then the one without."""
        without = host.removeprefix("www.")
        other = without if host.startswith("www.") else f"www.{host}"
        named, respelled = page_id(f"http://{host}{path}"), page_id(f"http://{other}{path}")
        if respelled not in self.worth or self.worth.get(named, (False, -1)) > self.worth[respelled]:
            return named
        if self.worth.get(named) == self.worth[respelled]:
            return page_id(f"http://{without}{path}")
        return respelled


# --- anchors ------------------------------------------------------------------------------------------------


class AnchorWords:
    """The words of anchors: stems, without stop words and without numbers."""

    def __init__(self, lexicon: Sequence[Row], languages: Sequence[Row]) -> None:
        self.texts = {row["word"]: row["text"] for row in lexicon}
        self.languages = {row["language"] for row in languages}
        self.known: dict[tuple[int, str], str | None] = {}

    def words(self, page: Row, first: int, last: int) -> frozenset[str]:
        """words(A) of Equation 6."""
        language = known_language(page["language"])
        language = language if language in self.languages else ""
        found = {self._term(word, language) for word in page["words"][first : min(last, first + COMPARED_WORDS)]}
        return frozenset(term for term in found if term)

    def _term(self, word: int, language: str) -> str | None:
        if (word, language) not in self.known:
            self.known[word, language] = self._decided(self.texts[word], language)
        return self.known[word, language]

    def _decided(self, text: str, language: str) -> str | None:
        is_word = any(letter.isalpha() for letter in text) and stem(text, language) not in stop_stems(language)
        return stem(text, language) if is_word else None


def stem(word: str, language: str) -> str:
    name = STEMMERS.get(language)
    return str(Stemmer.Stemmer(name).stemWord(word)) if name else word


@cache
def stop_stems(language: str) -> set[str]:
    return {stem(word, language) for word in stop_words(language)}


# --- filters ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """A link of a block: what it leads to, the words of its anchor in their order, and those that are compared."""

    target: Target
    anchor: tuple[int, ...]
    words: frozenset[str] = frozenset()


def filtered_block(block: list[Link], own_site: int, settings: CocitationSettings, touched: Counter[str]) -> list[Link]:
    """A block after the seven filters, each counted by its name."""

    def keep(name: str, kept: list[Link]) -> list[Link]:
        touched[name] += len(block) - len(kept)
        return kept

    block = keep("large block", block if len(block) <= settings.block_links else [])
    block = keep("file", [link for link in block if not link.target.is_file])
    touched["dynamic"] += sum(link.target.is_dynamic for link in block)
    block = [link for link in block if not (link.target.is_dynamic and link.target.is_lost)]
    touched["spelling"] += sum(link.target.is_respelled for link in block)
    first = {link.target.page: number for number, link in reversed(list(enumerate(block)))}
    block = keep("repeated", [link for number, link in enumerate(block) if first[link.target.page] == number])
    block = keep("empty anchor", [link for link in block if link.anchor])
    if settings.own_site == "no":
        block = keep("own site", [link for link in block if link.target.site != own_site])
    return block


# --- pairs --------------------------------------------------------------------------------------------------


def proximity(i: int, j: int, near: int) -> float:
    """Equation 5."""
    distance = abs(i - j)
    return 1.0 if distance <= near else math.exp(-(distance - near) / 2)


def anchor_similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Equation 6."""
    return len(one & other) / len(one | other) if one | other else 0.0


@dataclass(frozen=True)
class Related:
    """A related pair of one page (Equation 8)."""

    source: int
    site: int
    anchors: dict[int, tuple[int, ...]]
    similarity: float


def page_pairs(
    blocks: list[list[Link]], page: int, site: int, settings: CocitationSettings
) -> dict[frozenset[int], Related]:
    """The pairs of a page, each from the first block that gives it (Equation 7)."""
    pairs: dict[frozenset[int], Related] = {}
    for block in blocks:
        for (i, one), (j, other) in combinations(enumerate(block), 2):
            pair = frozenset({one.target.page, other.target.page})
            is_pair = settings.site_pairs or settings.own_site == "yes" or one.target.site != other.target.site
            if is_pair and pair not in pairs:
                similarity = proximity(i, j, settings.near) * (1 + anchor_similarity(one.words, other.words))
                anchors = {one.target.page: one.anchor, other.target.page: other.anchor}
                pairs[pair] = Related(page, site, anchors, in_four_bytes(similarity))
    return pairs


# --- totals -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cocited:
    """TS(p1 -> p2), how many blocks it is from, and how near each page puts them."""

    total: float
    citing: int
    similarities: dict[int, float]


def site_similarity(pairs: Sequence[Related], page: int, settings: CocitationSettings) -> tuple[float, int]:
    """Equation 12, with how many similarities were added: the best r of each anchor of p2."""
    by_anchor: dict[tuple[int, ...], list[float]] = defaultdict(list)
    for pair in pairs:
        by_anchor[pair.anchors[page]].append(pair.similarity)
    added = [value for values in by_anchor.values() for value in sorted(values, reverse=True)[: settings.repeats]]
    total = math.fsum(added)
    return min(total, settings.site_most) if settings.site_most else total, len(added)


def total_similarity(
    pairs: Sequence[Related], page: int, blocks: int, factors: Mapping[int, float], settings: CocitationSettings
) -> tuple[float, int]:
    """Equation 13, each site with its factor."""
    by_site: dict[int, list[Related]] = defaultdict(list)
    for pair in pairs:
        by_site[pair.site].append(pair)
    of_sites = {site: site_similarity(found, page, settings) for site, found in by_site.items()}
    total = math.fsum(factors.get(site, 1.0) * value for site, (value, _) in of_sites.items())
    return total / (1 + math.log(blocks)), sum(count for _, count in of_sites.values())


def least_total(settings: CocitationSettings, pages: int) -> float:
    """T: as set, or 0 for crawls as small as those of tests."""
    assert settings.least or pages <= 100_000
    return settings.least


def best(totals: Mapping[Pair, Cocited], settings: CocitationSettings, pages: int) -> dict[int, list[int]]:
    """For each page the M of the highest totals, none below T; equal ones by their ids."""
    found: dict[int, list[int]] = defaultdict(list)
    least = in_four_bytes(least_total(settings, pages))
    for (page, other), cocited in totals.items():
        if in_four_bytes(cocited.total) >= least:
            found[page].append(other)
    return {
        page: sorted(others, key=lambda other: (-in_four_bytes(totals[page, other].total), other))[: settings.pages]
        for page, others in found.items()
    }


@dataclass(frozen=True)
class Crawl:
    """What co-citation is made from, as rows."""

    pages: Sequence[Row]
    urls: Sequence[Row]
    lexicon: Sequence[Row]
    languages: Sequence[Row]


@dataclass(frozen=True)
class Outcome:
    """What comes of it."""

    totals: dict[Pair, Cocited]
    touched: Counter[str]


def cocitation(
    crawl: Crawl, blocks: Mapping[int, Sequence[int]], mirrors: Mapping[str, str], copies: Mapping[str, str],
    factors: Mapping[int, float], settings: CocitationSettings,
) -> Outcome:  # fmt: skip
    """TS of all pairs of pages; `blocks` has for each page the number of the block of each link, or -1."""
    targets, anchors = Targets(crawl.urls, mirrors, copies, settings), AnchorWords(crawl.lexicon, crawl.languages)
    touched: Counter[str] = Counter(dict.fromkeys(TOLD, 0))
    said: dict[frozenset[int], list[Related]] = defaultdict(list)
    in_blocks: Counter[int] = Counter()
    for page in crawl.pages:
        if targets.target(page["url"]).is_mirrored:
            continue
        found = [
            filtered_block(block, page["site_id"], settings, touched)
            for block in _linked(page, blocks[page["page"]], targets, anchors)
        ]
        in_blocks.update(link.target.page for block in found for link in block)
        for pair, related in page_pairs(found, page["page"], page["site_id"], settings).items():
            said[pair].append(related)
    totals = {}
    for pair, every in said.items():
        similarities = {related.source: related.similarity for related in every}
        for one, other in permutations(pair):
            total, citing = total_similarity(every, other, in_blocks[other], factors, settings)
            totals[one, other] = Cocited(total, citing, similarities)
    return Outcome(totals, touched)


def _linked(page: Row, blocks: Sequence[int], targets: Targets, anchors: AnchorWords) -> list[list[Link]]:
    """The blocks of a page; links marked nofollow are none."""
    found: dict[int, list[Link]] = defaultdict(list)
    columns = (page[f"link_{name}"] for name in ("url", "first", "last", "nofollow"))
    for block, url, first, last, nofollow in zip(blocks, *columns, strict=True):
        if block >= 0 and not nofollow:
            words = anchors.words(page, first, last)
            found[block].append(Link(targets.target(url), tuple(page["words"][first:last]), words))
    return [found[block] for block in sorted(found)]


# --- authority ----------------------------------------------------------------------------------------------


def dense_page_rank(links: set[Pair], nodes: int) -> NDArray[np.float64]:
    """PageRank by the powers of the whole matrix of the random surfer; [i, j] is the chance to go from j to i."""
    matrix = np.zeros((nodes, nodes))
    for source, target in links:
        matrix[target, source] = 1
    out = matrix.sum(axis=0)
    matrix[:, out == 0] = 1
    matrix /= matrix.sum(axis=0)
    google = 0.85 * matrix + 0.15 / nodes
    rank: NDArray[np.float64] = np.linalg.matrix_power(google, 1 << 10) @ np.full(nodes, 1 / nodes)
    return rank
