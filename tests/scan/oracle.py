"""The slow, obvious twin of the scanner: a tree by lexbor, walked in order; words by plain Python."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser

from pagekin.scan.tags import NAMES, SPLIT, tags

SKIPPED = frozenset("script style template iframe noembed noframes".split())
SPLITTING = frozenset(name for name, does in zip(NAMES, tags().does, strict=True) if does & SPLIT)
IGNORED = "\0\u00ad\u200c\u200d\u2060\ufeff"
LONGEST_WORD = 64
_IDEOGRAPHS = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA")
_LIKE_IDEOGRAPHS = "々〆〇ー\uff70"


class Seen(NamedTuple):
    """What a reader of a page sees: its words and the addresses of its links, in order."""

    words: list[str]
    links: list[str]


def seen(html: bytes) -> Seen:
    """The words and links of a page in UTF-8."""
    links: list[str] = []
    text = "".join(_pieces(LexborHTMLParser(html), links))
    return Seen(list(words_of(text)), links)


def _pieces(tree: LexborHTMLParser, links: list[str]) -> Iterator[str]:
    """The text of a page with a space wherever an element splits words; links are added as they are met."""
    node: Any = tree.root
    root = node
    while node is not None:
        tag = node.tag
        if tag == "-text":
            yield node.text_content or ""
        elif tag in SPLITTING:
            yield " "
            yield _alternative(node, tag)
            links.extend(_address(node, tag))
        inside = None if tag in SKIPPED else node.child
        while inside is None and node is not None:
            if node.tag in SPLITTING:
                yield " "
            inside = None if node.mem_id == root.mem_id else node.next
            if inside is None:
                node = None if node.mem_id == root.mem_id else node.parent
        node = inside


def _alternative(node: Any, tag: str) -> str:
    return f" {node.attributes.get('alt') or ''} " if tag in ("img", "area", "input") else ""


def _address(node: Any, tag: str) -> list[str]:
    name = {"a": "href", "area": "href", "frame": "src"}.get(tag)
    return [node.attributes[name] or ""] if name and name in node.attributes else []


# --- words -------------------------------------------------------------------------------------------------


@cache
def kind(character: str) -> str:
    """'letter', 'mark', 'ideograph', 'ignored' or 'separator'."""
    if character in IGNORED:
        return "ignored"
    category = unicodedata.category(character)[0]
    if category == "M":
        return "mark"
    name = unicodedata.name(character, "")
    if character in _LIKE_IDEOGRAPHS or (category in "LN" and name.startswith(_IDEOGRAPHS)):
        return "ideograph"
    return "letter" if category in "LN" else "separator"


def words_of(text: str) -> Iterator[str]:
    """The words of a text: runs of letters; pairs of ideographs."""
    for run in text.translate(_SPACED).split(" "):
        if run.isascii():
            yield from [run[:LONGEST_WORD]] if run else []
        else:
            yield from _words_of_run(run)


class _Spaced(dict[int, str]):
    """Each character in lower case; a space for what separates words, nothing for what is ignored."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        there = {"separator": " ", "ignored": ""}
        self[code] = there.get(kind(character), character.lower()[:1])
        return self[code]


_SPACED = _Spaced()


def _words_of_run(run: str) -> Iterator[str]:
    """The words of a run without separators; a mark with no letter before it is nobody's."""
    parts: list[tuple[str, str]] = []
    for character in run:
        sort = kind(character)
        if sort != "mark":
            if parts and parts[-1][0] == sort:
                parts[-1] = (sort, parts[-1][1] + character)
            else:
                parts.append((sort, character))
        elif parts and parts[-1][0] == "letter":
            parts[-1] = ("letter", parts[-1][1] + character)
    for sort, part in parts:
        yield from [_cut(part)] if sort == "letter" else _pairs(part)


def _pairs(ideographs: str) -> Iterable[str]:
    return map("".join, pairwise(ideographs)) if len(ideographs) > 1 else [ideographs]


def _cut(word: str) -> str:
    return word.encode()[:LONGEST_WORD].decode("utf-8", "ignore")
