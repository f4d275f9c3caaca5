"""A query in pieces: words, signs, brackets; one pass over its characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pagekin.query_language.caret import query_fault
from pagekin.query_language.nodes import FIELDS
from pagekin.query_language.words import LONGEST_WORD, page_words

SIMILAR = ("sounds", "editex", "like")
FILTERS = ("site", "lang", "date")
NAMES = (*FIELDS, *FILTERS, *SIMILAR)
MINUS = "-−–"  # also the sign proper, and the dash that phones make of it
QUOTES = '"“”„‟«»＂'


# What a piece of a query is; an Enum would be slower to name than to compare in Python 3.11.
Kind = Literal[
    "open",
    "close",
    "plus",
    "minus",
    "exact",  # the `=` before a word
    "name",  # `title:` and its like
    "quoted",
    "bare",  # a word, or several with punctuation between them
    "address",
    "tilde",  # `~` or `~2` after a word or a phrase
    "boost",
    "and",
    "or",
    "not",
    "near",
    "end",
]


class Token(NamedTuple):
    """A piece of a query, where it stands, and what of it counts: the name, the quoted text, the number."""

    kind: Kind
    first: int
    last: int
    text: str
    is_plain: bool = False  # a word of ASCII letters and digits, behind which nothing is said of it


_KEYWORDS: dict[str, Kind] = {"AND": "and", "OR": "or", "NOT": "not"}
_SIGNS: dict[str, Kind] = {"+": "plus", "=": "exact", **{sign: "minus" for sign in MINUS}}
_BRACKETS: dict[str, Kind] = {"(": "open", ")": "close"}

_SPACE = re.compile(r"\s*")
_ASCII_SIGN_OF_A_WORD = re.compile("[0-9A-Za-z]")
_PLAIN_WORD = re.compile(rf"[0-9a-z]{{1,{LONGEST_WORD}}}(?=[\s)]|$)")  # whatever stands before it, it is no more
_QUOTE = re.compile(f"[{QUOTES}]")
_RUN = re.compile(rf"[~^]*[^\s(){QUOTES}~^]*")
_ADDRESS = re.compile(rf"[^\s{QUOTES}/]*/[^\s{QUOTES}]*")
_NAME = re.compile("([A-Za-z]+):")
_BEFORE_WORDS = re.compile(r"[/:]|[\s)]|$")  # behind a colon: this was no name but `http://`, `std::` or `Note: `
_TILDE = re.compile(rf"~([0-9]*)(?=[\s(){QUOTES}^]|$)")
_BOOST = re.compile(rf"\^([0-9]+(?:\.[0-9]+)?)(?=[\s(){QUOTES}]|$)")
_NEAR = re.compile("NEAR/(.*)", re.S)


def tokens(query: str) -> Iterator[Token]:
    """The pieces of a query, its end last; what has no letter or digit and no meaning is left out.

    >>> [token.text for token in tokens('+java & title:"hot tea"~2')]
    ['+', 'java', 'title', 'hot tea', '2', '']
    """
    previous: Token | None = None
    at = _after_space(query, 0)
    while at < len(query):
        token = _token(query, at, previous if previous and previous.last == at else None)
        if token.is_plain or token.kind != "bare" or _has_word(token.text):
            yield token
            previous = token
        at = _after_space(query, token.last)
    yield Token("end", len(query), len(query), "")


def _has_word(text: str) -> bool:
    return bool(_ASCII_SIGN_OF_A_WORD.search(text) if text.isascii() else page_words(text))


def _after_space(query: str, at: int) -> int:
    space = _SPACE.match(query, at)
    assert space is not None
    return space.end()


def _token(query: str, at: int, previous: Token | None) -> Token:
    """The piece that begins here, right behind `previous` if there is one."""
    if plain := _PLAIN_WORD.match(query, at):
        return Token("bare", at, plain.end(), plain[0], True)
    sign = query[at]
    if sign in _BRACKETS:
        return Token(_BRACKETS[sign], at, at + 1, sign)
    if sign in QUOTES:
        return _quoted(query, at)
    if sign in "~^" and previous and previous.kind in _BEFORE_SUFFIX:
        return _suffix(query, at)
    if sign in _SIGNS and _begins(query, at, previous) and _has_operand(query, at + 1):
        return Token(_SIGNS[sign], at, at + 1, sign)
    value = _whole_value(query, at, previous.text) if previous and previous.kind == "name" else None
    return value or _name(query, at) or _bare(query, at)


_BEFORE_SUFFIX = ("bare", "quoted", "close", "tilde")
_BEFORE_SIGN = ("open", "plus", "minus", "name")


def _begins(query: str, at: int, previous: Token | None) -> bool:
    """Whether a sign here stands before a word, not behind one."""
    return at == 0 or query[at - 1].isspace() or (previous is not None and previous.kind in _BEFORE_SIGN)


def _has_operand(query: str, at: int) -> bool:
    """Whether something that can be looked for follows: `-a` is a sign, `->` and `--a` are punctuation."""
    run = _run(query, at)
    if run:
        return run[0] not in "+" + MINUS and (run == "=" or _has_word(run))
    return query[at : at + 1] not in ("", ")") and not query[at].isspace()


def _run(query: str, at: int) -> str:
    found = _RUN.match(query, at)
    assert found is not None
    return found[0]


def _quoted(query: str, at: int) -> Token:
    closing = _QUOTE.search(query, at + 1)
    if closing is None:
        raise query_fault(query, at, at + 1, "expected another quote that closes this one, found the end")
    return Token("quoted", at, closing.end(), query[at + 1 : closing.start()])


def _suffix(query: str, at: int) -> Token:
    kind: Kind = "tilde" if query[at] == "~" else "boost"
    found = (_TILDE if kind == "tilde" else _BOOST).match(query, at)
    if found is None:
        wrong = _run(query, at + 1)
        wanted = "a number or a space" if kind == "tilde" else "a number, as 3 or 0.5,"
        raise query_fault(query, at, at + 1, f"expected {wanted} after {query[at]}, found {wrong[:20] or 'nothing'}")
    return Token(kind, at, found.end(), found[1])


def _whole_value(query: str, at: int, name: str) -> Token | None:
    """A value in which no sign has a meaning: that of a filter, or an address."""
    if name in FILTERS:
        run = _run(query, at)
        return Token("bare", at, at + len(run), run)
    found = _ADDRESS.match(query, at) if name == "url" else None
    if found is None:
        return None
    end = at + _own_length(found[0])
    return Token("address", at, end, query[at:end]) if "/" in query[at:end] else None


def _own_length(address: str) -> int:
    """How long an address is without a bracket behind it that closes none of its own."""
    depth = 0
    for at, sign in enumerate(address):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth < 0:
            return at
    return len(address)


def _name(query: str, at: int) -> Token | None:
    found = _NAME.match(query, at)
    if found is None:
        return None
    name = found[1].lower()
    if name in NAMES:
        return Token("name", at, found.end(), name)
    if _BEFORE_WORDS.match(query, found.end()):
        return None
    known = ", ".join(f"{name}:" for name in NAMES)
    message = f"expected one of {known}, found {found[0]} (quotes make words of it)"
    raise query_fault(query, at, found.end(), message)


def _bare(query: str, at: int) -> Token:
    run = _run(query, at)
    token = Token(_KEYWORDS.get(run, "bare"), at, at + len(run), run)
    if near := _NEAR.fullmatch(run):
        if not re.fullmatch("[0-9]+", near[1]):
            raise query_fault(query, at, token.last, f"expected a number, as in NEAR/5, found {run[:20]}")
        return token._replace(kind="near", text=near[1])
    return token
