from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from pagekin.sample.warc_writer import Record, WarcWriter, gzip_member


def test_digests_are_right(captures: list[Any]) -> None:
    assert all(capture.digests_right for capture in captures)


def test_record_ids_are_unique(captures: list[Any]) -> None:
    assert len({capture.headers["WARC-Record-ID"] for capture in captures}) == len(captures)


def test_a_revisit_names_a_payload_that_is_there(captures: list[Any]) -> None:
    revisits, payloads = (
        {(found.url, found.headers["WARC-Payload-Digest"]) for found in captures if found.kind == kind}
        for kind in ("revisit", "response")
    )
    assert revisits
    assert revisits <= payloads


def test_a_member_is_one_that_gzip_reads() -> None:
    assert gzip.decompress(gzip_member(b"text") + gzip_member(b" and more")) == b"text and more"


def test_the_content_length_is_that_of_the_block(tmp_path: Path) -> None:
    with WarcWriter(tmp_path / "one.warc.gz", "name") as warc:
        warc.write(Record("resource", "2004-01-01T00:00:00Z", "http://a.example/", payload=b"four"))
    data = gzip.decompress((tmp_path / "one.warc.gz").read_bytes())
    assert data.startswith(b"WARC/1.1\r\n")
    assert data.endswith(b"Content-Length: 4\r\n\r\nfour\r\n\r\n")
