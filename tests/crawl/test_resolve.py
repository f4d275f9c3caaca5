"""The batch resolver against `canonical_url`, which it must equal to the byte."""

from __future__ import annotations

import doctest
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.crawl import resolve
from pagekin.crawl.resolve import resolve_links
from pagekin.crawl.urls import MAX_URL_BYTES, canonical_url, page_id

BASES = [
    "http://x.com/a/b/c.html?d=1&utm_source=2#e",
    "https://x.com",
    "HTTPS://WWW.Y.org:443/a/",
    "http://x.com:8080/a//b;jsessionid=1/%7euser/",
    "http://x.com/a/../..",
    "http://x.com/a/%2e%2E/b/.;jsessionid=1/c",
    "http://jo:secret@x.com/a/",
    "http://127.0.0.1/é/",
    "http://[::1]/?q",
    " http://bücher.de/\tä ",
    "http://x.com/index.html?b&a&gclid=1",
    "http://x.com/" + "é" * 300 + "/#" + "a" * 500,
    "http://x.com/" + "a" * 3000 + "/b",
    "http://x.com/#" + "é" * 1500,
    "http://x.com/\ud800/a",
    "mailto:no@base",
    "",
]

HREFS = [
    *("", " ", "#", "#a b\n", "?", "?b=2&a=1", "?&&", "?UTM_x=1", "?a=b#c", "?'\"<>`{|}^\\", "?é=%c3%a9"),
    *("a", "a/", "./a", "../a", "../../../a", "..", ".", "../", "a/..", "a/.", "%2e%2e/a", ".%2E", "..a"),
    *("/", "/a", "//", "//x", "///x", "/\\x", "\\x", "/a//b//", "/a//../b", "a/b/../../../c/./d/..", ".a/.b"),
    *("//Z.net/A/?B", "//z.net:80", "//z.net?a", "...", "HTTP://A_b.C-d/E", "http://z.net#a/b?c"),
    *("http:", "http:a", "http:/a", "http://", "http:///a", "https:a", "https://z.net:443/", "http://z.net:443/"),
    *("http://z.net:0/", "http://z.net:080/", "http://z.net:65536/", "http://z.net:/", "http://z.net:8a/"),
    *("http://z.net:8080", "http://u@z.net/", "http://1.2.3/", "http://a.0x/", "http://1a.b1/", "http://z.net./"),
    *("http://a..b/", "http://xn--a.b/", "http://a.XN--bcher-kva/", "http://a%2eb/", "http://[::1]/"),
    *("http://é.de/", "http://a b/", "http://a\tb/", "http://z.net\\a", "http://axn--b.c/", "http://xn-a.b/"),
    *("mailto:a@b.c", "javascript:void(0)", "data:text/html,a\nb", "TEL:1", "a:b", "1:b", "a+b-c.d:e"),
    *("-a:b", "//z.net:81#a", ".;jsessionid=1", "?c&b&a&gclid=1&=&fbclid"),
    *("ftp://z/", "ja\tvascript:a", "a\nb", "/\t/z.net", "a\\b", "a?b\\c", "a?b\nc", "a#b\\c", "a b", "a'b"),
    *('a"<>^`{|}b', "a[b]", "a\x00b", "a\x7fb", "\x00a\x1f", "é", "日本/\U0001f600", "\ufffd"),
    *("%", "%a", "%zz", "%7e%7E%41%2f%2F", "%%37e", "%2", "%2?", "a%c3%a9", "%é1"),
    *("index.html", "a/INDEX.php", "/index.html/index.htm/", "index.html?a", "index.html?utm_=1"),
    *("/default.aspx#a", "xindex.html", "index.htmlx", "/a/index.html//", "index%2ehtml"),
    *("a;jsessionid=1", "a;JSessionID=1;b", "a;jsessionid=1/b", ";jsessionid=1", "a;jsessionid"),
    *("a;b/..", "//z.net/index.jsp", "?a=" + "%41" * 1300 + "&utm_a=b"),
    *("..;jsessionid=1/a", "a;jsessionid=1?b", "index.html;jsessionid=1", "%3bjsessionid=1"),
    *("?b&a", "?a=2&a=1&a", "?a=1&a=1", "?gclidx=1&xgclid=1&Gclid"),
    "?utm%5fa&b",
    *("?a=utm_b", "a/?b", "a//?b&a", "./?b", "/" + "a" * MAX_URL_BYTES, "/" + "é" * 1000, "/" + "é" * 600),
    "?" + "&".join(f"p{k}" for k in range(100, 0, -1)),
]


def resolved(bases: Sequence[str], hrefs: Sequence[tuple[int, bytes]]) -> list[tuple[str, int]]:
    """What `resolve_links` says of each (base, href), with something else between any two of them."""
    text = b"%".join(href for _, href in hrefs)
    last = np.cumsum([len(href) + 1 for _, href in hrefs], dtype=np.int64) - 1
    first = last - np.array([len(href) for _, href in hrefs], np.int64)
    link_base = np.array([base for base, _ in hrefs], np.int32)
    links = resolve_links(bases, link_base, np.frombuffer(text, np.uint8), first, last)
    urls = [
        links.url_bytes[start:end].tobytes().decode("ascii")
        for start, end in zip(links.url_offsets[:-1], links.url_offsets[1:], strict=True)
    ]
    return list(zip(urls, links.page.tolist(), strict=True))


def expected(bases: Sequence[str], hrefs: Sequence[tuple[int, bytes]]) -> list[tuple[str, int]]:
    urls = [canonical_url(href.decode("utf-8", "replace"), bases[base]) for base, href in hrefs]
    return [(url, page_id(url)) for url in urls]


def test_examples() -> None:
    assert doctest.testmod(resolve).failed == 0


@pytest.mark.parametrize("base", BASES)
def test_tricky_links(base: str) -> None:
    hrefs = [(0, href.encode()) for href in HREFS]
    for found, wanted, href in zip(resolved([base], hrefs), expected([base], hrefs), HREFS, strict=True):
        assert found == wanted, (base, href)


def test_most_tricky_links_are_not_uncommon(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(resolve, "canonical_url", lambda href, base: calls.append(href) or "")
    resolved(BASES[:1], [(0, href.encode()) for href in HREFS])
    assert len(calls) < len(HREFS) / 3
    assert not {"", "../a", "/a//b//", "?b=2&a=1", "HTTP://A_b.C-d/E", "a b", "é", "TEL:1"} & set(calls)


def test_an_uncommon_link_is_resolved_once_a_base(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(resolve, "canonical_url", lambda href, base: calls.append(href) or "http://z/")
    resolved(BASES[:2], [(0, b"a\\b"), (1, b"a\\b"), (0, b"c"), (0, b"a\\b")])
    assert calls == ["a\\b", "a\\b"]


def test_bytes_that_are_not_utf8_become_replacement_characters() -> None:
    broken = b"\xff", b"a\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80"
    hrefs = [(0, href) for href in broken]
    assert resolved(BASES, hrefs) == expected(BASES, hrefs)


def test_nothing_to_resolve() -> None:
    assert resolved(BASES, []) == resolved([], []) == []


PIECES = [
    *("/", "//", ".", "..", "?", "&", "=", "#", "%", "%2e", "%7E", "%4", ";", ":", "@", "\\", " ", "\n"),
    *("a", "B", "z0", "-", "\t", "_", "é", "\x00", "\x7f", "'", "|", "^", ":80", ":443", "http", "https", "://"),
    *("x.com", "1", "0x", "xn--", "index.html", "default.asp", ";jsessionid=", "utm_", "gclid=", "a=", "b"),
]
STARTS = st.sampled_from(["http://x.com/", "//x.com", "https://", "/", "?", "a/"])
LINKS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
    st.text(max_size=20),
    st.tuples(STARTS, st.text("/.?&=%;#aA2eE", max_size=20)).map("".join),
).map(lambda link: link.encode("utf-8", "replace"))
BASE_NUMBERS = st.integers(0, len(BASES) - 1)


@settings(deadline=None)
@given(st.lists(st.tuples(BASE_NUMBERS, st.one_of(LINKS, st.binary(max_size=8))), max_size=20))
def test_links_of_any_form(hrefs: list[tuple[int, bytes]]) -> None:
    assert resolved(BASES, hrefs) == expected(BASES, hrefs)


@settings(deadline=None)
@given(LINKS, LINKS)
def test_bases_of_any_form(base: bytes, href: bytes) -> None:
    bases = ["http://x.com/" + base.decode(), "http://" + base.decode(), base.decode()]
    hrefs = [(k, href) for k in range(3)]
    assert resolved(bases, hrefs) == expected(bases, hrefs)
