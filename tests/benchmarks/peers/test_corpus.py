"""What peers are given."""

from __future__ import annotations

from peers.corpus import own_lines, visible_text


def test_lines_of_many_pages_are_left_out() -> None:
    whole = [f"Menu\n  Home  page\nOnly here {number}" for number in range(4)]
    assert own_lines(whole, 3) == [f"Only here {number}" for number in range(4)]
    assert own_lines(whole, 4)[0] == "Menu\nHome page\nOnly here 0"


def test_a_line_counts_once_for_a_page() -> None:
    assert own_lines(["again\nagain\nagain\nagain", "other"], 3) == ["again\nagain\nagain\nagain", "other"]


def test_blocks_stand_in_lines_and_scripts_do_not() -> None:
    text = visible_text("<title>T</title><body><script>x()</script><p>One <b>two</b>.</p><p>Three</p></body>")
    assert [line for line in text.splitlines() if line.strip()] == ["One two.", "Three"]
