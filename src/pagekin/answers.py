"""Answers as JSON documents: the same from a command and over HTTP.

A document is a dictionary whose values may be frozen records; `plain` makes dictionaries of those too. The key
`took_ms` is not in it: whoever has asked knows how long it took.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pagekin.query_language.printing import query_text

if TYPE_CHECKING:
    from pagekin.query.records import Answer, Related
    from pagekin.query.search import SearchAnswer
    from pagekin.trials.duplicates import Duplicates

Document = dict[str, Any]


def related_document(answer: Answer) -> Document:
    """The pages that are related to what was asked, with `why` as a list."""
    results, copies = ([_related(each) for each in found] for found in (answer.results, answer.copies))
    return {**vars(answer), "results": results, "copies": copies}


def _related(found: Related) -> Document:
    return {**vars(found), "why": [found.why] if found.why else []}


def search_document(answer: SearchAnswer, explain: bool) -> Document:
    """The pages that a query finds; with `explain` also which words its parts stood for."""
    document: Document = {"query": answer.query, "total": answer.total, "results": answer.results}
    if answer.meant:
        document["did_you_mean"] = answer.meant
    if explain:
        document["expanded"] = [
            {"part": query_text(each.part), "words": each.words, "total": each.total} for each in answer.expanded
        ]
    return document


def duplicates_document(found: Duplicates, offset: int = 0, k: int | None = None) -> Document:
    """Which pages are copies of others: k of the clusters and of the parts, from a place on."""
    shown = slice(offset, None if k is None else offset + k)
    clusters = [
        {
            "pages": cluster.pages,
            "representative": cluster.representative,
            "resemblance": cluster.resemblance,
            "containment": cluster.containment,
            "copies": cluster.copies,
        }
        for cluster in found.clusters[shown]
    ]
    return {
        "clusters": clusters,
        "parts": found.parts[shown],
        "mirrors": [{**vars(mirror), "share": mirror.share} for mirror in found.mirrors],
        "pages": found.pages,
        "kept": len(found.kept),
        "dropped": len(found.dropped),
        "capped": found.capped,
    }


def plain(value: Any) -> Any:
    """The same with dictionaries in place of records, and lists in place of tuples.

    >>> from pagekin.query.explain import SharedTerm
    >>> plain({"shared": (SharedTerm("bee", 0.5),)})
    {'shared': [{'term': 'bee', 'share': 0.5}]}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
