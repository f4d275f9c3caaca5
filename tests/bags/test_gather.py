"""From windows and contents to the frequencies of a bag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pagekin.bags.gather import sorted_items
from pagekin.errors import SettingsError
from pagekin.settings import Strategy

from .chain import PLAIN, TARGET, bags_of, frequencies, web

LINK = f"<a href={TARGET}>linked</a>"
ANCHORS = replace(PLAIN, window="1")


def linking(pages: int, text: str = LINK, host: str = "a.test") -> dict[str, str]:
    return {f"http://{host}/{number}": text for number in range(pages)}


def test_the_same_window_from_one_site_counts_at_most_r_times() -> None:
    assert frequencies(linking(7), TARGET, replace(ANCHORS, repeats=3)) == {"linked": 3}


def test_r_windows_count_as_they_are() -> None:
    assert frequencies(linking(3), TARGET, replace(ANCHORS, repeats=3)) == {"linked": 3}


def test_windows_on_one_page_are_repeats_too() -> None:
    pages = {"http://a.test/": f"<p>one two {LINK} three</p>" * 5}
    assert frequencies(pages, TARGET, replace(PLAIN, window="0", repeats=2)) == {"linked": 2}


def test_the_same_window_from_several_sites_counts_for_each() -> None:
    pages = linking(7, host="a.test") | linking(2, host="b.test") | linking(7, host="c.test")
    assert frequencies(pages, TARGET, replace(ANCHORS, repeats=3)) == {"linked": 8}


def test_other_windows_of_the_site_are_no_repeats() -> None:
    pages = linking(5) | {f"http://a.test/x{n}": f"other{n}x {LINK}" for n in range(4)}
    assert frequencies(pages, TARGET, replace(ANCHORS, repeats=3))["linked"] == 7


def test_the_same_words_with_another_part_as_anchor_are_no_repeat() -> None:
    pages = linking(3, f"<a href={TARGET}>one</a> two") | {
        f"http://a.test/x{n}": f"<a href={TARGET}>one two</a>" for n in range(3)
    }
    assert frequencies(pages, TARGET, replace(ANCHORS, repeats=2)) == {"one": 4, "two": 4}


def test_repeats_may_be_without_end() -> None:
    assert frequencies(linking(30), TARGET, replace(ANCHORS, repeats=0)) == {"linked": 30}


def test_every_page_that_links_is_a_term_however_often_its_window_is_repeated() -> None:
    found = frequencies(linking(5), TARGET, Strategy(content=0, anchors=0, links=1, frequency="none", repeats=2))
    assert found == {f"<http://a.test/{number}>": 1 for number in range(5)}


def test_a_page_that_links_twice_counts_twice() -> None:
    links = replace(PLAIN, anchors=0, links=1)
    assert frequencies({"http://a.test/": f"{LINK} {LINK}"}, TARGET, links) == {"<http://a.test/>": 2}


def test_a_page_that_was_never_fetched_has_a_bag() -> None:
    assert frequencies(f"about {LINK}", TARGET, Strategy(content=1, stop_words="none")) != {}


def test_content_counts_every_word() -> None:
    content = replace(PLAIN, content=1, anchors=0)
    assert frequencies("one two one", "http://a.test/", content) == {"one": 2, "two": 1}


def test_the_title_is_always_in() -> None:
    assert frequencies("<title>one</title>two", "http://a.test/", PLAIN) == {"one": 1}


def test_the_title_counts_as_words_of_an_anchor_do() -> None:
    strategy = replace(PLAIN, window="8", distance=True)
    assert frequencies("<title>one</title>two", "http://a.test/", strategy) == {"one": 3}


def test_the_title_is_content_too() -> None:
    strategy = replace(PLAIN, content=1)
    assert frequencies("<title>one</title>two", "http://a.test/", strategy) == {"one": 2, "two": 1}


def test_the_title_is_not_in_where_anchors_do_not_count() -> None:
    assert frequencies("<title>one</title>two", "http://a.test/", replace(PLAIN, anchors=0, links=1)) == {}


def test_factors_say_how_much_each_part_counts() -> None:
    pages = {"http://a.test/": LINK, TARGET: "<p>own"}
    strategy = replace(PLAIN, window="0", content=0.5, anchors=3, links=0.25)
    assert frequencies(pages, TARGET, strategy) == {"own": 0.5, "linked": 3, "<http://a.test/>": 0.25}


def test_a_part_too_small_to_count_does_not() -> None:
    pages = {"http://a.test/": f"some {LINK} words", TARGET: "<title>own</title> words " * 40}
    assert frequencies(pages, TARGET, replace(PLAIN, content=0.0001, anchors=0.0001, links=1)) == {
        "<http://a.test/>": 1
    }


def test_a_part_too_large_to_count_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"strategy\.content cannot be 1e\+18"):
        bags_of(web({"http://a.test/": "word"}), Strategy(content=1e18))


def test_pages_without_words_or_links_have_no_bag() -> None:
    assert bags_of(web({"http://a.test/": "", "http://b.test/": "<p>"}), PLAIN)["bags"].num_rows == 0


def test_no_pages_give_no_bags() -> None:
    assert bags_of(web({}), Strategy())["bags"].num_rows == 0


def test_items_are_sorted_by_signed_ids_and_keep_their_order() -> None:
    keys = np.random.default_rng(1).integers(-(1 << 63), (1 << 63) - 1, 1000)
    keys = np.concatenate([keys, keys[:300], [0, -1, 1, -(1 << 63), (1 << 63) - 1]])
    found = sorted_items(keys.copy(), np.arange(len(keys), dtype=np.int32))
    assert found.number.tolist() == np.argsort(keys, kind="stable").tolist()
    assert found.page.tolist() == sorted(keys.tolist())
