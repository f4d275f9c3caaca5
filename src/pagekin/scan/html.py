"""One pass over the bytes of HTML pages: words, links, breaks and style, with no tree.

The token stream is all that windows, breaks and blocks need, so nothing else is built. The rules are those of
the tokenizer in the HTML standard (section 13.2.5): comments, raw text, RCDATA, attributes quoted and not,
character references, CDATA, NUL bytes. Of tree construction only what a reader of the page would notice is
kept: elements that end one another, formatting that outlives its block, links that a cell or another link ends.

`scan_pages` is called with many pages laid end to end. A word leaves it as its spelling, in lower case;
the vocabulary makes numbers of them (`vocabulary.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.hashing import hash_bytes, hash_lower, hash_text
from pagekin.kernels import i64, inlined_kernel, kernel, merged_kernel, python_twin
from pagekin.scan.characters import IDEOGRAPH, LETTER, LIMIT, MARK, SEPARATOR, SPECIAL, STOP, Characters
from pagekin.scan.references import References, decode_reference
from pagekin.scan.search import next_byte
from pagekin.scan.style import (
    BACKGROUND,
    BOLD,
    COLOR,
    DEFAULT_SIZE,
    HEADING_SIZES,
    SIZE,
    Colors,
    color_of,
    font_size_of,
    inline_style,
)
from pagekin.scan.tags import (
    ATTRIBUTE,
    CELL,
    ENDS_P,
    ENDS_SVG,
    FORMAT,
    LONGEST_NAME,
    RAW,
    RAW_IN_SVG,
    SPEAKS,
    SPLIT,
    STYLED,
    TAG,
    VOID,
    Tags,
    number_of,
    packed,
    packed_byte,
)
from pagekin.tables import Break

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


class Tables(NamedTuple):
    """What the kernel looks up."""

    characters: Characters
    references: References
    tags: Tags
    colors: Colors


class Stream(NamedTuple):
    """What the kernel writes for a batch; `page` has a row for each page, with the columns named below."""

    word_ends: NDArray[np.int64]  # where each word ends in `spellings`
    spellings: Bytes  # the words in lower case, each from a multiple of 8 on, zeros between them
    links: NDArray[np.int32]  # first word, last word, nofollow
    hrefs: NDArray[np.int64]  # where each link's address stands in `strings`
    breaks: NDArray[np.int32]  # position, kinds
    styles: NDArray[np.int32]  # position, characters, bold, size, colour, background
    strings: Bytes
    copied: Bytes  # `strings` again, marked as not to be written, as the pages are: one type, one compilation
    page: NDArray[np.int64]


# The columns of Stream.page: where each page's rows end, and what it says of itself (spans in `strings`).
(WORD_END, LINK_END, BREAK_END, STYLE_END, TITLE, TITLE_LAST, TITLE_WORD, TITLE_WORD_LAST) = range(8)
(BASE, BASE_LAST, CANONICAL, CANONICAL_LAST, LANGUAGE, LANGUAGE_LAST, ROBOTS, COLUMNS) = range(8, 16)
NOINDEX, NOFOLLOW = 1, 2

# The registers that the functions below share.
(WORDS, PAGE_WORDS, LINKS, BREAKS, PAGE_BREAKS, STYLES, PAGE_STYLES, STRINGS) = range(8)
(INSIDE, SPELT, IDEOGRAPHS, LAST_IDEOGRAPH, OPEN_LINK, DEPTH, HIDDEN, RESTYLED) = range(8, 16)
(NOW_BOLD, NOW_SIZE, NOW_COLOR, NOW_BACKGROUND, FOREIGN, TABLES, LINK_TABLES, REGISTERS) = range(16, 24)

DEEPEST = 512  # open elements that are remembered; browsers stop there too
# The columns of the stack of open elements.
(ELEMENT, SETS, ITS_BOLD, ITS_SIZE, ITS_COLOR, ITS_BACKGROUND, ENTRY) = range(7)

HREF, SRC, ALT, REL, NAME = (ATTRIBUTE[name] for name in ("href", "src", "alt", "rel", "name"))
CONTENT, LANG, STYLE, FONT_COLOR = (ATTRIBUTE[name] for name in ("content", "lang", "style", "color"))
BGCOLOR, FONT_SIZE, TEXT = (ATTRIBUTE[name] for name in ("bgcolor", "size", "text"))
HTTP_EQUIV = ATTRIBUTE["http-equiv"]
ATTRIBUTES = len(ATTRIBUTE)

STYLING = 1 << STYLE | 1 << BGCOLOR | 1 << FONT_COLOR | 1 << FONT_SIZE | 1 << TEXT

T_A, T_AREA, T_BASE, T_BODY, T_FONT, T_FRAME = (TAG[n] for n in ("a", "area", "base", "body", "font", "frame"))
T_HTML, T_IMG, T_INPUT, T_LINK, T_META = (TAG[n] for n in ("html", "img", "input", "link", "meta"))
T_P, T_PLAIN, T_SVG, T_MATH = (TAG[n] for n in ("p", "plaintext", "svg", "math"))
T_TEMPLATE, T_TEXTAREA, T_TITLE, T_XMP = (TAG[n] for n in ("template", "textarea", "title", "xmp"))
T_B, T_STRONG, T_TH, T_H1, T_H6, T_TABLE = (TAG[n] for n in ("b", "strong", "th", "h1", "h6", "table"))
ELEMENTS = len(TAG)
P_SCRIPT = packed("script")

SENTENCE = int(Break.SENTENCE)
# numba compiles a function anew for each constant that it is called with; a conversion hides that it is one.
IN_ATTRIBUTE = bool
W_NOFOLLOW, W_UGC, W_SPONSORED = (hash_text(word) for word in ("nofollow", "ugc", "sponsored"))
W_CANONICAL, W_ROBOTS, W_NOINDEX, W_NONE = (hash_text(w) for w in ("canonical", "robots", "noindex", "none"))
W_LANGUAGE, W_CDATA = hash_text("content-language"), hash_text("CDATA")


def _scratch() -> tuple[Ints, Ints, Ints]:
    """The arrays that `_scan_pages` works in: its registers, the open elements, the attributes of a tag.

    Behind the registers stands, for each element, how many of its kind are open.
    """
    return (
        np.zeros(REGISTERS + ELEMENTS, np.int64),
        np.empty((DEEPEST + 1, ENTRY), np.int64),
        np.empty(2 * ATTRIBUTES, np.int64),
    )


# --- words -------------------------------------------------------------------------------------------------


@inlined_kernel
def _spell(spelling: Bytes, at: int, code: int) -> int:
    """Write a character in UTF-8."""
    if code < 0x80:
        spelling[at] = code
        return at + 1
    if code < 0x800:
        spelling[at], spelling[at + 1] = 0xC0 | code >> 6, 0x80 | code & 63
        return at + 2
    if code < 0x10000:
        spelling[at], spelling[at + 1] = 0xE0 | code >> 12, 0x80 | code >> 6 & 63
        spelling[at + 2] = 0x80 | code & 63
        return at + 3
    spelling[at], spelling[at + 1] = 0xF0 | code >> 18, 0x80 | code >> 12 & 63
    spelling[at + 2], spelling[at + 3] = 0x80 | code >> 6 & 63, 0x80 | code & 63
    return at + 4


@inlined_kernel
def _emit(out: Stream, register: Ints) -> None:
    """End a word where its spelling ends; the next one begins on a multiple of 8."""
    number = register[WORDS]
    out.word_ends[number] = register[SPELT]
    register[WORDS] = number + 1
    register[SPELT] = (register[SPELT] + 7) & ~7


@kernel
def _emit_ideographs(out: Stream, register: Ints, first: int, second: int) -> None:
    """A pair of ideographs as a word; a lone one if `second` is 0."""
    register[SPELT] = _spell(out.spellings, register[SPELT], first)
    if second != 0:
        register[SPELT] = _spell(out.spellings, register[SPELT], second)
    _emit(out, register)


@inlined_kernel
def _end_word(out: Stream, register: Ints) -> None:
    """Emit the word that was being read, if there is one."""
    if register[INSIDE]:
        _emit(out, register)
        register[INSIDE] = 0
    elif register[IDEOGRAPHS] > 0:
        if register[IDEOGRAPHS] == 1:
            _emit_ideographs(out, register, register[LAST_IDEOGRAPH], 0)
        register[IDEOGRAPHS] = 0


@kernel
def _decode_utf8(text: Bytes, i: int, end: int) -> tuple[int, int]:
    """The character at `i`, whose first byte is not ASCII, and where the next begins; U+FFFD if it is none."""
    lead = i64(text[i])
    if lead < 0xC2 or lead > 0xF4:
        return 0xFFFD, i + 1
    more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
    code = lead & (0x3F >> more)
    for k in range(1, more + 1):
        if i + k >= end or text[i + k] & 0xC0 != 0x80:
            return 0xFFFD, i + k
        code = code << 6 | i64(text[i + k] & 0x3F)
    if (more == 2 and (code < 0x800 or 0xD800 <= code <= 0xDFFF)) or (more == 3 and not 0x10000 <= code < 0x110000):
        return 0xFFFD, i + 1
    return code, i + more + 1


@kernel
def _ends_sentence(text: Bytes, i: int, end: int, code: int) -> bool:
    """Whether the full stop before `i` ends a sentence: white space, a tag or a closing quote or bracket follows."""
    if code > 127 or i >= end:
        return True
    byte = text[i]
    return bool(byte <= 32 or byte == 60 or byte == 34 or byte == 39 or byte == 41 or byte == 93)


@inlined_kernel
def _add_break(breaks: NDArray[np.int32], register: Ints, kinds: int) -> None:
    at = register[WORDS] - register[PAGE_WORDS]
    number = register[BREAKS]
    if number > register[PAGE_BREAKS] and breaks[number - 1, 0] == at:
        breaks[number - 1, 1] |= kinds
    else:
        breaks[number, 0], breaks[number, 1] = at, kinds
        register[BREAKS] = number + 1


@inlined_kernel
def _note_style(styles: NDArray[np.int32], register: Ints) -> None:
    """Begin a run of style where the next word stands, if it differs from the run before."""
    register[RESTYLED] = 0
    number = register[STYLES]
    if number > register[PAGE_STYLES]:
        last = styles[number - 1]
        same = last[2] == register[NOW_BOLD] and last[3] == register[NOW_SIZE]
        if same and last[4] == register[NOW_COLOR] and last[5] == register[NOW_BACKGROUND]:
            return
    styles[number, 0] = register[WORDS] - register[PAGE_WORDS]
    styles[number, 1] = 0
    for k in range(4):
        styles[number, 2 + k] = register[NOW_BOLD + k]
    register[STYLES] = number + 1


@kernel
def _read_text(text: Bytes, i: int, end: int, markup: bool, tables: Tables, out: Stream, register: Ints) -> int:
    """Read words up to the next '<' (with `markup`) or to `end`; a word may go on behind an inline tag.

    The inner loop takes plain ASCII. It has no branch that depends on where words end: no processor can guess
    that, and the guesses it gets wrong took twice as long as all the rest.
    """
    kinds, lowers, folded = tables.characters.kind, tables.characters.lower, tables.characters.folded
    if register[RESTYLED]:
        _note_style(out.styles, register)
    seen, second = 0, 0
    inside, spelt, number = register[INSIDE], register[SPELT], register[WORDS]
    while i < end or second != 0:
        if second == 0 and register[IDEOGRAPHS] == 0:
            while i < end:
                lower = folded[text[i]]
                if lower == SPECIAL:
                    break
                letter = i64(lower != 0)
                out.spellings[spelt] = lower
                out.word_ends[number] = spelt
                number += inside & (1 - letter)
                spelt = spelt + 1 if letter else (spelt + 7) & ~7
                inside = letter
                seen += text[i] > 32
                i += 1
            if i >= end:
                break
        register[INSIDE], register[SPELT], register[WORDS] = inside, spelt, number
        if second != 0:
            code, second = second, 0
        elif text[i] >= 128:
            code, i = _decode_utf8(text, i, end)
        elif text[i] == 60 and markup:
            break
        elif text[i] == 38 and markup:
            code, second, i = decode_reference(text, i + 1, end, tables.references, IN_ATTRIBUTE(0))
            if code < 0:
                code = 38
        else:
            code = i64(text[i])
            i += 1
        kind = i64(kinds[code]) if code < LIMIT else 0
        if kind == LETTER or (kind == MARK and inside):
            if not inside:
                _end_word(out, register)
            register[INSIDE] = 1
            register[SPELT] = _spell(out.spellings, register[SPELT], i64(lowers[code]))
        elif kind == IDEOGRAPH:
            if register[IDEOGRAPHS]:
                _emit_ideographs(out, register, register[LAST_IDEOGRAPH], code)
            else:
                _end_word(out, register)
            register[IDEOGRAPHS] += 1
            register[LAST_IDEOGRAPH] = code
        elif kind == SEPARATOR or kind == STOP:
            _end_word(out, register)
            if kind == STOP and _ends_sentence(text, i, end, code):
                _add_break(out.breaks, register, SENTENCE)
        seen += code > 32 and code != 160
        inside, spelt, number = register[INSIDE], register[SPELT], register[WORDS]
    register[INSIDE], register[SPELT], register[WORDS] = inside, spelt, number
    if register[STYLES] > register[PAGE_STYLES]:
        out.styles[register[STYLES] - 1, 1] += seen
    return i


_read_page_text = inlined_kernel(python_twin(_read_text))  # the one call that is made for every run of text


# --- markup ------------------------------------------------------------------------------------------------


@inlined_kernel
def _after(text: Bytes, i: int, end: int, byte: int) -> int:
    """The position behind the next such byte, or the end."""
    return min(next_byte(text, i, end, byte) + 1, end)


@kernel
def _after_comment(text: Bytes, i: int, end: int) -> int:
    """The position behind the comment whose `<!--` ends at `i`."""
    if i < end and text[i] == 62:
        return i + 1
    if i + 1 < end and text[i] == 45 and text[i + 1] == 62:
        return i + 2
    j = next_byte(text, i, end, 62)
    while j < end:
        dashes = j - 1 if text[j - 1] != 33 else j - 2  # `-->` or `--!>`
        if dashes > i and text[dashes] == 45 and text[dashes - 1] == 45:
            return j + 1
        j = next_byte(text, j + 1, end, 62)
    return end


@kernel
def _after_declaration(text: Bytes, i: int, end: int) -> int:
    """The position behind what begins with `<!` or `<?` and is not CDATA; `i` is behind that."""
    if i + 1 < end and text[i - 1] == 33 and text[i] == 45 and text[i + 1] == 45:
        return _after_comment(text, i + 2, end)
    return _after(text, i, end, 62)


@kernel
def _is_name_at(text: Bytes, i: int, end: int, name: int, length: int) -> bool:
    """Whether the packed name stands at `i`, and a byte behind it that ends a tag's name."""
    if i + length >= end:
        return False
    key = 0
    for k in range(length):
        key = key << 6 | packed_byte(i64(text[i + k]))
    byte = text[i + length]
    return key == name and (byte <= 32 or byte == 47 or byte == 62)


@kernel
def _raw_end(text: Bytes, i: int, end: int, name: int, length: int) -> int:
    """Where the end tag of raw text stands (its '<'), or the end.

    A script inside `<!--` may hold `<script>` of its own, whose end tag does not end the outer one.
    """
    commented, nested = False, False
    while i < end:
        if not commented:
            i = next_byte(text, i, end, 60)
            if i == end:
                break
        if text[i] == 60 and i + 1 < end:
            if text[i + 1] == 47 and _is_name_at(text, i + 2, end, name, length):
                if not nested:
                    return i
                nested = False
            elif name == P_SCRIPT:
                if text[i + 1] == 33 and i + 3 < end and text[i + 2] == 45 and text[i + 3] == 45:
                    commented = True
                elif commented and _is_name_at(text, i + 1, end, name, length):
                    nested = True
        elif commented and text[i] == 45 and i + 2 < end and text[i + 1] == 45 and text[i + 2] == 62:
            commented, nested = False, False
        i += 1
    return end


@inlined_kernel
def _read_attributes(text: Bytes, i: int, end: int, tags: Tags, spans: Ints) -> tuple[int, int]:
    """The position behind the tag (-1 if the page ends first) and the bits of the attributes found in `spans`."""
    found = 0
    while i < end:
        byte = text[i]
        if byte == 62:
            return i + 1, found
        if byte <= 32 or byte == 47:
            i += 1
            continue
        key, length = packed_byte(i64(byte)), 1
        i += 1
        while i < end and text[i] != 61 and text[i] != 62 and text[i] != 47 and text[i] > 32:
            key = key << 6 | packed_byte(i64(text[i]))
            length += 1
            i += 1
        while i < end and text[i] <= 32:
            i += 1
        first, last = i, i
        if i < end and text[i] == 61:
            i += 1
            while i < end and text[i] <= 32:
                i += 1
            if i < end and (text[i] == 34 or text[i] == 39):
                quote = text[i]
                first = i + 1
                i = _after(text, first, end, quote)
                if text[i - 1] != quote or i == first:
                    return -1, 0
                last = i - 1
            else:
                first = i
                while i < end and text[i] > 32 and text[i] != 62:
                    i += 1
                last = i
        if length <= LONGEST_NAME:
            number = number_of(tags.attributes, key)
            if number > 0 and not found >> number & 1:
                found |= 1 << number
                spans[2 * number], spans[2 * number + 1] = first, last
    return -1, 0


@kernel
def _copy_decoded(
    text: Bytes, first: int, last: int, references: References, in_attribute: bool, strings: Bytes, at: int
) -> int:
    """Copy text with its character references decoded; returns where the copy ends."""
    i = first
    while i < last:
        if text[i] == 38:
            code, second, i = decode_reference(text, i + 1, last, references, in_attribute)
            at = _spell(strings, at, 38 if code < 0 else code)
            if code >= 0 and second != 0:
                at = _spell(strings, at, second)
        else:
            strings[at] = text[i]
            at += 1
            i += 1
    return at


@kernel
def _has_word(text: Bytes, first: int, last: int, word: int) -> bool:
    """Whether a list of words, separated by white space or commas, has this one."""
    i = first
    while i < last:
        start = i
        while i < last and text[i] > 32 and text[i] != 44:
            i += 1
        if i > start and hash_lower(text, start, i) == word:
            return True
        i += 1
    return False


# --- elements ----------------------------------------------------------------------------------------------


@kernel
def _restyle(stack: Ints, register: Ints) -> None:
    """Compute the style in force from the open elements."""
    register[NOW_BOLD], register[NOW_SIZE] = 0, DEFAULT_SIZE
    register[NOW_COLOR], register[NOW_BACKGROUND] = 0x000000, 0xFFFFFF
    for depth in range(register[DEPTH]):
        sets = stack[depth, SETS]
        if sets != 0:
            for k in range(4):
                if sets >> k & 1:
                    register[NOW_BOLD + k] = stack[depth, ITS_BOLD + k]
    register[RESTYLED] = 1


@kernel
def _close(stack: Ints, register: Ints, tags: Tags, element: int, kind: Ints, walls: NDArray[np.bool_]) -> None:
    """End the innermost open element of this kind with all that is open inside it, unless a wall stands between.

    Formatting elements inside stay open: browsers open them anew behind the block. So do blocks inside a formatting
    element. A cell ends all.
    """
    depth = register[DEPTH] - 1
    while depth >= 0 and kind[stack[depth, ELEMENT]] != kind[element]:
        if walls[element, stack[depth, ELEMENT]]:
            return
        depth -= 1
    if depth < 0:
        return
    does = tags.does[element]
    staying = 0 if does & CELL else FORMAT | SPLIT if does & FORMAT else FORMAT
    kept, changed = depth, False
    for k in range(depth, register[DEPTH]):
        if k > depth and tags.does[stack[k, ELEMENT]] & staying:
            for column in range(ENTRY):
                stack[kept, column] = stack[k, column]
            kept += 1
        else:
            changed |= stack[k, SETS] != 0
            register[REGISTERS + stack[k, ELEMENT]] -= 1
    register[DEPTH] = kept
    if changed:
        _restyle(stack, register)


@kernel
def _own_style(text: Bytes, element: int, found: int, spans: Ints, colors: Colors, register: Ints, entry: Ints) -> int:
    """What style an element sets by its kind and its attributes."""
    sets = 0
    if element == T_B or element == T_STRONG or element == T_TH:
        sets, entry[ITS_BOLD] = BOLD, 1
    elif T_H1 <= element <= T_H6:
        sets, entry[ITS_BOLD], entry[ITS_SIZE] = BOLD | SIZE, 1, HEADING_SIZES[element - T_H1]
    if found == 0:
        return sets
    if element == T_FONT and found >> FONT_SIZE & 1:
        size = font_size_of(text, spans[2 * FONT_SIZE], spans[2 * FONT_SIZE + 1])
        if size > 0:
            sets, entry[ITS_SIZE] = sets | SIZE, size
    for attribute in (FONT_COLOR, TEXT):
        if found >> attribute & 1 and element == (T_FONT if attribute == FONT_COLOR else T_BODY):
            color = color_of(text, spans[2 * attribute], spans[2 * attribute + 1], colors)
            if color >= 0:
                sets, entry[ITS_COLOR] = sets | COLOR, color
    if found >> BGCOLOR & 1:
        color = color_of(text, spans[2 * BGCOLOR], spans[2 * BGCOLOR + 1], colors)
        if color >= 0:
            sets, entry[ITS_BACKGROUND] = sets | BACKGROUND, color
    if found >> STYLE & 1:
        first, last = spans[2 * STYLE], spans[2 * STYLE + 1]
        sets |= inline_style(text, first, last, register[NOW_SIZE], colors, entry[ITS_BOLD:])
    return sets


@inlined_kernel
def _open(text: Bytes, element: int, found: int, spans: Ints, tables: Tables, stack: Ints, register: Ints) -> None:
    """Put an element on the stack, ending those that its start ends."""
    tags = tables.tags
    if tags.does[element] & ENDS_P and register[REGISTERS + T_P]:
        _close(stack, register, tags, i64(T_P), tags.kin, tags.start_walls)
    if element != T_P and tags.kin[element]:
        _close(stack, register, tags, element, tags.kin, tags.start_walls)
    if tags.does[element] & VOID or register[DEPTH] == DEEPEST:
        return
    depth = register[DEPTH]
    stack[depth, ELEMENT], stack[depth, SETS] = element, 0
    register[DEPTH] = depth + 1
    register[REGISTERS + element] += 1
    if tags.does[element] & STYLED or found & STYLING:
        stack[depth, SETS] = _own_style(text, element, found, spans, tables.colors, register, stack[depth])
        _restyle(stack, register)


@inlined_kernel
def _is_link_of_cell(register: Ints) -> bool:
    """Whether the open link began inside the table that is open, not around it."""
    return bool(register[TABLES] > 0 and register[LINK_TABLES] == register[TABLES])


@inlined_kernel
def _end_link(links: NDArray[np.int32], register: Ints) -> None:
    if register[OPEN_LINK] >= 0:
        links[register[OPEN_LINK], 1] = register[WORDS] - register[PAGE_WORDS]
        register[OPEN_LINK] = -1


@kernel
def _start_link(
    text: Bytes, attribute: int, found: int, spans: Ints, references: References, out: Stream, register: Ints
) -> None:
    """Begin a link at the next word, with the address that the attribute holds."""
    number, start = register[LINKS], register[STRINGS]
    end = _copy_decoded(
        text, spans[2 * attribute], spans[2 * attribute + 1], references, IN_ATTRIBUTE(1), out.strings, start
    )
    out.hrefs[number, 0], out.hrefs[number, 1] = start, end
    nofollow = False
    if found >> REL & 1:
        for word in (W_NOFOLLOW, W_UGC, W_SPONSORED):
            nofollow |= _has_word(text, spans[2 * REL], spans[2 * REL + 1], word)
    at = register[WORDS] - register[PAGE_WORDS]
    out.links[number, 0], out.links[number, 1], out.links[number, 2] = at, at, nofollow
    register[STRINGS], register[LINKS], register[OPEN_LINK] = end, number + 1, number
    register[LINK_TABLES] = register[TABLES]


@kernel
def _keep(
    text: Bytes, attribute: int, spans: Ints, references: References, out: Stream, register: Ints, row: Ints,
    column: int,
) -> None:  # fmt: skip
    """Keep an attribute's value as what the page says of itself; the first to say it is believed."""
    if row[column] == row[column + 1]:
        start = register[STRINGS]
        end = _copy_decoded(
            text,
            spans[2 * attribute],
            spans[2 * attribute + 1],
            references,
            IN_ATTRIBUTE(1),
            out.strings,
            start,
        )
        row[column], row[column + 1], register[STRINGS] = start, end, end


@kernel
def _read_metadata(
    text: Bytes, element: int, found: int, spans: Ints, references: References, out: Stream, register: Ints, row: Ints
) -> None:  # fmt: skip
    """What <base>, <link>, <meta> and <html lang> say of the page."""
    if element == T_BASE and found >> HREF & 1:
        _keep(text, i64(HREF), spans, references, out, register, row, i64(BASE))
    elif element == T_LINK and found >> HREF & 1 and found >> REL & 1:
        if _has_word(text, spans[2 * REL], spans[2 * REL + 1], W_CANONICAL):
            _keep(text, i64(HREF), spans, references, out, register, row, i64(CANONICAL))
    elif (element == T_HTML or element == T_BODY) and found >> LANG & 1:
        _keep(text, i64(LANG), spans, references, out, register, row, i64(LANGUAGE))
    elif element == T_META and found >> CONTENT & 1:
        first, last = spans[2 * CONTENT], spans[2 * CONTENT + 1]
        if found >> NAME & 1 and _has_word(text, spans[2 * NAME], spans[2 * NAME + 1], W_ROBOTS):
            if _has_word(text, first, last, W_NOINDEX) or _has_word(text, first, last, W_NONE):
                row[ROBOTS] |= NOINDEX
            if _has_word(text, first, last, W_NOFOLLOW) or _has_word(text, first, last, W_NONE):
                row[ROBOTS] |= NOFOLLOW
        elif found >> HTTP_EQUIV & 1:
            if _has_word(text, spans[2 * HTTP_EQUIV], spans[2 * HTTP_EQUIV + 1], W_LANGUAGE):
                _keep(text, i64(CONTENT), spans, references, out, register, row, i64(LANGUAGE))


@kernel
def _read_aside(
    text: Bytes, first: int, last: int, in_attribute: bool, tables: Tables, out: Stream, register: Ints
) -> tuple[int, int]:
    """Read words that stand in an attribute or in RCDATA; returns where they stand, decoded, in `strings`."""
    start = register[STRINGS]
    stop = _copy_decoded(text, first, last, tables.references, in_attribute, out.strings, start)
    _end_word(out, register)
    _read_text(out.copied, start, stop, False, tables, out, register)
    _end_word(out, register)
    return start, stop


@inlined_kernel
def _start_tag(
    text: Bytes, element: int, found: int, spans: Ints, tables: Tables, out: Stream,
    register: Ints, stack: Ints, row: Ints,
) -> None:  # fmt: skip
    """All that a start tag does but for the raw text that may follow it."""
    does = tables.tags.does[element]
    if does & SPLIT:
        _end_word(out, register)
    if element == T_TEMPLATE:
        register[HIDDEN] += 1
    if register[HIDDEN]:
        return
    if element == T_TABLE:
        register[TABLES] += 1
    elif element == T_A or (does & CELL and _is_link_of_cell(register)):
        _end_link(out.links, register)
    if tables.tags.starts[element]:
        _add_break(out.breaks, register, tables.tags.starts[element])
    if element == T_A and found >> HREF & 1:
        _start_link(text, i64(HREF), found, spans, tables.references, out, register)
    _open(text, element, found, spans, tables, stack, register)
    if found == 0:
        return
    if element == T_FRAME and found >> SRC & 1:
        _start_link(text, i64(SRC), found, spans, tables.references, out, register)
        _end_link(out.links, register)
    elif element == T_AREA or element == T_IMG or element == T_INPUT:
        outer = register[OPEN_LINK]
        if element == T_AREA and found >> HREF & 1:
            _start_link(text, i64(HREF), found, spans, tables.references, out, register)
        if found >> ALT & 1:
            first, last = spans[2 * ALT], spans[2 * ALT + 1]
            _read_aside(text, first, last, IN_ATTRIBUTE(1), tables, out, register)
        if element == T_AREA and found >> HREF & 1:
            _end_link(out.links, register)
            register[OPEN_LINK] = outer
    elif does & SPEAKS:
        _read_metadata(text, element, found, spans, tables.references, out, register, row)


@inlined_kernel
def _end_tag(element: int, tables: Tables, out: Stream, register: Ints, stack: Ints) -> None:
    """All that an end tag does."""
    tags = tables.tags
    if tags.does[element] & SPLIT:
        _end_word(out, register)
    if element == T_SVG or element == T_MATH:
        register[FOREIGN] = max(register[FOREIGN] - 1, 0)
    if element == T_TEMPLATE and register[HIDDEN]:
        register[HIDDEN] -= 1
    if register[HIDDEN]:
        return
    if element == T_A or (tags.does[element] & CELL and _is_link_of_cell(register)):
        _end_link(out.links, register)
    if element == T_TABLE and register[TABLES] > 0:
        register[TABLES] -= 1
    if tags.ends[element]:
        _add_break(out.breaks, register, tags.ends[element])
    lasts = element == T_BODY or element == T_HTML  # what comes behind </body> is still inside
    if (register[REGISTERS + element] and not lasts) or T_H1 <= element <= T_H6:
        _close(stack, register, tags, element, tags.kind, tags.end_walls)


@kernel
def _read_raw(
    text: Bytes, i: int, end: int, element: int, name: int, length: int, tables: Tables,
    out: Stream, register: Ints, row: Ints,
) -> int:  # fmt: skip
    """Read the content of an element in which no tag but its own end tag counts; returns where it ends."""
    last = end if element == T_PLAIN else _raw_end(text, i, end, name, length)
    if register[HIDDEN]:
        return last
    if element == T_TITLE or element == T_TEXTAREA:
        first_word = register[WORDS] - register[PAGE_WORDS]
        start, stop = _read_aside(text, i, last, IN_ATTRIBUTE(0), tables, out, register)
        if element == T_TITLE and row[TITLE] == row[TITLE_LAST]:
            row[TITLE], row[TITLE_LAST], register[STRINGS] = start, stop, stop
            row[TITLE_WORD], row[TITLE_WORD_LAST] = first_word, register[WORDS] - register[PAGE_WORDS]
    elif element == T_PLAIN or element == T_XMP:
        _read_text(text, i, last, False, tables, out, register)
        _end_word(out, register)
    return last


@merged_kernel
def _read_tag(
    text: Bytes, i: int, end: int, tables: Tables, out: Stream, register: Ints, stack: Ints,
    spans: Ints, row: Ints,
) -> int:  # fmt: skip
    """Read the tag whose name begins at `i` ('</' or '<' stands before); returns where it, or its raw text, ends."""
    closing = text[i - 1] == 47
    name, length = 0, 0
    while i < end and text[i] > 32 and text[i] != 47 and text[i] != 62:
        name = name << 6 | packed_byte(i64(text[i]))
        length += 1
        i += 1
    element = number_of(tables.tags.elements, name) if length <= LONGEST_NAME else 0
    if element == T_IMG and length == 5 and register[FOREIGN]:
        element = 0  # <image> is <img> in HTML only
    if i < end and text[i] == 62:
        i, found = i + 1, 0
    else:
        i, found = _read_attributes(text, i, end, tables.tags, spans)
        if i < 0:
            return end
    if closing:
        _end_tag(element, tables, out, register, stack)
        return i
    _start_tag(text, element, found, spans, tables, out, register, stack, row)
    does = tables.tags.does[element]
    if element == T_SVG or element == T_MATH:
        register[FOREIGN] += text[i - 2] != 47
    elif does & ENDS_SVG:
        register[FOREIGN] = 0
    if does & RAW and not (register[FOREIGN] and (not does & RAW_IN_SVG or text[i - 2] == 47)):
        return _read_raw(text, i, end, element, name, length, tables, out, register, row)
    return i


@kernel
def _is_cdata(text: Bytes, i: int, end: int) -> bool:
    """Whether `[CDATA[` stands at `i`."""
    return i + 7 <= end and text[i] == 91 and text[i + 6] == 91 and hash_bytes(text, i + 1, i + 6) == W_CDATA


@kernel
def _read_cdata(text: Bytes, i: int, end: int, tables: Tables, out: Stream, register: Ints) -> int:
    """Read the text of the CDATA section that begins at `i`, as SVG and MathML have them."""
    last = i
    while last < end and not (text[last] == 93 and last + 2 < end and text[last + 1] == 93 and text[last + 2] == 62):
        last += 1
    if not register[HIDDEN]:
        _read_text(text, i, last, False, tables, out, register)
    return min(last + 3, end)


@inlined_kernel
def _is_letter(byte: int) -> bool:
    return 97 <= (byte | 32) <= 122


@merged_kernel
def _read_markup(
    text: Bytes, i: int, end: int, tables: Tables, out: Stream, register: Ints, stack: Ints,
    spans: Ints, row: Ints,
) -> int:  # fmt: skip
    """Read what begins with the '<' at `i`: a tag, a comment, or a mere character."""
    follower = i64(text[i + 1]) if i + 1 < end else 0
    name = i + 2 if follower == 47 else i + 1
    if name < end and _is_letter(i64(text[name])):
        return _read_tag(text, name, end, tables, out, register, stack, spans, row)
    if follower == 47 and i + 2 < end:
        return _after(text, i + 2, end, 62)
    if follower == 33 and register[FOREIGN] and _is_cdata(text, i + 2, end):
        return _read_cdata(text, i + 9, end, tables, out, register)
    if follower == 33 or follower == 63:
        return _after_declaration(text, i + 2, end)
    _end_word(out, register)
    return i + 1


@merged_kernel
def _begin_page(register: Ints, row: Ints) -> None:
    for column in range(COLUMNS):
        row[column] = 0
    for column in (INSIDE, IDEOGRAPHS, DEPTH, HIDDEN, NOW_BOLD, NOW_COLOR, FOREIGN, TABLES, LINK_TABLES):
        register[column] = 0
    for element in range(ELEMENTS):
        register[REGISTERS + element] = 0
    register[PAGE_WORDS], register[PAGE_BREAKS] = register[WORDS], register[BREAKS]
    register[PAGE_STYLES], register[OPEN_LINK], register[RESTYLED] = register[STYLES], -1, 1
    register[NOW_SIZE], register[NOW_BACKGROUND] = DEFAULT_SIZE, 0xFFFFFF


@merged_kernel
def _scan_page(
    text: Bytes, i: int, end: int, tables: Tables, out: Stream, register: Ints, stack: Ints,
    spans: Ints, row: Ints,
) -> None:  # fmt: skip
    while i < end:
        if text[i] == 60:
            i = _read_markup(text, i, end, tables, out, register, stack, spans, row)
            continue
        j = i
        while j < end and (0 < text[j] <= 32 or (register[HIDDEN] and text[j] != 60)):
            j += 1
        if j > i:
            _end_word(out, register)
        if j < end and text[j] != 60:
            j = _read_page_text(text, j, end, True, tables, out, register)
        i = j
    _end_word(out, register)
    _end_link(out.links, register)


@kernel
def _scan_pages(text: Bytes, ends: Ints, tables: Tables, out: Stream, register: Ints, stack: Ints, spans: Ints) -> None:
    for page in range(len(ends) - 1):
        row = out.page[page]
        _begin_page(register, row)
        _scan_page(text, ends[page], ends[page + 1], tables, out, register, stack, spans, row)
        row[WORD_END], row[LINK_END] = register[WORDS], register[LINKS]
        row[BREAK_END], row[STYLE_END] = register[BREAKS], register[STYLES]


def scan_pages(text: Bytes, ends: Ints, tables: Tables, out: Stream) -> None:
    """Scan pages that lie end to end: page p is `text[ends[p]:ends[p + 1]]`."""
    _scan_pages(read_only(text), read_only(ends), tables, out, *_scratch())


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory, not to be written. numba compiles anew for arrays that may be written; one way is enough."""
    view = array.view()
    view.flags.writeable = False
    return view
