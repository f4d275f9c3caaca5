"""The nodes of a query; every node matches a set of pages.

A page has fields, each a list of words: `title`, `body`, `anchor` (the words of links that lead to it) and `url`.
Outside `InField` a node looks at all of them; the words of a phrase must stand in one field.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

FIELDS = ("title", "body", "anchor", "url")


@dataclass(frozen=True)
class Word:
    """Pages with a word: any form of the same stem or, if `exact`, this form alone."""

    text: str
    exact: bool = False


@dataclass(frozen=True)
class Phrase:
    """Pages with words, by their stems, in this order; all gaps between them together have at most `slop` words."""

    words: tuple[str, ...]
    slop: int = 0


@dataclass(frozen=True)
class Near:
    """Pages in which two words, by their stems, stand at most `distance` places apart, in either order."""

    first: str
    second: str
    distance: int


@dataclass(frozen=True)
class Wildcard:
    """Pages with a word form that a pattern matches: `*` is any letters or none, `?` is one."""

    pattern: str


@dataclass(frozen=True)
class Fuzzy:
    """Pages with a word form that so many edits make of this; to swap two neighbouring letters is one edit."""

    text: str
    distance: int


@dataclass(frozen=True)
class Sounds:
    """Pages with a word form of the same Soundex code."""

    text: str


@dataclass(frozen=True)
class Editex:
    """Pages with a word form within an Editex distance."""

    text: str
    distance: int


@dataclass(frozen=True)
class Like:
    """Pages with a word form that shares most of its trigrams with this."""

    text: str


@dataclass(frozen=True)
class Site:
    """Pages of a site, of a host, or of all hosts whose names end in this one."""

    name: str


@dataclass(frozen=True)
class Language:
    """Pages in a language, by its two letters."""

    code: str


@dataclass(frozen=True)
class Date:
    """Pages fetched from `first` on and before `end`; None is no bound."""

    first: datetime | None
    end: datetime | None


@dataclass(frozen=True)
class InField:
    """What a node matches in one field alone."""

    field: str
    node: Node


@dataclass(frozen=True)
class Boost:
    """What a node matches, counting so many times as much."""

    node: Node
    factor: float


@dataclass(frozen=True)
class Either:
    """Pages that any of some nodes match."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Together:
    """Pages that match all of `required` and none of `excluded`.

    Each of `optional` that a page matches as well makes it better ("ANDish"); if nothing is required, it must match
    one of them. If there is nothing but `excluded`, all other pages match.
    """

    required: tuple[Node, ...] = ()
    optional: tuple[Node, ...] = ()
    excluded: tuple[Node, ...] = ()


Node = (
    Word
    | Phrase
    | Near
    | Wildcard
    | Fuzzy
    | Sounds
    | Editex
    | Like
    | Site
    | Language
    | Date
    | InField
    | Boost
    | Either
    | Together
)
