"""The manifest of an index: what it says, and what it notices."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import IndexUnusable
from pagekin.stores.manifest import (
    FORMAT,
    NAME,
    Manifest,
    damaged_files,
    described_files,
    read_manifest,
    write_manifest,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written_index(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return written_index(tmp_path)


def written_index(folder: Path) -> Path:
    (folder / "pages").mkdir()
    (folder / "pages" / "part-000000.parquet").write_bytes(b"pages")
    (folder / "rejected.parquet").write_bytes(b"rejected")
    counts = {"pages": 1, "urls": 2}
    inputs = [{"path": "a.warc.gz", "bytes": 9}]
    files = described_files(folder)
    kinds = {"int": 0, "str": "", "list": [], "dict": {}}
    empty = {field.name: kinds[str(field.type).partition("[")[0]] for field in dataclasses.fields(Manifest)}
    named = {"format": FORMAT, "counts": counts, "inputs": inputs, "rejected": {"not HTML": 1}, "files": files}
    manifest = Manifest(**(empty | named))  # type: ignore[arg-type]
    write_manifest(folder, manifest)
    return folder


def test_what_is_written_is_read_back(index: Path) -> None:
    manifest = read_manifest(index)
    assert (manifest.counts, manifest.rejected) == ({"pages": 1, "urls": 2}, {"not HTML": 1})
    write_manifest(index, manifest)
    assert read_manifest(index) == manifest


def test_every_file_but_the_manifest_is_described(index: Path) -> None:
    assert list(read_manifest(index).files) == ["pages/part-000000.parquet", "rejected.parquet"]


def test_the_size_is_the_sum_of_the_files(index: Path) -> None:
    assert read_manifest(index).bytes == len(b"pages") + len(b"rejected")


def test_a_whole_index_has_no_damaged_files(index: Path) -> None:
    assert damaged_files(index, read_manifest(index)) == []


def test_a_truncated_file_is_named_when_the_index_is_opened(index: Path) -> None:
    (index / "rejected.parquet").write_bytes(b"rej")
    with pytest.raises(IndexUnusable, match=r"rejected\.parquet is damaged: 3 bytes, expected 8"):
        read_manifest(index)


def test_a_missing_file_is_named_when_the_index_is_opened(index: Path) -> None:
    (index / "pages" / "part-000000.parquet").unlink()
    with pytest.raises(IndexUnusable, match=r"part-000000\.parquet is missing"):
        read_manifest(index)


def test_a_changed_byte_is_found_by_its_checksum(index: Path) -> None:
    manifest = read_manifest(index)
    (index / "rejected.parquet").write_bytes(b"rejEcted")
    assert damaged_files(index, manifest) == ["rejected.parquet"]


def test_another_format_is_refused_with_both_numbers(index: Path) -> None:
    write_manifest(index, dataclasses.replace(read_manifest(index), format=FORMAT + 8))
    said = f"has format {FORMAT + 8}, this pagekin reads formats 1 to {FORMAT}; build it"
    with pytest.raises(IndexUnusable, match=said):
        read_manifest(index)


def test_another_format_is_refused_with_the_command_that_rebuilds_it(index: Path) -> None:
    write_manifest(index, dataclasses.replace(read_manifest(index), format=FORMAT + 1))
    with pytest.raises(IndexUnusable, match=rf"build it again: pagekin build a\.warc\.gz -o {index} --force"):
        read_manifest(index)


@pytest.mark.parametrize("name", ["../other", "/etc/passwd", "pages/../../x", "a b"])
def test_a_file_outside_is_no_file_of_an_index(index: Path, name: str) -> None:
    manifest = read_manifest(index)
    write_manifest(index, dataclasses.replace(manifest, files={name: {"bytes": 1, "blake2b": ""}}))
    with pytest.raises(IndexUnusable, match=r"manifest\.json is damaged"):
        read_manifest(index)


def test_a_manifest_of_endless_depth_is_refused(index: Path) -> None:
    (index / NAME).write_text("[" * 100_000, "utf-8")
    with pytest.raises(IndexUnusable, match=r"manifest\.json is damaged"):
        read_manifest(index)


def test_a_manifest_of_a_later_format_may_look_different(index: Path) -> None:
    (index / NAME).write_text(json.dumps({"format": FORMAT + 1, "new": "things"}), "utf-8")
    with pytest.raises(IndexUnusable, match=f"has format {FORMAT + 1}"):
        read_manifest(index)


def test_a_folder_without_a_manifest_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match=r"is not a pagekin index.*make one with: pagekin build"):
        read_manifest(tmp_path)


def test_nothing_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match="does not exist"):
        read_manifest(tmp_path / "a.kin")


@pytest.mark.parametrize("text", ["", "[]", "3", "{}", '{"format": 1}', "{", '{"format": 1, "blake2b": ""}', "\udcff"])
def test_a_manifest_of_another_shape_is_refused(index: Path, text: str) -> None:
    (index / NAME).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(IndexUnusable):
        read_manifest(index)


@given(st.data())
def test_no_flipped_bit_of_the_manifest_goes_unnoticed(whole: Path, data: st.DataObject) -> None:
    good = (whole / NAME).read_bytes()
    expected = read_manifest(whole)
    bad = bytearray(good)
    bad[data.draw(st.integers(0, len(good) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    (whole / NAME).write_bytes(bad)
    try:
        assert read_manifest(whole) == expected  # white space may change
    except IndexUnusable:
        pass
    finally:
        (whole / NAME).write_bytes(good)
