"""The exact ranking by bounds against sorting everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_shards import Bag, alike, bags, question, small_shards, some_bags, term_weights

from pagekin.query.exact import exactly_similar, reachable, term_index
from pagekin.query.similar import TermWeights

numbers_wanted = st.integers(1, 40)


@settings(deadline=None, max_examples=150)
@given(some_bags, bags, term_weights, numbers_wanted, st.integers(1, 31))
def test_it_is_the_beginning_of_the_whole_ranking(
    documents: list[Bag], bag: Bag, weights: TermWeights, k: int, shard_documents: int
) -> None:
    shards = small_shards(documents, shard_documents)
    indexes = [term_index(shard, weights) for shard in shards]
    found = exactly_similar(shards, indexes, question(bag, weights), weights, k)
    scores = {d: alike(bag, other, weights) for d, other in enumerate(documents)}
    whole = sorted((d for d in scores if scores[d] > 0), key=lambda d: (-round(scores[d], 9), d))
    least = round(scores[whole[k - 1]], 9) if k <= len(whole) else 0.0
    assert set(found.documents.tolist()) == {d for d in whole if round(scores[d], 9) >= least}
    assert found.scores == pytest.approx([scores[d] for d in found.documents.tolist()], abs=1e-9)
    assert (np.diff(found.scores) <= 0).all()


@settings(deadline=None, max_examples=150)
@given(some_bags, bags, term_weights, numbers_wanted)
def test_the_most_alike_are_always_reachable(documents: list[Bag], bag: Bag, weights: TermWeights, k: int) -> None:
    (shard,) = small_shards(documents)
    scores = [alike(bag, other, weights) for other in documents]
    found = reachable(term_index(shard, weights), len(documents), question(bag, weights), weights, k).tolist()
    best = sorted(range(len(documents)), key=lambda d: -scores[d])[:k]
    assert set(found) >= {d for d in best if scores[d] > 0}


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_far_documents_are_never_compared(share: float) -> None:
    weights = TermWeights(np.ones(24), np.ones(24), share)
    near = [{0: 32 << i, 1: 1024, 2: 1024} for i in range(5)]
    far = [{0: 32, 20: 1 << 20} for _ in range(200)]
    (shard,) = small_shards(near + far)
    asked = question({0: 1024, 1: 1024, 2: 1024}, weights)
    assert len(reachable(term_index(shard, weights), 205, asked, weights, 5)) < 100


def test_of_equals_at_the_end_all_are_given() -> None:
    weights = TermWeights(np.ones(24), np.ones(24), 0.0)
    shards = small_shards([{1: 1024, 2: 1024}] * 4 + [{1: 1024}] * 9, shard_documents=5)
    indexes = [term_index(shard, weights) for shard in shards]
    found = exactly_similar(shards, indexes, question({1: 1024}, weights), weights, 3)
    assert found.documents.tolist() == [4, 5, 6, 7, 8, 9, 10, 11, 12]


def test_weights_of_four_bytes_do_not_turn_two_that_are_nearly_alike_around() -> None:
    """The first document is more alike by 1e-9, and less by the rounded weights of the term index."""
    two, one = [0.050549043, 0.081959467], 0.132508509
    jaccard = np.full(24, 1e-6)
    jaccard[[1, 2, 10, 3, 11]] = [*two, 1 - sum(two), one, 1 - one]
    weights = TermWeights(jaccard, np.ones(24), 0.0)
    shards = small_shards([{1: 32, 2: 32, 10: 32}, {3: 32, 11: 32}])
    asked = question({term: 1024 for term in (1, 2, 3, 4, 5, 6, 7, 8)}, weights)
    indexes = [term_index(shard, weights) for shard in shards]
    assert exactly_similar(shards, indexes, asked, weights, 1).documents.tolist() == [0]
