from __future__ import annotations

import os

import pytest

from pagekin.crawl.folder import file_url, folder_url, page_likelihood


@pytest.mark.parametrize(
    ("name", "likely"),
    [("a.HTM", "yes"), ("a.shtml", "yes"), ("a.php?x=1", "yes"), ("a.css", "no"), ("v1.2", "look")],
)
def test_a_name_tells_whether_it_is_a_page(name, likely):
    assert page_likelihood("dir.d/" + name) == likely


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("a/b.html", "http://s/a/b.html"),
        ("50%28.html", "http://s/50%2528.html"),
        ("a (b).html", "http://s/a%20(b).html"),
        ("é?#.html", "http://s/%C3%A9%3F%23.html"),
    ],
)
def test_a_path_becomes_a_url(path, url):
    assert file_url("http://s", path) == url


@pytest.mark.parametrize(
    ("folder", "url"),
    [("My Site_2", "http://my-site-2/"), ("www.a.org/", "http://www.a.org/"), ("münchen", "http://xn--mnchen-3ya/")],
)
def test_a_folder_name_becomes_a_host(folder, url):
    assert folder_url(folder) == url


def test_a_folder_is_read_with_its_folders(crawl):
    for name in ("b/c.html", "a.htm", "index.html", "x.css", "b/.hidden/d.html"):
        crawl.write(f"Site/{name}", b"<p>" + name.encode())
    captures, rejected = crawl.read(str(crawl.folder / "Site"))
    assert [row["url"] for row in captures] == ["http://site/a.htm", "http://site/b/c.html", "http://site/index.html"]
    assert [row["source"] for row in captures] == ["a.htm", "b/c.html", "index.html"]
    assert rejected == []


def test_the_time_is_that_of_the_file(crawl):
    os.utime(crawl.write("s/a.html", b"<p>x"), (1_000_000_000, 1_000_000_000))
    (row,), _ = crawl.read(str(crawl.folder / "s"))
    assert row["captured_at"].isoformat() == "2001-09-09T01:46:40+00:00"


def test_a_base_url_replaces_the_folder_name(crawl):
    crawl.write("s/a.html", b"<p>x")
    (row,), _ = crawl.read(str(crawl.folder / "s"), base_url="https://example.org/docs/")
    assert row["url"] == "https://example.org/docs/a.html"


def test_files_without_extension_are_pages_if_they_look_like_it(crawl):
    crawl.write("s/Cats", b"<html>cats")
    crawl.write("s/LICENSE", b"Permission is granted")
    assert crawl.names(str(crawl.folder / "s")) == "Cats"


def test_archives_in_a_folder_are_read_as_well(crawl, make):
    crawl.write("s/a.html", b"<p>x")
    crawl.write("s/deep/b.warc.gz", make.members(make.page("1")))
    assert sorted(crawl.names(str(crawl.folder / "s")).split()) == ["1", "a.html"]


def test_bad_files_are_rejected_with_a_reason(crawl):
    for name, data in enumerate([b"", b"\x89PNG\r\n", b"<?php echo 1;", b"<p>" + b"x" * 2000]):
        crawl.write(f"s/{name}.html", data)
    crawl.write("s/good.html", b"<p>x")
    folder = str(crawl.folder / "s")
    reasons = crawl.reasons(folder, max_page_bytes=1000)
    assert reasons == ["empty page", "not HTML", "not HTML", "page too large"]
    assert crawl.names(folder, max_page_bytes=1000) == "good.html"


def test_a_name_that_is_no_utf8_can_be_stored(crawl):
    try:
        crawl.write("s/caf\udce9.html", b"<p>x")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes only names in UTF-8")
    (row,), _ = crawl.read(str(crawl.folder / "s"))
    assert (row["url"], row["source"]) == ("http://s/caf%E9.html", "caf?.html")


@pytest.mark.parametrize("split_bytes", [1, 5000, 1 << 20])
def test_every_file_is_read_once_whatever_the_split(crawl, split_bytes):
    for number in range(20):
        crawl.write(f"s/{number:02}.html", b"<p>" + b"x" * 1000)
    names = crawl.names(str(crawl.folder / "s"), split_bytes=split_bytes)
    assert names == " ".join(f"{number:02}.html" for number in range(20))
