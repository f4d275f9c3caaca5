"""Canonical URLs: one spelling a page, and the same spelling again for a canonical URL."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.crawl import urls
from pagekin.crawl.urls import MAX_URL_BYTES, canonical_url, document_url, host_of, page_id, site_of

PIECES = [
    *("http", "https", "://", ":", "/", "//", "\\", "?", "#", "&", "=", ".", "..", "/../", "/./", ";", "@"),
    *("%", "%2e", "%2E", "%7e", "%25", "%zz", "%c3%a9", "é", "ß", "。", "\u00ad", "\ud800", "<", "'", "|"),
    *("jsessionid", ";jsessionid=", "index.html", "Index.PHP", "default.asp", "utm_source=", "GCLID=1"),
    *("a", "B", "x.com", "www.", ":80", ":0", "[::1]", "1.2", "0x", "xn--", " ", "\t", "\n", "\x00", "\x7f"),
]
URL_SHAPED = st.builds(
    lambda start, pieces: start + "".join(pieces),
    st.sampled_from(["", "http://", "http://x.com/", "https://a.b:81/", "http://x.com/?"]),
    st.lists(st.sampled_from(PIECES), max_size=12),
)
BASES = st.sampled_from([None, "http://x.com/a/b/c?d#e", "https://u:p@Y.com:443/a/", "http://x.com//b", "no"])


def test_examples() -> None:
    assert doctest.testmod(urls).failed == 0


@settings(deadline=None)
@given(st.one_of(st.text(), URL_SHAPED), BASES)
def test_canonical_urls_are_stable(url: str, base: str | None) -> None:
    canonical = canonical_url(url, base)
    assert canonical_url(canonical) == canonical
    assert canonical.isascii()


@settings(deadline=None)
@given(st.one_of(st.text(), URL_SHAPED), BASES)
def test_document_urls_are_stable_and_lead_to_the_same_page(url: str, base: str | None) -> None:
    document = document_url(url, base)
    assert document_url(document) == document
    assert canonical_url(document) == canonical_url(url, base)


@settings(deadline=None)
@given(st.one_of(st.text(), URL_SHAPED))
def test_every_url_has_a_site_that_ends_its_host(url: str) -> None:
    canonical = canonical_url(url)
    assert host_of(canonical).rstrip(".").endswith(site_of(canonical).rstrip("."))


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("http://x.com", "http://x.com/"),
        ("http://x.com/a/", "http://x.com/a"),
        ("http://x.com/a/index.html", "http://x.com/a"),
        ("http://x.com/Default.aspx", "http://x.com/"),
        ("http://x.com/index.html/index.htm", "http://x.com/"),
        ("http://x.com/index.php?page=2", "http://x.com/index.php?page=2"),
        ("http://x.com/index.php?utm_medium=a", "http://x.com/"),
        ("http://x.com/a//b///", "http://x.com/a/b"),
        ("http://x.com/a/b/../c/./d", "http://x.com/a/c/d"),
        ("http://x.com/a;jsessionid=1F?x", "http://x.com/a?x"),
        ("http://x.com/a;v=1;JSESSIONID=2;w/b", "http://x.com/a;v=1;w/b"),
        ("http://x.com/a/..;jsessionid=1", "http://x.com/a/..;jsessionid=1"),
        ("http://x.com/?b=2&a=1&b=1&&", "http://x.com/?a=1&b=1&b=2"),
        ("http://x.com/?PHPSESSID=1&sid=2", "http://x.com/?sid=2"),
        ("http://x.com/?utm%5Fsource=1", "http://x.com/"),
        ("http://x.com/?", "http://x.com/"),
        ("http://x.com/%7Ejo/%c3%a9%2f", "http://x.com/~jo/%C3%A9%2F"),
        ("http://x.com/100%/%%37e", "http://x.com/100%25/%257e"),
        ("http://x.com/é?é", "http://x.com/%C3%A9?%C3%A9"),
        ("http://jo:secret@WWW.X.com:80/#top", "http://www.x.com/"),
        ("https://x.com:80/", "https://x.com:80/"),
        ("http://bücher.de/", "http://xn--bcher-kva.de/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        (" ht\ntp:\\\\x.com\\a ", "http://x.com/a"),
        ("ftp://x.com/", ""),
        ("javascript:void(0)", ""),
        ("http://", ""),
        ("/a", ""),
        ("", ""),
    ],
)
def test_canonical_form(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


def test_a_link_to_nowhere_else_leads_to_its_page() -> None:
    assert canonical_url("#top", "http://x.com/a/?b") == canonical_url("", "http://x.com/a/?b") == "http://x.com/a?b"


def test_the_slash_at_the_end_of_a_base_matters() -> None:
    assert canonical_url("c", "http://x.com/a/b/") == "http://x.com/a/b/c"
    assert canonical_url("c", "http://x.com/a/b") == "http://x.com/a/c"


def test_a_base_that_is_no_web_address_counts_as_none() -> None:
    assert canonical_url("http://x.com/a", "no base") == "http://x.com/a"
    assert canonical_url("a", "file:///home/") == ""


def test_addresses_that_are_too_long_are_none() -> None:
    longest = "http://x.com/" + "a" * (MAX_URL_BYTES - 13)
    assert canonical_url(longest) == longest
    assert canonical_url(longest + "a") == ""
    assert canonical_url(longest[:-1] + "é") == ""


def test_a_page_is_the_same_by_http_and_https() -> None:
    assert page_id("http://x.com/a") == page_id("https://x.com/a") != page_id("http://x.com/b")
    assert page_id("") == 0


@pytest.mark.parametrize(
    ("url", "host", "site"),
    [
        ("http://www.bbc.co.uk/", "www.bbc.co.uk", "bbc.co.uk"),
        ("http://co.uk/", "co.uk", "co.uk"),
        ("http://localhost:8080/", "localhost", "localhost"),
        ("http://jo.github.io/", "jo.github.io", "jo.github.io"),
        ("http://127.0.0.1:80/", "127.0.0.1", "127.0.0.1"),
        ("http://[::1]:81/", "[::1]", "[::1]"),
        ("http://[::1]/", "[::1]", "[::1]"),
        ("http://a.xn--bcher-kva.de/", "a.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("", "", ""),
    ],
)
def test_host_and_site(url: str, host: str, site: str) -> None:
    assert (host_of(url), site_of(url)) == (host, site)
