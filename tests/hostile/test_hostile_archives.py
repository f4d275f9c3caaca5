"""Archives that are broken, cut or lie: what is whole in them is kept, the rest counted with its reason."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Build = Callable[..., Any]


def test_a_warc_that_ends_early_keeps_what_came_before(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("good-2"), make.page("bad")[:-60])
    assert made.names == ["good-1", "good-2"]
    assert made.reasons == {"cut short": 1}


def test_a_gzipped_warc_that_ends_early_keeps_what_came_before(build: Build, make: Any) -> None:
    members = [gzip.compress(make.page(name), mtime=0) for name in ("good-1", "good-2", "bad")]
    made = build(members[0], members[1], members[2][:-30], name="hostile.warc.gz")
    assert made.names == ["good-1", "good-2"]
    assert sum(made.reasons.values()) == 1


def test_a_corrupt_gzip_member_is_stepped_over(build: Build, make: Any) -> None:
    bad = bytearray(gzip.compress(make.page("bad", b"<p>" + bytes(range(32, 127)) * 50), mtime=0))
    for at in range(60, len(bad) - 10, 7):
        bad[at] ^= 0x55
    good = [gzip.compress(make.page(name), mtime=0) for name in ("good-1", "good-2")]
    made = build(good[0], bytes(bad), good[1], name="hostile.warc.gz")
    assert made.names == ["good-1", "good-2"]
    assert sum(made.reasons.values()) >= 1


def test_a_record_that_claims_too_much_swallows_no_other(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("bad", length=400), make.page("good-2"))
    assert made.names == ["good-1", "good-2"]
    assert made.reasons == {"wrong length": 1}


def test_a_record_that_claims_nearly_endless_length_swallows_no_other(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("bad", length=1 << 50), make.page("good-2"))
    assert made.names == ["good-1", "good-2"]
    assert sum(made.reasons.values()) >= 1


def test_a_record_that_claims_too_little_costs_no_other(build: Build, make: Any) -> None:
    made = build(make.page("good-1"), make.page("bad", length=60), make.page("good-2"))
    assert {"good-1", "good-2"} <= set(made.names)


def test_a_body_that_inflates_without_end_is_not_inflated(build: Build, make: Any) -> None:
    bomb = gzip.compress(bytes(300 << 20), 1, mtime=0)
    made = build(make.page("good-1"), make.page("bomb", bomb, "Content-Encoding: gzip\r\n"), make.page("good-2"))
    assert made.names == ["good-1", "good-2"]
    assert made.reasons == {"page too large": 1}


def test_a_record_that_inflates_without_end_is_stepped_over(build: Build, make: Any) -> None:
    bomb = gzip.compress(make.page("bomb", b"<p>" + b" " * (300 << 20)), 1, mtime=0)
    good = [gzip.compress(make.page(name), mtime=0) for name in ("good-1", "good-2")]
    made = build(good[0], bomb, good[1], name="hostile.warc.gz")
    assert made.names == ["good-1", "good-2"]
    assert made.reasons == {"page too large": 1}


def test_a_wacz_that_is_a_bomb_is_bounded(build_paths: Build, make: Any, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.wacz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
        zipped.writestr("archive/good.warc", make.page("good-1"))
        zipped.writestr("archive/bomb.warc", make.page("bomb", b"<p>" + b" " * (300 << 20)) + make.page("good-2"))
    made = build_paths(tmp_path / "a.wacz")
    assert made.names == ["good-1", "good-2"]
    assert made.reasons == {"page too large": 1}


def test_a_broken_file_does_not_stop_the_others(build_paths: Build, make: Any, tmp_path: Path) -> None:
    (tmp_path / "good.warc").write_bytes(make.page("good-1"))
    (tmp_path / "bad.wacz").write_bytes(b"PK\x03\x04 but no more of a zip")
    made = build_paths(tmp_path / "good.warc", tmp_path / "bad.wacz")
    assert made.names == ["good-1"]
    assert made.reasons == {"broken WACZ": 1}


def test_a_warc_of_noise_after_its_first_record_keeps_that(build: Build, make: Any) -> None:
    noise = bytes((i * i * 31 + i // 7) % 256 for i in range(1 << 20))
    made = build(make.page("good-1"), noise, make.page("good-2"))
    assert made.names[0] == "good-1"
    assert sum(made.reasons.values()) >= 1
