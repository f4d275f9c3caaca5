"""Inline style as far as link blocks need it: bold, font size, font colour and background."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.hashing import hash_lower, hash_text
from pagekin.kernels import i64, kernel

BOLD, SIZE, COLOR, BACKGROUND = 1, 2, 4, 8
SLOTS = 1 << 9
DEFAULT_SIZE = 16
FONT_SIZES = np.array([10, 13, 16, 18, 24, 32, 48], np.int64)  # <font size=1..7> in CSS pixels
HEADING_SIZES = np.array([32, 24, 19, 16, 13, 11], np.int64)

_COLORS = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgrey a9a9a9 darkgreen 006400
darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000
darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f
darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969
dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc
ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 grey 808080 green 008000 greenyellow adff2f
honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgrey d3d3d3 lightgreen 90ee90 lightpink ffb6c1
lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa
palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee
sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0
violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
""".split()


class Colors(NamedTuple):
    """An open-addressed table from the hash of a colour's name to 0xRRGGBB."""

    name: NDArray[np.int64]
    value: NDArray[np.int32]


@cache
def colors() -> Colors:
    """The named colours of CSS, made once in a process."""
    name, value = np.zeros(SLOTS, np.int64), np.zeros(SLOTS, np.int32)
    for text, color in zip(_COLORS[::2], _COLORS[1::2], strict=True):
        hashed = hash_text(text)
        slot = hashed & (SLOTS - 1)
        while name[slot]:
            slot = (slot + 1) & (SLOTS - 1)
        name[slot], value[slot] = hashed, int(color, 16)
    return Colors(name, value)


@kernel
def _trimmed(text: NDArray[np.uint8], first: int, last: int) -> tuple[int, int]:
    while first < last and text[first] <= 32:
        first += 1
    while first < last and text[last - 1] <= 32:
        last -= 1
    return first, last


@kernel
def _hex_digit(byte: int) -> int:
    if 48 <= byte <= 57:
        return byte - 48
    lower = byte | 32
    return lower - 87 if 97 <= lower <= 102 else -1


@kernel
def _hex_color(text: NDArray[np.uint8], first: int, last: int) -> int:
    if last - first == 3 or last - first == 6:
        repeats = 2 if last - first == 3 else 1
        value = 0
        for i in range(first, last):
            digit = _hex_digit(i64(text[i]))
            if digit < 0:
                return -1
            for _ in range(repeats):
                value = value << 4 | digit
        return value
    return -1


@kernel
def _rgb_color(text: NDArray[np.uint8], first: int, last: int) -> int:
    """The colour of `rgb(1, 2, 3)`, given what stands behind the bracket."""
    value, number, parts, digits = 0, 0, 0, 0
    for i in range(first, last):
        byte = i64(text[i])
        if 48 <= byte <= 57:
            number = min(number * 10 + byte - 48, 255)
            digits += 1
        elif digits > 0:
            value, number, digits, parts = value << 8 | number, 0, 0, parts + 1
            if parts == 3:
                return value
    return -1


@kernel
def color_of(text: NDArray[np.uint8], first: int, last: int, table: Colors) -> int:
    """The colour that an attribute or a declaration names, as 0xRRGGBB; -1 for none."""
    first, last = _trimmed(text, first, last)
    if first == last:
        return -1
    if text[first] == 35:
        return _hex_color(text, first + 1, last)
    if last - first > 4 and (text[first] | 32) == 114 and (text[first + 1] | 32) == 103:
        for i in range(first + 3, min(last, first + 5)):
            if text[i] == 40:
                return _rgb_color(text, i + 1, last)
    hashed = hash_lower(text, first, last)
    slot = hashed & (SLOTS - 1)
    while table.name[slot] != 0:
        if table.name[slot] == hashed:
            return i64(table.value[slot])
        slot = (slot + 1) & (SLOTS - 1)
    return _hex_color(text, first, last)


@kernel
def _first_color(text: NDArray[np.uint8], first: int, last: int, table: Colors) -> int:
    """The first word of a `background` shorthand that names a colour."""
    i = first
    while i < last:
        while i < last and text[i] <= 32:
            i += 1
        start, depth = i, 0
        while i < last and (text[i] > 32 or depth > 0):
            depth += (text[i] == 40) - (text[i] == 41)
            i += 1
        color = color_of(text, start, i, table)
        if color >= 0:
            return color
    return -1


@kernel
def font_size_of(text: NDArray[np.uint8], first: int, last: int) -> int:
    """The pixels that `<font size=…>` means; -1 for none."""
    first, last = _trimmed(text, first, last)
    if first == last:
        return -1
    sign, value, i = 0, 0, first
    if text[i] == 43 or text[i] == 45:
        sign = 1 if text[i] == 43 else -1
        i += 1
    if i == last or not 48 <= text[i] <= 57:
        return -1
    while i < last and 48 <= text[i] <= 57:
        value = min(value * 10 + i64(text[i]) - 48, 9)
        i += 1
    level = value if sign == 0 else 3 + sign * value
    return i64(FONT_SIZES[min(max(level, 1), 7) - 1])


@kernel
def _css_size(text: NDArray[np.uint8], first: int, last: int, inherited: int) -> int:
    first, last = _trimmed(text, first, last)
    number, scale, i, point = 0.0, 1.0, first, False
    while i < last and (48 <= text[i] <= 57 or text[i] == 46):
        if text[i] == 46:
            point = True
        else:
            number = number * 10 + i64(text[i]) - 48
            scale = scale * 10 if point else scale
        i += 1
    if i == first or i >= last:
        return -1
    number /= scale
    unit = text[i] | 32
    if unit == 112 and i + 1 < last:  # px, pt
        number *= 4 / 3 if (text[i + 1] | 32) == 116 else 1.0
    elif unit == 101 or unit == 114:  # em, ex, rem
        number *= inherited if unit == 101 else DEFAULT_SIZE
    elif text[i] == 37:
        number *= inherited / 100
    else:
        return -1
    return int(min(max(number, 1.0), 400.0) + 0.5)


@kernel
def _is_bold(text: NDArray[np.uint8], first: int, last: int) -> int:
    first, last = _trimmed(text, first, last)
    if first == last:
        return -1
    byte = text[first]
    if 48 <= byte <= 57:
        return 1 if byte >= 54 else 0
    return 1 if (byte | 32) == 98 else 0  # bold, bolder; normal, lighter


FONT_WEIGHT, FONT_SIZE = hash_text("font-weight"), hash_text("font-size")
FOREGROUND, BACKDROP, BACKDROP_COLOR = (
    hash_text("color"),
    hash_text("background"),
    hash_text("background-color"),
)


@kernel
def inline_style(
    text: NDArray[np.uint8],
    first: int,
    last: int,
    inherited_size: int,
    table: Colors,
    found: NDArray[np.int64],
) -> int:
    """What a `style` attribute declares: the bits of what it sets; their values go to `found`."""
    sets, i = 0, first
    while i < last:
        colon = i
        while colon < last and text[colon] != 58 and text[colon] != 59:
            colon += 1
        end = value_end = colon
        while end < last and text[end] != 59:
            value_end += value_end == end and text[end] != 33  # without '!important'
            end += 1
        if colon < end:
            name_first, name_last = _trimmed(text, i, colon)
            name = hash_lower(text, name_first, name_last)
            value = -1
            if name == FONT_WEIGHT:
                value, bit, place = _is_bold(text, colon + 1, value_end), BOLD, 0
            elif name == FONT_SIZE:
                value, bit, place = _css_size(text, colon + 1, value_end, inherited_size), SIZE, 1
            elif name == FOREGROUND:
                value, bit, place = color_of(text, colon + 1, value_end, table), COLOR, 2
            elif name == BACKDROP or name == BACKDROP_COLOR:
                value, bit, place = _first_color(text, colon + 1, value_end, table), BACKGROUND, 3
            if value >= 0:
                sets |= bit
                found[place] = value
        i = end + 1
    return sets
