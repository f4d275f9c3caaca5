"""Lists of related pages as truth: what editors write under "See also", or what assessors judged.

Read are tables `page TAB related page`, with a grade if there is one, and the qrels of TREC.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import TruthError
from pagekin.evaluation.addresses import Addresses, nothing_in_common, open_truth, read_rows

EXPECTED = "expected `page TAB related page`, perhaps with a tab and a grade, or the four columns of TREC qrels"

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """A page and one that is related to it; the higher the grade, the more."""

    page: str
    related: str
    grade: float


@dataclass(frozen=True)
class Pairs:
    """The pages of a crawl of which related pages are known."""

    sources: Numbers  # ascending
    ends: Numbers  # what is related to source i is related[ends[i] : ends[i + 1]], ascending
    related: Numbers
    grades: Floats
    facts: dict[str, int | str]


# --- reading ------------------------------------------------------------------------------------------------


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of a list of related pages; those that qrels grade 0 or less are judged unrelated, and left out."""
    with open_truth(path) as file:
        format_ = ""
        for number, row in read_rows(file, path):
            where = f"{path}:{number}"
            found = _format(row, where)
            format_ = format_ or found
            if found != format_:
                raise TruthError(f"{where}: a row of {found} after rows of {format_}, {row[:80]!r}; {EXPECTED}")
            pair = _table_pair(row, where) if found == "a table" else _qrels_pair(row, where)
            if pair.grade > 0:
                yield pair


def _format(row: str, where: str) -> str:
    columns = row.split("\t")
    if len(columns) in (2, 3) and columns[0].strip() and columns[1].strip():
        return "a table"
    if len(row.split()) == 4:
        return "qrels"
    raise TruthError(f"{where}: found {row[:80]!r}; {EXPECTED}")


def _table_pair(row: str, where: str) -> Pair:
    page, related, *grades = (column.strip() for column in row.split("\t"))
    grade = _grade(grades[0], where) if grades else 1.0
    if grade <= 0:
        raise TruthError(f"{where}: found the grade {grade:g}; expected one above 0, or leave the row out")
    return Pair(page, related, grade)


def _qrels_pair(row: str, where: str) -> Pair:
    page, _, related, grade = row.split()
    return Pair(page, related, _grade(grade, where))


def _grade(text: str, where: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise TruthError(f"{where}: found the grade {text[:80]!r}; expected a number")
    return grade


# --- the pairs of a crawl -----------------------------------------------------------------------------------


class _Rows:
    """The rows that can be used, and how many cannot."""

    def __init__(self, addresses: Addresses, excluded: Callable[[str], bool]) -> None:
        self._addresses, self._excluded = addresses, excluded
        self.sources, self.related = array("q"), array("q")
        self.grades = array("d")
        self.rows = self.not_in_crawl = self.excluded = self.self_pairs = 0
        self.missing = ""

    def add(self, pair: Pair) -> None:
        self.rows += 1
        source, related = self._addresses.page(pair.page), self._addresses.page(pair.related)
        if source is None or related is None:
            self.not_in_crawl += 1
            self.missing = self.missing or (pair.page if source is None else pair.related)
        elif self._excluded(self._addresses.url(source)) or self._excluded(self._addresses.url(related)):
            self.excluded += 1
        elif source == related:
            self.self_pairs += 1
        else:
            self.sources.append(source)
            self.related.append(related)
            self.grades.append(pair.grade)


def paired(pairs: Iterable[Pair], addresses: Addresses, excluded: Callable[[str], bool]) -> Pairs:
    """The pairs of which a crawl knows both pages; `excluded` says which URLs are not to be used."""
    rows = _Rows(addresses, excluded)
    for pair in pairs:
        rows.add(pair)
    if rows.not_in_crawl == rows.rows:
        raise nothing_in_common("list of related pages", rows.rows, rows.missing, addresses)
    if not rows.sources:
        raise TruthError(
            f"no pair of related pages is left of {rows.rows:,} rows: {rows.not_in_crawl:,} have a page that is not in "
            f"the crawl, {rows.excluded:,} one that is excluded, {rows.self_pairs:,} the same page twice; "
            f"expected pairs of different pages of this crawl"
        )
    return _pairs(rows)


def _pairs(rows: _Rows) -> Pairs:
    source, related = np.array(rows.sources, np.int64), np.array(rows.related, np.int64)
    grade = np.array(rows.grades, np.float64)
    order = np.lexsort((-grade, related, source))
    source, related, grade = source[order], related[order], grade[order]
    first = np.ones(len(source), np.bool_)
    first[1:] = (source[1:] != source[:-1]) | (related[1:] != related[:-1])
    source, related, grade = source[first], related[first], grade[first]
    sources, starts = np.unique(source, return_index=True)
    facts: dict[str, int | str] = {
        "rows": rows.rows,
        "sources": len(sources),
        "pairs": len(related),
        "not_in_crawl": rows.not_in_crawl,
        "excluded": rows.excluded,
        "self_pairs": rows.self_pairs,
        "duplicates": int((~first).sum()),
    }
    return Pairs(sources, np.append(starts, len(source)).astype(np.int64), related, grade, facts)
