"""Documents are the records that they are made from, with every field."""

from __future__ import annotations

import dataclasses
import json

from pagekin.answers import plain, related_document, search_document
from pagekin.query.explain import Reason, SharedTerm
from pagekin.query.records import Answer, Related
from pagekin.query.search import Hit, SearchAnswer

WHY = Reason((SharedTerm("bee", 0.5),), "bees here", "http://a/")
FOUND = Related(1, "http://a/", "A", "a", 0.5, {"text": 0.5}, {"text": 0.5}, why=WHY)
PLAIN = dataclasses.replace(FOUND, rank=2, why=None)


def answer() -> Answer:
    return Answer("http://q/", (FOUND, PLAIN), (PLAIN,))


def test_every_field_of_an_answer_is_in_its_document() -> None:
    document = plain(related_document(answer()))
    assert document.keys() == {field.name for field in dataclasses.fields(Answer)}
    assert document["results"][0].keys() == {field.name for field in dataclasses.fields(Related)}


def test_reasons_are_a_list() -> None:
    [first, second] = plain(related_document(answer()))["results"]
    assert (first["why"], second["why"]) == ([json.loads(json.dumps(dataclasses.asdict(WHY)))], [])


def test_a_search_says_what_was_meant_only_if_something_was() -> None:
    hit = Hit(1, "http://a/", "A", "a", 1.0, "bees", ((0, 4),))
    found = SearchAnswer("bees", 1, (hit,), ())
    assert search_document(found, explain=False).keys() == {"query", "total", "results"}
    meant = search_document(dataclasses.replace(found, meant="bee"), explain=True)
    assert (meant["did_you_mean"], meant["expanded"]) == ("bee", [])
