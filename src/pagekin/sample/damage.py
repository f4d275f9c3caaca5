"""Mistakes that people make in HTML: each takes a page and gives it back a little broken."""

from __future__ import annotations

import re
from collections.abc import Callable

from pagekin.sample.dice import Dice


def unclosed(html: str) -> str:
    """Paragraphs and list items are never closed.

    >>> unclosed("<p>one</p><p>two</p>")
    '<p>one<p>two'
    """
    return re.sub(r"</(p|li|dt|dd|td)>", "", html, flags=re.I)


def unquoted(html: str) -> str:
    """Addresses without spaces lose their quotes.

    >>> unquoted('<a href="/x.html">x</a>')
    '<a href=/x.html>x</a>'
    """
    return re.sub(r'href="([^"\s?]*[^"\s?/])"', r"href=\1", html)


def half_quoted(html: str) -> str:
    """One title attribute is opened and closed by different quotes, in a place where no link is lost."""
    return html.replace("<h2>", "<h2 class='a\" id=title'>", 1)


def misnested(html: str) -> str:
    """Inline elements overlap."""
    return re.sub(r"<p>([^<]{30,90}) (\w)", r"<p><b>\1 <i></b>\2</i>", html, count=3)


def cut_off(html: str) -> str:
    """The transfer ended in the middle of a tag near the end."""
    end = html.rfind("<a ")
    return html[: end + 12] if end > 0 else html


def stray_brackets(html: str) -> str:
    """Less-than signs and ampersands that begin nothing."""
    return html.replace(". ", " (a < b && b > c). ", 2)


DAMAGES: tuple[Callable[[str], str], ...] = (
    unclosed, unquoted, half_quoted, misnested, cut_off, stray_brackets,
)  # fmt: skip


def damaged(html: str, dice: Dice) -> str:
    """The page with one of the mistakes."""
    return dice.pick(DAMAGES)(html)
