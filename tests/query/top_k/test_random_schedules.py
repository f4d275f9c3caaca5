"""When candidates are completed, followed by hand."""

from __future__ import annotations

from pagekin.query.top_k.combined import combined_algorithm
from pagekin.query.top_k.random_schedules import top_probing, two_phase_probing

from .small_example import BEST, both, counts


def test_top_probing_completes_the_best_when_min_k_has_changed() -> None:
    # 1 has most after the first round, and is completed; after the second 2 has 1.5 without any question
    found = combined_algorithm(BEST, both((1.0, 9.0), (1.0, 9.0)), random_schedule=top_probing)
    assert counts(found) == [(2, 0), (2, 1)]


def test_two_phase_probing_asks_when_that_costs_no_more_than_what_was_read() -> None:
    # after two rounds, which cost 4, only the score of 1 is missing
    found = combined_algorithm(BEST, both((1.0, 4.0), (1.0, 4.0)), random_schedule=two_phase_probing)
    assert counts(found) == [(2, 0), (2, 1)]


def test_two_phase_probing_reads_on_as_long_as_asking_costs_more() -> None:
    found = combined_algorithm(BEST, both((1.0, 5.0), (1.0, 5.0)), random_schedule=two_phase_probing)
    assert counts(found) == [(3, 0), (3, 0)]
