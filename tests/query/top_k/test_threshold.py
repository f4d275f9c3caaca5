"""The threshold algorithm, followed by hand, and all that it sees on its way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.protocol import Mask, Numbers
from pagekin.query.top_k.threshold import best_of, gathered_evidence, threshold_algorithm

from .random_queries import BOTH, Asked, queries
from .small_example import BEST, FIRST, both, counts


def test_every_document_that_a_list_shows_is_asked_of_the_other_source_once() -> None:
    # 1 and 2 are shown first and asked for; then 2, which is known, and 3, which is asked for: 0.7 + 0.6 < 1.5
    found = threshold_algorithm(BEST, both())
    assert found.documents.tolist() == [2]
    assert counts(found) == [(2, 2), (2, 1)]


def test_the_answer_tells_the_bounds_at_the_stop() -> None:
    found = threshold_algorithm(BEST, both())
    assert (found.least, found.threshold) == (0.7 + 0.8, 0.7 + 0.6)


def test_a_source_without_a_list_may_give_1_to_any_other() -> None:
    # after 1, 2 and 3 the next may have 0.5 + 1, which is no less than 1.5; after 4 it has 0.3 + 1
    found = threshold_algorithm(BEST, both(second=(None, 1.0)))
    assert counts(found) == [(4, 0), (0, 4)]


def test_what_a_required_source_does_not_have_is_asked_of_no_other() -> None:
    sources = [*both(), MemorySource("must", {3: 0.5, 4: 0.5}, None, 1.0)]
    query = replace(BEST, aggregation=BEST.aggregation._replace(weights=np.ones(3)), required=frozenset({2}), batch=5)
    found = threshold_algorithm(query, sources)
    assert found.documents.tolist() == [3]
    assert counts(found) == [(5, 0), (5, 0), (0, 5)]


def test_what_is_not_admitted_is_never_asked_for() -> None:
    def admitted(documents: Numbers) -> Mask:
        return np.asarray(documents != 2)

    found = threshold_algorithm(replace(BEST, admitted=admitted, batch=5), both())
    assert found.documents.tolist() == [3]
    assert counts(found) == [(5, 0), (5, 0)]


def test_a_list_that_was_cut_leaves_scores_to_be_asked_for() -> None:
    sources = [MemorySource("cut", FIRST, listed=1), MemorySource("other", {5: 1.0})]
    found = threshold_algorithm(replace(BEST, k=2, batch=2), sources)
    assert list(zip(found.documents.tolist(), found.worst.tolist(), strict=True)) == [(5, 1.1), (1, 0.9)]


def test_a_list_that_ended_is_not_asked_for_what_it_did_not_show() -> None:
    sources = [MemorySource("whole", {1: 0.9}), MemorySource("other", {5: 1.0})]
    assert counts(threshold_algorithm(replace(BEST, k=2, batch=2), sources)) == [(1, 0), (1, 0)]


@settings(max_examples=300, deadline=None)
@given(queries)
def test_all_that_was_seen_is_known_in_full(asked: Asked) -> None:
    asked = asked.by(BOTH)
    evidence = gathered_evidence(asked.query, asked.sources())
    expected = [[made.score(document) for made in asked.made] for document in evidence.documents.tolist()]
    assert evidence.parts.tolist() == expected
    assert evidence.wholes.tolist() == asked.query.whole(evidence.parts).tolist()


@settings(max_examples=300, deadline=None)
@given(queries)
def test_the_answer_is_the_best_of_what_was_seen(asked: Asked) -> None:
    asked = asked.by(BOTH)
    evidence = gathered_evidence(asked.query, asked.sources())
    order = sorted(zip(-evidence.wholes, evidence.documents, strict=True))
    assert best_of(asked.query, evidence).documents.tolist() == [d for _, d in order[: asked.query.k]]
    assert len(set(evidence.documents.tolist())) == len(evidence.documents)
