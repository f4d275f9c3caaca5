"""Web pages from templates, and the headers that keep hostile text from doing anything.

Every text that goes into a template loses what a browser would obey (`shown`) and is escaped. Were that ever
forgotten, the content security policy would still let nothing run but the files of this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pagekin.plain_text import shown
from pagekin.server.evidence import KINDS
from pagekin.server.static_files import static_files

if TYPE_CHECKING:  # they load the compiled kernels
    from pagekin.query.concepts import SharedConcept
    from pagekin.query.linked import SharedLinks

POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; img-src 'self'; object-src 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
TITLES = {400: "That cannot be asked", 404: "Not found here", 503: "Not now", 500: "That went wrong"}
RETRY_SECONDS = "1"  # that whoever is told "not now" should wait
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"


class Links:
    """The addresses of our own pages, as a template writes them; `root` is where the service stands on its host."""

    def __init__(self, root: str) -> None:
        self._root = root

    def __call__(self, path: str, **parameters: str | int | None) -> str:
        """A path with the parameters that have a value."""
        given = {name: value for name, value in parameters.items() if value not in (None, "")}
        return f"{self._root}{path}?{urlencode(given)}" if given else self._root + path

    def static(self, name: str) -> str:
        """A static file, by a name that changes with what it holds."""
        return self(f"/static/{name}", v=static_files()[name].digest)


def outside(url: str) -> str:
    """The address of a crawled page if a link may lead to it, else nothing.

    >>> outside("javascript:alert(1)"), outside("https://example.org/")
    ('', 'https://example.org/')
    """
    return url if url.startswith(("http://", "https://")) else ""


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things in words.

    >>> counted(1, "page"), counted(1200, "copy", "copies")
    ('1 page', '1,200 copies')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def standing_for(tie: SharedConcept | SharedLinks) -> list[tuple[str, str]]:
    """Names and addresses of the pages that stand for what two pages share; of copies only one."""
    named = {title or url: url for title, url in zip(tie.titles, tie.pages, strict=True)}
    return list(named.items())


def links_of(request: Request) -> Links:
    """The addresses of our pages as whoever asks must write them."""
    return Links(request.scope.get("root_path", "").rstrip("/"))


def html_page(request: Request, template: str, context: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """A web page with its headers."""
    body = _environment().get_template(template).render({"link": links_of(request), "asked": "", **context})
    return HTMLResponse(body, status, HEADERS)


def error_page(request: Request, status: int, message: str, drawn: str = "") -> HTMLResponse:
    """What went wrong, in plain words; `drawn` is shown as it is, in letters of one width."""
    title = TITLES.get(status, HTTPStatus(status).phrase)
    context = {"title": title, "message": message, "drawn": drawn.splitlines()}
    page = html_page(request, "error.html", context, status)
    if status == 503:
        page.headers["Retry-After"] = RETRY_SECONDS
    return page


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pagekin.server"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(kinds=KINDS)
    environment.filters.update(outside=outside, counted=counted, standing=standing_for)
    return environment


def _harmless(value: Any) -> Any:
    """What a template writes, without what would be obeyed; blanks at its ends stay."""
    return shown(f"|{value}|")[1:-1] if isinstance(value, str) and not isinstance(value, Markup) else value
