"""The answers as JSON: each route reads a question, asks the index once, and gives its document."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request, Response

from pagekin.answers import Document, duplicates_document, related_document, search_document
from pagekin.query.page_facts import page_facts
from pagekin.server.caching import CACHED, timed
from pagekin.server.calls import Calls
from pagekin.server.faults import fault_responses
from pagekin.server.models import (
    DuplicatesAnswer,
    DuplicatesQuery,
    Health,
    PageAnswer,
    PageQuery,
    RelatedAnswer,
    RelatedQuery,
    RelatedQuestion,
    ScoresAnswer,
    ScoresQuestion,
    SearchAnswer,
    SearchQuery,
    SuggestAnswer,
    SuggestQuery,
)
from pagekin.server.opened import Served

JSON = "application/json"


def answered(model: type[Any], *faults: int) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of the answers of a route."""
    return {200: {"model": model}, **fault_responses(*faults, 422, 503)}


async def answer(request: Request, question: Callable[[Served], Document]) -> Response:
    """Ask in a thread; a good answer to a GET is remembered."""
    started = time.perf_counter()
    calls: Calls = request.app.state.calls
    body = await calls.run(lambda served: orjson.dumps(question(served)))
    path = request.scope["path"]
    if request.method == "GET" and path in CACHED:
        calls.opened.served.remembered.keep((path, request.scope["query_string"]), body)
    return Response(timed(body, started), media_type=JSON)


def related_answer(served: Served, asked: RelatedQuery | RelatedQuestion) -> Document:
    """The related pages from a place on; near-copies stand with the first."""
    document = related_document(served.index.related(**asked.asked, **asked.wanted))
    left_out = [{"source": left.source, "reason": served.told(left.reason)} for left in document["left_out"]]
    return {**document, "left_out": left_out}


def api_routes() -> APIRouter:
    """The routes under /api, and /healthz."""
    routes = APIRouter(tags=["answers"])

    @routes.get("/api/related", summary="The pages related to a page", responses=answered(RelatedAnswer, 400, 404))
    async def related(request: Request, asked: Annotated[RelatedQuery, Query()]) -> Response:
        """The pages related to a page of the index, the best first."""
        return await answer(request, lambda served: related_answer(served, asked))

    @routes.post(
        "/api/related",
        summary="The pages related to a page, to HTML or to a text",
        responses=answered(RelatedAnswer, 400, 404, 413),
    )
    async def related_to(request: Request, asked: RelatedQuestion) -> Response:
        """The same for what need not be in the index."""
        return await answer(request, lambda served: related_answer(served, asked))

    @routes.post(
        "/api/scores", summary="How related certain pages are", responses=answered(ScoresAnswer, 400, 404, 413)
    )
    async def scores(request: Request, asked: ScoresQuestion) -> Response:
        """The scores that certain pages have, or would have, among the related pages."""

        def found(served: Served) -> Document:
            return {"scores": served.index.scores(asked.urls, **asked.asked, copies=asked.copies, about=asked.about)}

        return await answer(request, found)

    @routes.get("/api/search", summary="The pages that have certain words", responses=answered(SearchAnswer, 400))
    async def search(request: Request, asked: Annotated[SearchQuery, Query()]) -> Response:
        """Pages by words, phrases, wildcards and more."""
        seconds = request.app.state.options.timeout_seconds

        def found(served: Served) -> Document:
            hits = served.index.search(asked.q, asked.k, timeout_seconds=seconds, copies=asked.copies)
            return search_document(hits, asked.explain)

        return await answer(request, found)

    @routes.get("/api/page", summary="What is known of a page", responses=answered(PageAnswer, 404))
    async def page(request: Request, asked: Annotated[PageQuery, Query()]) -> Response:
        """Its title, its heaviest terms, who links to it, and its copies."""
        return await answer(request, lambda served: vars(page_facts(served.index, asked.url, asked.k)))

    @routes.get("/api/duplicates", summary="Which pages are copies", responses=answered(DuplicatesAnswer))
    async def duplicates(request: Request, asked: Annotated[DuplicatesQuery, Query()]) -> Response:
        """Clusters of near-copies, the largest first, a part at a time."""

        def found(served: Served) -> Document:
            every = served.duplicates
            totals = {"total": len(every.clusters), "total_parts": len(every.parts)}
            return {**duplicates_document(every, asked.offset, asked.k), **totals}

        return await answer(request, found)

    @routes.get("/api/suggest", summary="Pages while typing", responses=answered(SuggestAnswer))
    async def suggest(request: Request, asked: Annotated[SuggestQuery, Query()]) -> Response:
        """Pages whose address, or a word of whose title, begins with what was typed."""

        def found(served: Served) -> Document:
            return {"query": asked.q, "suggestions": served.suggestions.of(asked.q, asked.k)}

        return await answer(request, found)

    return routes


def state_routes() -> APIRouter:
    """The routes that machines watch."""
    routes = APIRouter(tags=["state"])

    @routes.get("/healthz", summary="Whether questions are answered", responses={
        200: {"model": Health}, **fault_responses(503)})  # fmt: skip
    async def healthz(request: Request) -> Response:
        """Ready when an index is open."""
        served: Served = request.app.state.opened.served
        facts = {"index": served.digest, "documents": len(served.index), "built_at": served.index.manifest.built_at}
        return Response(orjson.dumps({"status": "ready", **facts}), media_type=JSON)

    @routes.get("/metrics", summary="Counts for Prometheus", responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}, response_class=Response)  # fmt: skip
    def metrics(request: Request) -> Response:
        """Requests, errors, latencies, and the age and size of the index."""
        return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes
