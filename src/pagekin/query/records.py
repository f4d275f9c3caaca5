"""What is asked of an index and what it answers, as small records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import IndexUnusable
from pagekin.query.blend import Blend, without
from pagekin.query.explain import Reason
from pagekin.query.signals import Signal
from pagekin.query.similar import Numbers, WeighedBag
from pagekin.query.top_k.protocol import Accesses, LeftOut

# --- answers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A term of a page's bag, in its commonest form, and the share of the bag that it weighs."""

    term: str
    weight: float


@dataclass(frozen=True)
class PageTerms:
    """The heaviest terms of a page."""

    url: str
    fetched: bool
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Related:
    """A page that is related to what was asked."""

    rank: int
    url: str
    title: str
    site: str
    score: float
    evidence: dict[str, float]  # what each source says, from 0 to 1
    shares: dict[str, float]  # what each source that counts gives to the score
    copies: int = 0  # pages that this one stands for
    copied_at: tuple[str, ...] = ()  # their addresses, if reasons were asked for
    why: Reason | None = None


@dataclass(frozen=True)
class Effort:
    """How often each source was asked, about how many microseconds that takes, and when it was enough."""

    accesses: tuple[Accesses, ...]
    cost: float
    least: float  # the score of the last page that was sought
    threshold: float  # what no page that was left out exceeds


@dataclass(frozen=True)
class Answer:
    """The related pages, and apart from them the pages that are near-copies of what was asked."""

    query: str
    results: tuple[Related, ...]
    copies: tuple[Related, ...]
    left_out: tuple[LeftOut, ...] = ()  # sources that should have counted, and failed
    effort: Effort | None = None  # of an answer that is not exact, if reasons were asked for
    strangers: int = 0  # pages that were no answer, being of rings of sites that the page's site does not lead to

    def whole(self) -> Answer:
        """The same; IndexUnusable if a source was left out, for those who ask of many pages and look at no answer."""
        for left in self.left_out:
            raise IndexUnusable(f"{left.source} cannot be asked: {left.reason}")
        return self


# --- questions ----------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """A document, its score, and how alike it is by its text alone."""

    document: int
    score: float
    text: float


class Choice(NamedTuple):
    """Which of the related pages to show."""

    k: int
    other_sites: bool = False
    per_site: int | None = None
    copies: bool = False


class Chosen(NamedTuple):
    """The documents to show, the near-copies of the question, and what it took to know."""

    results: list[Found]
    copies: list[Found]
    effort: Effort | None = None


class Question(NamedTuple):
    """What a person asks with: one of these."""

    url: str | None
    html: bytes | None
    text: str | None
    terms: Mapping[str, float] | None


class Asked(NamedTuple):
    """A question in the terms of the index."""

    name: str
    bag: WeighedBag
    frequencies: NDArray[np.float64]
    signature: NDArray[np.uint32]
    document: int  # its own number, or -1 for what is not in the index
    about: tuple[Numbers, NDArray[np.float64]] | None = None  # documents that have certain words, ascending; how well


@dataclass(frozen=True)
class Posed:
    """A question, how much each source counts, and which should have and failed."""

    asked: Asked
    blend: Blend
    left_out: tuple[LeftOut, ...] = ()
    signals: dict[str, Signal] = field(default_factory=dict)  # those that were asked for so far

    def without(self, source: str, reason: str) -> Posed:
        """The same but for a source that failed."""
        left_out = (*self.left_out, LeftOut(source, reason))
        return replace(self, blend=without(self.blend, source), left_out=left_out)
