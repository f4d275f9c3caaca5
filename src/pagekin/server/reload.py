"""Another index in place of the one that answers: by a signal, or by a request with the token."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import signal
import threading
from contextlib import suppress

import orjson
from fastapi import APIRouter, FastAPI, Header, Request, Response

from pagekin.errors import PagekinError
from pagekin.server.faults import fault_answer, fault_responses
from pagekin.server.models import Reloaded

log = logging.getLogger("pagekin.server")


async def reload(app: FastAPI) -> bool:
    """Open what stands at the path now, while requests go on; whether it is another."""
    state = app.state
    try:
        changed: bool = await asyncio.to_thread(state.opened.reload)
    except PagekinError as fault:
        state.metrics.reloads.labels("refused").inc()
        log.error("reload", extra={"fields": {"error": str(fault)}})
        raise
    state.metrics.reloads.labels("changed" if changed else "same").inc()
    log.info("reload", extra={"fields": {"changed": changed, "index": state.opened.current_digest}})
    return changed


def listen_for_reload(app: FastAPI) -> None:
    """Reload at SIGHUP, which may have come before this and waited."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        return
    tasks: set[asyncio.Task[None]] = set()

    def begin() -> None:
        task = asyncio.get_running_loop().create_task(_reload_or_go_on(app))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, begin)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])


async def _reload_or_go_on(app: FastAPI) -> None:
    with suppress(PagekinError):  # it is in the log, and the old index answers
        await reload(app)


def admin_routes() -> APIRouter:
    """The routes that change something."""
    routes = APIRouter(tags=["state"])

    @routes.post("/admin/reload", summary="Open the index anew", responses={
        200: {"model": Reloaded}, **fault_responses(401, 403, 409, 503)})  # fmt: skip
    async def admin_reload(request: Request, authorization: str = Header("", description="Bearer TOKEN")) -> Response:
        """Open what now stands in the place of the index; no request is lost."""
        options = request.app.state.options
        if not options.token:
            return fault_answer(403, "this service has no token, so nothing can be changed over HTTP")
        if not is_token(authorization, options.token):
            return fault_answer(401, "the token is missing or wrong", {"WWW-Authenticate": "Bearer"})
        try:
            changed = await reload(request.app)
        except PagekinError as fault:
            said = request.app.state.opened.told(fault)
            return fault_answer(409, f"{said}; the old index goes on to answer")
        if options.workers > 1:
            os.kill(os.getppid(), signal.SIGHUP)  # who tells the other workers
        digest = request.app.state.opened.current_digest
        return Response(orjson.dumps({"index": digest, "changed": changed}), media_type="application/json")

    return routes


def is_token(authorization: str, token: str) -> bool:
    """Whether a header has the token; compared in a time that says nothing of it."""
    scheme, _, given = authorization.partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
