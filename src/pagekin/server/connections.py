"""Connections that must ask for something in time: one that only waits takes the place of one that asks."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # for the head of a request, from the first byte of it or the beginning of the connection


class PromptProtocol(H11Protocol):
    """HTTP as uvicorn has it, in which the head of a request has an end: of 64 KiB by h11, and of time here."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Go on to wait, unless the head of a request is whole."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is to be waited for."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        is_busy = self.cycle is not None and not self.cycle.response_complete
        if not is_busy and not self.transport.is_closing():
            self.transport.close()


def allow_open_files() -> None:
    """As many open files, and so connections, as the system lets this process have."""
    if sys.platform == "linux":
        import resource

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
