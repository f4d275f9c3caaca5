"""Where an export can go: a file, a stream, the folder of a site, a database."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from pagekin.exports.comma_separated import csv_lines
from pagekin.exports.hugo import HUGO
from pagekin.exports.jekyll import JEKYLL
from pagekin.exports.json_lines import json_lines
from pagekin.exports.parquet import write_parquet
from pagekin.exports.postgresql import TABLE, write_postgresql
from pagekin.exports.rows import PageRow
from pagekin.exports.site_files import check_site, write_site
from pagekin.exports.sphinx import SPHINX
from pagekin.exports.sqlite import write_sqlite
from pagekin.exports.targets import check_free, whole_file
from pagekin.exports.trec import trec_lines

Rows = Iterable[PageRow]

TEXTS: dict[str, Callable[[Rows], Iterator[str]]] = {"jsonl": json_lines, "csv": csv_lines, "trec": trec_lines}
FILES: dict[str, Callable[[Rows, Path], None]] = {"parquet": write_parquet, "sqlite": write_sqlite}
SITES = {"hugo": HUGO, "jekyll": JEKYLL, "sphinx": SPHINX}


class Destination(Protocol):
    """A place that rows can be written to."""

    def check(self) -> None:
        """Complain of a place that cannot be written to, before the long work."""

    def write(self, rows: Rows) -> None:
        """Write all rows, or leave what was there as it was."""


@dataclass(frozen=True)
class ToFile:
    """A file of some format, which appears when it is whole."""

    kind: str
    path: Path
    force: bool = False

    def check(self) -> None:
        """Complain of a file that is there, unless it may be replaced."""
        check_free(self.path, self.force)

    def write(self, rows: Rows) -> None:
        """Write the file beside its place, and rename it."""
        with whole_file(self.path, self.force) as beside:
            if self.kind in FILES:
                FILES[self.kind](rows, beside)
            else:
                with beside.open("wb") as file:
                    _write_lines(TEXTS[self.kind](rows), file)


@dataclass(frozen=True)
class ToStream:
    """A stream, such as standard output: lines as they come, other formats when they are whole."""

    kind: str
    stream: BinaryIO

    def check(self) -> None:
        """There is nothing to complain of."""

    def write(self, rows: Rows) -> None:
        """Write to the stream."""
        if self.kind in TEXTS:
            _write_lines(TEXTS[self.kind](rows), self.stream)
            return
        with tempfile.TemporaryDirectory(prefix="pagekin-export-") as folder:
            path = Path(folder) / f"related.{self.kind}"
            FILES[self.kind](rows, path)
            with path.open("rb") as file:
                shutil.copyfileobj(file, self.stream)


@dataclass(frozen=True)
class ToSite:
    """The folder of a site that a program makes: hugo, jekyll or sphinx."""

    maker: str
    folder: Path
    force: bool = False

    def check(self) -> None:
        """Complain of data that are there, unless they may be replaced."""
        check_site(SITES[self.maker], self.folder, self.force)

    def write(self, rows: Rows) -> None:
        """Write the data and, the first time, a template."""
        write_site(rows, SITES[self.maker], self.folder, self.force)


@dataclass(frozen=True)
class ToPostgresql:
    """A table of a database."""

    address: str
    table: str = TABLE
    force: bool = False

    def check(self) -> None:
        """The database is asked before the first row is made."""

    def write(self, rows: Rows) -> None:
        """Build the table beside the old one, and swap."""
        write_postgresql(rows, self.address, self.table, force=self.force)


def _write_lines(lines: Iterable[str], stream: BinaryIO) -> None:
    for line in lines:
        stream.write(line.encode("utf-8"))
