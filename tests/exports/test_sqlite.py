"""SQLite is read back by the sqlite3 module."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pagekin.errors import ExportFailed
from pagekin.exports.rows import PageRow, Pair
from pagekin.exports.sqlite import write_sqlite


def test_all_pairs_are_there(rows: list[PageRow], expected: list[Pair], tmp_path: Path) -> None:
    write_sqlite(rows, tmp_path / "related.sqlite")
    with closing(sqlite3.connect(tmp_path / "related.sqlite")) as database:
        assert database.execute("SELECT * FROM related ORDER BY url, rank").fetchall() == expected
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_relatives_of_a_page_are_found_by_an_index(rows: list[PageRow], tmp_path: Path) -> None:
    write_sqlite(rows, tmp_path / "related.sqlite")
    with closing(sqlite3.connect(tmp_path / "related.sqlite")) as database:
        plan = database.execute("EXPLAIN QUERY PLAN SELECT * FROM related WHERE url = 'x' ORDER BY rank").fetchall()
    assert [row[3] for row in plan] == ["SEARCH related USING INDEX related_by_url (url=?)"]


def test_a_place_that_cannot_be_written_is_told_of(rows: list[PageRow], tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match="cannot be written: unable to open database file"):
        write_sqlite(rows, tmp_path / "missing" / "related.sqlite")
