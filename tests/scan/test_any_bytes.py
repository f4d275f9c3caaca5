"""Whatever the bytes: the scan ends, raises nothing, writes nowhere but in its arrays, and its rows hold together."""

from __future__ import annotations

from html.entities import html5
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.hashing import hash_text
from pagekin.scan import html
from pagekin.scan.characters import characters
from pagekin.scan.html import Stream, Tables, read_only, scan_pages
from pagekin.scan.page import _new_room
from pagekin.scan.references import references
from pagekin.scan.style import colors
from pagekin.scan.tags import NAMES, tags

from .conftest import tables
from .oracle import seen

TEXTS = [
    "a",
    "B9 ",
    " ",
    ".",
    "é",
    "日",
    "本",
    "&amp;",
    "&copy=",
    "&nGt;",
    "&#65;",
    "&#x",
    "&",
    "\0",
    "\u00ad",
    "\u0301",
]
MARKS = ["<", ">", "</", "/>", "'", '"', "=", "<!--", "-->", "<!", "<![CDATA[", "]]>", "--!>", "<b a='", "<?"]
ATTRIBUTES = [
    "",
    " href=x",
    " href='y&amp;z'",
    " alt=v",
    " style='color:red;font-size:2em'",
    " bgcolor=#abc",
    " rel=nofollow",
]
STARTS = st.builds("<{}{}>".format, st.sampled_from(NAMES[1:]), st.sampled_from(ATTRIBUTES))
ENDS = st.builds("</{}>".format, st.sampled_from(NAMES[1:]))
SOUP = st.lists(st.sampled_from(TEXTS) | st.sampled_from(MARKS) | STARTS | ENDS, max_size=40).map(
    lambda parts: "".join(parts).encode()
)
PAGES = st.lists(st.binary(max_size=300) | SOUP, min_size=1, max_size=6)


@given(PAGES)
@settings(max_examples=200, deadline=None)
def test_rows_hold_together(pages: list[bytes]) -> None:
    rows, lexicon = tables(pages)
    assert len(rows) == len(pages)
    for row, page in zip(rows, pages, strict=True):
        _check_row(row, len(page))
    assert all(hash_text(word["text"]) == word["word"] for word in lexicon)
    assert sum(word["occurrences"] for word in lexicon) == sum(len(row["words"]) for row in rows)
    assert {word["word"] for word in lexicon} == {word for row in rows for word in row["words"]}


def _check_row(row: dict[str, Any], size: int) -> None:
    words = len(row["words"])
    assert words <= size // 2 + 1
    assert 0 <= row["title_first"] <= row["title_last"] <= words
    assert row["link_first"] == sorted(row["link_first"])
    for first, last in zip(row["link_first"], row["link_last"], strict=True):
        assert 0 <= first <= last <= words
    assert row["break_at"] == sorted(set(row["break_at"]))
    assert all(0 <= at <= words for at in row["break_at"])
    assert all(kinds > 0 for kinds in row["break_kinds"])
    assert row["style_at"] == sorted(row["style_at"])
    assert all(0 <= at <= words for at in row["style_at"])
    assert sum(row["style_chars"]) <= size
    assert all(1 <= pixels <= 400 for pixels in row["style_size"])
    assert all(0 <= color <= 0xFFFFFF for color in row["style_color"] + row["style_background"])


@given(PAGES)
@settings(max_examples=50, deadline=None)
def test_pages_are_the_same_alone_and_in_company(pages: list[bytes]) -> None:
    together, _ = tables(pages)
    alone = [tables([b""] * number + [page])[0][number] for number, page in enumerate(pages)]
    assert together == alone


# Without tables, SVG, select and frames, in which a tree moves or drops text; a space behind each word, because
# only the scanner parts words at an end tag that ends nothing.
FLAT = (
    "b i p div span a br hr h1 ul li em dl dt dd blockquote script style title textarea "
    "template iframe xmp img noscript"
)
FLAT_SOUP = st.lists(
    st.sampled_from([text + " " for text in TEXTS])
    | st.sampled_from(MARKS)
    | st.builds("<{}{}>".format, st.sampled_from(FLAT.split()), st.sampled_from(ATTRIBUTES))
    | st.builds("</{}>".format, st.sampled_from(FLAT.split())),
    max_size=15,
).map(lambda parts: "<body> " + "".join(parts))


@given(FLAT_SOUP)
@settings(max_examples=300, deadline=None)
def test_words_agree_with_lexbor_on_soup(soup: str) -> None:
    rows, lexicon = tables([soup.encode()])
    spelling = {word["word"]: word["text"] for word in lexicon}
    assert [spelling[word] for word in rows[0]["words"]] == seen(soup.encode()).words


# --- the arrays ---------------------------------------------------------------------------------------------

GUARD = 4096
UNTOUCHED = 0x5A


def _guarded(room: Stream) -> tuple[Stream, list[np.ndarray[Any, Any]]]:
    """Arrays of the same shapes, with memory behind each that nobody may write to."""
    arrays, guards = [], []
    for array in room:
        memory = np.full(array.nbytes + GUARD, UNTOUCHED, np.uint8)
        memory[: array.nbytes] = 0
        arrays.append(memory[: array.nbytes].view(array.dtype).reshape(array.shape))
        guards.append(memory[array.nbytes :])
    stream = Stream(*arrays)
    return stream._replace(copied=read_only(stream.strings)), guards


def _overflows(pages: list[bytes]) -> list[str]:
    """The names of the arrays that the scan of these pages writes beyond."""
    text = np.frombuffer(b"".join(pages), np.uint8)
    ends = np.cumsum([0, *map(len, pages)])
    stream, guards = _guarded(_new_room(len(pages), len(text)))
    scan_pages(text, ends, Tables(characters(), references(), tags(), colors()), stream)
    return [name for name, guard in zip(Stream._fields, guards, strict=True) if (guard != UNTOUCHED).any()]


DENSE = [
    b"a ", b"a.", b"a", b"a\xff", b"a&", "a一".encode(), "一".encode(), "𠀀".encode(), "Ⱥ ".encode(), "ȺȺȺ ".encode(),
    b"<a href>", b"<a/href=x>", b"<area href>", b"<frame src>", b".", b". ", b"a. ", "。".encode(), "a。".encode(),
    b"<p>a", b"<b>a</b>b", b"<h1>.<h2>.", b"<b>.", b"<th>a", b"<img alt=a>", b"<title>a</title>",
    b"<textarea>a.</textarea>",
    b"<a href=&nGt;>", b"<a href=&#0>", b"<a href=&lg;&lg;>", b"<base href=&nGt;>", b"<title>&nGt;&nGt;</title>",
    b"<p style=color:red>a", b"<font color=red>a<font color=blue>b", b"<div>", b"</div>", b"<td><b>a",
    b"<xmp>a b</xmp>",
]  # fmt: skip


@pytest.mark.parametrize("piece", DENSE)
def test_densest_pages_fit_the_arrays(piece: bytes) -> None:
    assert _overflows([piece * 5000]) == []
    assert _overflows([piece] * 5000) == []


@given(
    st.lists(st.lists(st.sampled_from(DENSE), max_size=4).map(b"".join), min_size=1, max_size=4), st.integers(1, 300)
)
@settings(max_examples=200, deadline=None)
def test_repeated_pieces_fit_the_arrays(pages: list[bytes], times: int) -> None:
    assert _overflows([page * times for page in pages]) == []


@given(PAGES)
@settings(max_examples=200, deadline=None)
def test_any_bytes_fit_the_arrays(pages: list[bytes]) -> None:
    assert _overflows(pages) == []


# --- pages made to take long --------------------------------------------------------------------------------

MILLION = 1_000_000
HOSTILE = {
    "brackets": b"<" * 10 * MILLION,
    "nested blocks": b"<div>" * MILLION,
    "nested blocks, closed": b"<div>" * MILLION + b"</div>" * MILLION,
    "formatting, closed": b"<b>" * MILLION + b"</b>" * MILLION,
    "formatting inside a block": (b"<div>" + b"<b>" * 600 + b"</div>") * 2000,
    "attributes": b"<a " + b" ".join(b"x%d=%d" % (k, k) for k in range(200_000)) + b">",
    "tables": b"<table><p>" * MILLION,
    "styles": b"<p style='color:red'>a<b>" * (MILLION // 4),
    "paragraphs below many blocks": b"<div>" * 600 + b"<p>" * MILLION,
    "end tags of nothing": b"<span>" * 600 + b"</i>" * MILLION,
    "comments that are never closed": b"<!--" * MILLION,
    "scripts that are never closed": b"<script>" * MILLION,
    "scripts in comments": b"<script><!--" + b"<script></script>" * (MILLION // 4),
    "titles": b"<title>" * MILLION,
    "ampersands": b"&" * 10 * MILLION,
    "references": b"&#" + b"1" * 10 * MILLION,
    "long word": b"a" * 10 * MILLION,
    "long name": b"<" + b"a" * 10 * MILLION,
    "quotes": b"<a '\"" * MILLION,
    "links": b"<a href=x>" * MILLION,
    "declarations": b"<p style='" + b"a:b;" * MILLION + b"'>x",
    "cdata": b"<svg>" + b"<![CDATA[" * MILLION,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_page_is_scanned_in_linear_time(name: str) -> None:
    """No clock is read: what is not linear in the size would take hours."""
    assert _overflows([HOSTILE[name]]) == []


def test_hostile_page_gives_no_more_than_its_bytes() -> None:
    rows, _ = tables([b"<" * MILLION, b"<a href=x>y" * 1000])
    assert rows[0]["words"] == []
    assert len(rows[1]["link_url"]) == 1000


def test_columns_of_a_page_are_all_filled() -> None:
    stream = _new_room(2, 10)
    text = np.frombuffer(b"a <b>b c d", np.uint8)
    scan_pages(text, np.array([0, 2, 10]), Tables(characters(), references(), tags(), colors()), stream)
    assert stream.page[:, html.WORD_END].tolist() == [1, 4]


def test_no_character_reference_doubles() -> None:
    """What the room for `strings` depends on."""
    assert max(len(value.encode()) / len(f"&{name}") for name, value in html5.items()) == 6 / 5
