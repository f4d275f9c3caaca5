from __future__ import annotations

import pytest

from pagekin.crawl import files
from pagekin.crawl.inputs import CrawlSettings, find_splits
from pagekin.errors import CrawlError


@pytest.fixture
def memory():
    """The file system `memory://`, empty."""
    import fsspec

    system = fsspec.filesystem("memory")
    yield system
    system.rm("/", recursive=True)


def test_what_a_file_is_its_content_says(crawl, make):
    paths = [
        crawl.write("page.dat", b"<!doctype html><p>x"),
        crawl.write("crawl.html", make.members(make.page("1"))),
        crawl.write("old.bin", make.arc("http://a.test/x", make.response(b"<p>x"))),
    ]
    splits, rejected = find_splits(paths, CrawlSettings())
    assert [split.kind for split in splits] == ["html", "warc", "arc"] and not rejected


def test_a_missing_file_is_named():
    with pytest.raises(CrawlError, match=r"nowhere/a\.warc"):
        find_splits(["nowhere/a.warc"], CrawlSettings())


def test_a_glob_is_expanded(crawl, make):
    crawl.write("a1.warc", make.page("1"))
    crawl.write("a2.warc", make.page("2"))
    crawl.write("b.warc", make.page("3"))
    assert crawl.names(str(crawl.folder / "a*.warc")) == "1 2"


def test_a_glob_without_a_match_is_named(tmp_path):
    with pytest.raises(CrawlError, match=r"\*\.warc"):
        find_splits([str(tmp_path / "*.warc")], CrawlSettings())


@pytest.mark.parametrize("form", ["{}", "@{}"])
def test_a_list_names_inputs(crawl, make, form):
    first, _ = crawl.write("a.warc", make.page("1")), crawl.write("b[1].warc", make.page("2"))
    path = crawl.write("all.txt", f"# a comment\n{first}\n\n  b[1].warc\n".encode())
    assert crawl.names(form.format(path)) == "1 2"


def test_a_list_that_lists_itself_is_an_error(crawl):
    path = crawl.write("all.list", b"all.list\n")
    with pytest.raises(CrawlError, match="lists itself"):
        find_splits([path], CrawlSettings())


def test_an_input_given_twice_is_read_once(crawl, make):
    path = crawl.write("a.warc", make.page("1"))
    assert crawl.names(path, path, str(crawl.folder / "*.warc")) == "1"


def test_what_is_no_crawl_is_rejected_and_the_others_go_on(crawl, make):
    odd, good = crawl.write("odd.bin", b"\x00\x01\x02"), crawl.write("a.warc", make.page("1"))
    captures, (row,) = crawl.read(odd, good)
    assert (len(captures), row["source"], row["reason"]) == (1, odd, "no crawl")
    assert "begins with" in row["detail"] and "expected WARC" in row["detail"]


def test_nothing_usable_is_an_error_that_says_why(crawl):
    with pytest.raises(CrawlError, match=r"odd\.bin.*begins with"):
        find_splits([crawl.write("odd.bin", b"\x00\x01\x02")], CrawlSettings())


def test_a_single_page_has_its_folder_as_host(crawl):
    (row,), _ = crawl.read(crawl.write("Site/a.html", b"just text"))
    assert row["url"] == "http://site/a.html"


def test_splits_cover_a_file_without_gaps(crawl, make):
    path = crawl.write("a.warc.gz", make.members(*(make.page(str(number)) for number in range(9))))
    splits, _ = find_splits([path], CrawlSettings(split_bytes=500))
    assert [split.end for split in splits[:-1]] == [split.start for split in splits[1:]]
    assert len(splits) > 2 and sum(split.bytes for split in splits) == files.file_size(path)


def test_a_file_url_is_a_path(crawl, make):
    path = crawl.write("a b.warc", make.page("1"))
    assert crawl.names("file://" + path.replace(" ", "%20")) == "1"


def test_another_file_system_is_read_through_fsspec(crawl, make, memory):
    memory.pipe("/bucket/a.warc.gz", make.members(make.page("1"), make.page("2")))
    assert crawl.names("memory://bucket/a.warc.gz", split_bytes=100) == "1 2"


def test_a_folder_and_a_glob_of_another_file_system(crawl, make, memory):
    memory.pipe("/bucket/site/x/a.html", b"<p>x")
    memory.pipe("/bucket/site/b.warc", make.page("1"))
    captures, _ = crawl.read("memory://bucket/site")
    assert sorted(row["url"] for row in captures) == ["http://a.test/1", "http://site/x/a.html"]
    assert crawl.names("memory://bucket/*/*.warc") == "1"


def test_an_unknown_kind_of_address_is_an_error():
    with pytest.raises(CrawlError, match="nosuch://x"):
        find_splits(["nosuch://x/a.warc"], CrawlSettings())


def test_a_missing_driver_is_an_error_that_says_what_to_install(monkeypatch):
    def without_driver(path):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", without_driver)
    with pytest.raises(CrawlError, match="Install s3fs"):
        find_splits(["s3://bucket/a.warc"], CrawlSettings())


def test_a_folder_that_holds_only_archives_is_no_complaint(crawl, make):
    crawl.write("a.warc", make.page("1"))
    splits, rejected = find_splits([str(crawl.folder)], CrawlSettings())
    assert [split.kind for split in splits] == ["warc"] and not rejected
