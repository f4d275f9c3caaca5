"""What every format is written from: each page with its related pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.errors import UnknownPage
from pagekin.index import Index
from pagekin.query.records import Related
from pagekin.stores.documents import Documents

WIDER = 4  # how many times as many answers are asked for when too few are of the kind that is wanted
MOST_ASKED = 400
NAMED_HOSTS = 5


@dataclass(frozen=True)
class Choice:
    """Which pages are exported, and which of the pages related to each."""

    k: int = 10
    other_sites: bool = False
    per_site: int | None = None
    all_pages: bool = False  # pages known by links alone are asked for too
    fetched_only: bool = False  # and are no answers
    host: str = ""  # questions and answers of this host alone
    least_score: float = 0.0  # of an answer


@dataclass(frozen=True)
class Neighbour:
    """A page that is related to another."""

    rank: int
    url: str
    title: str
    score: float


@dataclass(frozen=True)
class PageRow:
    """A page and its related pages, the nearest first."""

    url: str
    title: str
    related: tuple[Neighbour, ...]


COLUMNS = ("url", "title", "rank", "related_url", "related_title", "score")
Pair = tuple[str, str, int, str, str, float]  # the columns of formats that have one row for each pair


def pairs(rows: Iterable[PageRow]) -> Iterator[Pair]:
    """One row for each page and each page that is related to it.

    >>> list(pairs([PageRow("http://a.test/", "A", (Neighbour(1, "http://b.test/", "B", 0.5),))]))
    [('http://a.test/', 'A', 1, 'http://b.test/', 'B', 0.5)]
    """
    for row in rows:
        for near in row.related:
            yield row.url, row.title, near.rank, near.url, near.title, near.score


def host_and_port(url: str) -> str:
    """What an address names between its scheme and its path.

    >>> host_and_port("http://www.example.org:8080/a")
    'www.example.org:8080'
    """
    return urlsplit(url).netloc


def address_within_host(url: str) -> str:
    """What follows the host in an address.

    >>> address_within_host("http://www.example.org/a?b=1")
    '/a?b=1'
    """
    return url.partition("://")[2].removeprefix(host_and_port(url)) or "/"


class RelatedPages:
    """The pages of an index that are to be exported, in the order of their addresses, with their related pages.

    With a span, those among the documents from one number to another.
    """

    def __init__(self, index: Index, choice: Choice, span: tuple[int, int] | None = None) -> None:
        self._index, self._choice = index, choice
        self._documents = Documents(index.path / "documents")
        self._numbers = self._wanted(*(span or (0, len(self._documents))))
        if span is None and not len(self._numbers):
            raise UnknownPage(_no_page(index, choice, self._documents))

    def _wanted(self, first: int, last: int) -> NDArray[np.int64]:
        urls = self._documents.column("url")
        wanted = self._documents.fetched[first:last] | self._choice.all_pages
        numbers = first + np.flatnonzero(wanted)
        if self._choice.host:
            hosts = (host_and_port(self._documents.text("url", number)) for number in numbers.tolist())
            numbers = numbers[np.fromiter((host == self._choice.host for host in hosts), np.bool_, len(numbers))]
        return np.asarray(numbers[pc.sort_indices(urls.take(pa.array(numbers))).to_numpy()])

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[PageRow]:
        for number in self._numbers.tolist():
            url, title = (self._documents.text(column, number) for column in ("url", "title"))
            answers = enumerate(self._answers(url), 1)
            yield PageRow(url, title, tuple(Neighbour(rank, a.url, a.title, a.score) for rank, a in answers))

    def _answers(self, url: str) -> list[Related]:
        """The best answers of the wanted kind; more are asked for if too few of the first are."""
        choice = self._choice
        # To ask once for twice as many was found to be half as fast again as to ask a second time for many pages.
        wanted = 2 * choice.k if choice.fetched_only or choice.host else choice.k
        while True:
            asked = self._index.related(url, k=wanted, other_sites=choice.other_sites, per_site=choice.per_site)
            found = asked.whole().results
            kept = [answer for answer in found if self._is_wanted(answer)][: choice.k]
            is_end = len(found) < wanted or found[-1].score < choice.least_score or wanted >= MOST_ASKED
            if len(kept) == choice.k or is_end:
                return kept
            wanted = min(WIDER * wanted, max(MOST_ASKED, choice.k))

    def _is_wanted(self, answer: Related) -> bool:
        choice = self._choice
        is_there = not choice.fetched_only or self._is_fetched(answer.url)
        return is_there and answer.score >= choice.least_score and choice.host in ("", host_and_port(answer.url))

    def _is_fetched(self, url: str) -> bool:
        number = self._documents.number(self._index.page(url))
        return number is not None and bool(self._documents.fetched[number])


def _fetched_urls(documents: Documents) -> Iterator[str]:
    return (documents.text("url", number) for number in documents.fetched.nonzero()[0].tolist())


def largest_host(index: Index) -> str:
    """The host of which most pages were fetched; UnknownPage if there is none."""
    documents = Documents(index.path / "documents")
    hosts = sorted(Counter(map(host_and_port, _fetched_urls(documents))).items(), key=lambda each: (-each[1], each[0]))
    if not hosts:
        raise UnknownPage(f"{index.path} has no page that was fetched")
    return hosts[0][0]


def _no_page(index: Index, choice: Choice, documents: Documents) -> str:
    if not choice.host:
        return f"{index.path} has no page that was fetched; --all-pages asks for those known by links alone"
    hosts = [host for host, _ in Counter(map(host_and_port, sorted(_fetched_urls(documents)))).most_common(NAMED_HOSTS)]
    there_are = f"; there are pages of {', '.join(hosts)}" if hosts else ""
    return f"no page of {choice.host} was fetched{there_are}"
