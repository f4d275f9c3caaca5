"""Faults as answers: a status, and one sentence as `{"error": …}`; never a traceback."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Send

from pagekin.errors import IndexUnusable, PagekinError, QueryError, QueryTimeout, SettingsError, UnknownPage
from pagekin.server.models import Fault
from pagekin.server.opened import NotOpen

log = logging.getLogger("pagekin.server")

RETRY_SECONDS = "1"
STATUSES: tuple[tuple[type[PagekinError], int], ...] = (
    (UnknownPage, 404),
    (QueryError, 400),
    (SettingsError, 400),
    (QueryTimeout, 503),
    (NotOpen, 503),
    (IndexUnusable, 500),
)
_SAID = {
    404: "there is nothing here; /docs lists what there is",
    405: "this address is not asked in this way; /docs says how",
}
_BEGINNING = re.compile(r"^(Value error, |\w+ (?=should ))")  # of pydantic's sentences
_FOUND_LONGEST = 60  # characters of a value that cannot be


def fault_answer(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A fault as it is sent."""
    more = {"Retry-After": RETRY_SECONDS} if status == 503 else {}
    return JSONResponse({"error": sentence}, status, {**more, **(headers or {})})


def fault_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What OpenAPI says of faults."""
    meanings = {
        400: "A query or a setting that cannot be.",
        401: "No token, or a wrong one.",
        403: "The service has no token, so that nothing can be changed.",
        404: "The index does not know that.",
        409: "What stands in the place of the index cannot be used; the old one goes on to answer.",
        413: "The request is too large.",
        422: "A parameter that is missing or cannot be.",
        503: "It would take too long, or no index is open yet.",
    }
    return {status: {"model": Fault, "description": meanings[status]} for status in statuses}


async def send_fault(send: Send, status: int, sentence: str) -> None:
    """Send a fault from outside the routes."""
    response = fault_answer(status, sentence)
    await send({"type": "http.response.start", "status": status, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body})


def validation_sentence(errors: list[Any]) -> str:
    """What was wrong with a question, in a sentence.

    >>> validation_sentence([{"loc": ("query", "k"), "msg": "Input should be less than or equal to 9", "input": "10"}])
    "k should be less than or equal to 9, found '10'"
    """
    return "; ".join(dict.fromkeys(_sentence(error) for error in errors))


def _sentence(error: Mapping[str, Any]) -> str:
    place = ".".join(str(part) for part in error["loc"][1:]) or "the body"
    kind = error.get("type")
    if kind == "extra_forbidden":
        return f"there is no parameter {place[:_FOUND_LONGEST]!r}"
    if kind == "missing":
        return f"{place} is missing"
    if kind == "json_invalid":
        return "the body is no JSON"
    message = _BEGINNING.sub("", str(error["msg"]))
    if kind == "string_pattern_mismatch":
        message = "has not the form that /docs shows"
    if kind == "value_error" and len(error["loc"]) == 1:
        return message
    found = error.get("input")
    return f"{place} {message}" + (f", found {_shortened(found)}" if isinstance(found, str | int | float) else "")


def _shortened(found: object) -> str:
    text = ascii(found)
    return text if len(text) <= _FOUND_LONGEST else f"{text[:_FOUND_LONGEST]}…"


def add_fault_handlers(app: FastAPI) -> None:
    """Have every fault answered so."""

    @app.exception_handler(PagekinError)
    async def _of_pagekin(request: Request, fault: PagekinError) -> Response:
        status = next((status for kind, status in STATUSES if isinstance(fault, kind)), 500)
        opened = request.app.state.opened
        return fault_answer(status, opened.served.told(fault) if opened.is_open else str(fault))

    @app.exception_handler(RequestValidationError)
    async def _of_question(request: Request, fault: RequestValidationError) -> Response:
        return fault_answer(422, validation_sentence(list(fault.errors())))

    @app.exception_handler(HTTPException)
    async def _of_http(request: Request, fault: HTTPException) -> Response:
        headers = _allowed(request) if fault.status_code == 405 else {}
        said = _SAID.get(fault.status_code, str(fault.detail))
        return fault_answer(fault.status_code, said, {**(fault.headers or {}), **headers})


def _allowed(request: Request) -> dict[str, str]:
    """All ways in which an address may be asked; a route knows only of itself."""
    methods = request.app.openapi()["paths"].get(request.scope["path"], {})
    return {"Allow": ", ".join(sorted(method.upper() for method in methods))} if methods else {}


def log_fault(path: str, fault: BaseException) -> None:
    """Write down a fault that is ours."""
    log.error("fault", exc_info=fault, extra={"fields": {"path": path}})
