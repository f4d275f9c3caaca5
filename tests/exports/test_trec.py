"""A TREC run has six columns, and ranks that begin at 1."""

from __future__ import annotations

from pagekin.exports.rows import PageRow
from pagekin.exports.trec import trec_lines


def test_a_line_is_query_q0_document_rank_score_tag(rows: list[PageRow]) -> None:
    assert [line.split() for line in trec_lines(rows)] == [
        ["http://a.test/", "Q0", "http://b.test/", "1", "0.750000", "pagekin"],
        ["http://b.test/", "Q0", "http://a.test/", "1", "0.750000", "pagekin"],
        ["http://b.test/", "Q0", "http://c.test/?x=1", "2", "0.500000", "pagekin"],
    ]
