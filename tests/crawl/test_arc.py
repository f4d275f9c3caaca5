from __future__ import annotations

import gzip

import pytest


def records(make, names):
    about = b"filedesc://x.arc 0.0.0.0 20200201100000 text/plain 8\n1 1 Test\n\n"
    return [about, *(make.arc(f"http://a.test/{name}", make.response(b"<p>x")) for name in names)]


@pytest.mark.parametrize("form", ["plain", "members", "whole"])
def test_each_form_of_file_gives_the_pages(crawl, make, form):
    parts = records(make, "123")
    whole = b"".join(parts)
    data = {"plain": whole, "members": make.members(*parts), "whole": gzip.compress(whole)}[form]
    assert crawl.names(crawl.write("a.arc", data)) == "1 2 3"


def test_the_date_is_that_of_the_record(crawl, make):
    (row,), _ = crawl.read(crawl.write("a.arc", *records(make, "1")))
    assert row["captured_at"].isoformat() == "2020-02-01T10:00:00+00:00"


@pytest.mark.parametrize("split_bytes", [64, 300, 1 << 20])
@pytest.mark.parametrize("compress", [True, False])
def test_every_record_is_read_once_whatever_the_split(crawl, make, split_bytes, compress):
    parts = records(make, "123456")
    path = crawl.write("a.arc", make.members(*parts) if compress else b"".join(parts))
    assert crawl.names(path, split_bytes=split_bytes) == "1 2 3 4 5 6"


def test_a_corrupt_member_costs_only_itself(crawl, make):
    members = [bytearray(make.members(part)) for part in records(make, "123")]
    members[2][-12] ^= 0xFF
    path = crawl.write("a.arc.gz", *members)
    assert crawl.names(path) == "1 3"
    assert crawl.reasons(path) == ["broken compression"]


def test_rubbish_between_records_is_stepped_over(crawl, make):
    about, first, second = records(make, "12")
    path = crawl.write("a.arc", about, first, b"rubbish\n" * 9, second)
    assert (crawl.names(path), crawl.reasons(path)) == ("1 2", ["not an ARC record"])


def test_a_cut_file_keeps_the_pages_before_the_cut(crawl, make):
    path = crawl.write("a.arc", b"".join(records(make, "12"))[:-10])
    assert (crawl.names(path), crawl.reasons(path)) == ("1", ["cut short"])
