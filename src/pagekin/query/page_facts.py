"""What is known of one page: who it is, what stands for it, who links to it, and where its copies are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pagekin.crawl.urls import site_of
from pagekin.query.explain import Quotes

if TYPE_CHECKING:
    from pagekin.index import Index, Term

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
    linked_from: tuple[str, ...]  # the first addresses
    copies: int
    copied_at: tuple[str, ...]  # the first addresses
    terms: tuple[Term, ...]  # the heaviest


def page_facts(index: Index, url: str, terms: int = 10) -> PageFacts:
    """What an index knows of a page; UnknownPage if it has never heard of it."""
    page = index.page(url)
    known, row = index._urls.row(page), index._quotes._pages.row(page) or {}
    assert known is not None
    copies = index._clusters.others(page)
    return PageFacts(
        url=known["url"],
        title=_title(index, page, row),
        site=site_of(known["url"]),
        fetched=known["fetched"],
        language=row.get("language", ""),
        captured_at=row["captured_at"].isoformat() if row else None,
        words=len(row.get("words", ())),
        links_out=len(row.get("link_page", ())),
        in_links=known["in_links"],
        linked_from=_addresses(index, linking_pages(index._quotes, page)),
        copies=len(copies),
        copied_at=_addresses(index, copies),
        terms=index.terms(url, terms).terms,
    )


def _title(index: Index, page: int, row: dict[str, Any]) -> str:
    """Its title; that of a page that was not fetched is what links say of it."""
    number = index._documents.number(page)
    return str(row.get("title", "")) if number is None else index._documents.text("title", number)


def linking_pages(quotes: Quotes, page: int) -> list[int]:
    """The pages that link to a page, each once, in the order of their ids."""
    targets, sources = quotes._links
    found: list[int] = np.unique(sources[targets == page]).tolist()
    return found


def _addresses(index: Index, pages: list[int]) -> tuple[str, ...]:
    rows = (index._urls.row(page) for page in pages[:MOST_LISTED])
    return tuple(row["url"] for row in rows if row)
