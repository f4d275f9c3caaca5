"""Faults as answers: a status, and one sentence, as `{"error": …}` or as a page for a person; never a traceback."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Scope, Send

from pagekin.errors import IndexUnusable, PagekinError, QueryError, QueryTimeout, SettingsError, UnknownPage
from pagekin.server.html import RETRY_SECONDS, error_page
from pagekin.server.models import Fault
from pagekin.server.opened import NotOpen

log = logging.getLogger("pagekin.server")

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
_SAID_ON_A_PAGE = {404: "There is no such page.", 405: "This page is not asked for in this way."}
_FOR_PROGRAMS = re.compile(r"/(api|admin)(/|$)")  # whoever asks there
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


def status_of(fault: PagekinError) -> int:
    """The status with which a fault is answered."""
    return next((status for kind, status in STATUSES if isinstance(fault, kind)), 500)


def wants_page(request: Request) -> bool:
    """Whether a person asks, who is to be told on a page what went wrong; a service may have no pages."""
    is_person = "text/html" in request.headers.get("accept", "") and not _FOR_PROGRAMS.match(request.scope["path"])
    return is_person and getattr(request.app.state, "has_pages", False)


def told_fault(
    request: Request, status: int, sentence: str, on_page: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """A fault as whoever asks can read it; a person may be told in other words."""
    if not wants_page(request):
        return fault_answer(status, sentence, headers)
    page = error_page(request, status, on_page or f"{sentence[:1].upper()}{sentence[1:]}.")
    page.headers.update(headers or {})
    return page


async def send_fault(scope: Scope, send: Send, status: int, sentence: str) -> None:
    """Send a fault from outside the routes."""
    await told_fault(Request(scope), status, sentence)(scope, _nothing_more, send)


async def _nothing_more() -> NoReturn:
    raise AssertionError("a fault reads nothing of what was asked")


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
        return fault_answer(status_of(fault), request.app.state.opened.told(fault))

    @app.exception_handler(RequestValidationError)
    async def _of_question(request: Request, fault: RequestValidationError) -> Response:
        return fault_answer(422, validation_sentence(list(fault.errors())))

    @app.exception_handler(HTTPException)
    async def _of_http(request: Request, fault: HTTPException) -> Response:
        headers = _allowed(request) if fault.status_code == 405 else {}
        said = _SAID.get(fault.status_code, str(fault.detail))
        on_page = _SAID_ON_A_PAGE.get(fault.status_code, "")
        return told_fault(request, fault.status_code, said, on_page, {**(fault.headers or {}), **headers})


def _allowed(request: Request) -> dict[str, str]:
    """All ways in which an address may be asked; a route knows only of itself."""
    methods = request.app.openapi()["paths"].get(request.scope["path"], {})
    return {"Allow": ", ".join(sorted(method.upper() for method in methods))} if methods else {}


def log_fault(path: str, fault: BaseException) -> None:
    """Write down a fault that is ours."""
    log.error("fault", exc_info=fault, extra={"fields": {"path": path}})
