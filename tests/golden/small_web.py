"""A web of some thirty pages on three sites and three subjects, with a copy, a redirect and a page never fetched."""

from __future__ import annotations

from pathlib import Path

WORDS = {
    "bees": "hive honey swarm queen drone comb nectar pollen wax smoker frame brood keeper meadow clover sting colony",
    "boats": "hull keel mast sail rudder anchor harbour tiller deck rigging buoy tide sailor varnish oar mooring knot",
    "bread": "flour yeast dough oven crust crumb rye loaf knead starter proof salt baker wheat bran crackle sourdough",
}
SITES = ("http://garden.example", "http://shore.example", "http://kitchen.test")
PAGES_A_SITE = 9
COPIES = ("http://garden.example/lost.html", "http://shore.example/found.html")
NEVER_FETCHED = "http://kitchen.test/unseen.html"
MOVED = ("http://shore.example/old-boats", "http://shore.example/boats-1.html")
HOSTILE_TITLE = "\x1b[31m[bold]Red[/bold] :bee: \x9b5n\u202egnol\x07"
HOSTILE = "http://garden.example/hostile.html"


def small_web() -> dict[str, str]:
    """The HTML of each page by its address; no page is like another but for the copies."""
    pages = {}
    for site_number, site in enumerate(SITES):
        for number in range(PAGES_A_SITE):
            subject = list(WORDS)[number % 3]
            pages[f"{site}/{subject}-{number}.html"] = _page(subject, site_number, number)
    pages |= {url: f"<title>Lost</title><p>{_sentence('bees', 5)} {_sentence('boats', 2)}" for url in COPIES}
    pages[HOSTILE] = f"<title>{HOSTILE_TITLE}</title><p>{_sentence('bees', 3)} {_sentence('bees', 8)}"
    return pages


def _page(subject: str, site_number: int, number: int) -> str:
    place = 3 * number + 5 * site_number
    sentences = "".join(f"<p>{_sentence(subject, place + 4 * i)}</p>" for i in range(4))
    other = SITES[(site_number + 1) % 3]
    links = f'<a href="{other}/{subject}-{number}.html">{_sentence(subject, place + 1)}</a>'
    if subject == "bread":
        links += f' <a href="{NEVER_FETCHED}">an unseen sourdough starter</a>'
    return f"<html lang=en><title>{subject.title()} {number}</title>{sentences}<p>{links}"


def _sentence(subject: str, place: int) -> str:
    """Seven words of a subject, which depend on the place."""
    words = WORDS[subject].split()
    return "The " + " ".join(words[(place + i * (1 + place % 5)) % len(words)] for i in range(7)) + "."


def write_small_web(path: Path, pages: dict[str, str] | None = None) -> Path:
    """Write pages, or all of the small web with its redirect, as one WARC file."""
    records = [_record(url, "200 OK", html) for url, html in (small_web() if pages is None else pages).items()]
    if pages is None:
        records.append(_record(MOVED[0], f"301 Moved\r\nLocation: {MOVED[1]}", ""))
    path.write_bytes(b"".join(records))
    return path


def _record(url: str, status: str, html: str) -> bytes:
    body = html.encode("utf-8")
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
    block = head.encode() + body
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:small:{url}>",
        "WARC-Date": "2020-01-01T00:00:00Z",
        "WARC-Target-URI": url,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return b"WARC/1.0\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n"
