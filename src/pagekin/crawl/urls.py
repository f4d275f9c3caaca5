"""One spelling for each page's address, so that all links to a page meet.

A page is known by its canonical URL: the form the WHATWG URL standard gives it (by ada-url), with the
normalisation that Shen and others use for crawls on top, since one page is linked to as `/a`, `/a/` and
`/a/index.html?utm_source=x`. This module is the plain truth; `resolve.py` does the same for whole batches.

The canonical form has no userinfo, default port, fragment, tracking parameter, `;jsessionid`, index file
(unless a query follows it), repeated slash or slash at the end of its path. Its parameters are sorted, and
each byte has one spelling: plain if unreserved (RFC 3986, 2.3), else as WHATWG leaves it or `%XX`.
The scheme is kept, for the URL must still lead somewhere, but it is no part of what tells two pages apart:
crawls mix `http` and `https`, and a link to the old address counts for the page.
"""

from __future__ import annotations

import re
from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

from pagekin.hashing import hash_text

# No page worth having has a longer address; data: URLs and broken pages do.
MAX_URL_BYTES = 4096

# Parameters that say where a visitor came from or who he is, never which page it is; in lower case.
# `sid`, `ref`, `source`, `id` and their like are left out: on too many sites they choose the page.
TRACKING_PREFIX = "utm_"
TRACKING_PARAMETERS = frozenset(
    {
        *("_ga", "_gl", "dclid", "gbraid", "gclid", "gclsrc", "srsltid", "wbraid"),  # Google
        *("fbclid", "igshid", "li_fat_id", "msclkid", "ttclid", "twclid", "yclid"),  # other networks
        *("_hsenc", "_hsmi", "mc_cid", "mc_eid", "mkt_tok", "wickedid"),  # newsletters
        *("cfid", "cftoken", "jsessionid", "phpsessid"),  # sessions
    }
)

INDEX_FILES = frozenset(
    {
        *("index.html", "index.htm", "index.shtml", "index.php", "index.asp", "index.aspx", "index.jsp"),
        *("default.html", "default.htm", "default.asp", "default.aspx"),
    }
)

_ESCAPE_OR_PERCENT = re.compile("%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SESSION = re.compile(";jsessionid=[^;]*", re.IGNORECASE)
_SLASHES = re.compile("//+")
_SUFFIXES = PublicSuffixList()


def canonical_url(url: str, base: str | None = None) -> str:
    """The one spelling of a page's address, read against `base`; empty if it leads to no web page.

    >>> canonical_url("HTTP://Example.com:80/%7ejo/./index.html?utm_source=news#top")
    'http://example.com/~jo'
    >>> canonical_url("../b/?y=2&&x=1", "http://example.com/a/c/d.html")
    'http://example.com/a/b?x=1&y=2'
    >>> canonical_url("mailto:jo@example.com")
    ''
    """
    scheme, host, path, query = _parts(_whatwg_href(url, base))
    if not host:
        return ""
    query = _canonical_query(query)
    path = _canonical_path(path, has_query=bool(query))
    canonical = f"{scheme}://{host}{path}?{query}" if query else f"{scheme}://{host}{path}"
    return canonical if len(canonical) <= MAX_URL_BYTES else ""


def document_url(url: str, base: str | None = None) -> str:
    """The address in plain WHATWG form, against which a page's own links are read; empty if not http(s).

    A base that is itself no http(s) address counts as none. The slash at the end stays: links depend on it.

    >>> document_url("http://Example.com/a/b/../index.html")
    'http://example.com/a/index.html'
    >>> document_url("../docs/", "http://example.com/a/b")
    'http://example.com/docs/'
    """
    href = _whatwg_href(url, base)
    return href if len(href) <= MAX_URL_BYTES else ""


def page_id(canonical: str) -> int:
    """The page at a canonical URL: the hash of what follows its scheme; 0 for no URL.

    >>> page_id("http://example.com/a") == page_id("https://example.com/a")
    True
    """
    return hash_text(canonical.partition("://")[2]) if canonical else 0


def host_of(canonical: str) -> str:
    """The host of a canonical URL, without its port.

    >>> host_of("http://www.example.com:8080/a")
    'www.example.com'
    """
    authority = _parts(canonical)[1]
    return authority if authority.endswith("]") else re.sub(":[0-9]*$", "", authority)


def site_of(canonical: str) -> str:
    """The registrable domain by the public-suffix list, its private part included; else the bare host.

    >>> site_of("http://news.bbc.co.uk/"), site_of("http://jo.github.io/"), site_of("http://10.0.0.1/")
    ('bbc.co.uk', 'jo.github.io', '10.0.0.1')
    """
    return _site_of_host(host_of(canonical))


@lru_cache(maxsize=1 << 16)
def _site_of_host(host: str) -> str:
    last_label = host.rpartition(".")[2]
    if host.startswith("[") or last_label.isdigit():
        return host
    return _SUFFIXES.privatesuffix(host) or host


def _whatwg_href(url: str, base: str | None) -> str:
    base = document_url(base) if base else ""
    url = _scalar_values(url)
    if len(url.encode()) > MAX_URL_BYTES:
        return ""
    try:
        href: str = ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
    except ValueError:
        return ""
    return href if href.startswith(("http://", "https://")) else ""


def _scalar_values(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, as the standard reads any string."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _parts(url: str) -> tuple[str, str, str, str]:
    """Scheme, host with port, path and query of a URL in WHATWG form."""
    scheme, _, rest = url.partition("#")[0].partition("://")
    rest, _, query = rest.partition("?")
    authority, slash, path = rest.partition("/")
    return scheme, authority.rpartition("@")[2], slash + path, query


def _plain_escapes(text: str) -> str:
    """Each byte in its one spelling: unreserved ones plain, other escapes in upper case, a stray % as %25.

    >>> _plain_escapes("%7euser/%c3%a9/100%")
    '~user/%C3%A9/100%25'
    """
    return _ESCAPE_OR_PERCENT.sub(_plain_escape, text) if "%" in text else text


def _plain_escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return "%25"
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _canonical_path(path: str, has_query: bool) -> str:
    segments = [_without_session(segment) for segment in _plain_escapes(path).split("/")]
    path = _SLASHES.sub("/", "/".join(segments)).rstrip("/")
    while not has_query and path.rpartition("/")[2].lower() in INDEX_FILES:
        path = path.rpartition("/")[0]
    return path or "/"


def _without_session(segment: str) -> str:
    """The segment without `;jsessionid=`, unless a dot segment were left, which would mean another path."""
    rest = _SESSION.sub("", segment)
    return segment if rest in (".", "..") else rest


def _canonical_query(query: str) -> str:
    parameters = _plain_escapes(query).split("&")
    return "&".join(sorted(p for p in parameters if p and not _tracks(p.partition("=")[0].lower())))


def _tracks(name: str) -> bool:
    return name.startswith(TRACKING_PREFIX) or name in TRACKING_PARAMETERS
