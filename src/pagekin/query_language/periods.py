"""Days, months and years of a query as spans of time, and back. All are those of UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_DAY = re.compile("([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")

Bound = datetime | None


def period(text: str) -> tuple[Bound, Bound]:
    """The first moment of a period and the first one after it, None for no bound; ValueError if it is none.

    >>> [str(bound) for bound in period("2021-03..2022")]
    ['2021-03-01 00:00:00+00:00', '2023-01-01 00:00:00+00:00']
    """
    begin, dots, end = text.partition("..")
    if not dots:
        return _span(begin)
    if not begin and not end:
        raise ValueError("no bound at all")
    bounds = (_span(begin)[0] if begin else None), (_span(end)[1] if end else None)
    if bounds[0] and bounds[1] and bounds[0] >= bounds[1]:
        raise ValueError("ends before it begins")
    return bounds


def _span(text: str) -> tuple[datetime, Bound]:
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError("neither a year nor a month nor a day")
    year, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None
    first = datetime(year, month or 1, day or 1, tzinfo=UTC)
    try:
        return first, _next(first, month is not None, day is not None)
    except (OverflowError, ValueError):  # behind the last year there is
        return first, None


def _next(first: datetime, has_month: bool, has_day: bool) -> datetime:
    if has_day:
        return first + timedelta(days=1)
    if not has_month or first.month == 12:
        return first.replace(year=first.year + 1, month=1)
    return first.replace(month=first.month + 1)


def period_text(first: Bound, end: Bound) -> str:
    """The shortest text of a period of whole days.

    >>> period_text(*period("2021-03-01..2021-03-31")), period_text(None, period("2020")[1])
    ('2021-03', '..2020')
    """
    if first and end:
        for text in _names(first):
            if _span(text)[1] == end:
                return text
    begin = _names(first)[0] if first else ""
    return f"{begin}..{_last_name(end) if end else ''}"


def _names(first: datetime) -> list[str]:
    """The year, the month and the day that begin at a moment, those that do."""
    names = [
        f"{first.year:04}",
        f"{first.year:04}-{first.month:02}",
        f"{first.year:04}-{first.month:02}-{first.day:02}",
    ]
    return names[0 if (first.month, first.day) == (1, 1) else 1 if first.day == 1 else 2 :]


def _last_name(end: datetime) -> str:
    """The longest of day, month and year that ends at a moment."""
    last = end - timedelta(days=1)
    names = _names(last.replace(month=1, day=1))[0], _names(last.replace(day=1))[-2], _names(last)[-1]
    return next(name for name in names if _span(name)[1] == end)
