"""What each character is to the scanner: part of a word, an ideograph, a mark, or nothing of the kind.

A word is a run of letters and digits of any script. Chinese and Japanese write no spaces between words, so
their characters become overlapping pairs, the usual stand-in for a dictionary.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SEPARATOR, LETTER, MARK, IDEOGRAPH, STOP, IGNORED = 0, 1, 2, 3, 4, 5

LIMIT = 0x323B0  # nothing assigned above is a letter
SPECIAL = 1  # a byte that needs a closer look: markup, a full stop, a part of a character beyond ASCII

_IDEOGRAPHS = (
    (0x3005, 0x3008),
    (0x3041, 0x3097),
    (0x309D, 0x30A0),
    (0x30A1, 0x30FB),
    (0x30FC, 0x3100),
    (0x31F0, 0x3200),
    (0x3400, 0x4DC0),
    (0x4E00, 0xA000),
    (0xF900, 0xFB00),
    (0xFF66, 0xFFA0),
    (0x20000, LIMIT),
)
# Signs inside a word that are not seen: soft hyphen, joiners, the byte-order mark; NUL, which HTML drops.
_IGNORED = (0x00, 0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF)
_STOPS = ".!?。！？｡"


class Characters(NamedTuple):
    """Two tables over code points below `LIMIT`, and one over bytes for the commonest case."""

    kind: NDArray[np.uint8]
    lower: NDArray[np.int32]
    folded: NDArray[np.uint8]  # an ASCII letter or digit in lower case; 0 for what parts words; else `SPECIAL`


def _kind(code: int) -> int:
    category = unicodedata.category(chr(code))
    if category[0] == "M":
        return MARK
    return LETTER if category[0] in "LN" else SEPARATOR


def _lower(code: int) -> int:
    """The lower-case form; the first character where there are several ('İ')."""
    return ord(chr(code).lower()[0])


@cache
def characters() -> Characters:
    """The tables, made once in a process."""
    kind = np.fromiter((_kind(code) for code in range(0x20000)), np.uint8, 0x20000)
    kind = np.concatenate([kind, np.zeros(LIMIT - 0x20000, np.uint8)])
    for first, last in _IDEOGRAPHS:
        kind[first:last] = np.where(kind[first:last] == MARK, MARK, IDEOGRAPH)
    kind[list(_IGNORED)] = IGNORED
    kind[[ord(stop) for stop in _STOPS]] = STOP
    lower = np.arange(LIMIT, dtype=np.int32)
    lower[:0x20000] = np.fromiter((_lower(code) for code in range(0x20000)), np.int32, 0x20000)
    folded = np.full(256, SPECIAL, np.uint8)
    folded[:128] = np.where(kind[:128] == LETTER, lower[:128], np.where(kind[:128] == SEPARATOR, 0, SPECIAL))
    folded[[ord("<"), ord("&")]] = SPECIAL
    return Characters(kind, lower, folded)
