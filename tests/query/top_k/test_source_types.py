"""The source-type-aware TA, followed by hand."""

from __future__ import annotations

from pagekin.query.top_k.source_types import typed_threshold_algorithm

from .small_example import BEST, both, counts


def test_lists_and_questions_take_turns() -> None:
    # 1 is read and asked for, then 2 of the other list; 2 again, which is known, and 3, which cannot have 1.5
    assert counts(typed_threshold_algorithm(BEST, both())) == [(2, 1), (2, 1)]


def test_a_source_that_only_answers_is_asked_about_what_the_other_lists() -> None:
    # 1, 2 and 3 are asked for; when 4 comes no other can have more than 0.3 + 1
    assert counts(typed_threshold_algorithm(BEST, both((1.0, None), (None, 1.0)))) == [(4, 0), (0, 3)]


def test_sources_that_only_list_are_read_as_by_nra() -> None:
    # 1 and 2, then 2 of the first list, 3 of the second; 1 may have 0.9 + 0.6 until 4 of the second has come
    found = typed_threshold_algorithm(BEST, both((1.0, None), (1.0, None)))
    assert found.documents.tolist() == [2]
    assert [by_order for by_order, _ in counts(found)] in ([2, 3], [3, 3])


def test_a_list_that_is_dear_is_read_less() -> None:
    # the second list promises a hundredth for its cost, and is never read: all it has is asked for
    assert counts(typed_threshold_algorithm(BEST, both(second=(100.0, 1.0)))) == [(4, 0), (0, 3)]
