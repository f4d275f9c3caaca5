"""The words of a query as the scanner would read them on a page, so that queries and pages agree.

The scanner itself is a compiled kernel; a query is too short to load one for it. A test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

LONGEST_WORD = 64  # bytes; of a longer word the lexicon has only its beginning
WILD = "*?"
IDEOGRAPHS_OF_A_WORD = 2

_ASCII_WORD = re.compile("[0-9a-z]+")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "\n"}
# Over the kinds of characters: letters or ideographs, with the marks on them.
_RUN = re.compile("L[LM]*|I[IM]*")
_PATTERN = re.compile("[^LIW]*((?:L|W)[LMW]*|[IW][IMW]*)[^LIW]*")
_STARS = re.compile(r"\*+")


def page_words(text: str) -> list[str]:
    """The words of a text.

    >>> page_words("Don't e-mail C++"), page_words("東京都 Tokyo")
    (['don', 't', 'e', 'mail', 'c'], ['東京', '京都', 'tokyo'])
    """
    if text.isascii():
        return [word[:LONGEST_WORD] for word in _ASCII_WORD.findall(text.replace("\0", "").lower())]
    text, kinds = _seen(text)
    words: list[str] = []
    for run in _RUN.finditer(kinds):
        if run[0][0] == "L":
            words.append(_cut(_lower(text[slice(*run.span())])))
        else:
            words += _pairs([text[i] for i in range(*run.span()) if kinds[i] == "I"])
    return words


def words_of_texts(texts: Sequence[str]) -> list[list[str]]:
    """The words of each of many texts; those of plain letters are found all at once.

    >>> words_of_texts(["Don't", "", "a.test/B-2"])
    [['don', 't'], [], ['a', 'test', 'b', '2']]
    """
    plain = "\n".join(text.replace("\n", " ") if text.isascii() else "" for text in texts)
    lines = plain.replace("\0", "").lower().translate(_BLANKS).split("\n")
    return [
        [word[:LONGEST_WORD] for word in line.split()] if text.isascii() else page_words(text)
        for text, line in zip(texts, lines, strict=False)  # of no texts there is still a line
    ]


def page_pattern(text: str) -> str:
    """A word with wildcards in lower case; empty if it would be several words on a page, or has no letter.

    >>> page_pattern("Brit*NEY,"), page_pattern("e-ma*")
    ('brit*ney', '')
    """
    text, kinds = _seen(text)
    kinds = "".join("W" if letter in WILD else kind for letter, kind in zip(text, kinds, strict=True))
    found = _PATTERN.fullmatch(kinds)
    if found is None or found[1].count("I") > IDEOGRAPHS_OF_A_WORD or not set(found[1]) & {"L", "I"}:
        return ""
    kept = [text[i] for i in range(*found.span(1)) if not (kinds[i] == "M" and "I" in found[1])]
    return _STARS.sub("*", _lower("".join(kept)))


def _pairs(ideographs: list[str]) -> list[str]:
    return [first + second for first, second in pairwise(ideographs)] or ideographs


def _cut(word: str) -> str:
    return word if len(word) * 4 <= LONGEST_WORD else word.encode()[:LONGEST_WORD].decode("utf-8", "ignore")


def _seen(text: str) -> tuple[str, str]:
    """A text without the signs that are not seen in it, and the kind of each of its characters as a letter."""
    letters, kinds = _kind_letters(), []
    kept = []
    for character in text:
        code = ord(character)
        kind = letters[code] if code < len(letters) else "S"
        if kind != "-":
            kept.append(character)
            kinds.append(kind)
    return "".join(kept), "".join(kinds)


@cache
def _kind_letters() -> str:
    """For each code point `L`etter, `M`ark, `I`deograph, `S`eparator or `-` for what is not seen."""
    from pagekin.scan.characters import IDEOGRAPH, IGNORED, LETTER, MARK, characters

    letters = {LETTER: "L", MARK: "M", IDEOGRAPH: "I", IGNORED: "-"}
    return "".join(letters.get(kind, "S") for kind in characters().kind.tolist())


def _lower(text: str) -> str:
    """Each character in lower case by itself; the first where there would be several ('İ')."""
    return "".join(character.lower()[0] for character in text)
