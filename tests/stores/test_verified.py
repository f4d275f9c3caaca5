"""Files are compared with their checksums before they are used, once as long as they do not change."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import pagekin
from pagekin.errors import IndexUnusable
from pagekin.stores import verified
from pagekin.stores.manifest import FORMAT, read_manifest
from pagekin.stores.verified import KEPT_INDEXES, Verified, readable

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / f"format-{FORMAT}.kin"
URL = "http://kitchen.test/bread-2.html"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of its own; that of compiled code stays where it is."""
    monkeypatch.setattr(verified, "_memory_folder", lambda: tmp_path / "memory")
    return tmp_path / "memory"


@pytest.fixture
def index(tmp_path: Path, memory: Path) -> Path:
    return Path(shutil.copytree(GOLDEN, tmp_path / "a.kin"))


def flip(path: Path) -> None:
    """Change one bit of a file, and no time that a program can set."""
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=times)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files whose checksums are taken from now on."""
    taken: list[Path] = []
    original = verified.checksum
    monkeypatch.setattr(verified, "checksum", lambda path: taken.append(path) or original(path))
    return taken


def test_a_part_is_read_once_and_then_remembered(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = counted(monkeypatch)
    Verified(index, read_manifest(index)).check("links")
    assert {path.name for path in taken} == {path.name for path in (index / "links").iterdir()}
    Verified(index, read_manifest(index)).check("links")
    assert len(taken) == len(list((index / "links").iterdir()))


def test_what_is_remembered_ends_with_a_change_whatever_its_time_says(index: Path) -> None:
    Verified(index, read_manifest(index)).check("links")
    flip(index / "links" / "neighbours.u32")
    with pytest.raises(IndexUnusable, match=r"links/neighbours\.u32 is damaged: its checksum is wrong"):
        Verified(index, read_manifest(index)).check("links")


def test_a_file_that_the_manifest_does_not_know_is_refused(index: Path) -> None:
    shutil.copy(index / "urls" / "part-000000.parquet", index / "urls" / "part-000001.parquet")
    with pytest.raises(IndexUnusable, match=r"part-000001\.parquet is no file of this index"):
        pagekin.open(index).related(URL)


def test_a_damaged_source_is_left_out_with_the_name_of_the_file(index: Path) -> None:
    flip(index / "links" / "neighbours.u32")
    [left] = pagekin.open(index).related(URL).left_out
    assert (left.source, "links/neighbours.u32 is damaged" in left.reason) == ("links", True)


def test_a_build_leaves_nothing_to_verify(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Verified(index, read_manifest(index)).believe()
    taken = counted(monkeypatch)
    pagekin.open(index).related(URL, explain=True)
    assert taken == []


def test_without_a_place_to_remember_all_is_read_again(index: Path, memory: Path) -> None:
    memory.write_text("a file where a folder should be", "utf-8")
    pagekin.open(index).related(URL)
    flip(index / "documents" / "documents.arrow")
    with pytest.raises(IndexUnusable, match=r"documents\.arrow is damaged"):
        pagekin.open(index)


def test_a_memory_that_is_no_memory_is_no_harm(index: Path, memory: Path) -> None:
    pagekin.open(index)
    for path in memory.iterdir():
        path.write_text('{"files": [1]}', "utf-8")
    assert pagekin.open(index).related(URL).results


def test_only_the_latest_are_remembered(index: Path, memory: Path) -> None:
    memory.mkdir()
    for number in range(KEPT_INDEXES + 5):
        (memory / f"{number}.json").write_text("{}", "utf-8")
    Verified(index, read_manifest(index)).check("links")
    assert len(list(memory.glob("*.json"))) == KEPT_INDEXES


def test_a_panic_of_tantivy_is_a_fault_of_the_index(tmp_path: Path) -> None:
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(IndexUnusable, match="cannot be read: out of bounds"), readable(tmp_path):
        raise panic("out of bounds")


def test_an_interrupt_is_none(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), readable(tmp_path):
        raise KeyboardInterrupt
