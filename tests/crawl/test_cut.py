"""Cutting: what matches a selector is gone, all else stays, and no page can do harm."""

from __future__ import annotations

import gc
import io
import zipfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from pagekin.crawl.cut import Cutter, Uncut
from pagekin.errors import SettingsError, StepFailed
from pagekin.settings import Settings, read_settings

EMPTY = b"<html><head></head><body></body></html>"
PAGE = b"""<!doctype html><title>Bees &amp; wasps</title><nav><a href=/>home</a></nav>
<div class="note x">a<div class=note>b<p class="note y">c</p></div></div><p id=see>d
<a href="?a=1&amp;b=2" rel=tag>e</a>
<ul class=related><li>f<li>g<ul class=related><li>h</ul></ul><table class=x><tr><td>i<td class=y>j</table>
<svg><g class=x><title>k</title></g></svg><noscript><p class=y>l</p></noscript><pre>

m</pre><p>caf\xc3\xa9 &lt;n&gt;"""
SELECTORS = [
    "nav",
    ".note",
    "ul.related",
    ".x, .y",
    "div, .note, .x, .note.x, p",
    "p, p, p",
    "td.y, table, tr",
    "[rel=tag]",
    'a[href^="?a"]',
    "a[href*='b=2'], #see",
    "ul ul",
    "li > ul",
    "p:not(.note)",
    "div:has(> p)",
    ":is(nav, title)",
    "*",
    "html",
    "head, title",
    "body, body *",
]


@pytest.fixture(scope="module")
def cutters() -> Iterator[dict[str, Cutter]]:
    made = {selector: Cutter(selector) for selector in SELECTORS}
    yield made
    for cutter in made.values():
        cutter.__exit__(None, None, None)


def obviously_without(html: bytes, selector: str) -> str:
    """The same, one element after the other; for selectors that do not count elements."""
    tree = LexborHTMLParser(html)
    while (node := tree.css_first(selector)) is not None:
        if node.tag == "html":
            return "<!DOCTYPE html>"
        node.decompose()
    return tree.html or ""


@pytest.mark.parametrize("selector", [s for s in SELECTORS if s != "div:has(> p)"])
def test_what_is_left_is_what_the_obvious_way_leaves(cutters, selector):
    assert cutters[selector].without(PAGE).decode() == obviously_without(PAGE, selector)


def test_all_are_found_before_the_first_is_cut():
    with Cutter("p:first-child, p:has(b)") as cutter:
        assert cutter.without(b"<div><p>a<p>b<p><b>c</b></div>") == EMPTY.replace(
            b"<body>", b"<body><div><p>b</p></div>"
        )


@pytest.mark.parametrize("html", [b"", b"<p>a", b"a\0b\xff\xfe<b", PAGE + b"\xc3", b"<!-- <i class=q> -->", b"\n"])
def test_a_page_without_a_match_keeps_its_bytes(html):
    with Cutter(".q") as cutter:
        assert cutter.without(html) == html


@pytest.mark.parametrize("selector", [".x", "div, .x", "div div, div, .x, [class]"])
def test_elements_in_one_another_are_cut_once(selector):
    with Cutter(selector) as cutter:
        assert cutter.without(b"<div class=x>a<div class=x>b</div></div>" * 500 + b"<div class=x>" * 500) == EMPTY


def test_bytes_that_are_no_utf8_and_nul_are_no_harm():
    with Cutter("i") as cutter:
        assert cutter.without(b"a\0b\xff<i>c</i>\xc3\xa9") == EMPTY.replace(b"<body>", "<body>ab\ufffdé".encode())


@pytest.mark.parametrize("selector", ["p[", ">p", "p,,q", "p:foo", " ", "p\udce9"])
def test_what_is_no_selector_is_refused_with_an_example(selector):
    with pytest.raises(SettingsError, match=r"crawl.cut cannot be .*: it is no CSS selector, such as ul.related"):
        read_settings(None, [f"crawl.cut={selector}"] if selector.strip() else ['crawl.cut=" "'])


@pytest.mark.parametrize("selector", ["", "p", "#see", "[rel=tag]", "a[href='x'], .y", "div:has(p)", "true|p, *|q"])
def test_a_selector_is_taken_as_it_is(selector):
    assert read_settings(None, [f"crawl.cut={selector}"]).crawl.cut == selector


def test_another_selector_is_another_digest():
    assert read_settings(None, ["crawl.cut=p"]).digest != Settings().digest


def test_an_unchecked_selector_is_no_fault_of_the_pages():
    with Cutter("p[") as cutter, pytest.raises(StepFailed, match=r"crawl.cut = 'p\['"):
        cutter.without(b"<p>a")


DEEP = 1_000_000


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(b"<div>" * DEEP, id="div"),
        pytest.param(b"<template>" * DEEP, id="template"),
        pytest.param(b"<p " + b" ".join(b"a%d" % i for i in range(DEEP)) + b">", id="attributes"),
        pytest.param(b"<table><tr><td>" * (DEEP // 3), id="table"),
        pytest.param(b"<div><object></div></object>" * (DEEP // 4), id="hidden depth"),
        pytest.param(b"<ul><li>" * DEEP, id="list"),
    ],
)
def test_a_hostile_page_is_refused_and_the_next_is_cut(html):
    with Cutter(".x", cpu_seconds=0.5) as cutter:
        with pytest.raises(Uncut, match=r"the parser (took more than 0.5 s|was ended by signal \d+)"):
            cutter.without(b"<i class=x>a</i>" + html)
        assert cutter.without(b"<i class=x>a</i>") == EMPTY


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(b"<i>" * DEEP, id="i"),
        pytest.param(b"<svg>" * DEEP, id="svg"),
        pytest.param(b"<b class=x>" * 3 + b"<b><i><p>" * 20_000, id="misnested"),
        pytest.param(b"<i class=x>" * 300_000, id="matches in one another"),
        pytest.param(b"<i class=x></i>" * 300_000, id="matches side by side"),
        pytest.param(b"<" * 3_000_000, id="<"),
        pytest.param(b"<!--" * DEEP, id="comments"),
        pytest.param(b"<font size=%d>" * 2000 % tuple(range(2000)) + b"<p>x" * 2000, id="formatting"),
    ],
)
def test_a_monstrous_page_that_can_be_parsed_is_cut(html):
    with Cutter(".x") as cutter:
        left = cutter.without(b"<i class=x>first</i>" + html)
    assert b"first" not in left
    assert b"class" not in left


def test_no_process_is_left_behind():
    with Cutter("p") as cutter:
        cutter.without(b"<p>a")
        process = cutter._process
    assert process is not None
    assert process.returncode == 0
    gc.collect()  # an open pipe would be a ResourceWarning, which is an error here


any_page = st.binary() | st.lists(
    st.sampled_from(
        [b"<p class=x>", b"</p>", b"<table>", b"<td class=x>", b"<svg class=x>", b"<template>", b"</", b"<!"]
    )
    | st.sampled_from([b"<b class=x>", b"</b>", b"<select>", b"<html class=x>", b"<body>", b"</body>", b"\0", b"\xff"])
    | st.binary(max_size=4)
).map(b"".join)


@given(any_page, st.sampled_from(SELECTORS))
def test_whatever_the_bytes_the_answer_is_utf8_and_nothing_ends_the_parser(cutters, html, selector):
    left = cutters[selector].without(html)
    assert left == html or left.decode("utf-8").encode() == left


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/a.warc", data)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["warc", "warc.gz", "resource", "arc", "wacz", "html", "folder"])
def test_every_kind_of_input_is_cut(crawl, make, kind):
    html = b"<p>a<i class=x>secret</i>"
    written = {
        "warc": ("a.warc", make.page("x", html)),
        "warc.gz": ("a.warc.gz", make.members(make.page("x", html))),
        "resource": ("a.warc", make.record("http://a.test/x", html, "resource")),
        "arc": ("a.arc", make.arc("http://a.test/x", make.response(html))),
        "wacz": ("a.wacz", zipped(make.page("x", html))),
        "html": ("a.html", html),
        "folder": ("s/a.html", html),
    }
    path = crawl.write(*written[kind])
    (row,), rejected = crawl.read(str(crawl.folder / "s") if kind == "folder" else path, cut=".x")
    assert (row["html"], rejected) == (EMPTY.replace(b"<body>", b"<body><p>a</p>"), [])


def test_a_page_is_cut_in_utf8_whatever_it_was_in(crawl):
    crawl.write("s/a.html", "<meta charset=latin1><p>é<i>ü</i>".encode("latin-1"))
    (row,), _ = crawl.read(str(crawl.folder / "s"), cut="i")
    assert (row["encoding"], "<p>é</p>" in row["html"].decode()) == ("windows-1252", True)


def test_redirects_and_rejections_pass(crawl, make):
    moved = make.record("http://a.test/old", make.response(b"", "301 Moved", Location="/x"))
    path = crawl.write("a.warc", moved, make.page("gone", status="404 Not Found"), make.page("x"))
    assert crawl.names(path, cut="i") == "old x"
    assert crawl.reasons(path, cut="i") == ["http status"]


def test_a_page_that_ends_the_parser_is_set_aside(crawl, make):
    hostile = make.page("bad", b"<i></i>" + b"<template>" * 500_000)
    path = crawl.write("a.warc", make.page("1"), hostile, make.page("2"))
    captures, (row,) = crawl.read(path, cut="i")
    assert [capture["url"] for capture in captures] == ["http://a.test/1", "http://a.test/2"]
    assert (row["url"], row["reason"]) == ("http://a.test/bad", "cannot be parsed")
    assert "ended by signal 11" in row["detail"]


def test_a_page_that_grows_beyond_the_limit_is_set_aside(crawl, make):
    path = crawl.write("a.warc", make.page("1"), make.page("grown", b"<i></i>" + b"<p>" * 200))
    assert crawl.reasons(path, cut="i", max_page_bytes=1000) == ["page too large"]
    assert crawl.reasons(path, max_page_bytes=1000) == []
