"""Limits of a request: how large it may be, and how long it may take."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagekin.server.faults import send_fault


class TooLarge(Exception):
    """The body of a request exceeds the limit."""


class SizeLimit:
    """Refuses a request whose body is too large, by what it says of itself or by what comes."""

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self.app, self.most_bytes = app, most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif _stated_length(scope) > self.most_bytes:
            await self._refuse(scope, send)
        else:
            await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The body need not be as long as was said: count what comes."""
        count, is_too_large, is_started = 0, False, False

        async def counted() -> Message:
            nonlocal count, is_too_large
            message = await receive()
            count += len(message.get("body", b""))
            if count > self.most_bytes:
                is_too_large = True
                raise TooLarge
            return message

        async def watched(message: Message) -> None:
            nonlocal is_started
            if is_too_large and not is_started:  # whatever is made of the exception by then
                return
            is_started = True
            await send(message)

        with suppress(TooLarge):
            await self.app(scope, counted, watched)
        if is_too_large and not is_started:
            await self._refuse(scope, send)

    async def _refuse(self, scope: Scope, send: Send) -> None:
        await send_fault(scope, send, 413, f"a request may have {self.most_bytes:,} bytes, this one has more")


def _stated_length(scope: Scope) -> int:
    stated = dict(scope["headers"]).get(b"content-length", b"")
    return int(stated) if stated.isdigit() else 0


class TimeLimit:
    """Says so when an answer takes too long; a question that runs already is run to its end, unheard."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self.app, self.seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_started = False

        async def watched(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            async with asyncio.timeout(self.seconds):
                await self.app(scope, receive, watched)
        except TimeoutError:
            if is_started:
                raise
            await send_fault(scope, send, 503, f"no answer within {self.seconds:g} seconds; ask for less, or later")
