"""Periods of time in a query."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime

import pytest
from hypothesis import given

from pagekin.query_language import periods
from pagekin.query_language.nodes import Date
from pagekin.query_language.periods import period, period_text

from .trees import dates


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def test_examples() -> None:
    assert doctest.testmod(periods).failed == 0


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("2021", day(2021, 1, 1), day(2022, 1, 1)),
        ("2021-12", day(2021, 12, 1), day(2022, 1, 1)),
        ("2020-02-29", day(2020, 2, 29), day(2020, 3, 1)),
        ("2021-03-01..2021-04", day(2021, 3, 1), day(2021, 5, 1)),
        ("..2020", None, day(2021, 1, 1)),
        ("2020-06..", day(2020, 6, 1), None),
        ("9999", day(9999, 1, 1), None),
        ("9999-12-31", day(9999, 12, 31), None),
    ],
)
def test_period(text: str, first: datetime | None, end: datetime | None) -> None:
    assert period(text) == (first, end)


@pytest.mark.parametrize(
    "text", ["", "..", "21", "2021-1", "2021-13", "2021-02-29", "0000", "2022..2021", "1..2..3", "٢٠٢١"]
)
def test_what_is_no_period(text: str) -> None:
    with pytest.raises(ValueError):
        period(text)


@given(dates())
def test_the_text_of_a_period_is_read_as_that_period(date: Date) -> None:
    assert period(period_text(date.first, date.end)) == (date.first, date.end)


@pytest.mark.parametrize(
    "text", ["2021", "2021-03", "2021-03-07", "2021..2022", "2021-03..2021-04-02", "..2021-02", "2021-05.."]
)
def test_the_text_of_a_period_is_short(text: str) -> None:
    assert period_text(*period(text)) == text
