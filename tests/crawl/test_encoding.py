from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.crawl.encoding import utf8_html

RUSSIAN = "Привет! Это страница о погоде в Москве и о том, что было вчера. "
META = '<meta http-equiv="Content-Type" content="text/html; charset={}">'


def test_declared_utf8_is_not_copied():
    body = "<p>é".encode()
    assert utf8_html(body, "text/html; charset=UTF-8")[0] is body


def test_ascii_is_not_copied_whatever_is_declared():
    body = b"<p>plain" * 99
    assert utf8_html(body, "text/html; charset=iso-8859-1")[0] is body
    assert utf8_html(body, "")[0] is body


def test_latin1_means_windows_1252():
    assert utf8_html(b"\x93a\x94", "text/html; charset=ISO-8859-1") == ("“a”".encode(), "windows-1252")


def test_the_byte_order_mark_wins_over_the_header():
    assert utf8_html(b"\xef\xbb\xbfcaf\xc3\xa9", "text/html; charset=latin1") == ("café".encode(), "utf-8")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_with_its_mark(codec):
    assert utf8_html("\ufeff<p>Straße".encode(codec), "") == ("<p>Straße".encode(), codec)


def test_utf16_without_its_mark():
    assert utf8_html("<html><p>Hello".encode("utf-16-be"), "") == (b"<html><p>Hello", "utf-16-be")


def test_the_header_wins_over_the_meta_element():
    body = META.format("utf-8").encode() + "Ж".encode("koi8-r")
    assert utf8_html(body, 'text/html; charset="koi8-r"')[1] == "koi8-r"


@pytest.mark.parametrize("form", [META, "<META CHARSET='{}'>", '<?xml version="1.0" encoding="{}"?>'])
def test_the_meta_element_is_read(form):
    body = form.format("windows-1251").encode() + RUSSIAN.encode("cp1251")
    html, encoding = utf8_html(body, "text/html")
    assert encoding == "windows-1251" and RUSSIAN.encode() in html


def test_a_meta_element_in_a_comment_does_not_count():
    body = b"<!--" + META.format("koi8-r").encode() + b"-->" + "é".encode()
    assert utf8_html(body, "")[1] == "utf-8"


def test_a_meta_element_cannot_say_utf16():
    assert utf8_html(META.format("utf-16").encode() + "é".encode(), "")[1] == "utf-8"


def test_nothing_declared_and_valid_utf8_is_utf8():
    body = RUSSIAN.encode()
    assert utf8_html(body, "text/html") == (body, "utf-8")


def test_nothing_declared_is_guessed_from_the_letters():
    assert utf8_html(RUSSIAN.encode("koi8-r") * 4, "") == (RUSSIAN.encode() * 4, "koi8-r")


def test_an_unknown_label_is_as_none():
    assert utf8_html(RUSSIAN.encode("koi8-r") * 4, "text/html; charset=nonsense")[1] == "koi8-r"


def test_shift_jis_has_the_characters_of_windows():
    assert utf8_html("①髙".encode("cp932"), "text/html; charset=Shift_JIS") == ("①髙".encode(), "shift_jis")


@given(st.binary(max_size=300), st.sampled_from(["", "utf-16", "gbk", "iso-2022-jp", "x-user-defined", "🤷"]))
def test_it_never_raises_and_gives_bytes_that_utf8_can_hold(body, label):
    html, encoding = utf8_html(body, f"text/html; charset={label}")
    assert encoding == "utf-8" or html.decode("utf-8") is not None
