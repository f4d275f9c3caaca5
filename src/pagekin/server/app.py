"""The service as an application: the list of its routes, and the layers around them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from pagekin.errors import PagekinError
from pagekin.server.api import api_routes, state_routes
from pagekin.server.caching import Cached
from pagekin.server.calls import Calls
from pagekin.server.docs_page import docs_routes
from pagekin.server.faults import add_fault_handlers
from pagekin.server.limits import SizeLimit, TimeLimit
from pagekin.server.metrics import Metrics
from pagekin.server.observed import Observed
from pagekin.server.opened import Opened
from pagekin.server.options import ServeOptions
from pagekin.server.reload import admin_routes, listen_for_reload, reload
from pagekin.server.web import web_routes
from pagekin.version import VERSION

log = logging.getLogger("pagekin.server")

GZIP_LEVEL = 5  # the default, 9, takes thrice as long for a hundredth less
GZIP_LEAST_BYTES = 1000
DESCRIPTION = "Finds the pages related to a page, in a crawl of the web, and says why."


def create_app(path: Path, options: ServeOptions = ServeOptions()) -> FastAPI:  # noqa: B008 (it is frozen)
    """The service for the index at a path; IndexUnusable if there is none, unless it is to be opened later."""
    opened = Opened(path, options.remembered_bytes)
    if not options.open_later:
        opened.reload()
    app = FastAPI(
        title="pagekin", version=VERSION, description=DESCRIPTION, lifespan=_running,
        docs_url=None, redoc_url=None,
    )  # fmt: skip
    app.state.opened, app.state.options = opened, options
    app.state.report, app.state.embed_origins = options.report, options.origins
    app.state.has_pages = True
    app.state.calls, app.state.metrics = Calls(opened, options.threads), Metrics(opened)
    add_fault_handlers(app)
    for routes in (api_routes(), state_routes(), admin_routes(), docs_routes(), web_routes()):
        app.include_router(routes)
    _add_layers(app, options)
    return app


def _add_layers(app: FastAPI, options: ServeOptions) -> None:
    """From the innermost to the outermost."""
    app.add_middleware(Cached, opened=app.state.opened, metrics=app.state.metrics)
    app.add_middleware(GZipMiddleware, minimum_size=GZIP_LEAST_BYTES, compresslevel=GZIP_LEVEL)
    if options.origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(options.origins), allow_methods=["GET", "POST"])
    app.add_middleware(TimeLimit, seconds=options.timeout_seconds)
    app.add_middleware(SizeLimit, most_bytes=options.most_bytes)
    app.add_middleware(Observed, metrics=app.state.metrics)
    if options.root_path:
        app.add_middleware(UnderPath, root_path=options.root_path)


class UnderPath:
    """Tells the application under which path a proxy shows it; the proxy has taken that path off the addresses."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self.app, self.root_path = app, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app({**scope, "root_path": self.root_path}, receive, send)


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    listen_for_reload(app)
    opening = asyncio.create_task(_open(app))
    yield
    with suppress(asyncio.CancelledError):
        await opening
    app.state.calls.close()
    app.state.opened.close()


async def _open(app: FastAPI) -> None:
    """Open the index if that was left for later; a fault is in the log, and a reload tries again."""
    if not app.state.opened.is_open:
        with suppress(PagekinError):
            await reload(app)
