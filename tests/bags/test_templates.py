"""What a site repeats is neither content nor evidence."""

from __future__ import annotations

from dataclasses import replace

from pagekin.settings import Strategy

from .chain import PLAIN, TARGET, frequencies

CONTENT = replace(PLAIN, content=1, anchors=0, template_pages=3)
ANCHORS = replace(PLAIN, template_pages=3, window="4")
LINK = f"<a href={TARGET}>linked</a>"


def site(pages: int, repeated: int, text: str = "<p>menu</p>", host: str = "a.test") -> dict[str, str]:
    """Pages of one site, of which so many have a text; each has a word of its own."""
    words = [f"own{chr(97 + number)}" for number in range(pages)]
    return {
        f"http://{host}/{number}": f"{text if number < repeated else ''}<p>{word}</p>"
        for number, word in enumerate(words)
    }


def content(pages: dict[str, str], strategy: Strategy = CONTENT) -> set[str]:
    return set(frequencies(pages, "http://a.test/0", strategy))


def test_text_on_more_than_n_pages_of_a_site_is_no_content() -> None:
    assert content(site(pages=12, repeated=4)) == {"owna"}


def test_text_on_n_pages_is_content() -> None:
    assert content(site(pages=12, repeated=3)) == {"menu", "owna"}


def test_nothing_is_left_out_where_templates_are_counted() -> None:
    assert content(site(pages=12, repeated=12), replace(CONTENT, template_pages=0)) == {"menu", "owna"}


def test_nothing_is_left_out_on_a_tiny_site() -> None:
    assert content(site(pages=9, repeated=9)) == {"menu", "owna"}
    assert content(site(pages=10, repeated=10)) == {"owna"}


def test_how_tiny_can_be_set() -> None:
    assert content(site(pages=5, repeated=5), replace(CONTENT, template_site=5)) == {"owna"}


def test_the_same_text_on_several_sites_is_content_of_each() -> None:
    sites = [site(pages=12, repeated=3, host=host) for host in ("a.test", "b.test", "c.test")]
    assert content(sites[0] | sites[1] | sites[2]) == {"menu", "owna"}


def test_text_twice_on_a_page_is_counted_for_one_page() -> None:
    assert content(site(pages=12, repeated=3, text="<p>menu</p>" * 5)) == {"menu", "owna"}


def test_a_line_break_parts_segments_and_a_sentence_does_not() -> None:
    pages = site(pages=12, repeated=0)
    pages |= {f"http://a.test/{n}": f"<p>menu. own{n}x<br>foot</p>" for n in range(4)}
    assert content(pages) == {"menu", "own0x"}


def test_links_in_templates_are_no_evidence() -> None:
    pages = site(pages=12, repeated=12, text=f"<p>{LINK}</p>")
    assert frequencies(pages, TARGET, ANCHORS) == {}
    assert frequencies(pages, TARGET, replace(ANCHORS, links=1)) == {}


def test_links_in_templates_can_be_made_evidence() -> None:
    pages = site(pages=12, repeated=12, text=f"<p>menu {LINK}</p>")
    found = frequencies(pages, TARGET, replace(ANCHORS, template_links=True))
    assert found["linked"] == found["menu"] == 12


def test_templates_are_no_content_even_where_their_links_are_evidence() -> None:
    pages = site(pages=12, repeated=12, text=f"<p>menu {LINK}</p>")
    assert content(pages, replace(CONTENT, anchors=1, template_links=True)) == {"owna"}


def test_windows_reach_over_templates() -> None:
    pages = site(pages=12, repeated=12)
    pages["http://a.test/0"] = f"<p>before</p><p>menu</p><p>{LINK}</p><p>menu</p><p>behind</p>"
    assert set(frequencies(pages, TARGET, replace(ANCHORS, window="1"))) == {"before", "linked", "behind"}


def test_a_title_that_many_pages_have_is_a_template() -> None:
    pages = site(pages=12, repeated=12, text="<title>Welcome</title>")
    assert "welcome" not in frequencies(pages, "http://a.test/0", replace(CONTENT, anchors=1))
