"""Pages that are monstrous: read in bounded memory or set aside, and the pages beside them are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Build = Callable[..., Any]
MIB = 1 << 20


def test_a_page_of_200_megabytes_in_a_warc_is_set_aside(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("huge", b"<p>word " * (25 * MIB)), make.page("good-2"))
    assert made.names == ["good-1", "good-2"]
    assert made.reasons == {"page too large": 1}


def test_a_page_of_200_megabytes_in_a_folder_is_set_aside(build_paths: Build, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "good.html").write_text("<p>a good page", "utf-8")
    with (tmp_path / "site" / "huge.html").open("wb") as file:
        for _ in range(200):
            file.write(b"<p>word " * (MIB // 8))
    made = build_paths(tmp_path / "site")
    assert made.summary["pages"] == 1
    assert made.reasons == {"page too large": 1}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<" * 10_000_000, id="10 million <"),
        pytest.param(b"<div>" * 1_000_000 + b"deep", id="1 million nested div"),
        pytest.param(b"<a href=x" * 1_000_000, id="a tag that never ends"),
        pytest.param(b"<!--" * 2_000_000, id="2 million comments in one another"),
        pytest.param(b"&amp" * 2_000_000, id="2 million character references"),
        pytest.param(b"<b>" * 1_000_000 + b"bold", id="1 million nested b"),
        pytest.param(b"<p " + b"a=b " * 1_000_000 + b">x", id="1 million attributes"),
        pytest.param(b"<table><tr><td>" * 500_000 + b"x", id="500,000 nested tables"),
        pytest.param(b"a " * 5_000_000, id="5 million words"),
    ],
)
def test_a_monstrous_page_is_read(build: Build, make: Any, body: bytes) -> None:
    made = build(make.page("good-1"), make.page("monster", b"<html>" + body), make.page("good-2"))
    assert made.names == ["good-1", "good-2", "monster"]
    assert made.reasons == {}


def test_a_word_of_a_megabyte_is_no_harm(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("long", b"<p>before " + b"x" * MIB + b" after"))
    assert made.names == ["good-1", "long"]
    assert len(made.column("long", "words")) in (2, 3)


def test_a_title_of_a_megabyte_is_cut(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("long", b"<title>" + b"word " * (MIB // 5) + b"</title>"))
    assert len(made.column("long", "title")) <= 300


def test_a_hundred_thousand_links_are_read(build: Build, make: Any) -> None:
    links = b"".join(b"<a href=/%d>link</a> " % number for number in range(100_000))
    made = build(make.page("good-1"), make.page("hub", links))
    assert (made.names, made.summary["links"], made.summary["urls"]) == (["good-1", "hub"], 100_000, 100_002)


def test_an_address_of_a_megabyte_is_no_address(build: Build, make: Any) -> None:
    far = make.record("http://a.test/" + "x" * 10_000, make.response(b"<p>far away"))
    made = build(make.page("good-1", b"<a href=/" + b"x" * MIB + b">long</a> <a href=/y>short</a>"), far)
    assert (made.names, made.summary["links"]) == (["good-1"], 1)
    assert made.reasons == {"no web address": 1}


def test_ten_thousand_captures_of_one_page_are_one_page(build: Build, make: Any) -> None:
    made = build(*(make.page("good-1", b"<p>capture %d" % number) for number in range(10_000)))
    assert (made.names, made.reasons) == (["good-1"], {})


def test_a_chain_of_ten_thousand_redirects_is_followed(build: Build, make: Any) -> None:
    moves = (
        make.record(f"http://a.test/{n}", f"HTTP/1.1 301 Moved\r\nLocation: /{n + 1}\r\n\r\n".encode())
        for n in range(10_000)
    )
    made = build(*moves, make.page("good-1", b"<a href=http://a.test/0>link</a>"))
    assert made.column("good-1", "link_url") == ["http://a.test/10000"]
