"""Answers that need not be found again: the client has it (ETag), or the service remembers it.

An ETag is a digest of the index and of the question, and goes with good answers alone; so whoever sends one has had a
good answer to this question from this index, and gets 304 without any work.
"""

from __future__ import annotations

import hashlib
import re
import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pagekin.server.metrics import Metrics
from pagekin.server.opened import Opened, Served

CACHED = frozenset({"/api/related", "/api/search", "/api/page", "/api/duplicates", "/api/suggest"})
_TAG = re.compile(rb'(?:W/)?"([^"]*)"')


def etag(served: Served, scope: Scope) -> str:
    """The tag of an answer; weak, for `took_ms` differs from time to time."""
    question = f"{served.digest} {scope['path']}?".encode() + scope["query_string"]
    return f'W/"{hashlib.blake2b(question, digest_size=12).hexdigest()}"'


class Cached:
    """Leases the index to each request, and answers from memory where that is enough."""

    def __init__(self, app: ASGIApp, opened: Opened, metrics: Metrics) -> None:
        self.app, self.opened, self.metrics = app, opened, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self.opened.is_open:
            await self.app(scope, receive, send)
            return
        with self.opened.lease() as served:
            if scope["method"] == "GET" and scope["path"] in CACHED:
                await self._answer(served, scope, receive, send)
            else:
                await self.app(scope, receive, send)

    async def _answer(self, served: Served, scope: Scope, receive: Receive, send: Send) -> None:
        tag = etag(served, scope)
        if _is_known(scope, tag):
            await send({"type": "http.response.start", "status": 304, "headers": _headers(tag)})
            await send({"type": "http.response.body", "body": b""})
            return
        started = time.perf_counter()
        known = served.remembered.get((scope["path"], scope["query_string"]))
        if known is None:
            await self.app(scope, receive, _tagging(send, tag))
            return
        self.metrics.remembered.inc()
        await _send_json(send, timed(known, started), tag)


def timed(document: bytes, started: float) -> bytes:
    """A JSON object with `took_ms` as its last key.

    >>> timed(b'{"query":"bees"}', time.perf_counter() - 1)[:27]
    b'{"query":"bees","took_ms":1'
    """
    took_ms = round(1000 * (time.perf_counter() - started), 3)
    return b'%s,"took_ms":%s}' % (document[:-1], str(took_ms).encode())


def _is_known(scope: Scope, tag: str) -> bool:
    sent = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
    return bool(sent) and tag[3:-1].encode() in _TAG.findall(sent)


def _headers(tag: str) -> list[tuple[bytes, bytes]]:
    return [(b"etag", tag.encode()), (b"cache-control", b"no-cache")]


def _tagging(send: Send, tag: str) -> Send:
    async def tagged(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 200:
            headers = MutableHeaders(scope=message)
            headers["etag"], headers["cache-control"] = tag, "no-cache"
        await send(message)

    return tagged


async def _send_json(send: Send, body: bytes, tag: str) -> None:
    kind = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": [*kind, *_headers(tag)]})
    await send({"type": "http.response.body", "body": body})
