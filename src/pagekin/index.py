"""An index that is open: what can be asked of it from Python."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pagekin.crawl.urls import canonical_url, host_of, page_id
from pagekin.errors import UnknownPage
from pagekin.stores.manifest import Manifest, read_manifest
from pagekin.stores.tables import SortedTable

NEAREST = 3  # addresses that are offered in place of one that is not known
MOST_COMPARED = 20_000


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


class Index:
    """An open index; reading it is safe from several threads."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest: Manifest = read_manifest(self.path)
        self._urls = SortedTable(self.path / "urls", "page")
        self._bags = SortedTable(self.path / "bags", "page")
        self._aliases = SortedTable(self.path / "aliases", "page")

    @cached_property
    def _forms(self) -> Sequence[str]:
        forms: list[str] = SortedTable(self.path / "terms", "term").column("form").to_pylist()
        return forms

    def page(self, url: str) -> int:
        """The id of a page by any spelling of its address, old ones included; UnknownPage if it is not known."""
        canonical = canonical_url(url) or canonical_url(f"http://{url}")
        page = page_id(canonical)
        alias = self._aliases.row(page) if canonical else None
        if alias is not None:
            page = alias["target"]
        place = int(np.searchsorted(self._urls.keys, page))
        if not canonical or place == len(self._urls.keys) or self._urls.keys[place] != page:
            raise UnknownPage(self._not_here(url, canonical))
        return page

    def terms(self, url: str, k: int = 10) -> PageTerms:
        """The heaviest terms of a page, fetched or only linked to (Haveliwala et al. 2002, figure 14)."""
        page = self.page(url)
        known, bag = self._urls.row(page), self._bags.row(page)
        assert known is not None
        if bag is None:
            return PageTerms(known["url"], known["fetched"], ())
        order = sorted(
            range(len(bag["terms"])), key=lambda i: (-bag["weights"][i], self._form(bag["terms"][i]))
        )
        heaviest = tuple(Term(self._form(bag["terms"][i]), bag["weights"][i]) for i in order[:k])
        return PageTerms(known["url"], known["fetched"], heaviest)

    def _form(self, number: int) -> str:
        """A term as a person reads it; the number of a page that links follows those of the words."""
        if number < len(self._forms):
            return self._forms[number]
        source = self._urls.row(int(self._urls.keys[number - len(self._forms)]))
        return f"link from {source['url']}" if source else "link"

    def _not_here(self, url: str, canonical: str) -> str:
        nearest = self._nearest(canonical or url)
        advice = f"; the nearest that are: {', '.join(nearest)}" if nearest else ""
        return f"{url} is not in this index{advice}"

    def _nearest(self, url: str) -> list[str]:
        known: list[str] = self._urls.column("url").to_pylist()
        host = host_of(url) if "://" in url else ""
        beside = [other for other in known if host and host_of(other) == host] or known
        return difflib.get_close_matches(url, beside[:MOST_COMPARED], NEAREST, cutoff=0.3)


def open_index(path: str | Path) -> Index:
    """Open an index for asking; IndexUnusable if it is none, of another version, or damaged."""
    return Index(path)
