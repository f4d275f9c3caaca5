"""What each HTML element and attribute is to the scanner, as tables that a kernel can look up.

A name is packed into one number, six bits a character, so that a lookup is one comparison of integers.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import i64, inlined_kernel, python_twin
from pagekin.tables import Break

LONGEST_NAME = 10
SLOTS = 1 << 10

# What an element does, as bits.
VOID = 1  # has no end tag
RAW = 2  # in its content no tag counts but its own end tag
SPLIT = 4  # ends a word that runs up to it
FORMAT = 8  # its style survives the end of the block it was opened in
ENDS_P = 16  # its start ends an open paragraph
CELL = 32  # neither links nor formatting that begin in it reach beyond it
STYLED = 64  # has a style of its own, whatever its attributes
SPEAKS = 128  # says something of the page as a whole
ENDS_SVG = 256  # its start ends SVG and MathML
RAW_IN_SVG = 512  # its content is passed over there too

_FORMATTING = "b i em strong font big small tt u s strike code nobr a"
_PLAIN_INLINE = "span sub sup abbr acronym cite q mark ins del kbd var samp dfn bdo bdi label time data ruby rb"
_BLOCKS = (
    "address article aside blockquote center details dialog dir div fieldset figcaption figure footer "
    "form header hgroup main menu nav pre search section summary legend body html head frameset"
)
_SPLITTING = "option optgroup select button textarea object applet marquee svg math canvas audio video map rp rt"
_VOIDS = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
_RAWS = "script style iframe noembed noframes xmp title textarea plaintext"
_LISTS = "ul ol dl dir menu"
_ITEMS = "li dt dd"
_TABLE_PARTS = "table thead tbody tfoot tr td th caption"
_SCOPES = "table td th caption object applet marquee"
_HEADINGS = "h1 h2 h3 h4 h5 h6"

NAMES = (
    f"? title template plaintext noscript p {_TABLE_PARTS} "
    f"{_FORMATTING} {_PLAIN_INLINE} {_BLOCKS} {_SPLITTING} {_VOIDS} {_RAWS} {_LISTS} {_ITEMS} {_HEADINGS}"
).split()
NAMES = list(dict.fromkeys(NAMES))
TAG = {name: number for number, name in enumerate(NAMES)}

ATTRIBUTES = "? href src alt rel name content lang style color bgcolor size text type http-equiv".split()
ATTRIBUTE = {name: number for number, name in enumerate(ATTRIBUTES)}


class Names(NamedTuple):
    """A table from packed names to numbers."""

    packed: NDArray[np.int64]
    number: NDArray[np.int16]


class Tags(NamedTuple):
    """What the kernel knows of elements and attributes; the others are indexed by the element's number."""

    elements: Names
    attributes: Names
    does: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    kin: NDArray[np.int64]  # the element that stands for all that it ends when it starts; 0 if it ends none
    kind: NDArray[np.int64]  # the element that stands for all that its end tag ends
    start_walls: NDArray[np.bool_]  # [element, open element]: not to be looked behind for what a start tag ends
    end_walls: NDArray[np.bool_]  # the same for an end tag


@inlined_kernel
def packed_byte(byte: int) -> int:
    """Six bits for a byte of a name; one number for all that no known name has, so that `:href` is not `href`."""
    if 97 <= byte <= 122:
        return byte - 96
    if 65 <= byte <= 90:
        return byte - 64
    if 48 <= byte <= 57:
        return byte - 20
    return 38 if byte == 45 else 63


@inlined_kernel
def number_of(names: Names, packed: int) -> int:
    """The number of a packed name; 0 for one that is not in the table."""
    slot = (packed ^ (packed >> 17)) & (SLOTS - 1)
    while names.packed[slot] != 0:
        if names.packed[slot] == packed:
            return i64(names.number[slot])
        slot = (slot + 1) & (SLOTS - 1)
    return 0


def packed(name: str) -> int:
    """The number that the kernel makes of a name; 0 if it is too long to be known."""
    value = 0
    for byte in name.encode():
        value = value << 6 | python_twin(packed_byte)(byte)
    return value if len(name) <= LONGEST_NAME else 0


def _table(names: list[str]) -> Names:
    keys, numbers = np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int16)
    for number, name in [*enumerate(names), *_other_names(names)]:
        if number == 0:
            continue
        key = packed(name)
        slot = (key ^ (key >> 17)) & (SLOTS - 1)
        while keys[slot]:
            slot = (slot + 1) & (SLOTS - 1)
        keys[slot], numbers[slot] = key, number
    return Names(keys, numbers)


def _other_names(names: list[str]) -> list[tuple[int, str]]:
    """Browsers read <image> as <img>."""
    return [(names.index("img"), "image")] if "img" in names else []


def _fill(column: NDArray[np.int32], names: str, bits: int) -> None:
    for name in names.split():
        column[TAG[name]] |= bits


def _does() -> NDArray[np.int32]:
    does = np.zeros(len(NAMES), np.int32)
    _fill(does, _VOIDS, VOID)
    _fill(does, _RAWS, RAW)
    _fill(does, f"{_BLOCKS} {_SPLITTING} {_LISTS} {_ITEMS} {_HEADINGS} a title template p br hr", SPLIT)
    _fill(does, f"{_TABLE_PARTS} img input embed frame area plaintext xmp", SPLIT)
    _fill(does, _FORMATTING, FORMAT)
    _fill(does, f"{_BLOCKS} {_LISTS} {_ITEMS} {_HEADINGS} p hr table plaintext xmp", ENDS_P)
    _fill(does, _TABLE_PARTS, CELL)
    _fill(does, f"b strong th {_HEADINGS}", STYLED)
    _fill(does, "base link meta html body", SPEAKS)
    _fill(does, "script style", RAW_IN_SVG)
    _fill(
        does,
        f"{_HEADINGS} b big blockquote body br center code dd div dl dt em embed font head hr i img li",
        ENDS_SVG,
    )
    _fill(does, "menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var", ENDS_SVG)
    return does


def _breaks() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    starts, ends = np.zeros(len(NAMES), np.int32), np.zeros(len(NAMES), np.int32)
    for column in (starts, ends):
        _fill(column, f"{_BLOCKS} caption option button textarea select object", Break.BLOCK)
        _fill(column, "p", Break.PARAGRAPH)
        _fill(column, _ITEMS, Break.ITEM)
        _fill(column, "td th", Break.CELL)
        _fill(column, "tr thead tbody tfoot", Break.ROW)
        _fill(column, "title", Break.TITLE)
        _fill(column, "br", Break.LINE)  # browsers read </br> as <br>
    _fill(starts, "hr", Break.RULE)
    _fill(starts, _HEADINGS, Break.HEADING)
    _fill(ends, _HEADINGS, Break.HEADING_END)
    _fill(starts, _LISTS, Break.LIST)
    _fill(ends, _LISTS, Break.LIST_END)
    _fill(starts, "table", Break.TABLE)
    _fill(ends, "table", Break.TABLE_END)
    return starts, ends


def _start_walls() -> NDArray[np.bool_]:
    walls = np.zeros((len(NAMES), len(NAMES)), np.bool_)
    for names, others in _IMPLIED_ENDS.items():
        walls[np.ix_([TAG[n] for n in names.split()], [TAG[n] for n in others.split()])] = True
    return walls


def _end_walls(does: NDArray[np.int32]) -> NDArray[np.bool_]:
    """An end tag ends nothing outside its cell; that of a mere inline element, nothing outside its block."""
    walls = np.zeros((len(NAMES), len(NAMES)), np.bool_)
    scopes = [TAG[name] for name in _SCOPES.split()]
    for number in range(len(NAMES)):
        if does[number] & (SPLIT | FORMAT):
            walls[number, scopes] = True
        else:
            walls[number] = does & (SPLIT | FORMAT) == SPLIT
    parts = [TAG[name] for name in _TABLE_PARTS.split()]
    walls[parts] = False
    walls[parts[1:], TAG["table"]] = True
    return walls


def _kin() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    kin, kind = np.zeros(len(NAMES), np.int64), np.arange(len(NAMES))
    for names in _IMPLIED_ENDS:
        kin[[TAG[name] for name in names.split()]] = TAG[names.split()[0]]
    kind[[TAG[name] for name in _HEADINGS.split()]] = TAG["h1"]
    return kin, kind


@cache
def tags() -> Tags:
    """The tables, made once in a process."""
    does = _does()
    starts, ends = _breaks()
    elements, attributes = _table(NAMES), _table(ATTRIBUTES)
    return Tags(elements, attributes, does, starts, ends, *_kin(), _start_walls(), _end_walls(does))


# An open element of the first kinds is ended by the next of them, unless one of the second stands between.
_IMPLIED_ENDS = {
    "p": f"{_SCOPES} button",
    "li": f"{_LISTS} table td th",
    "dt dd": "dl table td th",
    "td th caption": "table",
    "tr": "table",
    "thead tbody tfoot": "table",
    "option": "select",
    f"{_HEADINGS}": "table td th",
}
