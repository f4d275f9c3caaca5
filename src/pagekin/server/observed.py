"""Watches requests from outside: counts them, writes them down, and answers for faults that nobody else did."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagekin.server.caching import CACHED
from pagekin.server.faults import log_fault, send_fault
from pagekin.server.metrics import Metrics

log = logging.getLogger("pagekin.server")
_QUIET = frozenset({"/healthz", "/metrics"})  # asked every few seconds by machines
_METHODS = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"})


class Observed:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, sent_bytes = time.perf_counter(), 0, 0

        async def watched(message: Message) -> None:
            nonlocal status, sent_bytes
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-content-type-options", b"nosniff")]
            sent_bytes += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as fault:
            log_fault(scope["path"], fault)
            if not status:
                await send_fault(scope, watched, 500, "something went wrong here; the log of the service says what")
        seconds = time.perf_counter() - started
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self.metrics.count(route_of(scope), method, status, seconds)
        if scope["path"] not in _QUIET:
            log.info("request", extra={"fields": _fields(scope, status, seconds, sent_bytes)})


def route_of(scope: Scope) -> str:
    """The route of a request as it is declared, so that there are few of them."""
    path = getattr(scope.get("route"), "path", "")
    return path or (scope["path"] if scope["path"] in CACHED else "other")


def _fields(scope: Scope, status: int, seconds: float, sent_bytes: int) -> dict[str, object]:
    query = scope["query_string"].decode("latin-1")
    return {
        "method": scope["method"],
        "target": f"{scope['path']}?{query}" if query else scope["path"],
        "status": status,
        "took_ms": round(1000 * seconds, 3),
        "bytes": sent_bytes,
        "client": scope["client"][0] if scope.get("client") else "",
    }
