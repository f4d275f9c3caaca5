"""Sections and blocks of links: against the obvious way, each rule by itself, and the colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from pagekin.cocitation.blocks import link_blocks, sections_of
from pagekin.cocitation.contrast import contrast, lab
from pagekin.settings import CocitationSettings

from . import segmentation_twin as twin
from .webs import Row, Tables, page_row, page_rows, styled_rows

OURS = CocitationSettings()
PAPER = CocitationSettings(edges=False)
EVERY = {
    "ours": OURS,
    "paper": PAPER,
    "few links": CocitationSettings(section_links=0, anchor_share=0.3),
    "paper, few links": CocitationSettings(edges=False, section_links=1, anchor_share=0.5),
    "many links": CocitationSettings(section_links=8),
}

# --- against the twin


def check_same(pages: Sequence[Row], settings: CocitationSettings) -> int:
    """Sections and blocks are as the twin has them; returns how many sections were put to others."""
    laid, joined = styled_rows(pages), 0
    parts = np.split(link_blocks(laid, settings), laid.chunk.link_ends[1:-1])
    for number, page in enumerate(pages):
        before, after = sections_of(laid, number, settings)
        slow = twin.sections(page)
        check_sections(before, slow)
        check_sections(after, twin.adjusted(slow, settings))
        assert parts[number].tolist() == twin.block_numbers(page, settings)
        joined += len(before) - len(after)
    return joined


def check_sections(fast: np.ndarray, slow: list[twin.Section]) -> None:
    assert [(row["first"], row["last"]) for row in fast] == [section.words for section in slow]
    assert [tuple(range(row["first_link"], row["last_link"])) for row in fast] == [section.links for section in slow]
    assert [row["words"] for row in fast] == [section.size for section in slow]
    assert [row["anchor_words"] for row in fast] == [section.anchor_words for section in slow]
    assert [bool(row["bold_lead"]) for row in fast] == [section.bold_lead for section in slow]
    assert [bool(row["bold"] > 0) for row in fast] == [section.bold for section in slow]
    assert [row["background"] for row in fast] == [section.background for section in slow]
    scores = [row["font_score"] / row["characters"] if row["characters"] else 1.0 for row in fast]
    assert scores == pytest.approx([section.font_score for section in slow])


@pytest.fixture(scope="module")
def sample_rows(sample_web: Tables) -> list[Row]:
    return sample_web.rows("pages")


@pytest.fixture(scope="module")
def real_rows(real_data: Callable[[str], Path]) -> list[Row]:
    folder = real_data("varied-pages")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in (".html", ".htm"))[:150]
    return page_rows((f"http://real.test/{number}", path.read_bytes()) for number, path in enumerate(files))


@pytest.mark.parametrize("name", EVERY)
def test_sections_of_the_sample_web(sample_rows: list[Row], name: str) -> None:
    assert check_same(sample_rows, EVERY[name]) > 100


@pytest.mark.parametrize("name", ["ours", "paper, few links"])
def test_sections_of_real_pages(real_rows: list[Row], name: str) -> None:
    assert len(real_rows) == 150
    assert check_same(real_rows, EVERY[name]) > 100


def test_whole_pages_are_one_block_each(sample_rows: list[Row]) -> None:
    assert set(link_blocks(styled_rows(sample_rows), replace(OURS, whole_pages=True)).tolist()) == {0}


PIECES = (
    "<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "</table>", "<hr>", "<h2>",
    "</h2>", "<b>", "</b>", "<br>", "<font color=red>", "</font>", "<td bgcolor=black>", "word ", "two words ",
    "a text of more than ten words in one piece without a link ", "<a href=/x>link</a> ", "<a href=/y>a link</a> ",
    "<a href=/z></a>", "<a href=/w>never closed ", "<title>t</title>", "<span style='background: #eee'>", "</span>",
    ". ",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(sorted(EVERY)))
@tries(max_examples=300, deadline=None)
def test_sections_of_any_page(pieces: list[str], name: str) -> None:
    check_same([page_row("".join(pieces))], EVERY[name])


# --- each rule


def blocks(html: str, settings: CocitationSettings = PAPER) -> list[str]:
    """The last letters of the links of each section, after adjusting; also of those of one link."""
    row = page_row(html)
    _, after = sections_of(styled_rows([row]), 0, settings)
    found = [range(section["first_link"], section["last_link"]) for section in after]
    return ["".join(row["link_url"][link][-1] for link in links) for links in found if links]


def links(letters: str, more: str = "") -> str:
    """A link of one word to each letter."""
    return " ".join(f"<a href=/{letter}>{letter * 3}</a>{more}" for letter in letters)


FOUR, FIVE = links("abcd"), links("efghi")
ELEVEN = "one two three four five six seven eight nine ten eleven"


def test_rule_1_joins_sections_of_links() -> None:
    assert blocks(f"<p>{FOUR}<p>{FIVE}") == ["abcdefghi"]


def test_rule_1_joins_them_even_in_bold() -> None:
    assert blocks(f"<p><b>{FOUR}</b><p>{FIVE}") == ["abcdefghi"]


def test_rule_1_wants_one_background() -> None:
    assert blocks(f"<p>{FOUR}<div style='background: #ffeeee'>{FIVE}</div>") == ["abcd", "efghi"]


def test_rule_1_wants_more_than_3_links_in_each() -> None:
    assert blocks(f"<p>{links('abc')}<p>{links('efg')}") == ["abc", "efg"]


def test_rule_1_wants_more_than_four_fifths_of_the_words_in_anchors() -> None:
    assert blocks(f"<p>{links('abcd')} aside<p>{links('efgh')} aside") == ["abcd", "efgh"]
    assert blocks(f"<p>{links('abcde')} aside<p>{links('fghij')} aside") == ["abcdefghij"]


def test_rule_1_takes_links_without_words_for_links() -> None:
    images = "".join(f"<a href=/{letter}><img src=x></a>" for letter in "efghi")
    assert blocks(f"<p>{FOUR}<p>{images}") == ["abcdefghi"]


def test_rule_2_keeps_bold_text_apart() -> None:
    assert blocks(f"<p>{FOUR}<p>{links('e')}") == ["abcde"]
    assert blocks(f"<p>{FOUR}<p><b>{links('e')}</b>") == ["abcd", "e"]
    assert blocks(f"<p>{FOUR} <b>bold</b><p>{links('e')}") == ["abcd", "e"]


def test_rule_3_keeps_unlike_colours_apart() -> None:
    pale = f"<font color=#dddddd>{links('e')} pale</font>"
    assert blocks(f"<p>{links('abcdjk')}<p>{pale}") == ["abcdjk", "e"]
    grey = f"<font color=#333333>{links('e')} grey</font>"
    assert blocks(f"<p>{links('abcdjk')}<p>{grey}") == ["abcdjke"]


def test_rule_4_keeps_two_long_sections_apart() -> None:
    ten, eleven = links("abcdefghij"), links("abcdefghijk")
    long = f"<p>{ELEVEN} {links('z')}"
    few = CocitationSettings(edges=False, anchor_share=0.01, section_links=3)
    assert blocks(f"<p>{ten}{long}", few) == ["abcdefghij", "z"]  # 10 words, 12 words of no links
    assert blocks(f"<p>{eleven}<p>{links('z')} one two three", few) == ["abcdefghijkz"]
    assert blocks(f"<p>{eleven}{long}", few) == ["abcdefghijk", "z"]


def test_rule_5_joins_a_small_section_of_the_other_type() -> None:
    assert blocks(f"<p>{links('abcdef')}<p>{links('g')} aside") == ["abcdefg"]


def test_rule_5_wants_the_type_of_the_larger() -> None:
    assert blocks(f"<p>{FOUR}<p>{links('e')} one two three") == ["abcd", "e"]
    assert blocks(f"<p>{links('e')} one two three four five<p>{FOUR}") == ["eabcd"]


def test_rule_6_joins_nothing_else() -> None:
    assert blocks(f"<p>{links('ab')} word<p>{links('cd')} word") == ["ab", "cd"]


def test_sections_of_one_link_are_no_blocks() -> None:
    row = page_row(f"<p>{links('a')} word<p>{links('bc')} word<p>{links('d')} word")
    assert link_blocks(styled_rows([row]), PAPER).tolist() == [-1, 0, 0, -1]


def test_merging_goes_on_with_what_was_merged() -> None:
    assert blocks(f"<p>{FOUR}<p>{links('e')}<p>{links('f')}<p>{links('g')}") == ["abcdefg"]


# --- scanning


@pytest.mark.parametrize(
    "between", ["<p>", "<div>", "<hr>", "<ul><li>", "<h3>x</h3>", "<table><tr><td>", "<ol><li>", "<blockquote>"]
)
def test_partitioning_tags_begin_a_section(between: str) -> None:
    assert blocks(f"{links('ab')} word {between}{links('cd')} word") == ["ab", "cd"]


@pytest.mark.parametrize("between", ["<br>", ". ", "<i>", "<span>", "<!-- -->", "<img src=x>"])
def test_other_tags_do_not(between: str) -> None:
    assert blocks(f"{links('ab')} word {between}{links('cd')} word") == ["abcd"]


def test_cells_and_items_do_not() -> None:
    assert blocks(f"<table><tr><td>{links('ab')} word<td>{links('cd')} word</table>") == ["abcd"]
    assert blocks(f"<ul><li>{links('ab')} word<li>{links('cd')} word</ul>") == ["abcd"]


def test_rows_do() -> None:
    assert blocks(f"<table><tr><td>{links('ab')} word<tr><td>{links('cd')} word</table>") == ["ab", "cd"]


def test_a_title_is_no_text_of_the_page() -> None:
    row = page_row(f"<title>{ELEVEN}</title>{FOUR}")
    before, _ = sections_of(styled_rows([row]), 0, PAPER)
    assert [(section["words"], section["anchor_words"]) for section in before] == [(4, 4)]


def test_an_anchor_counts_for_the_section_that_it_begins_in() -> None:
    row = page_row("<p>word <a href=/a>one <p>two three</a> four")
    before, _ = sections_of(styled_rows([row]), 0, PAPER)
    assert [(section["words"], section["anchor_words"], section["last_link"]) for section in before] == [
        (2, 1, 1),
        (3, 0, 1),
    ]


def test_a_page_without_words_has_no_sections() -> None:
    for html in ("", "<p></p><hr>", "<title>a title</title>"):
        before, after = sections_of(styled_rows([page_row(html)]), 0, OURS)
        assert len(before) == len(after) == 0


# --- our own rules


@pytest.mark.parametrize(
    "html",
    [
        "<div>{}</div><hr>{}",
        "<table><tr><td>{}</table>{}",
        "<div>{}</div><ul><li>{}</ul>",
        "<p>{}</p><ol><li>{}</ol>",
        "<ul><li>{}</ul><div>{}</div>",
        "<ul><li>{}</ul><p>{}",
        "<ul><li>{}</ul><div><ul><li>{}</ul></div>",
    ],
)
def test_edges_end_a_block(html: str) -> None:
    assert blocks(html.format(FOUR, FIVE), PAPER) == ["abcdefghi"]
    assert blocks(html.format(FOUR, FIVE), OURS) == ["abcd", "efghi"]


def test_headings_end_a_block() -> None:
    html = f"<p>{FOUR}</p><h2 style='font-weight: normal'>{links('j')}</h2><p>{FIVE}"
    assert blocks(html, PAPER) == ["abcdjefghi"]
    assert blocks(html, OURS) == ["abcd", "jefghi"]


def test_a_table_may_go_on_with_what_stands_above_it() -> None:
    assert blocks(f"<div>{FOUR}</div><table><tr><td>{FIVE}</table>", OURS) == ["abcdefghi"]


def test_a_list_in_an_item_is_no_edge() -> None:
    menu = f"<ul><li>{FOUR}<ul><li>{FIVE}</ul><li>{links('jklm')}</ul>"
    assert blocks(menu, OURS) == ["abcdefghijklm"]


def test_the_next_paragraph_of_a_text_is_joined() -> None:
    html = f"<p>{links('ab')} {ELEVEN}<p>{links('cd')} {ELEVEN}"
    assert blocks(html, PAPER) == ["ab", "cd"]
    assert blocks(html, OURS) == ["abcd"]


@pytest.mark.parametrize("cell", ["<td>", "<td><p>"])
def test_the_next_row_of_a_text_is_joined(cell: str) -> None:
    html = f"<table><tr>{cell}{links('ab')} {ELEVEN}<tr>{cell}{links('cd')} {ELEVEN}</table>"
    assert blocks(html, PAPER) == ["ab", "cd"]
    assert blocks(html, OURS) == ["abcd"]


@pytest.mark.parametrize("bold", ["<b>{}</b>", "<strong>{}</strong>", "<span style='font-weight: bold'>{}</span>"])
def test_a_paragraph_that_begins_in_bold_is_not(bold: str) -> None:
    assert blocks(f"<p>{links('ab')} word<p>{bold.format('Heading')} {links('cd')} word", OURS) == ["ab", "cd"]
    assert blocks(f"<p>{bold.format('Heading')} {links('ab')} word<p>{links('cd')} word", OURS) == ["ab", "cd"]
    assert blocks(f"<p>{links('ab')} {bold.format('word')}<p>{links('cd')} word", OURS) == ["abcd"]


def test_a_paragraph_on_another_background_is_not() -> None:
    html = f"<p>{links('ab')} word<p style='background-color: yellow'>{links('cd')} word"
    assert blocks(html, OURS) == ["ab", "cd"]


def test_a_division_is_no_next_paragraph() -> None:
    assert blocks(f"<div>{links('ab')} word</div><div>{links('cd')} word</div>", OURS) == ["ab", "cd"]


def test_links_and_text_are_not_joined_as_paragraphs() -> None:
    assert blocks(f"<p>{links('abcdefghijkl')}<p>{links('m')} {ELEVEN}", OURS) == ["abcdefghijkl", "m"]


# --- old markup


@pytest.mark.parametrize(
    "table",
    [
        "<table bgcolor=#ffcc99><tr><td>{}</table>",
        "<table><tr><td bgcolor='#FFCC99'>{}</table>",
        "<table><tr bgcolor=FFCC99><td>{}</table>",
        "<table style='background: url(x.gif) #fc9'><tr><td>{}</table>",
        "<table><tr><td style='background-color: rgb(255, 204, 153)'>{}</table>",
    ],
)
def test_backgrounds_of_tables_divide_links(table: str) -> None:
    row = page_row(f"<p>{FOUR}</p>" + table.format(FIVE))
    before, _ = sections_of(styled_rows([row]), 0, PAPER)
    assert before["background"].tolist() == [0xFFFFFF, 0xFFCC99]
    assert blocks(f"<p>{FOUR}</p>" + table.format(FIVE)) == ["abcd", "efghi"]


def test_the_background_of_a_page_is_that_of_its_sections() -> None:
    row = page_row(f"<body bgcolor=navy text=white><p>{FOUR}<p>{FIVE}")
    before, _ = sections_of(styled_rows([row]), 0, PAPER)
    assert before["background"].tolist() == [0x000080, 0x000080]


def test_the_background_of_a_section_is_that_of_most_of_a_style() -> None:
    row = page_row("<p>short <span style='background: red'>much longer words</span> end")
    before, _ = sections_of(styled_rows([row]), 0, PAPER)
    assert before["background"].tolist() == [0xFF0000]


def font_scores(html: str) -> list[float]:
    before, _ = sections_of(styled_rows([page_row(html)]), 0, PAPER)
    return [float(section["font_score"] / section["characters"]) for section in before]


def test_equation_1_by_hand() -> None:
    """Five letters in black on white, four of them bold in the second paragraph."""
    assert font_scores("<p>abcde<p><b>abcd</b> e") == pytest.approx([1.0, (4 * 1.2 + 1) / 5])


def test_equation_1_with_font_colours() -> None:
    grey = contrast(0x808080, 0xFFFFFF)
    assert font_scores("<p><font color=gray size=2>abc</font> de") == pytest.approx([(3 * grey + 2) / 5])
    assert font_scores("<p><font color=#808080><b>abc</b></font> de") == pytest.approx([(3 * 1.2 * grey + 2) / 5])
    assert font_scores("<p style='color: #808080; font-weight: 700'>abc") == pytest.approx([1.2 * grey])


def test_equation_1_with_backgrounds() -> None:
    both = "<table bgcolor=black><tr><td><font color=white>abc</font></table>"
    assert font_scores(both) == pytest.approx([1.0])
    assert font_scores("<p style='background: black'>abc") == pytest.approx([0.0])


def test_a_style_of_two_sections_gives_each_its_part() -> None:
    """The characters of a style are known for all its words together."""
    row = page_row("<p>aaaa bb <p>cc dddd")
    before, _ = sections_of(styled_rows([row]), 0, PAPER)
    assert before["characters"].tolist() == [6.0, 6.0]


# --- colours


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        (0x000000, (0.0, 0.0, 0.0)),
        (0xFFFFFF, (100.0, 0.0, 0.0)),
        (0xFF0000, (53.24, 80.09, 67.20)),
        (0x00FF00, (87.73, -86.18, 83.18)),
        (0x0000FF, (32.30, 79.19, -107.86)),
        (0x808080, (53.59, 0.0, 0.0)),
        (0xFFFF00, (97.14, -21.55, 94.48)),
        (0x010101, (0.27, 0.0, 0.0)),
    ],
)
def test_colours_in_cielab(color: int, expected: tuple[float, float, float]) -> None:
    assert lab(color) == pytest.approx(expected, abs=0.011)


def test_the_contrast_of_colours() -> None:
    assert contrast(0x000000, 0xFFFFFF) == 1.0
    assert contrast(0xFFFFFF, 0x000000) == pytest.approx(1.0, abs=1e-4)
    assert contrast(0xFF0000, 0xFF0000) == 0.0
    red, blue = (53.24, 80.09, 67.20), (32.30, 79.19, -107.86)
    apart = sum((a - b) ** 2 for a, b in zip(red, blue, strict=True)) ** 0.5
    assert contrast(0xFF0000, 0x0000FF) == pytest.approx(apart / 100, abs=1e-3)


@given(st.integers(0, 0xFFFFFF), st.integers(0, 0xFFFFFF))
def test_contrast_is_a_distance(one: int, other: int) -> None:
    assert contrast(one, other) == pytest.approx(contrast(other, one))
    assert contrast(one, other) == pytest.approx(twin.distance(one, other), abs=1e-6)
