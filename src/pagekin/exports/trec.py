"""A TREC run: what programs such as trec_eval read as the answers of a system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pagekin.exports.rows import PageRow

TAG = "pagekin"


def trec_lines(rows: Iterable[PageRow]) -> Iterator[str]:
    """`query Q0 document rank score tag`; queries and documents are addresses, which hold no blank."""
    for row in rows:
        for near in row.related:
            yield f"{row.url} Q0 {near.url} {near.rank} {near.score:.6f} {TAG}\n"
