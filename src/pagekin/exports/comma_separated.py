"""CSV (RFC 4180) that a spreadsheet can open: what a crawled page says is never run as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from pagekin.exports.rows import COLUMNS, PageRow, pairs

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def unrunnable(text: str) -> str:
    """A text with an apostrophe before it if a spreadsheet would take it for a formula.

    >>> unrunnable('=HYPERLINK("http://evil.test/")')
    '\\'=HYPERLINK("http://evil.test/")'
    >>> unrunnable("1 + 1 = 2")
    '1 + 1 = 2'
    """
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


def csv_lines(rows: Iterable[PageRow]) -> Iterator[str]:
    """A line with the names of the columns, then one for each pair of related pages."""
    yield _line(COLUMNS)
    for pair in pairs(rows):
        yield _line([unrunnable(value) if isinstance(value, str) else value for value in pair])


def _line(values: Iterable[object]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(values)
    return text.getvalue()
