"""A fault in a query, shown under its place."""

from __future__ import annotations

import unicodedata

from pagekin.errors import QueryError
from pagekin.plain_text import shown

MOST_SHOWN = 60  # characters of the query on either side of the place
_WIDE = ("W", "F")
_WIDTHLESS = ("Mn", "Me", "Cf")


def query_fault(query: str, first: int, last: int, message: str) -> QueryError:
    """An error at the characters of a query from `first` up to `last`."""
    where = "at its end" if first >= len(query) else f"at character {first + 1}"
    return QueryError(f"the query cannot be read {where}: {message}", marked(query, first, last, message))


def marked(query: str, first: int, last: int, message: str) -> str:
    """The query on one line and, on the next, a message with a mark under a place.

    >>> print(marked("title:(weather OR", 17, 17, "found the end"))
    title:(weather OR
                     ^ found the end
    """
    start, end = max(first - MOST_SHOWN, 0), min(max(last, first) + MOST_SHOWN, len(query))
    last = min(max(last, first), end)
    before = ("…" if start else "") + _one_line(query[start:first])
    place = _one_line(query[first:last])
    after = _one_line(query[last:end]) + ("…" if end < len(query) else "")
    carets = "^" * max(_columns(place), 1)
    return f"{(before + place + after).rstrip()}\n{' ' * _columns(before)}{carets} {message}"


def _one_line(text: str) -> str:
    """The text with a space for each character that a terminal would obey."""
    return "".join(shown(character) or " " for character in text)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in _WIDTHLESS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
