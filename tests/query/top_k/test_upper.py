"""Upper, followed by hand, and which sources are redundant."""

from __future__ import annotations

import numpy as np
import pytest

from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.protocol import SUM, Aggregation, TopKQuery
from pagekin.query.top_k.upper import redundant_sources, upper

from .small_example import BEST, both, counts


def test_the_document_that_could_be_best_is_asked_about() -> None:
    # 1 is read and asked for, 2 too; 2 comes again, and then 3, which cannot have more than 0.7 + 0.6
    found = upper(BEST, both())
    assert found.documents.tolist() == [2]
    assert counts(found) == [(2, 1), (2, 1)]


def test_a_source_without_a_list_is_asked_only_about_those_that_could_be_best() -> None:
    assert counts(upper(BEST, both((1.0, None), (None, 1.0)))) == [(4, 0), (0, 3)]


def test_nothing_is_asked_about_a_document_that_cannot_be_best() -> None:
    # 1 may have 2.1, and is asked for both scores, which it has; 2 cannot have more than 2
    listed = MemorySource("list", {1: 1.0, 2: 0.9}, 1.0, None)
    heavy, light = MemorySource("heavy", {1: 1.0}, None, 1.0), MemorySource("light", {1: 1.0}, None, 1.0)
    found = upper(TopKQuery(Aggregation(SUM, np.array([1.0, 1.0, 0.1])), 1, batch=2), [listed, heavy, light])
    assert found.documents.tolist() == [1]
    assert counts(found) == [(2, 0), (0, 1), (0, 1)]


@pytest.mark.parametrize(("surplus", "redundant"), [(0.05, set()), (0.3, {2}), (0.55, set()), (0.9, {1, 2})])
def test_a_source_is_redundant_if_no_others_need_it(surplus: float, redundant: set[int]) -> None:
    # What can fall away is 0.5 and 0.1. Each alone is enough for 0.05, both are needed for 0.55; for 0.3 the heavy one
    # is enough and the light one is not; for 0.9 nothing is.
    sources = [MemorySource("list", {1: 1.0, 2: 0.9}), MemorySource("a", {}, None), MemorySource("b", {}, None)]
    gathering = Gathering(TopKQuery(Aggregation(SUM, np.array([1.0, 0.5, 0.1])), 1), sources)
    gathering.read(0, 1)
    assert redundant_sources(gathering, gathering.standing(), 0, surplus) == redundant
