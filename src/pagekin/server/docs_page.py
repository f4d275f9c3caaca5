"""/docs: what OpenAPI says, as a page for a person; it needs nothing from elsewhere and no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
code, dt { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
h2 { margin-top: 2.5rem; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {"Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'"}


def docs_routes() -> APIRouter:
    """The route of the page."""
    routes = APIRouter()

    @routes.get("/docs", include_in_schema=False)
    def docs(request: Request) -> HTMLResponse:
        return HTMLResponse(docs_page(request.app.openapi(), request.scope.get("root_path", "")), headers=HEADERS)

    return routes


def docs_page(description: dict[str, Any], root_path: str = "") -> str:
    """The page of an OpenAPI description."""
    info, schemas = description["info"], description["components"]["schemas"]
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])}: the API</title>',
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>',
        f"<main><h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])}</p>",
        f'<p>For programs: <a href="{escape(root_path)}/openapi.json">openapi.json</a></p>',
    ]
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            parts += _route(method.upper(), path, route, schemas)
    return "".join([*parts, "</main></html>"])


def _route(method: str, path: str, route: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method} {escape(path)}</code></h2><p>{escape(route['summary'])}. "
    yield f"{escape(route.get('description', ''))}</p>"
    rows = [(p["name"], p["schema"], _what(p | p["schema"]), p["required"]) for p in route.get("parameters", ())]
    if "requestBody" in route:
        body = _resolved(next(iter(route["requestBody"]["content"].values()))["schema"], schemas)
        rows += [(name, each, _what(each), False) for name, each in body["properties"].items()]
    if rows:
        yield "<table><tr><th>parameter<th>type<th>default<th>what</tr>"
        for name, schema, what, required in rows:
            default = "needed" if required else str(schema.get("default", ""))
            cells = (f"<code>{escape(name)}</code>", escape(_kind(schema)), escape(default), escape(what))
            yield f"<tr><td>{'<td>'.join(cells)}</tr>"
        yield "</table>"
    yield "<table><tr><th>status<th>answer</tr>"
    for status, response in route["responses"].items():
        yield f"<tr><td>{status}<td>{escape(response['description'])}{_fields(response, schemas)}</tr>"
    yield "</table>"


def _what(described: dict[str, Any]) -> str:
    """What a parameter is for, with an example."""
    example = f" Example: {described['examples'][0]}" if described.get("examples") else ""
    return f"{described.get('description', '')}{example}"


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


def _fields(response: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The keys of an answer."""
    for content in response.get("content", {}).values():
        names = _resolved(content["schema"], schemas).get("properties", {})
        return f" <code>{{{escape(', '.join(names))}}}</code>" if names else ""
    return ""


def _kind(schema: dict[str, Any]) -> str:
    """The type of a value in words.

    >>> _kind({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'integer from 1'
    """
    choices = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    chosen = choices[0] if choices else {}
    least = f" from {chosen['minimum']}" if "minimum" in chosen else ""
    most = f" to {chosen['maximum']}" if "maximum" in chosen else ""
    return f"{chosen.get('type', '')}{least}{most}"
