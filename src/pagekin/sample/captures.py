"""From a document to the records that a crawler wrote when it met it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from pagekin.sample.documents import Document
from pagekin.sample.layouts import laid_out
from pagekin.sample.responses import response
from pagekin.sample.sites import Page, Web
from pagekin.sample.warc_writer import HTTP_REQUEST, Record, payload_digest

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


def fetched_url(page: Page) -> str:
    """Where the crawler found the page; for a few, an address that only names the preferred one."""
    if page.role == "variant":
        return page.url + ("&" if "?" in page.url else "?") + "view=plain"
    return page.url


def date(web: Web, number: int, days: int = 0) -> str:
    """When the page of this number was fetched: from the seed, not from the clock."""
    start = datetime(2004, 1, 1, tzinfo=UTC) + timedelta(days=web.dice("date").below(2000) + days)
    return (start + timedelta(seconds=2 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def crawler(web: Web, name: str) -> Record:
    """The record that opens a file."""
    lines = ("software: pagekin sample", "format: WARC File Format 1.1", f"description: seed {web.seed}", "")
    return Record(
        "warcinfo",
        date(web, 0),
        content_type="application/warc-fields",
        payload="\r\n".join(lines).encode(),
        more={"WARC-Filename": name},
    )


def captures(page: Page, document: Document) -> Iterator[Record]:
    """Every record of one page: the page itself, and what else was fetched around it."""
    web, number, url = page.site.web, page.number, fetched_url(page)
    when = date(web, number)
    if page.index == 0:
        yield from _around(page, when)
    main, payload = response(200, document.body, document.content_type, page.dice("response"))
    yield Record("response", when, url, head=main, payload=payload)
    if page.old_url:
        yield _redirect(page, page.old_url, when)
    if number % 40 == 7:
        yield _revisit(web, url, main, payload, when, number)
    if number % 50 == 11 and page.site.topical:
        yield _older(page, url)


def _around(page: Page, when: str) -> Iterator[Record]:
    """What is fetched with a home page: the request, the rules for robots, and what is missing."""
    site, dice = page.site, page.dice("around")
    request = f"GET / HTTP/1.1\r\nHost: {site.host}\r\n\r\n".encode()
    yield Record("request", when, site.root, HTTP_REQUEST, head=request)
    head, body = response(200, b"User-agent: *\nDisallow:\n", "text/plain", dice)
    yield Record("response", when, f"{site.root}robots.txt", head=head, payload=body)
    if site.slot % 3 == 0:
        head, body = response(404, b"<html><body><h1>Not found</h1></body></html>", "text/html", dice)
        yield Record("response", when, f"{site.root}about.html", head=head, payload=body)


def _redirect(page: Page, old_url: str, when: str) -> Record:
    status = 302 if page.index % 2 else 301
    location = page.url if page.index % 4 else "/" + page.path
    head, body = response(status, b"", "text/html", page.dice("redirect"), location)
    return Record("response", when, old_url, head=head, payload=body)


def _revisit(web: Web, url: str, head: bytes, payload: bytes, when: str, number: int) -> Record:
    """A second visit that found the same bytes: the head alone, and where the payload is."""
    more = {
        "WARC-Profile": SAME_PAYLOAD,
        "WARC-Refers-To-Target-URI": url,
        "WARC-Refers-To-Date": when,
        "WARC-Payload-Digest": payload_digest(payload),
    }
    return Record("revisit", date(web, number, days=30), url, head=head, more=more)


def _older(page: Page, url: str) -> Record:
    """An earlier capture of the same address, when the page was not yet written."""
    html = laid_out(page, page.title, "<p>This page is under construction.</p>")
    head, body = response(200, html.encode(), "text/html; charset=utf-8", page.dice("older"))
    return Record("response", date(page.site.web, page.number, days=-90), url, head=head, payload=body)
