"""Rows of any texts, for tests of what is written and read again."""

from __future__ import annotations

from hypothesis import strategies as st

from pagekin.exports.rows import Neighbour, PageRow

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCORES = st.floats(0, 1)
NEIGHBOURS = st.builds(Neighbour, st.integers(1, 100), TEXTS, TEXTS, SCORES)
ROWS = st.lists(st.builds(PageRow, TEXTS, TEXTS, st.lists(NEIGHBOURS, max_size=3).map(tuple)), max_size=4)
