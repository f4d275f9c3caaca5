from __future__ import annotations

import io
import zipfile

import pytest


def wacz(method=zipfile.ZIP_STORED, **members):
    """A zip of files, `__` in a name standing for a slash."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("datapackage.json", "{}")
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_warc", ".warc"), data)
    return file.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_archives_in_it_are_read(crawl, make, method):
    data = make.members(make.page("1"), make.page("2"))
    path = crawl.write("a.wacz", wacz(method, archive__a_warc=data, archive__b_warc=make.page("3")))
    assert crawl.names(path) == "1 2 3"


@pytest.mark.parametrize("split_bytes", [50, 1000])
def test_a_stored_archive_is_split(crawl, make, split_bytes):
    data = make.members(*(make.page(str(number)) for number in range(9)))
    path = crawl.write("a.wacz", wacz(archive__a_warc=data))
    assert crawl.names(path, split_bytes=split_bytes) == "0 1 2 3 4 5 6 7 8"


def test_the_source_names_the_archive(crawl, make):
    path = crawl.write("a.wacz", wacz(archive__a_warc=make.members(make.page("1"), make.page("2"))))
    assert crawl.read(path)[0][0]["source"] == "a.wacz!archive/a.warc@0"


def test_a_broken_zip_is_named_and_the_others_go_on(crawl, make):
    broken = crawl.write("broken.wacz", wacz(archive__a_warc=make.page("1"))[:-40])
    good = crawl.write("good.warc", make.page("2"))
    captures, (row,) = crawl.read(broken, good)
    assert (len(captures), row["source"], row["reason"]) == (1, broken, "broken WACZ")


def test_a_zip_without_archives_is_no_crawl(crawl, make):
    path, good = crawl.write("a.wacz", wacz(readme=b"hello")), crawl.write("good.warc", make.page("2"))
    assert crawl.reasons(path, good) == ["no crawl"]


def test_nothing_is_written_whatever_the_names_in_it(crawl, make):
    path = crawl.write("in/a.wacz", wacz(**{"..__..__evil_warc": make.page("1")}))
    before = sorted(crawl.folder.rglob("*"))
    assert crawl.names(path) == "1"
    assert sorted(crawl.folder.rglob("*")) == before
