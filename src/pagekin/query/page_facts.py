"""What is known of one page, as it is told to programs: who it is, what it is about, who links to it, its copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagekin.query.surroundings import surroundings_of

if TYPE_CHECKING:
    from pagekin.index import Index
    from pagekin.query.records import Term

MOST_LISTED = 20  # addresses of copies, and of pages that link


@dataclass(frozen=True)
class PageFacts:
    """One page, fetched or only linked to."""

    url: str
    title: str
    site: str
    fetched: bool
    language: str  # empty if it is not known
    captured_at: str | None  # ISO 8601; None if it was not fetched
    words: int
    links_out: int
    in_links: int
    linked_from: tuple[str, ...]  # some addresses
    copies: int
    copied_at: tuple[str, ...]  # the first addresses
    terms: tuple[Term, ...]  # the heaviest


def page_facts(index: Index, url: str, terms: int = 10) -> PageFacts:
    """What an index knows of a page; UnknownPage if it has never heard of it."""
    page, around = index.page(url), surroundings_of(index)
    portrait = around.portrait(page)
    words, links_out = around.lengths(page) if portrait.fetched else (0, 0)
    return PageFacts(
        url=portrait.url,
        title=portrait.title,
        site=portrait.site,
        fetched=portrait.fetched,
        language=portrait.language,
        captured_at=portrait.captured_at.isoformat() if portrait.captured_at else None,
        words=words,
        links_out=links_out,
        in_links=portrait.in_links,
        linked_from=tuple(other.url for other in around.linking(page, MOST_LISTED)),
        copies=portrait.copies,
        copied_at=tuple(copy.url for copy in around.copies(page, MOST_LISTED)),
        terms=index.terms(url, terms).terms,
    )
