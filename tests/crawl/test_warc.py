from __future__ import annotations

import gzip
import random
import time
import tracemalloc
from datetime import UTC, datetime

import pytest
from fastwarc.stream_io import ZstdWriter

from pagekin.crawl.captures import read_captures
from pagekin.crawl.inputs import CrawlSettings, Split
from pagekin.errors import CrawlError


def some_pages(make, count=40):
    """Pages of many sizes, one of them larger than a read buffer."""
    letters = random.Random(1)
    sizes = [150_000 if number == 7 else letters.randrange(3000) for number in range(count)]
    bodies = [b"<p>" + bytes(letters.choices(b"abcdefgh <>\n", k=size)) for size in sizes]
    return [make.page(str(number), body) for number, body in enumerate(bodies)]


def zstd_frame(folder):
    """FastWARC writes frames to files only."""

    def frame(data):
        writer = ZstdWriter(str(folder / "frame"))
        writer.write(data)
        writer.close()
        return (folder / "frame").read_bytes()

    return frame


def test_a_response_becomes_a_capture(crawl, make):
    path = crawl.write("a.warc.gz", make.members(make.page("x", b"<p>hello")))
    (row,), rejected = crawl.read(path)
    assert row == {
        "source": "a.warc.gz@0",
        "url": "http://a.test/x",
        "captured_at": datetime(2020, 2, 1, 10, tzinfo=UTC),
        "html": b"<p>hello",
        "encoding": "utf-8",
        "moved_to": "",
        "moved_by": "",
    }
    assert rejected == []


@pytest.mark.parametrize("form", ["plain", "gzip members", "gzip", "zstd frames", "zstd"])
def test_each_form_of_file_gives_the_same_pages(crawl, make, form):
    records = some_pages(make)
    compress = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd_frame(crawl.folder)}[form.split()[0]]
    parts = records if " " in form else [b"".join(records)]
    path = crawl.write("a.warc", *(compress(part) for part in parts))
    assert crawl.names(path) == " ".join(map(str, range(40)))


@pytest.mark.parametrize("split_bytes", [1, 100, 1024, 5000, 70_000, 1 << 30])
@pytest.mark.parametrize("form", ["members", "plain"])
def test_every_record_is_read_once_whatever_the_split(crawl, make, form, split_bytes):
    records = some_pages(make, 2 if split_bytes == 1 else 12)
    path = crawl.write("a.warc", make.members(*records) if form == "members" else b"".join(records))
    whole = crawl.read(path)
    assert crawl.read(path, split_bytes=split_bytes) == whole
    assert len(whole[0]) > 1 and not whole[1]


def test_a_name_that_lies_about_compression_does_no_harm(crawl, make):
    assert crawl.names(crawl.write("a.warc.gz", make.page("x"))) == "x"


def test_a_cut_file_keeps_the_pages_before_the_cut(crawl, make):
    whole = make.members(make.page("1"), make.page("2"), make.page("3"))
    for cut in (20, 40, 150):
        path = crawl.write("a.warc.gz", whole[:-cut])
        assert crawl.names(path) == "1 2"
        assert crawl.reasons(path) == ["cut short"]


def test_a_cut_plain_file_keeps_the_pages_before_the_cut(crawl, make):
    path = crawl.write("a.warc", (make.page("1") + make.page("2"))[:-20])
    assert (crawl.names(path), crawl.reasons(path)) == ("1", ["cut short"])


@pytest.mark.parametrize("place", [2, 12, 100, -6])
def test_a_corrupt_member_costs_only_itself(crawl, make, place):
    members = [bytearray(make.members(make.page(str(number)))) for number in range(5)]
    members[2][place] ^= 0xFF
    members[2][place + 1] ^= 0xFF
    path = crawl.write("a.warc.gz", *members)
    assert crawl.names(path) == "0 1 3 4"
    assert len(crawl.reasons(path)) == 1


@pytest.mark.parametrize("compress", [True, False])
def test_rubbish_between_records_is_stepped_over(crawl, make, compress):
    parts = [make.page("1"), make.page("2")]
    parts = [make.members(part) for part in parts] if compress else parts
    path = crawl.write("a.warc", parts[0], b"rubbish " * 99 + b"\r\n\r\n", parts[1])
    assert (crawl.names(path), crawl.reasons(path)) == ("1 2", ["not a WARC record"])


def test_rubbish_in_a_file_compressed_as_a_whole_is_stepped_over(crawl, make):
    path = crawl.write("a.warc.gz", gzip.compress(make.page("1") + b"rubbish\r\n\r\n" + make.page("2")))
    assert (crawl.names(path), crawl.reasons(path)) == ("1 2", ["not a WARC record"])


@pytest.mark.parametrize("claimed", [400, 5000, 10**15])
@pytest.mark.parametrize("compress", [True, False])
def test_a_record_that_claims_too_much_costs_only_itself(crawl, make, compress, claimed):
    lie = make.record("http://a.test/lie", make.response(b"<p>lie"), length=claimed)
    records = [make.page("1"), lie, *(make.page(str(number)) for number in range(2, 30))]
    path = crawl.write("a.warc", make.members(*records) if compress else b"".join(records))
    assert crawl.names(path) == " ".join(map(str, range(1, 30)))
    assert crawl.reasons(path) == ["wrong length"]


@pytest.mark.parametrize("compress", [True, False])
def test_a_record_that_claims_too_little_leaves_the_others(crawl, make, compress):
    lie = make.record("http://a.test/lie", make.response(b"<p>lie"), length=20)
    records = [make.page("1"), lie, make.page("2")]
    path = crawl.write("a.warc", make.members(*records) if compress else b"".join(records))
    assert crawl.names(path) == "1 2"
    assert "not a WARC record" in crawl.reasons(path)


def test_a_lie_in_a_record_that_is_no_page_costs_no_pages(crawl, make):
    lie = make.record("http://a.test/lie", b"fetched: now", "metadata", length=10**9)
    path = crawl.write("a.warc.gz", make.members(make.page("1"), lie, make.page("2")))
    assert (crawl.names(path), crawl.reasons(path)) == ("1 2", ["wrong length"])


def test_the_http_length_is_not_believed(crawl, make):
    records = [make.page("1", b"<p>whole page", Content_Length="3"), make.page("2", Content_Length="99999")]
    captures, rejected = crawl.read(crawl.write("a.warc.gz", make.members(*records)))
    assert captures[0]["html"] == b"<p>whole page" and len(captures) == 2 and not rejected


def test_a_page_of_200_megabytes_is_rejected_in_little_memory(crawl, make):
    big = make.page("big", b"<p>" + bytes(200_000_000))
    parts = make.page("1"), big, make.page("2")
    path = crawl.write("a.warc.gz", *(gzip.compress(part, 1) for part in parts))
    del big, parts
    tracemalloc.start()
    names, reasons = crawl.names(path), crawl.reasons(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (names, reasons) == ("1 2", ["page too large"])
    assert peak < 40_000_000


def test_a_bomb_is_rejected_in_little_time_and_memory(crawl, make):
    zeros = gzip.compress(bytes(100_000_000))
    bomb = make.page("bomb", zeros * 100, Content_Encoding="gzip")
    path = crawl.write("a.warc.gz", make.members(make.page("1"), bomb, make.page("2")))
    started = time.monotonic()
    assert (crawl.names(path), crawl.reasons(path)) == ("1 2", ["page too large"])
    assert time.monotonic() - started < 5


def test_a_record_that_inflates_without_end_is_left(crawl, make):
    video = make.record("http://a.test/v", make.response(bytes(5_000_000), Content_Type="video/mp4"))
    path = crawl.write("a.warc.gz", make.members(make.page("1"), video, make.page("2")))
    settings = {"max_page_bytes": 100_000, "max_inflation": 1_000_000}
    assert crawl.names(path, **settings) == "1 2"
    assert crawl.reasons(path, **settings) == ["record too large"]


def test_a_redirect_says_where_it_leads(crawl, make):
    moved = make.response(b"", "301 Moved", Location="../new?x=1")
    path = crawl.write("a.warc.gz", make.members(make.record("http://a.test/b/old", moved)))
    (row,), _ = crawl.read(path)
    assert (row["moved_to"], row["moved_by"], row["html"]) == ("http://a.test/new?x=1", "redirect", b"")


def test_a_revisit_under_another_address_says_of_what(crawl, make):
    block = make.response(b"")
    same, other = (
        make.record("http://a.test/x", block, "revisit", WARC_Refers_To_Target_URI=f"http://a.test/{name}")
        for name in "xy"
    )
    (row,), rejected = crawl.read(crawl.write("a.warc.gz", make.members(same, other)))
    assert (row["moved_to"], row["moved_by"], rejected) == ("http://a.test/y", "revisit", [])


def test_a_status_other_than_200_is_counted(crawl, make):
    gone = make.record("http://a.test/gone", make.response(b"<p>gone", "404 Not Found"))
    captures, (row,) = crawl.read(crawl.write("a.warc.gz", make.members(make.page("1"), gone)))
    assert (row["reason"], row["detail"], row["url"]) == ("http status", "404", "http://a.test/gone")
    assert len(captures) == 1


def test_other_media_are_passed_over_in_silence(crawl, make):
    image = make.page("i", b"\x89PNG", Content_Type="image/png")
    assert crawl.read(crawl.write("a.warc.gz", make.members(image))) == ([], [])


def test_without_a_type_html_is_known_by_its_looks(crawl, make):
    html, text = make.page("1", b" <!-- x --><HTML>", Content_Type=""), make.page("2", b"x", Content_Type="")
    assert crawl.names(crawl.write("a.warc.gz", make.members(html, text))) == "1"


def test_a_resource_record_of_html_is_a_page(crawl, make):
    record = make.record("http://a.test/r", b"<p>resource", "resource")
    assert crawl.names(crawl.write("a.warc.gz", make.members(record))) == "r"


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"", "empty page"), (b" \n", "empty page"), (b"%PDF-1", "not HTML"), (b"a\0b\0\0\0" * 99, "not HTML")],
)
def test_what_is_no_page_has_a_reason(crawl, make, body, reason):
    path = crawl.write("a.warc.gz", make.members(make.page("x", body, Content_Type="text/html")))
    assert crawl.reasons(path) == [reason]


def test_a_broken_http_header_has_a_reason(crawl, make):
    path = crawl.write("a.warc.gz", make.members(make.record("http://a.test/x", b"nonsense")))
    assert crawl.reasons(path) == ["broken HTTP header"]


def test_a_file_that_vanished_ends_the_build_which_can_go_on(tmp_path):
    split = Split(str(tmp_path / "gone.warc"), "warc", 0, 10)
    with pytest.raises(CrawlError, match=r"gone\.warc was there when the build began; bring it back, and --resume"):
        list(read_captures(split, CrawlSettings()))


def test_batches_are_bounded(crawl, make):
    pages = (make.page(str(number), b"<p>" + b"x" * 1000) for number in range(50))
    path = crawl.write("a.warc.gz", make.members(*pages))
    batches = list(read_captures(Split(path, "warc", 0, 1 << 30), CrawlSettings(), batch_bytes=10_000))
    assert [batch.num_rows for _, batch in batches] == [10, 10, 10, 10, 10]
