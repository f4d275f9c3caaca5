"""CSV is read back by the csv module, and a spreadsheet finds no formula in it."""

from __future__ import annotations

import csv
import io

from hypothesis import given

from pagekin.exports.comma_separated import csv_lines, unrunnable
from pagekin.exports.rows import COLUMNS, PageRow, Pair, pairs

from .texts import ROWS


def read(rows: list[PageRow]) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(csv_lines(rows)), newline="")))


def test_the_first_line_names_the_columns(rows: list[PageRow]) -> None:
    assert tuple(read(rows)[0]) == COLUMNS


def test_texts_survive_commas_quotes_and_line_ends(rows: list[PageRow], expected: list[Pair]) -> None:
    found = read(rows)[1:]
    assert [row[3:5] for row in found] == [[each[3], each[4].replace("-A", "'-A")] for each in expected]
    assert [(int(row[2]), float(row[5])) for row in found] == [(each[2], each[5]) for each in expected]


def test_a_title_that_is_a_formula_gets_an_apostrophe(rows: list[PageRow]) -> None:
    assert read(rows)[1][1] == '\'=1+1, "A"'


@given(ROWS)
def test_no_cell_begins_as_a_formula_does(rows: list[PageRow]) -> None:
    for line in read(rows)[1:]:
        assert not any(cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r")) for cell in line)


@given(ROWS)
def test_whatever_is_written_is_read_back(rows: list[PageRow]) -> None:
    wanted = [[unrunnable(cell) if isinstance(cell, str) else str(cell) for cell in pair] for pair in pairs(rows)]
    assert read(rows)[1:] == wanted
