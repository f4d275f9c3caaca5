"""Crawls, addresses, queries and files that mean harm: read, set aside or refused, and nothing else."""

from __future__ import annotations

import gzip
import io
import random
import socket
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults import Fault, Outcome, Try

from pagekin.builder import build
from pagekin.crawl.captures import read_captures
from pagekin.crawl.inputs import find_splits
from pagekin.crawl.urls import canonical_url, page_id, site_of
from pagekin.engines.local import LocalEngine
from pagekin.errors import PagekinError
from pagekin.evaluation.directory import read_entries
from pagekin.exports.comma_separated import csv_lines
from pagekin.exports.rows import Neighbour, PageRow
from pagekin.query_language.parser import parse_query
from pagekin.query_language.printing import query_text
from pagekin.query_language.simplify import simplified
from pagekin.sample.warc_writer import Record, WarcWriter
from pagekin.settings import CrawlSettings

sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "query_language"))

from generated import random_query
from small_web import write_small_web

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
Dice = random.Random
Reader = Callable[[bytes, Path], None]


# --- fuzzing ------------------------------------------------------------------------------------------------


def mutated(data: bytes, dice: Dice, snippets: tuple[bytes, ...]) -> bytes:
    """Bytes with a few changes: flipped, cut, repeated, moved, or with what readers stumble over put in."""
    text = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        at = dice.randrange(len(text) + 1)
        kind = dice.randrange(5)
        if kind == 0 and at < len(text):
            text[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del text[at : at + dice.choice((1, 4, 64, 4096))]
        elif kind == 2:
            text[at:at] = dice.choice(snippets)
        elif kind == 3:
            first = dice.randrange(len(text) + 1)
            text[at:at] = text[first : first + dice.choice((1, 16, 512))] * dice.choice((1, 2, 30))
        else:
            text[at : at + 8] = dice.randbytes(dice.choice((1, 8)))
    return bytes(text)


def fuzzed(seed_data: Callable[[Path], list[bytes]], snippets: tuple[bytes, ...], read: Reader) -> Try:
    """Tries a reader with mutated data: it may give what it likes or raise PagekinError, and must end."""

    def run(tries: int, folder: Path, seed: int) -> Outcome:
        dice, outcome, grown = random.Random(seed), Outcome(), seed_data(folder)
        for number in range(tries):
            data = mutated(dice.choice(grown), dice, snippets)
            if number % 7 == 0 and len(data) < 1 << 16:
                grown.append(data)
                grown[:] = grown[-200:]
            outcome.add(_read(read, data, folder, number))
        return outcome

    return run


def _read(read: Reader, data: bytes, folder: Path, number: int) -> str:
    begun = time.process_time()
    try:
        read(data, folder)
    except PagekinError:
        pass
    except Exception as fault:
        return f"try {number}: {fault!r} for {data[:200]!r}"
    seconds = time.process_time() - begun
    return f"try {number}: {seconds:.0f} seconds for {data[:200]!r}" if seconds > 20 else ""


_WARC = (b"WARC/1.0\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n", b"\r\n\r\n", b"\0",
         b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n", b"ffffffff\r\n", b"WARC-Type: ")  # fmt: skip
_HTML = (b"<", b">", b"<!--", b"<a href=", b"&#x110000;", b"&#", b"</", b"<script>", b"\xff\xfe", b"\xed\xa0\x80", b'"',
         b"<title>", b"<style>", b"<meta charset=utf-16>", b"<base href=//[::1>", b"\xf4\x90\x80\x80",
         b"<p " + b"a=b " * 99)  # fmt: skip
_URL = (
    b"http://",
    b"//",
    b"[::1]",
    b"@",
    b"%00",
    b"%",
    b"\\",
    b"..",
    b"xn--",
    b":99999",
    b"\xe2\x80\xae",
    b"?",
    b"#",
    b"\t",
)
_QUERY = (
    b'"',
    b"(",
    b")",
    b"~",
    b"*",
    b"?",
    b":",
    b"OR ",
    b"NOT ",
    b"NEAR/",
    b"^",
    b"site:",
    b"date:",
    b"url:",
    b"-",
    b"=",
)


def _warcs(folder: Path) -> list[bytes]:
    plain = write_small_web(folder / "small.warc").read_bytes()[:6000]
    return [plain, gzip.compress(plain[:3000], mtime=0) + gzip.compress(plain[3000:], mtime=0)]


def read_warc_bytes(data: bytes, folder: Path) -> None:
    """All captures of a file."""
    path = folder / "fuzzed.warc"
    path.write_bytes(data)
    settings = CrawlSettings()
    for split in find_splits([str(path)], settings)[0]:
        for _ in read_captures(split, settings):
            pass


def scan_html(data: bytes, folder: Path) -> None:
    """A page through the scanner, with what follows from its words and links."""
    from pagekin.query.question import scanned_page

    scanned_page(data)


def read_address(data: bytes, folder: Path) -> None:
    """An address, whose canonical form is stable."""
    url = canonical_url(data.decode("utf-8", "replace"))
    assert canonical_url(url) == url, "a canonical address has another canonical address"
    page_id(url), site_of(url)


def read_query(data: bytes, folder: Path) -> None:
    """A query, which is read back as it is printed."""
    node = simplified(parse_query(data.decode("utf-8", "replace")))
    assert simplified(parse_query(query_text(node))) == node, "a query is printed as another"


def _pages(folder: Path) -> list[bytes]:
    from small_web import small_web

    return [page.encode() for page in list(small_web().values())[:5]]


def _urls(folder: Path) -> list[bytes]:
    return [
        b"http://user:pw@www.example.org:8080/a/../b%20c?q=1&r=2#top",
        b"https://[2001:db8::1]/x",
        b"HTTP://EXAMPLE.ORG",
    ]


def _queries(folder: Path) -> list[bytes]:
    return [random_query(random.Random(n), ["honey", "bees", "hive"]).encode() for n in range(40)]


# --- bombs and traps ----------------------------------------------------------------------------------------


def _warc(folder: Path, body: bytes, head: bytes = HEAD) -> Path:
    with WarcWriter(folder / "trap.warc.gz", "trap") as warc:
        warc.write(Record("response", "2020-01-01T00:00:00Z", "http://trap.test/", head=head, payload=body))
    return folder / "trap.warc.gz"


def _bomb(folder: Path) -> Path:
    head = HEAD[:-2] + b"Content-Encoding: gzip\r\n\r\n"
    return _warc(folder, gzip.compress(bytes(200 << 20), 1), head)


def _zip_bomb(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "trap.wacz", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("archive/a.warc", b"WARC/1.0\r\n" + b" " * (100 << 20))
    return folder / "trap.wacz"


def _traversal(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "trap.wacz", "w") as zipped:
        record = _warc(folder, b"<p>a page").read_bytes()
        for name in (
            "../../escaped.warc.gz",
            "/escaped.warc.gz",
            "archive/../../escaped.warc.gz",
            "archive/ok.warc.gz",
        ):
            zipped.writestr(name, record)
    return folder / "trap.wacz"


_SCRIPT = b"<p>" + b"a" * 30_000 + b"!"
TRAPS: dict[str, Callable[[Path], Path]] = {
    "a body that inflates to 200 MB": _bomb,
    "a WACZ that inflates to 100 MB": _zip_bomb,
    "names in a WACZ that lead outside": _traversal,
    "a page of 100,000 links": lambda f: _warc(f, b"".join(b"<a href=/%d>l</a>" % n for n in range(100_000))),
    "a word of a megabyte": lambda f: _warc(f, b"<p>" + b"x" * (1 << 20)),
    "a million open tags": lambda f: _warc(f, b"<div>" * 1_000_000),
    "text that slow patterns stumble over": lambda f: _warc(
        f, b"<meta charset=" + b" " * 50_000 + b"<!doctype" + b" " * 50_000 + b"<html lang=" + b"a-" * 50_000 + _SCRIPT
    ),
}


def trapped(tries: int, folder: Path, seed: int) -> Outcome:
    """Builds an index of each trap, in a folder in which nothing else may appear."""
    outcome = Outcome()
    names = list(TRAPS) * (1 + tries // len(TRAPS)) if tries >= len(TRAPS) else list(TRAPS)[2:]
    for number, name in enumerate(names[:tries]):
        inside = folder / f"trap-{number}" / "inside" / "deep"
        inside.mkdir(parents=True)
        begun = time.process_time()
        build(TRAPS[name](inside), inside / "a.kin", engine=LocalEngine(workers=1))
        said = f"{time.process_time() - begun:.0f} seconds" if time.process_time() - begun > 120 else ""
        outside = [path for path in (folder / f"trap-{number}").rglob("*escaped*")]
        outcome.add(f"{name}: {said}{outside}" if said or outside else "")
    return outcome


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def laughed(tries: int, folder: Path, seed: int) -> Outcome:
    """Directories in RDF that swell, or that name files and servers."""
    outcome = Outcome()
    declared = [
        f'<!ENTITY l0 "ha">{LAUGHS}',
        '<!ENTITY l9 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % l9 SYSTEM "http://127.0.0.1:9/x.dtd"> %l9;',
    ]
    for number in range(tries):
        path = folder / "content.rdf.u8"
        body = '<ExternalPage about="http://a.test/"><topic>Top/&l9;</topic></ExternalPage>'
        path.write_text(f'<!DOCTYPE RDF [{declared[number % 3]}]><RDF xmlns:r="x">{body}</RDF>', "utf-8")
        try:
            outcome.add(f"read: {list(read_entries(path))}")
        except PagekinError as refusal:
            outcome.add("" if "declares an entity" in str(refusal) else str(refusal))
    return outcome


# --- what must not leave ------------------------------------------------------------------------------------


class Watched:
    """Notes every address that this process would connect to or ask a name server for."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def __enter__(self) -> Watched:
        self._kept = socket.socket.connect, socket.getaddrinfo
        socket.socket.connect = self._refuse  # type: ignore[assignment,method-assign]
        socket.getaddrinfo = self._refuse  # type: ignore[assignment]
        return self

    def __exit__(self, *_: object) -> None:
        socket.socket.connect, socket.getaddrinfo = self._kept  # type: ignore[method-assign]

    def _refuse(self, *what: object, **_: object) -> Any:
        self.asked.append(what)
        raise OSError("nothing is fetched")


def requested(tries: int, folder: Path, seed: int) -> Outcome:
    """Builds and asks with addresses of servers inside, as a crawl and a client may name them."""
    from starlette.testclient import TestClient

    from pagekin.server.app import create_app

    inner = ("http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:22/", "file:///etc/passwd", "http://[::1]/")
    links = "".join(f'<a href="{url}">x</a><img src="{url}"><link rel=canonical href="{url}">' for url in inner)
    crawl = _warc(folder, f'<base href="{inner[0]}"><meta http-equiv=refresh content="0;{inner[1]}">{links}'.encode())
    outcome = Outcome()
    with Watched() as watched:
        build(crawl, folder / "a.kin", engine=LocalEngine(workers=1))
        with TestClient(create_app(folder / "a.kin")) as client:
            for number in range(tries):
                url = inner[number % len(inner)]
                for path in ("/api/related", "/api/page", "/related", "/page", "/embed.json"):
                    client.get(path, params={"url": url})
                client.post("/api/related", json={"html": f'<iframe src="{url}">'})
                outcome.add(f"asked for {watched.asked}" if watched.asked else "")
    return outcome


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", '=HYPERLINK("http://evil.test/")')


def formulas(tries: int, folder: Path, seed: int) -> Outcome:
    """Titles that a spreadsheet would run."""
    import csv

    dice, outcome = random.Random(seed), Outcome()
    for number in range(tries):
        title = FORMULAS[number % len(FORMULAS)] + "".join(chr(dice.randrange(1, 300)) for _ in range(number % 9))
        row = PageRow("http://a.test/", title, (Neighbour(1, "http://b.test/", title, 0.5),))
        cells = list(csv.reader(io.StringIO("".join(csv_lines([row])), newline="")))[1]
        run = [cell for cell in (cells[1], cells[4]) if cell.lstrip(" ")[:1] in "=+-@\t\r\n＝＋－＠"]
        outcome.add(f"{title!r} would be run" if run else "")
    return outcome


SURVIVED = "read, set aside or refused, in bounded time"
READ_WARC, READ_PAGE = fuzzed(_warcs, _WARC, read_warc_bytes), fuzzed(_pages, _HTML, scan_html)
READ_URL, READ_QUERY = fuzzed(_urls, _URL, read_address), fuzzed(_queries, _QUERY, read_query)
TRAPPED = "bombs, huge pages, names that lead outside"
FAULTS = (
    Fault("hostile", "mutated WARC files", SURVIVED, 300, 1_000_000, READ_WARC),
    Fault("hostile", "mutated HTML pages", SURVIVED, 200, 100_000, READ_PAGE),
    Fault("hostile", "mutated addresses", f"{SURVIVED}; canonical forms are stable", 2000, 2_000_000, READ_URL),
    Fault("hostile", "mutated queries", f"{SURVIVED}; printed as they were read", 1000, 1_000_000, READ_QUERY),
    Fault("hostile", TRAPPED, f"{SURVIVED}; nothing is written elsewhere", 2, 7, trapped),
    Fault("hostile", "entities in a directory (billion laughs)", "refused", 3, 300, laughed),
    Fault("hostile", "addresses of inner servers in crawls and requests", "nothing is fetched", 8, 100, requested),
    Fault("hostile", "formulas in titles, exported as CSV", "no cell is a formula", 50, 20_000, formulas),
)
