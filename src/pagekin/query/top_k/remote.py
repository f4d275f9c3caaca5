"""Sources that take their time: those of this process as if they were elsewhere, with a latency if that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pagekin.query.top_k.protocol import Floats, Numbers, Scored, Source


class DelayedSource:
    """A source whose answers take `seconds` each; it refuses more than `at_once` random accesses in parallel."""

    def __init__(self, source: Source, at_once: int, seconds: Callable[[], float]) -> None:
        self.name, self.sorted_cost, self.random_cost = source.name, source.sorted_cost, source.random_cost
        self.at_once = at_once
        self._source, self._seconds, self._running = source, seconds, 0

    @property
    def high(self) -> float:
        """What no document that is still to come exceeds."""
        return self._source.high

    async def next_best(self, count: int) -> Scored:
        """The next documents."""
        await asyncio.sleep(self._seconds())
        return self._source.next_best(count)

    async def scores(self, documents: Numbers) -> Floats:
        """The scores of these documents."""
        if self._running == self.at_once:
            raise RuntimeError(f"{self.name} takes {self.at_once} questions at once, and was asked another")
        self._running += 1
        try:
            await asyncio.sleep(self._seconds())
            return self._source.scores(documents)
        finally:
            self._running -= 1


def as_remote(source: Source, at_once: int = 1) -> DelayedSource:
    """A source of this process, to be asked beside those that are elsewhere."""
    return DelayedSource(source, at_once, lambda: 0.0)
