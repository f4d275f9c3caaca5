"""SQLite: a table `related`, with an index on the address of the page."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from pagekin.errors import ExportFailed
from pagekin.exports.rows import PageRow, pairs

_TABLE = """CREATE TABLE related (
    url TEXT NOT NULL, title TEXT NOT NULL, rank INTEGER NOT NULL,
    related_url TEXT NOT NULL, related_title TEXT NOT NULL, score REAL NOT NULL
)"""


def write_sqlite(rows: Iterable[PageRow], path: Path) -> None:
    """Write a new database with all pairs; ExportFailed if there is no room for it."""
    try:
        _write(rows, path)
    except sqlite3.Error as fault:
        raise ExportFailed(f"{path} cannot be written: {fault}") from None


def _write(rows: Iterable[PageRow], path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = OFF")  # a file that is not finished is thrown away
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        database.execute(_TABLE)
        database.executemany("INSERT INTO related VALUES (?, ?, ?, ?, ?, ?)", pairs(rows))
        database.execute("CREATE INDEX related_by_url ON related (url, rank)")
        database.execute("COMMIT")
