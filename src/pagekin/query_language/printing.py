"""A tree of a query back as text."""

from __future__ import annotations

from decimal import Decimal

from pagekin.query_language.nodes import (
    Boost,
    Date,
    Editex,
    Either,
    Fuzzy,
    InField,
    Language,
    Like,
    Near,
    Node,
    Phrase,
    Site,
    Sounds,
    Together,
    Wildcard,
    Word,
)
from pagekin.query_language.periods import period_text


def query_text(node: Node) -> str:
    """The text of a tree; to parse it gives the tree again, or one that means the same if no text has this one.

    >>> from pagekin.query_language.parser import parse_query
    >>> query_text(parse_query("java  AND (applet OR  servlet) NOT script"))
    '+java +(applet OR servlet) -script'
    """
    match node:
        case Boost(inner, factor):
            return f"{_boostable(inner)}^{_number(factor)}"
        case InField(field, inner):
            return f"{field}:{_in_field(inner)}"
        case Either(nodes):
            return " OR ".join(_whole(inner) for inner in nodes)
        case Together():
            return _together(node)
        case _:
            return _leaf(node)


def _leaf(node: Node) -> str:
    match node:
        case Word(text, exact):
            return f"={text}" if exact else text
        case Phrase(words, slop):
            return f'"{" ".join(words)}"' + (f"~{slop}" if slop else "")
        case Near(first, second, distance):
            return f"{first} NEAR/{distance} {second}"
        case Wildcard(pattern):
            return pattern
        case Fuzzy(text, distance):
            return f"{text}~{distance}"
        case Sounds(text):
            return f"sounds:{text}"
        case Editex(text, distance):
            return f"editex:{text}~{distance}"
        case Like(text):
            return f"like:{text}"
        case Site(name):
            return f"site:{name}"
        case Language(code):
            return f"lang:{code}"
        case Date(first, end):
            return f"date:{period_text(first, end)}"
    raise AssertionError(f"{node} has parts")


def _together(node: Together) -> str:
    parts = [f"+{_whole(inner)}" for inner in node.required]
    parts += [_wish(inner) for inner in node.optional]
    parts += [f"-{_whole(inner)}" for inner in node.excluded]
    return " ".join(parts)


def _wish(node: Node) -> str:
    """The text of a node that is not required; a filter would be, without a boost."""
    return query_text(Boost(node, 1.0)) if _is_filter(node) else _whole(node)


def _is_filter(node: Node) -> bool:
    match node:
        case Site() | Language() | Date():
            return True
        case InField(_, inner):
            return _is_filter(inner)
        case Either(nodes):
            return all(_is_filter(inner) for inner in nodes)
        case Together(required, optional, _):
            return not required and not optional
    return False


def _whole(node: Node) -> str:
    """The text of a node, in brackets if others could stand beside it."""
    return _bracketed(node, (Either, Together))


def _boostable(node: Node) -> str:
    return _bracketed(node, (Either, Together, Boost, Near))


def _in_field(node: Node) -> str:
    return _bracketed(node, (Either, Together, Boost, Near, InField, Site, Language, Date))


def _bracketed(node: Node, kinds: tuple[type, ...]) -> str:
    text = query_text(node)
    return f"({text})" if isinstance(node, kinds) else text


def _number(factor: float) -> str:
    """A factor in plain digits, as many as it takes.

    >>> _number(3.0), _number(0.001)
    ('3', '0.001')
    """
    return f"{Decimal(repr(factor)):f}".removesuffix(".0")
