"""What every format is written from: each page with its related pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

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
    """The pages of an index that are to be exported, in the order of their addresses, with their related pages."""

    def __init__(self, index: Index, choice: Choice) -> None:
        self._index, self._choice = index, choice
        documents = Documents(index.path / "documents")
        self._fetched = {documents.text("url", number) for number in documents.fetched.nonzero()[0].tolist()}
        wanted = range(len(documents)) if choice.all_pages else documents.fetched.nonzero()[0].tolist()
        named = ((documents.text("url", number), documents.text("title", number)) for number in wanted)
        self._pages = sorted(page for page in named if choice.host in ("", host_and_port(page[0])))
        if not self._pages:
            raise UnknownPage(_no_page(index, choice, self._fetched))

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[PageRow]:
        for url, title in self._pages:
            answers = enumerate(self._answers(url), 1)
            yield PageRow(url, title, tuple(Neighbour(rank, a.url, a.title, a.score) for rank, a in answers))

    def _answers(self, url: str) -> list[Related]:
        """The best answers of the wanted kind; more are asked for if too few of the first are."""
        choice = self._choice
        # To ask once for twice as many was found to be half as fast again as to ask a second time for many pages.
        wanted = 2 * choice.k if choice.fetched_only or choice.host else choice.k
        while True:
            asked = self._index.related(url, k=wanted, other_sites=choice.other_sites, per_site=choice.per_site)
            found = asked.results
            kept = [answer for answer in found if self._is_wanted(answer)][: choice.k]
            is_end = len(found) < wanted or found[-1].score < choice.least_score or wanted >= MOST_ASKED
            if len(kept) == choice.k or is_end:
                return kept
            wanted = min(WIDER * wanted, max(MOST_ASKED, choice.k))

    def _is_wanted(self, answer: Related) -> bool:
        choice = self._choice
        is_there = answer.url in self._fetched or not choice.fetched_only
        return is_there and answer.score >= choice.least_score and choice.host in ("", host_and_port(answer.url))


def largest_host(index: Index) -> str:
    """The host of which most pages were fetched; UnknownPage if there is none."""
    documents = Documents(index.path / "documents")
    urls = (documents.text("url", number) for number in documents.fetched.nonzero()[0].tolist())
    hosts = sorted(Counter(map(host_and_port, urls)).items(), key=lambda each: (-each[1], each[0]))
    if not hosts:
        raise UnknownPage(f"{index.path} has no page that was fetched")
    return hosts[0][0]


def _no_page(index: Index, choice: Choice, fetched: set[str]) -> str:
    if not choice.host:
        return f"{index.path} has no page that was fetched; --all-pages asks for those known by links alone"
    hosts = [host for host, _ in Counter(map(host_and_port, sorted(fetched))).most_common(NAMED_HOSTS)]
    there_are = f"; there are pages of {', '.join(hosts)}" if hosts else ""
    return f"no page of {choice.host} was fetched{there_are}"
