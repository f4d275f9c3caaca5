"""Bars of evidence: as long as the score, and in parts as large as the shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.query.records import Related
from pagekin.server.evidence import KINDS, evidence_bar

shares = st.dictionaries(st.sampled_from([*KINDS, "new"]), st.floats(0.001, 0.125), min_size=1)


def found(shares: dict[str, float]) -> Related:
    return Related(1, "http://site/", "", "site", score=sum(shares.values()), evidence={}, shares=shares)


@given(shares)
def test_the_parts_are_together_as_long_as_the_score(shares: dict[str, float]) -> None:
    parts = evidence_bar(found(shares))
    assert sum(part.length for part in parts) == pytest.approx(100 * sum(shares.values()), abs=0.1)


@given(shares)
def test_each_part_begins_where_the_one_before_it_ends(shares: dict[str, float]) -> None:
    parts = evidence_bar(found(shares))
    ends = [0.0, *(part.start + part.length for part in parts)]
    assert [part.start for part in parts] == pytest.approx(ends[:-1], abs=0.05)


@given(shares)
def test_percents_are_of_the_score(shares: dict[str, float]) -> None:
    percents = {part.kind: part.percent for part in evidence_bar(found(shares))}
    total = sum(shares.values())
    assert percents == {kind: round(100 * share / total) for kind, share in shares.items()}


def test_kinds_that_gave_nothing_have_no_part() -> None:
    parts = evidence_bar(found({"cocitation": 0.0, "text": 0.5}))
    assert [(part.name, part.percent) for part in parts] == [("same words", 100)]


def test_no_evidence_at_all_is_an_empty_bar() -> None:
    assert evidence_bar(found({"text": 0.0})) == []
