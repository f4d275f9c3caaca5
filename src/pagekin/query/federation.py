"""Several pagekin servers asked as one: each is a remote source, and pUpper finds the best pages of all.

A page is as related as the server says that gives it most. A server that has never heard of the page that is asked for
is asked with the terms by which another server knows it. Pages of equal scores go by their ids.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import numpy as np

from pagekin.crawl.urls import canonical_url, page_id, site_of
from pagekin.errors import PagekinError, ServerFailed, SettingsError, UnknownPage
from pagekin.query.top_k.parallel_upper import parallel_upper
from pagekin.query.top_k.protocol import (
    MOST,
    Aggregation,
    Floats,
    LeftOut,
    Mask,
    Numbers,
    Scored,
    TopKQuery,
    all_of_them,
)

Row = dict[str, Any]  # a page as a server gives it

TERMS = 160  # of a page, by which servers that do not know it are asked
PAGE = 20  # pages that are asked for at once, in order or at random
AT_ONCE = 4
MOST_RESULTS = 1000  # that a server gives
TIMEOUT_SECONDS = 5.0
NEW, SMOOTHING = 50.0, 0.3  # milliseconds that a server is thought to take at first; how fast that is unlearned


class Pages:
    """What servers told of pages, by the ids of their addresses."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, Row]] = {}  # by the page, then by the server

    def number(self, row: Row, server: str) -> int:
        """The id of a page that a server names; its row is kept."""
        number = page_id(canonical_url(row["url"]) or row["url"])
        self.rows.setdefault(number, {})[server] = row
        return number

    def url(self, number: int, server: str) -> str:
        """The address of a page, as this server spells it if it was heard from there."""
        rows = self.rows[number]
        return str(rows.get(server, next(iter(rows.values())))["url"])

    def best(self, number: int) -> Row:
        """What the server says that gives a page most."""
        return max(self.rows[number].values(), key=lambda row: float(row["score"]))


@dataclass(frozen=True)
class Question:
    """What is asked of every server: one of `url`, `html`, `text` and `terms`, and what else the answer should be."""

    asked: Mapping[str, Any]
    wanted: Mapping[str, Any]


class Server:
    """One server as a source; what an access costs is how many milliseconds they took lately."""

    def __init__(self, address: str, client: httpx.AsyncClient, question: Question, pages: Pages) -> None:
        self.name, self.at_once = address, AT_ONCE
        self.sorted_cost: float | None = NEW
        self.random_cost: float | None = NEW
        self.high = 1.0
        self.refused: PagekinError | None = None  # what it said to a question that it would not answer
        self._client, self._question, self._pages, self._read = client, question, pages, 0

    async def next_best(self, count: int) -> Scored:
        """The next related pages."""
        started = time.monotonic()
        paged = {"k": count, "offset": self._read}
        answer = await self._ask("related", {**self._question.asked, **self._question.wanted, **paged})
        rows = answer["results"] if answer else []
        self.sorted_cost = _learned(self.sorted_cost, started)
        self._read += len(rows)
        numbers = np.array([self._pages.number(row, self.name) for row in rows], np.int64)
        scores = np.array([float(row["score"]) for row in rows])
        order = np.lexsort((numbers, -scores))
        self.high = min(self.high, float(scores.min())) if len(rows) == count else 0.0
        return Scored(numbers[order], scores[order])

    async def scores(self, documents: Numbers) -> Floats:
        """What the server gives to pages that others named; 0 to those that it does not know."""
        started = time.monotonic()
        urls = [self._pages.url(number, self.name) for number in documents.tolist()]
        about = {name: value for name, value in self._question.wanted.items() if name in ("about", "copies", "weights")}
        answer = await self._ask("scores", {**self._question.asked, **about, "urls": urls})
        self.random_cost = _learned(self.random_cost, started)
        return np.array([score or 0.0 for score in answer["scores"]] if answer else np.zeros(len(urls)))

    async def _ask(self, what: str, body: Mapping[str, Any]) -> Row | None:
        """What the server says; None if it has nothing of what is asked for."""
        try:
            return await _answer(self._client, "POST", f"{self.name}/api/{what}", json=body)
        except UnknownPage as fault:
            self.refused = fault
            return None
        except SettingsError as fault:
            self.refused = fault
            raise


def _learned(cost: float | None, started: float) -> float:
    taken = 1000 * (time.monotonic() - started)
    return taken if cost is None else (1 - SMOOTHING) * cost + SMOOTHING * taken


async def _answer(client: httpx.AsyncClient, method: str, url: str, **more: Any) -> Row:
    """What a server answers; UnknownPage and SettingsError as it says, else ServerFailed."""
    try:
        answer = await client.request(method, url, **more)
        document = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        raise ServerFailed(f"no answer: {type(error).__name__}") from error
    if answer.status_code == httpx.codes.OK and isinstance(document, dict):
        return document
    said = str(document.get("error", "")) if isinstance(document, dict) else ""
    if answer.status_code == httpx.codes.NOT_FOUND:
        raise UnknownPage(said)
    if answer.status_code in (httpx.codes.BAD_REQUEST, httpx.codes.UNPROCESSABLE_ENTITY):
        raise SettingsError(said)
    raise ServerFailed(f"status {answer.status_code}: {said}" if said else f"status {answer.status_code}")


def _elsewhere(pages: Pages, site: str, documents: Numbers) -> Mask:
    """Which pages are of another site."""
    return np.array([site_of(pages.url(number, "")) != site for number in documents.tolist()], np.bool_)


def _row(pages: Pages, rank: int, number: int, score: float) -> Row:
    """A page of the answer, as the server tells it that gives it most of those that listed it."""
    return {**pages.best(number), "rank": rank, "score": score, "servers": sorted(pages.rows[number])}


def _reasons(left_out: Sequence[LeftOut]) -> str:
    return "; ".join(f"{left.source}: {left.reason}" for left in left_out)


class Federation:
    """Servers that answer as one."""

    def __init__(self, addresses: Sequence[str], timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self.addresses = [address.rstrip("/") for address in addresses]
        self._timeout = timeout_seconds
        self._client = httpx.AsyncClient(timeout=timeout_seconds, trust_env=False)

    async def close(self) -> None:
        """End all connections."""
        await self._client.aclose()

    async def related(self, asked: Mapping[str, Any], wanted: Mapping[str, Any], k: int, offset: int = 0) -> Row:
        """The document of an answer; UnknownPage if no server knows the page, ServerFailed if none answers."""
        if wanted.get("per_site") is not None:
            raise SettingsError("per_site cannot be asked of joined servers, each of which would count by itself")
        if wanted.get("other_sites") and "url" not in asked:
            raise SettingsError("other_sites needs a url, whose site is left out")
        if k + offset > MOST_RESULTS:
            raise SettingsError(f"k and offset may be {MOST_RESULTS} together, not {k + offset}")
        questions, failed = await self._questions(asked, wanted)
        pages = Pages()
        servers = [Server(address, self._client, question, pages) for address, question in questions.items()]
        admitted = partial(_elsewhere, pages, site_of(asked["url"])) if wanted.get("other_sites") else all_of_them
        query = TopKQuery(Aggregation(MOST, np.ones(len(servers))), k + offset, admitted=admitted, batch=PAGE)
        found = await parallel_upper(query, servers, self._timeout, together=PAGE)
        left_out = (*failed, *found.left_out)
        refused = [server.refused for server in servers if server.refused is not None]
        if len(refused) == len(servers) and not len(found.documents):
            raise refused[0]
        if len(left_out) == len(self.addresses):
            raise ServerFailed(_reasons(left_out))
        best = list(zip(found.documents.tolist(), found.worst.tolist(), strict=True))[offset:]
        return {
            "query": str(asked.get("url") or next(iter(asked))),
            "results": [_row(pages, offset + n, *each) for n, each in enumerate(best, 1)],
            "copies": [],
            "left_out": [vars(left) for left in left_out],
            "effort": {
                "accesses": [vars(each) for each in found.accesses],
                "cost": round(found.cost, 1),
                "least": found.least,
                "threshold": found.threshold,
            },
            "strangers": 0,  # each server knows but its own
        }

    async def states(self) -> dict[str, str]:
        """What each server says of its health."""

        async def state(address: str) -> str:
            try:
                return str((await _answer(self._client, "GET", f"{address}/healthz"))["status"])
            except PagekinError as fault:
                return str(fault)

        return dict(zip(self.addresses, await asyncio.gather(*map(state, self.addresses)), strict=True))

    async def _questions(
        self, asked: Mapping[str, Any], wanted: Mapping[str, Any]
    ) -> tuple[dict[str, Question], tuple[LeftOut, ...]]:
        """What to ask each server that answers, and those that do not."""
        if "url" not in asked:
            return {address: Question(asked, wanted) for address in self.addresses}, ()
        facts = await asyncio.gather(*(self._terms(address, asked["url"]) for address in self.addresses))
        by_server = dict(zip(self.addresses, facts, strict=True))
        failed = tuple(LeftOut(a, str(f)) for a, f in by_server.items() if isinstance(f, ServerFailed))
        wrong = [fact for fact in facts if isinstance(fact, SettingsError)]
        if wrong:
            raise wrong[0]
        known = [terms for terms in facts if isinstance(terms, dict)]
        if not known:
            unknown = [fact for fact in facts if isinstance(fact, UnknownPage)]
            raise unknown[0] if unknown else ServerFailed(_reasons(failed))
        elsewhere = {"terms": known[0]}
        questions = {
            address: Question(asked if isinstance(fact, dict) else elsewhere, wanted)
            for address, fact in by_server.items()
            if not isinstance(fact, ServerFailed)
        }
        return questions, failed

    async def _terms(self, address: str, url: str) -> dict[str, float] | PagekinError:
        """The terms by which a server knows a page, or what went wrong."""
        try:
            facts = await _answer(self._client, "GET", f"{address}/api/page", params={"url": url, "k": TERMS})
            return {term["term"]: float(term["weight"]) for term in facts["terms"]}
        except PagekinError as fault:
            return fault
        except (KeyError, TypeError, ValueError):
            return ServerFailed("what it says of the page cannot be understood")
