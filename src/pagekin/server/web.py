"""The web pages of the service: each reads what was asked, calls the index, and fills a template.

They need no script; with scripts, words are suggested while one types, reasons unfold in place, and the map can be
moved about.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Coroutine, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.routing import APIRoute

from pagekin.errors import PagekinError, QueryError, SettingsError, UnknownPage
from pagekin.plain_text import shown
from pagekin.query.neighbourhood import Node, neighbourhood
from pagekin.query.surroundings import Portrait, Surroundings, surroundings_of
from pagekin.server.evidence import Part, evidence_bar
from pagekin.server.faults import status_of
from pagekin.server.html import HEADERS, REPORT_POLICY, error_page, html_page, links_of, outside
from pagekin.server.map_layout import laid_out
from pagekin.server.static_files import static_files

if TYPE_CHECKING:  # they load the compiled kernels
    from pagekin.index import Index
    from pagekin.query.records import Answer, Related
    from pagekin.query.snippets import Snippet
    from pagekin.server.calls import Calls

EXAMPLES = 6
PASSAGE_TERMS = 12  # heaviest terms of a page, by which passages of its related pages are chosen
TERMS, LINKING, SAID, COPIES, BLOCKS = 20, 12, 12, 20, 30  # that a page's own page shows at most
EMBEDDED = 5
LONGEST_TEXT = 4000  # letters
A_YEAR, FIVE_MINUTES = 31_536_000, 300  # seconds
_ADDRESS = re.compile(r"\S+://\S+|[^\s\"'()*~]+\.[^\s\"'()*~]+")

Address = Annotated[str, Query(min_length=1, max_length=4096)]
PerhapsAddress = Annotated[str | None, Query(max_length=4096)]
Words = Annotated[str, Query(max_length=LONGEST_TEXT)]
PerhapsText = Annotated[str | None, Query(max_length=LONGEST_TEXT)]
Many = Annotated[int, Query(ge=1, le=50)]
PerSite = Annotated[str, Query(pattern=r"^\d{0,2}$")]  # a form sends an empty one
Piece = tuple[str, bool]  # of a passage, and whether it is marked


class WebRoute(APIRoute):
    """A route that tells a person in words what went wrong."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with a page for every error that is pagekin's own or lies in what was asked."""
        answer = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await answer(request)
            except RequestValidationError as error:
                return error_page(request, 400, _wrong_parameters(error))
            except PagekinError as error:
                drawn = error.caret if isinstance(error, QueryError) and error.caret != str(error) else ""
                return error_page(request, status_of(error), request.app.state.opened.told(error), drawn)

        return answer_or_explain


def web_routes() -> APIRouter:
    """All routes of the web pages."""
    router = APIRouter(route_class=WebRoute, include_in_schema=False)
    for path, question in QUESTIONS.items():
        router.add_api_route(path, _called(question), methods=["GET", "HEAD"], response_model=None)
    for path, answer in FIXED.items():
        router.add_api_route(path, answer, methods=["GET", "HEAD"], response_model=None)
    return router


def _called(question: Callable[..., Response]) -> Callable[..., Coroutine[Any, Any, Response]]:
    """A question to the index, run in one of the threads that the service has for such."""

    @wraps(question)
    async def call(request: Request, **asked: Any) -> Response:
        calls: Calls = request.app.state.calls
        return await calls.run(lambda _: question(request, **asked))

    return call


# --- pages --------------------------------------------------------------------------------------------------


def home(request: Request) -> HTMLResponse:
    """The first page: what can be asked, and what the index holds."""
    index, around = _opened(request)
    context = {
        "counts": index.manifest.counts,
        "sites": around.sites,
        "built": index.manifest.built_at[:10],
        "examples": around.examples[:EXAMPLES],
    }
    return html_page(request, "home.html", context)


def search(request: Request, q: Words = "", k: Many = 10) -> Response:
    """The pages that have certain words; what looks like an address that is known leads to its related pages."""
    index, around = _opened(request)
    asked = q.strip()
    link = links_of(request)
    if not asked:
        return RedirectResponse(link("/"), 303, HEADERS)
    if _ADDRESS.fullmatch(asked) and ("://" in asked or around.page(asked) is not None):
        return RedirectResponse(link("/related", url=asked), 303, HEADERS)
    started = time.perf_counter()
    answer = index.search(asked, k, timeout_seconds=request.app.state.options.timeout_seconds)
    hits = [(hit, _pieces(hit.snippet, hit.marks)) for hit in answer.results]
    context = {"query": asked, "answer": answer, "hits": hits, "took_ms": _since(started)}
    return html_page(request, "search.html", context)


class Shown(NamedTuple):
    """A related page as it is shown: the bar of its evidence, and a passage of it."""

    page: Related
    bar: list[Part]
    passage: list[Piece]


class Options(NamedTuple):
    """Which related pages are wanted."""

    k: int
    about: str
    other_sites: bool
    per_site: str


def related(
    request: Request,
    url: PerhapsAddress = None,
    text: PerhapsText = None,
    k: Many = 10,
    about: Words = "",
    other_sites: bool = False,
    per_site: PerSite = "",
) -> HTMLResponse:
    """The pages related to a page, or to a text."""
    index, around = _opened(request)
    started = time.perf_counter()
    options = Options(k, about.strip(), other_sites, per_site)
    answer = index.related(
        **_question(url, text),
        k=k,
        about=options.about or None,
        other_sites=other_sites,
        per_site=int(per_site or 0) or None,
    )
    results = _shown(around, answer.results, _telling_words(index, url, text))
    context = {
        "url": url,
        "text": text,
        "subject_page": _subject(around, answer) if url else None,
        "answer": answer,
        "left_out": [(left.source, request.app.state.opened.told(left.reason)) for left in answer.left_out],
        "results": results,
        "seen": {part.kind for each in results for part in each.bar},
        "options": options,
        "took_ms": _since(started),
    }
    return html_page(request, "related.html", context)


def why(
    request: Request, other: Address, url: PerhapsAddress = None, text: PerhapsText = None, fragment: bool = False
) -> HTMLResponse:
    """Why a page is related; as a fragment, what unfolds below a result."""
    index, around = _opened(request)
    question = _question(url, text)
    reason = index.why(other, **question).why
    found = around.portrait(index.page(other))
    context: dict[str, Any] = {
        "found": found,
        "reason": reason,
        "copies": around.copies(found.page, COPIES),
        "question": question,
        "subject_page": around.portrait(index.page(url)) if url else None,
    }
    return html_page(request, "_why.html" if fragment else "why.html", context)


def page(request: Request, url: Address) -> HTMLResponse:
    """What the index knows of one page."""
    index, around = _opened(request)
    portrait = around.portrait(index.page(url))
    context = {
        "page": portrait,
        "terms": index.terms(url, TERMS).terms,
        "said": around.said(portrait.page, SAID),
        "linking": around.linking(portrait.page, LINKING),
        "copies": around.copies(portrait.page, COPIES),
    }
    return html_page(request, "page.html", context)


def blocks(request: Request, url: Address, fragment: bool = False) -> HTMLResponse:
    """The link blocks of a page that was fetched."""
    from pagekin.query.blocks import BlockReader

    index, around = _opened(request)
    portrait = around.portrait(index.page(url))
    found = BlockReader(*index.scanned(url)).blocks(index.settings.cocitation)
    whole = [block for block in found if block.is_block]
    context = {
        "page": portrait,
        "blocks": whole[:BLOCKS],
        "more": len(whole[BLOCKS:]),
        "alone": len(found) - len(whole),
    }
    return html_page(request, "_blocks.html" if fragment else "blocks.html", context)


def neighbourhood_map(request: Request, url: Address) -> HTMLResponse:
    """The related pages of a page to two steps, drawn."""
    index, around = _opened(request)
    portrait = around.portrait(index.page(url))
    middle = Node(portrait.url, portrait.title, portrait.site, 0, -1, 1.0)
    found = neighbourhood(middle, lambda each, k: _named_first(index.related(each, k=3 * k).results)[:k])
    return html_page(request, "map.html", {"page": portrait, "map": laid_out(found)})


def _named_first(results: Iterable[Related]) -> list[Related]:
    """The best results that have a title, then others: a map of bare addresses tells little."""
    return sorted(results, key=lambda found: not found.title)


# --- the evaluation -----------------------------------------------------------------------------------------


def evaluation(request: Request) -> HTMLResponse:
    """The report of an evaluation, or how to make one."""
    return html_page(request, "evaluation.html", {"has_report": _report(request) is not None})


def evaluation_report(request: Request) -> Response:
    """The report itself, which has its own style in it and may run nothing."""
    report = _report(request)
    if report is None:
        raise UnknownPage("no report of an evaluation was given to this service")
    return HTMLResponse(report.read_bytes(), headers=HEADERS | {"Content-Security-Policy": REPORT_POLICY})


def _report(request: Request) -> Path | None:
    folder: Path | None = request.app.state.options.report
    report = folder / "index.html" if folder else None
    return report if report and report.is_file() else None


# --- for other sites ----------------------------------------------------------------------------------------


def embed(request: Request) -> HTMLResponse:
    """How to put related pages into a site, and the bookmarklet."""
    base = quote(str(request.base_url), safe=":/[]@")
    bookmarklet = f"javascript:location.href='{base}related?url='+encodeURIComponent(location.href)"
    is_open = bool(request.app.state.options.origins)
    return html_page(request, "embed.html", {"base": base, "bookmarklet": bookmarklet, "is_open": is_open})


def embed_script(request: Request) -> Response:
    """The script that another site includes."""
    file = static_files()["embed.js"]
    headers = {"Cross-Origin-Resource-Policy": "cross-origin", "Cache-Control": f"public, max-age={FIVE_MINUTES}"}
    return Response(file.body, media_type=file.media_type, headers=HEADERS | headers)


def embed_answer(request: Request, url: Address, k: Many = EMBEDDED) -> JSONResponse:
    """The related pages of a page of another site; its scripts may read them if the operator lets that site ask."""
    index, _ = _opened(request)
    try:
        found = index.related(url, k=k).results
    except UnknownPage:
        found = ()
    rows = [{"url": each.url, "title": shown(each.title), "site": each.site} for each in found if outside(each.url)]
    return JSONResponse({"url": url, "related": rows}, headers=HEADERS)


# --- static files -------------------------------------------------------------------------------------------


def static(request: Request, name: str, v: str = "") -> Response:
    """A static file; asked for by its digest it never changes."""
    file = static_files().get(name)
    if file is None:
        raise UnknownPage(f"there is no file {name}")
    age = f"public, max-age={A_YEAR}, immutable" if v == file.digest else "no-cache"
    headers = HEADERS | {"Cache-Control": age, "ETag": f'"{file.digest}"'}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(file.body, media_type=file.media_type, headers=headers)


QUESTIONS: dict[str, Callable[..., Response]] = {
    "/": home,
    "/search": search,
    "/related": related,
    "/why": why,
    "/page": page,
    "/blocks": blocks,
    "/map": neighbourhood_map,
    "/embed.json": embed_answer,
}
FIXED: dict[str, Callable[..., Response]] = {
    "/evaluation": evaluation,
    "/evaluation/report": evaluation_report,
    "/embed": embed,
    "/embed.js": embed_script,
    "/static/{name}": static,
}


# --- what pages need ----------------------------------------------------------------------------------------


def _opened(request: Request) -> tuple[Index, Surroundings]:
    """The index that is open now, and what is read of it beside."""
    index: Index = request.app.state.opened.index
    return index, surroundings_of(index)


def _question(url: str | None, text: str | None) -> dict[str, Any]:
    """What is asked, by the name under which the index and our own pages take it."""
    if bool(url) == bool(text and text.strip()):
        raise SettingsError("give the address of a page (url) or a text (text), one of the two")
    return {"url": url} if url else {"text": text or ""}


def _telling_words(index: Index, url: str | None, text: str | None) -> list[str]:
    """The words by which passages are chosen."""
    if url:
        return [term.term for term in index.terms(url, PASSAGE_TERMS).terms]
    return re.findall(r"\w+", (text or "").lower())


def _shown(around: Surroundings, results: Iterable[Related], words: Iterable[str]) -> list[Shown]:
    numbered = [(found, around.page(found.url)) for found in results]
    passages = around.passages([page for _, page in numbered if page is not None], words)
    return [Shown(found, evidence_bar(found), _passage(passages.get(page or 0))) for found, page in numbered]


def _passage(snippet: Snippet | None) -> list[Piece]:
    return _pieces(snippet.text, snippet.marks) if snippet else []


def _pieces(text: str, marks: Iterable[tuple[int, int]]) -> list[Piece]:
    """A text in the pieces that are marked and those between them.

    >>> _pieces("bees make honey", [(0, 4)])
    [('bees', True), ('make honey', False)]
    """
    pieces, at = [], 0
    for first, last in marks:
        pieces += [(text[at:first].strip(), False), (text[first:last], True)]
        at = last
    return [piece for piece in [*pieces, (text[at:].strip(), False)] if piece[0]]


def _subject(around: Surroundings, answer: Answer) -> Portrait:
    page = around.page(answer.query)
    assert page is not None, "what has an answer is known"
    return around.portrait(page)


def _wrong_parameters(error: RequestValidationError) -> str:
    faults = [f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors()]
    return "; ".join(faults)


def _since(started: float) -> int:
    return round(1000 * (time.perf_counter() - started))
