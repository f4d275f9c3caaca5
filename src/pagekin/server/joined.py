"""The service that answers from several other services as one: `pagekin serve --join`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, FastAPI, Query, Request, Response

from pagekin.errors import ServerFailed
from pagekin.query.federation import Federation
from pagekin.server.api import JSON, answered
from pagekin.server.app import UnderPath
from pagekin.server.docs_page import docs_routes
from pagekin.server.faults import add_fault_handlers, fault_answer
from pagekin.server.limits import SizeLimit, TimeLimit
from pagekin.server.metrics import Metrics
from pagekin.server.models import RelatedAnswer, RelatedQuery, RelatedQuestion
from pagekin.server.observed import Observed
from pagekin.server.opened import Opened
from pagekin.server.options import ServeOptions
from pagekin.version import VERSION

DESCRIPTION = "Finds the pages related to a page in the crawls of several pagekin servers, as if they were one."
LEAST_SECONDS = 0.1  # that a server is given, however short the time for the whole answer


def create_joined_app(options: ServeOptions) -> FastAPI:
    """The service that joins others."""
    app = FastAPI(
        title="pagekin", version=VERSION, description=DESCRIPTION, lifespan=_running, docs_url=None, redoc_url=None
    )
    app.state.opened, app.state.options = Opened(Path("joined")), options  # which never opens an index
    app.state.metrics = Metrics(app.state.opened)
    add_fault_handlers(app)

    @app.exception_handler(ServerFailed)
    async def _of_servers(request: Request, fault: ServerFailed) -> Response:
        return fault_answer(502, f"no server answers: {fault}")

    for routes in (_routes(), docs_routes()):
        app.include_router(routes)
    app.add_middleware(TimeLimit, seconds=options.timeout_seconds)
    app.add_middleware(SizeLimit, most_bytes=options.most_bytes)
    app.add_middleware(Observed, metrics=app.state.metrics)
    if options.root_path:
        app.add_middleware(UnderPath, root_path=options.root_path)
    return app


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    options: ServeOptions = app.state.options
    app.state.federation = Federation(options.join, max(options.timeout_seconds / 3, LEAST_SECONDS))
    yield
    await app.state.federation.close()


def _routes() -> APIRouter:
    routes = APIRouter(tags=["answers"])

    @routes.get("/api/related", summary="The pages related to a page", responses=answered(RelatedAnswer, 400, 404))
    async def related(request: Request, asked: Annotated[RelatedQuery, Query()]) -> Response:
        """The pages related to a page that any of the servers knows, the best of all servers first."""
        return await _answer(request, asked)

    @routes.post(
        "/api/related",
        summary="The pages related to a page, to HTML or to a text",
        responses=answered(RelatedAnswer, 400, 404, 413),
    )
    async def related_to(request: Request, asked: RelatedQuestion) -> Response:
        """The same for what need not be in any index."""
        return await _answer(request, asked)

    @routes.get("/healthz", summary="Whether the servers answer")
    async def healthz(request: Request) -> Response:
        """Ready when one of the servers is."""
        states = await request.app.state.federation.states()
        is_ready = "ready" in states.values()
        body = {"status": "ready" if is_ready else "no server answers", "servers": states}
        return Response(orjson.dumps(body), 200 if is_ready else 503, media_type=JSON)

    @routes.get("/metrics", summary="Counts for Prometheus", response_class=Response)
    def metrics(request: Request) -> Response:
        """Requests, errors and latencies."""
        return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes


async def _answer(request: Request, asked: RelatedQuery | RelatedQuestion) -> Response:
    started = time.perf_counter()
    question, wanted = _question(asked)
    found = await request.app.state.federation.related(question, wanted, asked.k, asked.offset)
    found["took_ms"] = round(1000 * (time.perf_counter() - started), 3)
    return Response(orjson.dumps(found), media_type=JSON)


def _question(asked: RelatedQuery | RelatedQuestion) -> tuple[dict[str, Any], dict[str, Any]]:
    """What every server is asked; reasons are the servers' own, and are not asked for."""
    given = {name: value for name, value in asked.asked.items() if value is not None}
    weights = {"weights": given.pop("weights")} if "weights" in given else {}
    if "html" in given:
        given["html"] = given["html"].decode()
    left = ("k", "explain")
    wanted = {name: value for name, value in asked.wanted.items() if name not in left and value is not None}
    return given, wanted | weights
