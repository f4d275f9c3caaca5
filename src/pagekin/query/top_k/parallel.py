"""Accesses to several sources at the same time, and what becomes of a query if one of them fails.

A source that raises, or takes longer than it may for one access, is left out: everything it said is forgotten, so that
the answer is that of the other sources. In a sum their weights are scaled to the same total.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pagekin.errors import SettingsError
from pagekin.query.top_k.bounds import Bounds, Standing
from pagekin.query.top_k.gathering import answer_rows, top_k
from pagekin.query.top_k.protocol import SUM, Floats, LeftOut, Numbers, RemoteSource, Scored, TopK, TopKQuery
from pagekin.query.top_k.reading import Counted, check_query, highs, listing_places, more_can_come

TIMEOUT_SECONDS = 10.0


class RemoteReader(Counted):
    """A remote source that counts what it is asked; its high is that of what has arrived, not of what is under way."""

    def __init__(self, source: RemoteSource) -> None:
        super().__init__(source)
        self.source = source
        self.is_read = False
        self.asked: set[int] = set()  # documents whose scores are under way
        self.questions = 0  # under way
        self._high = source.high

    @property
    def high(self) -> float:
        """What no document exceeds that the list did not show."""
        return 0.0 if self.ended and not self.probes else self._high

    def take_high(self) -> None:
        """Note how high the list stands, when what it showed has been noted."""
        self._high = self.source.high


class Arrived(NamedTuple):
    """What a source has said."""

    reader: RemoteReader
    found: Scored
    is_list: bool


class Plan(NamedTuple):
    """What is to be asked next: the places of lists to be read, and of sources to be probed, the most urgent first."""

    reads: list[int]
    probes: list[tuple[int, int]]  # place, document


Planning = Callable[["Run", Standing], Plan]


class Run:
    """A query under way; `readers` and `query` are those of the sources that have not failed."""

    def __init__(
        self,
        query: TopKQuery,
        sources: Sequence[RemoteSource],
        timeout_seconds: float = TIMEOUT_SECONDS,
        together: int = 1,
        dropping: bool = True,
    ) -> None:
        check_query(query, sources)
        if not timeout_seconds > 0 or together < 1:
            raise SettingsError(
                "a source needs more than 0 seconds for an answer, and at least one document to ask for"
            )
        self._timeout_seconds, self.together, self._dropping = timeout_seconds, together, dropping
        self._all, self._asked_query = [RemoteReader(source) for source in sources], query
        self._failed: dict[int, str] = {}  # why, by the place of the source among all
        self._log: list[Arrived] = []
        self._tasks: dict[asyncio.Task[Scored], tuple[RemoteReader, Numbers | int]] = {}
        self._start_with_the_rest()

    def _start_with_the_rest(self) -> None:
        """Begin anew with what the sources said that have not failed."""
        self.readers = [reader for place, reader in enumerate(self._all) if place not in self._failed]
        self.query = query_without(self._asked_query, frozenset(self._failed))
        self._bounds = Bounds(self.query, len(self.readers), self._dropping)
        self._log = [said for said in self._log if said.reader in self.readers]
        for said in sorted(self._log, key=lambda said: not said.is_list):
            self._note(said)

    async def answer(self, planning: Planning) -> TopK:
        """Ask as planned until the answer is known."""
        try:
            while listing_places(self.query, self.readers):
                standing = self._standing()
                rows = answer_rows(self.query, standing, highs(self.readers))
                if rows is not None:
                    return top_k(standing, rows, self._all, self._left_out)
                self._start(planning(self, standing))
                await self._hear()
            return self._nothing()
        finally:
            await _cancelled(list(self._tasks))

    @property
    def _left_out(self) -> tuple[LeftOut, ...]:
        return tuple(LeftOut(self._all[place].accesses.source, why) for place, why in sorted(self._failed.items()))

    def _nothing(self) -> TopK:
        """The answer when no source is left that lists documents."""
        accesses, cost = tuple(reader.accesses for reader in self._all), sum(reader.cost for reader in self._all)
        empty = np.empty(0)
        return TopK(np.empty(0, np.int64), empty, empty, accesses, cost, 0.0, 0.0, self._left_out)

    def _standing(self) -> Standing:
        return self._bounds.standing(highs(self.readers), more_can_come(self.query, self.readers))

    # --- asking

    def room(self, place: int) -> int:
        """How many more documents a source can be asked for now."""
        return (self.readers[place].source.at_once - self.readers[place].questions) * self.together

    def _start(self, plan: Plan) -> None:
        for place in plan.reads:
            reader = self.readers[place]
            if not reader.is_read and not reader.ended:
                reader.is_read = True
                self._run(reader, reader.source.next_best(self.query.batch), self.query.batch)
        for place in range(len(self.readers)):
            documents = [document for wanted, document in plan.probes if wanted == place]
            documents = [document for document in documents if document not in self.readers[place].asked]
            documents = documents[: self.room(place)]
            for first in range(0, len(documents), self.together):
                self._ask(self.readers[place], np.array(documents[first : first + self.together], np.int64))

    def _ask(self, reader: RemoteReader, documents: Numbers) -> None:
        reader.asked.update(documents.tolist())
        reader.questions += 1
        reader.count_probed(documents)
        self._run(reader, _scored(reader.source, documents), documents)

    def _run(self, reader: RemoteReader, access: Coroutine[object, object, Scored], wanted: Numbers | int) -> None:
        self._tasks[asyncio.ensure_future(asyncio.wait_for(access, self._timeout_seconds))] = reader, wanted

    # --- hearing

    async def _hear(self) -> None:
        """Wait until something has arrived."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            self._take(task)

    def _take(self, task: asyncio.Task[Scored]) -> None:
        """Note what has arrived, or leave its source out."""
        fault = asyncio.CancelledError() if task.cancelled() else task.exception()
        if task not in self._tasks:
            return  # of a source that was left out meanwhile
        reader, wanted = self._tasks.pop(task)
        if fault is not None:
            self._leave_out(reader, fault)
            return
        said = Arrived(reader, task.result(), isinstance(wanted, int))
        if isinstance(wanted, int):
            reader.is_read = False
            reader.count_read(said.found, wanted)
            reader.take_high()
        else:
            reader.questions -= 1
            reader.asked.difference_update(wanted.tolist())
        self._log.append(said)
        self._note(said)

    def _note(self, said: Arrived) -> None:
        place = self.readers.index(said.reader)
        note = self._bounds.note_listed if said.is_list else self._bounds.note_scores
        note(place, *said.found)

    def _leave_out(self, reader: RemoteReader, fault: BaseException) -> None:
        took_long = isinstance(fault, TimeoutError)
        why = f"it took longer than {self._timeout_seconds:g} seconds" if took_long else _told(fault)
        self._failed[self._all.index(reader)] = why
        for task in [task for task, (asked, _) in self._tasks.items() if asked is reader]:
            task.cancel()
            del self._tasks[task]
        self._start_with_the_rest()


def _told(fault: BaseException) -> str:
    return f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__


async def _scored(source: RemoteSource, documents: Numbers) -> Scored:
    scores: Floats = await source.scores(documents)
    if len(scores) != len(documents):
        raise ValueError(f"{len(scores)} scores came for {len(documents)} documents")
    return Scored(documents, scores)


async def _cancelled(tasks: list[asyncio.Task[Scored]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def query_without(query: TopKQuery, left_out: frozenset[int]) -> TopKQuery:
    """The query as it would be asked of the other sources alone."""
    kept = [place for place in range(len(query.aggregation.weights)) if place not in left_out]
    weights = query.aggregation.weights[kept]
    if left_out and query.aggregation.kind == SUM and weights.sum() > 0:
        weights = weights * (query.aggregation.weights.sum() / weights.sum())
    now = {place: number for number, place in enumerate(kept)}
    return replace(
        query,
        aggregation=query.aggregation._replace(weights=weights),
        required=frozenset(now[place] for place in query.required if place in now),
        excluded=frozenset(now[place] for place in query.excluded if place in now),
    )
