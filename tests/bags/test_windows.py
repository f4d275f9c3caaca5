"""The text around a link, as in section 3.1 of Haveliwala et al. 2002."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagekin.bags.gather import distance_weights
from pagekin.settings import Strategy

from .chain import PLAIN, TARGET, around, frequencies

SYNTACTIC = replace(PLAIN, window="syntactic")
TOPICAL = replace(PLAIN, window="topical")


def basic(width: int) -> Strategy:
    return replace(PLAIN, window=str(width))


# --- BASIC --------------------------------------------------------------------------------------------------


def test_a_basic_window_has_w_words_a_side() -> None:
    assert around("one two three [four] five six seven", basic(2)) == "two three four five six"


def test_a_window_of_no_words_is_the_anchor() -> None:
    assert around("one two [three four] five six", basic(0)) == "three four"


def test_the_anchor_is_always_in_however_long_it_is() -> None:
    assert around("one [two three four five six] seven eight", basic(1)) == "one two three four five six seven"


def test_stop_words_do_not_count_towards_the_width() -> None:
    strategy = replace(basic(2), stop_words="en")
    assert around("hills rivers of the and [lakes] in an or forests meadows", strategy) == (
        "hills rivers lakes forests meadows"
    )


def test_a_basic_window_goes_over_breaks() -> None:
    assert around("<h1>one</h1><p>two<ul><li>[three]<li>four</ul><table><tr><td>five</table>", basic(9)) == (
        "one two three four five"
    )


def test_no_window_reaches_into_the_title() -> None:
    assert around("<title>one two</title>three [four] five", basic(9)) == "three four five"


def test_no_window_reaches_forward_into_a_title_that_stands_late() -> None:
    assert "late" not in around("one [two] three <title>late</title> four", basic(9))


def test_an_anchor_without_words_takes_what_stands_around_it() -> None:
    assert around("one two three [] four five six", basic(2)) == "two three four five"


def test_the_text_of_an_image_is_text_of_the_anchor() -> None:
    html = f'one <a href="{TARGET}"><img alt="two three"></a> four'
    assert set(frequencies(html, TARGET, basic(0))) == {"two", "three"}


def test_links_marked_nofollow_are_no_evidence() -> None:
    html = f"<a rel=nofollow href={TARGET}>one</a>"
    assert frequencies(html, TARGET) == {}
    assert frequencies(html, TARGET, replace(PLAIN, nofollow=True)) == {"one": 1}


# --- distances ----------------------------------------------------------------------------------------------


def test_words_of_the_anchor_are_at_distance_zero() -> None:
    found = frequencies(f"<a href={TARGET}>one two</a>", TARGET, replace(basic(32), distance=True))
    assert found == {"one": 5, "two": 5}


def test_words_count_less_the_farther_they_stand() -> None:
    html = f"three two one <a href={TARGET}>zero</a> first second third"
    found = frequencies(html, TARGET, replace(basic(4), distance=True))
    assert found == pytest.approx({"zero": 2, "one": 1, "first": 1, "two": 0.415, "second": 0.415}, abs=1 / 1024)


def test_no_word_counts_less_than_nothing() -> None:
    assert distance_weights(Strategy(anchors=1.0, window="4")).tolist() == [2048, 1024, 425, 0, 0]


@pytest.mark.parametrize("width", [0, 1])
def test_in_windows_of_less_than_two_words_all_count_once(width: int) -> None:
    assert set(distance_weights(Strategy(anchors=1.0, window=str(width))).tolist()) == {1024}


def test_without_distances_all_words_count_once() -> None:
    assert set(distance_weights(Strategy(anchors=1.0, distance=False)).tolist()) == {1024}


# --- SYNTACTIC ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "html",
    [
        "<p>one<p>two [three] four<p>five",
        "<table><tr><td>one<td>two [three] four<td>five</table>",
        "<table><tr><td>one<tr><td>two [three] four<tr><td>five</table>",
        "<ul><li>one<li>two [three] four<li>five</ul>",
        "<div>one</div><div>two [three] four</div><div>five</div>",
        "one<hr>two [three] four<hr>five",
        "<h2>one</h2>two [three] four<h2>five</h2>",
        "one.<br>two [three] four!<br>five",
    ],
)
def test_a_syntactic_window_is_cut(html: str) -> None:
    assert around(html, SYNTACTIC) == "two three four"


def test_a_syntactic_window_is_not_cut_at_a_line_break_amid_a_sentence() -> None:
    assert around("one<br>two [three] four<br>five", SYNTACTIC) == "one two three four five"


def test_a_syntactic_window_is_not_cut_where_a_sentence_ends() -> None:
    assert around("One. Two [three] four. Five.", SYNTACTIC) == "One Two three four Five"


def test_a_syntactic_window_has_no_more_than_the_reach() -> None:
    assert around("one two three [four] five six seven", replace(SYNTACTIC, reach=2)) == "two three four five six"


# --- TOPICAL ------------------------------------------------------------------------------------------------


def test_a_topical_window_begins_and_ends_at_headings() -> None:
    html = "<p>one<h2>two</h2><p>three<p>four [five] six<p>seven<h2>eight</h2><p>nine"
    assert around(html, TOPICAL) == "two three four five six seven"


def test_a_topical_window_ends_with_its_list() -> None:
    assert around("<ul><li>one<li>[two]<li>three</ul><p>four", TOPICAL) == "one two three"


def test_a_topical_window_begins_behind_a_list() -> None:
    assert around("<ul><li>one</ul><p>two<ul><li>three<li>[four]</ul>", TOPICAL) == "two three four"


def test_a_topical_window_ends_with_its_table() -> None:
    html = "<table><tr><td>one</table>two<table><tr><td>three<td>[four]<tr><td>five</table>six"
    assert around(html, TOPICAL) == "two three four five"


def test_the_heading_counts_however_far_it_is() -> None:
    html = "<h2>topic</h2><ul><li>one<li>two<li>three<li>[four]</ul>"
    assert around(html, replace(TOPICAL, reach=2)) == "topic two three four"


def test_the_heading_counts_as_standing_next_to_the_anchor() -> None:
    html = f"<h2>topic</h2><p>one two three <a href={TARGET}>four</a>"
    found = frequencies(html, TARGET, replace(TOPICAL, distance=True))
    assert found["topic"] == found["three"] == 4


def test_a_link_in_a_heading_has_the_region_below_it() -> None:
    assert around("<p>one<h2>two [three]</h2><p>four<h2>five</h2>", TOPICAL) == "two three four"


def test_all_links_below_a_heading_get_it() -> None:
    pages = f"<h2>topic</h2><ul><li><a href={TARGET}>one</a><li><a href=http://u.test/>two</a></ul>"
    assert "topic" in frequencies(pages, TARGET, TOPICAL)
    assert "topic" in frequencies(pages, "http://u.test/", TOPICAL)
