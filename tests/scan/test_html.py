"""The tokenizer of the HTML standard (13.2.5), one behaviour a test, and what is kept of tree construction."""

from __future__ import annotations

import pytest

from pagekin.tables import Break

from .conftest import scan


def words(html: str | bytes) -> str:
    return scan(html).words


def links(html: str) -> list[tuple[str, str]]:
    return scan(html).links


def hrefs(html: str) -> list[str]:
    return [url for url, _ in links(html)]


# --- comments and declarations ------------------------------------------------------------------------------


@pytest.mark.parametrize("comment", ["<!-->", "<!--->", "<!---->", "<!-- x -->", "<!-- x --!>", "<!-- x -- > - --->"])
def test_comment_ends(comment: str) -> None:
    assert words(f"a{comment} b") == "a b"


def test_comment_hides_tags_and_does_not_part_a_word() -> None:
    assert words("one<!-- <b>x</b> > -->two") == "onetwo"


def test_comment_that_is_never_closed_hides_the_rest() -> None:
    assert words("a <!-- b --! > c") == "a"


@pytest.mark.parametrize(
    "bogus", ["<!x>", "<?xml version='1.0'?>", "<?-- >", "</ b>", "</>", "<!>", "</3>", "<![if IE]>"]
)
def test_bogus_comment_ends_at_the_first_bracket(bogus: str) -> None:
    assert words(f"a {bogus} b -->") == "a b"


@pytest.mark.parametrize("text", ["a < b", "a <3", "a <\u00e9", "a <", "a </"])
def test_bracket_that_begins_no_tag_is_text(text: str) -> None:
    assert words(text) == " ".join(c for c in text if c.isalnum())


def test_doctype_is_passed_over() -> None:
    assert words("<!DOCTYPE html PUBLIC 'x'>a") == "a"


# --- raw text and RCDATA ------------------------------------------------------------------------------------


def test_script_ends_only_at_its_own_end_tag() -> None:
    assert words("a<script>'</scr' + '</scripts>' + '</b>'</script >b") == "ab"


def test_script_may_hold_a_script_inside_a_comment() -> None:
    assert words("<script><!-- <script> x </script> y --></script>b") == "b"
    assert words("<script><!-- <script> x </script> y </script>b") == "b"


def test_script_comment_that_is_closed_hides_no_script() -> None:
    assert words("<script><!-- --> <script> </script>b") == "b"


def test_script_that_is_never_closed_hides_the_rest() -> None:
    assert words("a <script> b </script") == "a"


@pytest.mark.parametrize("name", ["style", "iframe", "noembed", "noframes"])
def test_content_that_is_not_shown(name: str) -> None:
    assert words(f"a <{name}> <b>x</b> <!-- </{name}> b --> c") == "a b c"


def test_xmp_shows_its_tags_and_references_as_text() -> None:
    assert words("<xmp><b>&amp;</xmp>x") == "b amp x"


def test_title_has_references_but_no_tags() -> None:
    page = scan("<title>Fish &amp; <b>chips</b></title>a")
    assert page.row["title"] == "Fish & <b>chips</b>"
    assert page.words == "fish b chips b a"
    assert (page.row["title_first"], page.row["title_last"]) == (0, 4)


def test_only_the_first_title_is_the_title() -> None:
    page = scan("<title>One</title><svg><title>Two</title></svg><title>Three</title>")
    assert page.row["title"] == "One"
    assert page.words == "one two three"


def test_title_of_a_drawing_is_not_the_title() -> None:
    assert scan("<svg><title>Logo</title></svg><title>Page</title>").row["title"] == "Page"


def test_textarea_has_references_but_no_tags() -> None:
    assert words("<textarea>a &eacute; <p> b</textarea>c") == "a é p b c"


def test_plaintext_never_ends() -> None:
    assert words("a<plaintext><b>x</plaintext>&amp;") == "a b x plaintext amp"


def test_template_is_hidden() -> None:
    page = scan("a <template>b <template>c</template> <a href=x>d</a> <title>T</title></template> e")
    assert (page.words, page.links, page.row["title"]) == ("a e", [], "")


def test_template_with_a_drawing_leaves_nothing_behind() -> None:
    assert words("<template><svg></svg></template><title><b></title>") == "b"


def test_noscript_is_shown() -> None:
    assert words("a<noscript> b</noscript> c") == "a b c"


# --- attributes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tag",
    ['<a href="x">', "<a href='x'>", "<a href=x>", "<A HREF = x >", "<a\nhref\n=\nx\n>", "<a/href=x>", "<a b href=x>"],
)
def test_attribute_value(tag: str) -> None:
    assert links(f"{tag}y</a>") == [("x", "y")]


def test_attribute_without_a_value_leads_to_the_page_itself() -> None:
    assert hrefs("<a href>y</a><a href=''>z</a>") == []


def test_first_of_two_attributes_wins() -> None:
    assert hrefs("<a href=x href=y>z</a>") == ["x"]


def test_bracket_inside_quotes_does_not_end_a_tag() -> None:
    assert scan("<b title='>' alt=\">\">y").words == "y"


def test_unquoted_value_may_hold_quotes_and_slashes() -> None:
    assert hrefs("<a href=x/y'z/a>b</a>") == ["x/y'z/a"]


def test_quote_that_is_never_closed_hides_the_rest() -> None:
    assert words("a <b title='> b") == "a"
    assert words('a <b title="') == "a"


def test_tag_that_is_never_closed_hides_the_rest() -> None:
    assert words("a <b c") == "a"
    assert words("a <b c=d") == "a"


@pytest.mark.parametrize("name", [":href", "@href", "_href", "xlink:href", "data-href", "hrefs", "href\u00e9"])
def test_name_that_only_looks_like_href(name: str) -> None:
    assert hrefs(f"<a {name}=x>y</a>") == []


def test_equals_sign_may_begin_a_name() -> None:
    assert hrefs("<a =href=x>y</a>") == []


# --- character references -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("&eacute;", "é"),
        ("&eacutex", "éx"),
        ("&Eacute", "é"),
        ("x&notit;", "x it"),
        ("x&nosuch;", "x nosuch"),
        ("&fjlig;", "fj"),
        ("&#233;", "é"),
        ("&#233x", "éx"),
        ("&#xE9;", "é"),
        ("&#Xe9;", "é"),
        ("&#x41g", "ag"),
        ("&#159;", "ÿ"),
        ("&#138;", "š"),
        ("a&#xD800;b", "a b"),
        ("a&#0;b", "a b"),
        ("a&#99999999999999999999;b", "a b"),
        ("a&#xFFFFFFFFFFFFFFFFFF;b", "a b"),
        ("a&#b", "a b"),
        ("a&#xyz", "a xyz"),
        ("a&b", "a b"),
        ("a&", "a"),
        ("caf&eacute;s", "cafés"),
        ("soft&shy;hyphen", "softhyphen"),
        ("&#26085;&#26412;", "日本"),
    ],
)
def test_reference_in_text(written: str, read: str) -> None:
    assert words(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("x?a&amp;b", "x?a&b"),
        ("x?a&copy=1", "x?a&copy=1"),
        ("x?a&copyb", "x?a&copyb"),
        ("x?a&copy", "x?a%C2%A9"),
        ("x?a&copy;=1", "x?a%C2%A9=1"),
        ("x?a&notit;", "x?a&notit;"),
        ("x?a&#65;b", "x?aAb"),
        ("x?a&#b", "x?a&"),
        ("x?a&nosuch;", "x?a&nosuch;"),
    ],
)
def test_reference_in_an_attribute(written: str, read: str) -> None:
    from pagekin.crawl.urls import canonical_url

    expected = canonical_url(read, "http://site.test/folder/page").removeprefix("http://site.test/folder/")
    assert hrefs(f'<a href="{written}">y</a>') == [expected]


# --- CDATA, NUL, bytes that are no UTF-8 --------------------------------------------------------------------


def test_cdata_is_text_in_svg_and_a_comment_elsewhere() -> None:
    assert words("<svg><text><![CDATA[a <b> &amp; c]]></text></svg>d") == "a b amp c d"
    assert words("<p><![CDATA[a > b]]>") == "b"


def test_cdata_that_is_never_closed_goes_to_the_end() -> None:
    assert words("<math><![CDATA[a <b>") == "a b"


def test_cdata_needs_its_name() -> None:
    assert words("<svg><![cdata[a]]>b") == "b"


def test_html_ends_svg() -> None:
    assert words("<svg><p><![CDATA[a]]><textarea><b></textarea>") == "b"


def test_nul_bytes_are_dropped() -> None:
    assert words(b"a\0b <b>\0c</b>\0d") == "ab cd"


def test_bytes_that_are_no_utf_8_part_words() -> None:
    assert words(b"caf\xe9 a\xffb \xf0\x9f\x98 c\xc0\x80d \xed\xa0\x80") == "caf a b c d"


# --- words --------------------------------------------------------------------------------------------------


def test_words_are_in_lower_case() -> None:
    assert words("ÀÉÎ ΑΒΓ Ⱥ İ") == "àéî αβγ ⱥ i"


@pytest.mark.parametrize("text", ["слово", "λέξη", "शब्द", "كلمة", "단어", "คำ", "խոսք", "word2vec", "𐐨"])
def test_letters_of_any_script_make_a_word(text: str) -> None:
    assert words(f"<p>{text}, {text}!") == f"{text} {text}"


def test_accent_of_its_own_continues_a_word() -> None:
    assert words("cafe\u0301s") == "cafe\u0301s"
    assert words("\u0301 a \u0301b") == "a b"


def test_chinese_and_japanese_as_overlapping_pairs() -> None:
    assert words("日本語") == "日本 本語"
    assert words("カタカナ") == "カタ タカ カナ"
    assert words("日") == "日"
    assert words("a日b") == "a 日 b"
    assert words("日本。語") == "日本 語"
    assert words("日<b>本</b>語") == "日本 本語"


@pytest.mark.parametrize("joiner", ["\u00ad", "\u200c", "\u200d", "\u2060", "\ufeff"])
def test_signs_that_are_not_seen_do_not_part_words(joiner: str) -> None:
    assert words(f"one{joiner}two") == "onetwo"


def test_beginning_of_an_overlong_word_counts() -> None:
    assert words("x" * 64) == "x" * 64
    assert words("x" * 65) == "x" * 64
    assert words("x" * 63 + "é" * 9) == "x" * 63
    assert words("x" * 5000) == "x" * 64


@pytest.mark.parametrize("name", ["b", "span", "font", "em", "sub", "wbr", "custom-element", "u"])
def test_inline_element_does_not_part_a_word(name: str) -> None:
    assert words(f"one<{name}>two</{name}>three") == "onetwothree"


@pytest.mark.parametrize(
    "name", ["p", "div", "td", "li", "br", "hr", "h1", "a", "option", "blockquote", "textarea", "button"]
)
def test_element_that_parts_words(name: str) -> None:
    assert words(f"one<{name}>two</{name}>three") == "one two three"


def test_alternative_texts_are_read_in_their_place() -> None:
    assert words("a<img alt='b &amp; c'>d <area alt=e> <input alt=f> <image alt=g>") == "a b c d e f g"


def test_image_in_svg_has_no_alternative_text() -> None:
    assert words("<svg><image alt=a></svg>") == ""


# --- links --------------------------------------------------------------------------------------------------


def test_link_spans_its_words() -> None:
    page = scan("one <a href=x>two <b>three</b></a> four <a href=y></a>")
    assert page.links == [("x", "two three"), ("y", "")]
    assert (page.row["link_first"], page.row["link_last"]) == ([1, 4], [3, 4])


def test_link_of_an_image_has_its_alternative_text() -> None:
    assert links("<a href=x><img alt='a b'></a>") == [("x", "a b")]


def test_link_is_ended_by_the_next() -> None:
    assert links("<a href=x>one <a href=y>two</a> three") == [("x", "one"), ("y", "two")]
    assert links("<a href=x>one <a name=y>two</a> three") == [("x", "one")]


def test_link_is_ended_by_its_cell() -> None:
    assert links("<table><tr><td><a href=x>one</td><td>two") == [("x", "one")]
    assert links("<table><tr><td><a href=x>one<td>two") == [("x", "one")]
    assert links("<table><tr><td><a href=x>one</table>two") == [("x", "one")]


def test_link_around_a_table_goes_on() -> None:
    assert links("<a href=x>one<table><tr><td>two<td>three</table>four</a>five") == [("x", "one two three four")]


def test_link_goes_on_behind_a_paragraph() -> None:
    assert links("<p><a href=x>one<p>two</a>three") == [("x", "one two")]


def test_link_that_is_never_closed_goes_to_the_end() -> None:
    assert links("<a href=x>one <div>two") == [("x", "one two")]


def test_area_is_a_link_inside_or_outside_of_another() -> None:
    assert links("<a href=x>one <area href=y alt=two> three</a>") == [("x", "one two three"), ("y", "two")]


def test_frame_is_a_link() -> None:
    assert links("<frameset><frame src=x><frame name=y></frameset>") == [("x", "")]


@pytest.mark.parametrize("rel", ["nofollow", "NoFollow", "external nofollow", "ugc", "sponsored", "me,nofollow"])
def test_link_that_asks_not_to_be_followed(rel: str) -> None:
    assert scan(f"<a href=x rel='{rel}'>y</a>").row["link_nofollow"] == [True]


@pytest.mark.parametrize("rel", ["", "external", "nofollows", "no follow"])
def test_link_that_may_be_followed(rel: str) -> None:
    assert scan(f"<a href=x rel='{rel}'>y</a>").row["link_nofollow"] == [False]


# --- what a page says of itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "noindex", "nofollow"),
    [
        ("noindex", True, False),
        ("NOINDEX, NOFOLLOW", True, True),
        ("nofollow", False, True),
        ("none", True, True),
        ("all", False, False),
    ],
)
def test_robots_meta(content: str, noindex: bool, nofollow: bool) -> None:
    row = scan(f"<meta name=robots content='{content}'><a href=x>y</a>").row
    assert (row["noindex"], row["link_nofollow"]) == (noindex, [nofollow])


def test_other_metas_are_no_robots() -> None:
    assert not scan("<meta name=description content=noindex>").row["noindex"]


def test_first_base_counts_for_all_links() -> None:
    page = scan("<a href=x>a</a><base href='/other/'><base href='/third/'>")
    assert page.row["link_url"] == ["http://site.test/other/x"]


def test_canonical_link_gives_the_page_its_address() -> None:
    row = scan("<link rel='canonical' href='/one?a=1&amp;b=2'>").row
    assert row["url"] == "http://site.test/one?a=1&b=2"
    assert row["captured_as"] == "http://site.test/folder/page"


def test_other_links_in_the_head_give_no_address() -> None:
    assert scan("<link rel=alternate href=/one>").row["url"] == "http://site.test/folder/page"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=de>", "de"),
        ("<html lang='pt-BR'>", "pt"),
        ("<html><body lang=FR>", "fr"),
        ("<html lang=de><body lang=fr>", "de"),
        ("<meta http-equiv=Content-Language content='it, en'>", "it"),
        ("<p lang=es>", ""),
        ("<html lang='{{ lang }}'>", ""),
    ],
)
def test_declared_language(html: str, language: str) -> None:
    assert scan(html).row["language"] == language


# --- breaks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("between", "kinds"),
    [
        ("<br>", Break.LINE),
        ("</br>", Break.LINE),
        ("<p>", Break.PARAGRAPH),
        ("<div>", Break.BLOCK),
        ("<li>", Break.ITEM),
        ("<dd>", Break.ITEM),
        ("<td>", Break.CELL),
        ("<tr>", Break.ROW),
        ("<tr><td>", Break.ROW | Break.CELL),
        ("<h2>", Break.HEADING),
        ("</h2>", Break.HEADING_END),
        ("<ul>", Break.LIST),
        ("</ul>", Break.LIST_END),
        ("<table>", Break.TABLE),
        ("</table>", Break.TABLE_END),
        ("<hr>", Break.RULE),
        (". ", Break.SENTENCE),
        ("! ", Break.SENTENCE),
        (".<br>", Break.SENTENCE | Break.LINE),
        ("。", Break.SENTENCE),
    ],
)
def test_break_between_two_words(between: str, kinds: Break) -> None:
    assert scan(f"one{between}two").breaks == {1: kinds}


@pytest.mark.parametrize("between", [" ", ", ", "<b>", "<a href=x>", "<span>", "-", "<!-- . -->"])
def test_no_break_between_two_words(between: str) -> None:
    assert scan(f"one{between}two").breaks == {}


def test_full_stop_inside_a_number_or_a_name_ends_no_sentence() -> None:
    assert scan("version 3.11 of example.org").breaks == {}


def test_full_stop_before_a_quote_or_bracket_ends_a_sentence() -> None:
    assert scan('(one.) "Two!" three').breaks == {1: Break.SENTENCE, 2: Break.SENTENCE}


def test_title_stands_between_breaks() -> None:
    assert scan("<title>one</title>two").breaks == {0: Break.TITLE, 1: Break.TITLE}


# --- style --------------------------------------------------------------------------------------------------


def test_text_without_style() -> None:
    assert scan("one two.").styles == [("one two", 7, False, 16, "000000", "ffffff")]


def test_bold_and_what_follows() -> None:
    assert [run[:3] for run in scan("a <b>b c</b> d").styles] == [("a", 1, False), ("b c", 2, True), ("d", 1, False)]


@pytest.mark.parametrize(
    "html",
    [
        "<b>x</b>",
        "<strong>x</strong>",
        "<table><tr><th>x</th></tr></table>",
        "<h4>x</h4>",
        "<span style='font-weight:bold'>x</span>",
        "<span style='color:red; FONT-WEIGHT : 700'>x</span>",
        "<span style='font-weight:bold !important'>x</span>",
    ],
)
def test_ways_to_be_bold(html: str) -> None:
    assert scan(f"a {html} b").bold == "x"


def test_bold_can_be_undone() -> None:
    assert scan("<h1>a <span style='font-weight: normal'>b</span> c</h1>").bold == "a c"


@pytest.mark.parametrize(
    ("tag", "size"),
    [
        ("<font size=5>", 24),
        ("<font size=+1>", 18),
        ("<font size='-1'>", 13),
        ("<font size=99>", 48),
        ("<font size=x>", 16),
        ("<h1>", 32),
        ("<p style='font-size:20px'>", 20),
        ("<p style='font-size: 12pt'>", 16),
        ("<p style='font-size:1.5em'>", 24),
        ("<p style='font-size:50%'>", 8),
        ("<p style='font-size:2rem'>", 32),
        ("<p style='font-size:20px!important'>", 20),
    ],
)
def test_font_size(tag: str, size: int) -> None:
    assert scan(f"{tag}x").styles[0][3] == size


def test_font_size_is_relative_to_what_is_around() -> None:
    assert [run[3] for run in scan("<div style='font-size:20px'>a <b style='font-size:2em'>b</b>").styles] == [20, 40]


@pytest.mark.parametrize(
    ("tag", "color"),
    [
        ("<font color=red>", "ff0000"),
        ("<font color='#0A0b0C'>", "0a0b0c"),
        ("<font color=#abc>", "aabbcc"),
        ("<font color=123456>", "123456"),
        ("<p style='color: Navy'>", "000080"),
        ("<p style='color:rgb(1, 2, 255)'>", "0102ff"),
        ("<p style='color:rgba(1,2,3,0.5)'>", "010203"),
        ("<p style='color:green !important'>", "008000"),
        ("<body text=blue>", "0000ff"),
        ("<font color=nosuch>", "000000"),
        ("<p color=red>", "000000"),
    ],
)
def test_font_color(tag: str, color: str) -> None:
    assert scan(f"{tag}x").styles[0][4] == color


@pytest.mark.parametrize(
    "tag",
    [
        "<body bgcolor=yellow>",
        "<table bgcolor='#ffff00'><tr><td>",
        "<table><tr><td bgcolor=ff0>",
        "<p style='background-color:yellow'>",
        "<p style='background: url(a b.png) no-repeat yellow'>",
    ],
)
def test_background(tag: str) -> None:
    assert scan(f"{tag}x").styles[0][5] == "ffff00"


def test_background_ends_with_its_cell() -> None:
    page = scan("<table bgcolor=red><tr><td bgcolor=lime>a<td>b<tr><td>c</table>d")
    assert [(run[0], run[5]) for run in page.styles] == [("a", "00ff00"), ("b c", "ff0000"), ("d", "ffffff")]


def test_formatting_goes_on_behind_its_block() -> None:
    assert scan("<p><b>a<p>b </b> c").bold == "a b"
    assert scan("<div><font color=red>a</div>b </font>c").styles[0][0] == "a b"


def test_formatting_that_is_closed_in_a_wrong_order() -> None:
    assert scan("<b>a <i>b</b> c</i> d").bold == "a b"
    assert scan("<i>a <b>b</i> c</b> d").bold == "b c"


def test_formatting_ends_with_its_cell() -> None:
    assert scan("<table><tr><td><b>a<td>b</table>c").bold == "a"


def test_end_tag_in_a_cell_ends_nothing_outside() -> None:
    assert scan("<b>a<table><tr><td>b</b> c</table>d").bold == "a b c d"
    page = scan("<div style='color:red'>a<table><tr><td>b</div>c</table>d</div>e")
    assert [(run[0], run[4]) for run in page.styles] == [("a b c d", "ff0000"), ("e", "000000")]


def test_end_tag_of_an_inline_element_ends_no_block() -> None:
    page = scan("<span><div style='color:red'>a</span> b</div>c")
    assert [(run[0], run[4]) for run in page.styles] == [("a b", "ff0000"), ("c", "000000")]


def test_block_outlives_the_formatting_around_it() -> None:
    page = scan("<b><div style='color:red'>a</b> b</div>c")
    assert [(run[0], run[2], run[4]) for run in page.styles][1:] == [("b", False, "ff0000"), ("c", False, "000000")]


def test_end_of_the_body_ends_no_style() -> None:
    assert [run[5] for run in scan("<body bgcolor=red>a</body></html> b").styles] == ["ff0000"]


@pytest.mark.parametrize(
    ("html", "bold"),
    [
        ("<table><tr><th>a<td>b", "a"),
        ("<table><tr><th>a</table>b", "a"),
        ("<table><tr><th>a<tr><td>b", "a"),
        ("<h1>a<h2>b</h2>c", "a b"),
        ("<h1>a</h2>b", "a"),
        ("<dl><dt style='font-weight:bold'>a<dd>b</dl>", "a"),
        ("<ul><li style='font-weight:bold'>a<li>b</ul>", "a"),
        ("<p style='font-weight:bold'>a<div>b</div>", "a"),
        ("<ul><li style='font-weight:bold'>a<ul><li>b</ul>c<li>d</ul>", "a b c"),
    ],
)
def test_elements_that_end_one_another(html: str, bold: str) -> None:
    assert scan(html).bold == bold


def test_style_is_kept_when_words_are_joined_across_tags() -> None:
    page = scan("<p>on<b>e</b> two")
    assert (page.words, page.row["style_chars"]) == ("one two", [2, 1, 3])


def test_much_nesting_is_forgotten_not_refused() -> None:
    page = scan("<div>" * 600 + "<b>a</b>" + "</div>" * 600 + "b")
    assert page.words == "a b"
