"""Questions to the index, in a few threads: the service stays able to say that it is busy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pagekin.server.opened import Opened, Served

Result = TypeVar("Result")


class Calls:
    """Runs questions, each with a lease of its own: one whose request was given up may still be running."""

    def __init__(self, opened: Opened, threads: int) -> None:
        self.opened = opened
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="question")

    async def run(self, question: Callable[[Served], Result]) -> Result:
        """The answer of a question to what the request at hand has leased."""
        served = self.opened.served

        def answer() -> Result:
            with self.opened.lease(served):
                return question(served)

        return await asyncio.get_running_loop().run_in_executor(self._threads, answer)

    def close(self) -> None:
        """Begin no more questions."""
        self._threads.shutdown(wait=False, cancel_futures=True)
