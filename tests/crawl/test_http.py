from __future__ import annotations

import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.crawl.http import BadPage, dechunked, decoded_body, looks_like_html, split_response

HTML = b"<p>hello</p>" * 300


def body_of(make, raw, limit=1 << 20, **headers):
    return decoded_body(split_response(make.response(raw, **headers)), limit)


def gzipped(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def raw_deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "pack"),
    [("gzip", gzipped), ("deflate", zlib.compress), ("deflate", raw_deflate), ("br", brotli.compress)],
)
def test_content_codings_are_undone(make, coding, pack):
    assert body_of(make, pack(HTML), Content_Encoding=coding) == HTML


def test_codings_are_undone_in_reverse(make):
    assert body_of(make, brotli.compress(gzipped(HTML)), Content_Encoding="gzip, br") == HTML


def test_chunks_of_gzip(make):
    data = gzipped(HTML)
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:9], data[9:])) + b"0\r\n\r\n"
    assert body_of(make, chunked, Content_Encoding="gzip", Transfer_Encoding="chunked") == HTML


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "exi"])
def test_a_coding_that_is_not_there_is_ignored(make, coding):
    assert body_of(make, HTML, Content_Encoding=coding) == HTML


def test_a_body_that_is_not_chunked_is_taken_as_it_is(make):
    assert body_of(make, HTML, Transfer_Encoding="chunked") == HTML


def test_cut_gzip_gives_what_there_is(make):
    noise = bytes(range(256)) * 50
    got = body_of(make, gzipped(HTML + noise)[:-100], Content_Encoding="gzip")
    assert got and (HTML + noise).startswith(got)


def test_gzip_that_gives_nothing_is_rejected(make):
    with pytest.raises(BadPage, match="broken compression"):
        body_of(make, b"\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff", Content_Encoding="gzip")


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzipped), ("deflate", zlib.compress), ("br", brotli.compress)])
def test_a_bomb_stops_at_the_limit(make, coding, pack):
    with pytest.raises(BadPage, match="page too large"):
        body_of(make, pack(bytes(10_000_000)), limit=1000, Content_Encoding=coding)


def test_lines_may_end_in_a_bare_line_feed():
    response = split_response(b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n<p>x\r\n\r\n<p>y")
    assert (response.header(b"content-type"), response.body) == ("text/html", b"<p>x\r\n\r\n<p>y")


def test_broken_later_chunks_lose_nothing():
    assert dechunked(b"3\r\nabc\r\nZZ\r\ndef") == b"abcZZ\r\ndef"


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf<!DOCTYPE html>", b"\n<html>", b"<!-- a --> <p>", b"<a x>"])
def test_html_is_known_by_its_first_tag(start):
    assert looks_like_html(start)


@pytest.mark.parametrize("start", [b"", b"text", b"%PDF", b"<rss version='2'>", b"<abc>", b'{"a": 1}'])
def test_what_is_not_html_is_known_too(start):
    assert not looks_like_html(start)


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "zstd"]))
def test_any_bytes_decode_or_are_a_bad_page(body, coding):
    head = f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: {coding}\r\n\r\n".encode()
    try:
        assert len(decoded_body(split_response(head + body), 1000)) <= 1000
    except BadPage as bad:
        assert bad.reason in ("broken compression", "page too large")
