"""The same rows to a file and to a stream; a fault on the way leaves what was there."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pagekin.exports.destinations import FILES, TEXTS, ToFile, ToSite, ToStream
from pagekin.exports.rows import PageRow, Pair


@pytest.mark.parametrize("kind", TEXTS)
def test_a_stream_gets_the_bytes_of_the_file(rows: list[PageRow], tmp_path: Path, kind: str) -> None:
    stream = io.BytesIO()
    ToStream(kind, stream).write(rows)
    ToFile(kind, tmp_path / "out").write(rows)
    assert stream.getvalue() == (tmp_path / "out").read_bytes()


def test_parquet_can_be_streamed(rows: list[PageRow], expected: list[Pair]) -> None:
    stream = io.BytesIO()
    ToStream("parquet", stream).write(rows)
    assert [tuple(row.values()) for row in pq.read_table(io.BytesIO(stream.getvalue())).to_pylist()] == expected


def test_sqlite_can_be_streamed(rows: list[PageRow], expected: list[Pair], tmp_path: Path) -> None:
    with (tmp_path / "streamed").open("wb") as stream:
        ToStream("sqlite", stream).write(rows)
    with closing(sqlite3.connect(tmp_path / "streamed")) as database:
        assert database.execute("SELECT * FROM related ORDER BY url, rank").fetchall() == expected


def failing(rows: list[PageRow]) -> Iterator[PageRow]:
    yield rows[0]
    raise ZeroDivisionError


@pytest.mark.parametrize("kind", [*TEXTS, *FILES])
def test_a_fault_on_the_way_loses_nothing(rows: list[PageRow], tmp_path: Path, kind: str) -> None:
    (tmp_path / "out").write_text("old", "utf-8")
    with pytest.raises(ZeroDivisionError):
        ToFile(kind, tmp_path / "out", force=True).write(failing(rows))
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("out", "old")]


def test_a_fault_on_the_way_loses_nothing_of_a_site(rows: list[PageRow], tmp_path: Path) -> None:
    ToSite("jekyll", tmp_path).write(rows)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ZeroDivisionError):
        ToSite("jekyll", tmp_path, force=True).write(failing(rows))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
