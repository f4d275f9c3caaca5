"""Candidates by signatures, and their comparison by bags, against the obvious ways."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_shards import Bag, alike, bags, question, signature_of, small_shards, some_bags, term_weights

from pagekin.query.similar import TermWeights, all_candidates, all_similarities, candidates, ranked, similarities
from pagekin.stores.shards import Shard

M = 16


def bucket(signature: int, buckets: int) -> int:
    spread = (signature * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 32
    return spread * buckets >> 32


def agreements(shard: Shard, signature: np.ndarray) -> Counter[int]:
    """At how many positions each document falls into the same bucket."""
    buckets = shard.index.offsets.shape[1] - 1
    asked = [bucket(int(s), buckets) for s in signature]
    return Counter(
        document
        for document, row in enumerate(shard.index.signatures.tolist())
        for s, wanted in zip(row, asked, strict=True)
        if bucket(s, buckets) == wanted
    )


@settings(deadline=None, max_examples=60)
@given(some_bags, bags, st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_all_documents_with_enough_agreements_are_candidates(documents: list[Bag], bag: Bag, alpha: float) -> None:
    (shard,), signature = small_shards(documents, m=M), signature_of(bag, M)
    expected = {d for d, count in agreements(shard, signature).items() if count >= alpha * M}
    assert set(candidates(shard, signature, alpha, 1000).tolist()) == expected


@settings(deadline=None, max_examples=60)
@given(some_bags, bags, st.integers(1, 12))
def test_if_there_are_too_many_those_with_most_agreements_are_taken(documents: list[Bag], bag: Bag, most: int) -> None:
    (shard,), signature = small_shards(documents, m=M), signature_of(bag, M)
    counts = agreements(shard, signature)
    taken = candidates(shard, signature, 0.0, most).tolist()
    assert len(taken) == len(set(taken)) == min(most, len(counts))
    assert sorted((counts[d] for d in taken), reverse=True) == sorted(counts.values(), reverse=True)[:most]


def test_one_question_leaves_nothing_behind_for_the_next() -> None:
    documents = [{i % 5: 1024, 7: 32 * (i + 1)} for i in range(20)]
    (shard,) = small_shards(documents, m=M)
    first = [candidates(shard, signature_of(bag, M), 0.3, 5).tolist() for bag in documents]
    assert first == [candidates(shard, signature_of(bag, M), 0.3, 5).tolist() for bag in documents]


def test_a_document_with_just_the_share_alpha_is_a_candidate() -> None:
    asked = {term: 1024 for term in range(20)}
    (shard,), signature = (
        small_shards([{t: 1024 for t in range(i, i + 20)} for i in range(60)], m=100),
        signature_of(asked, 100),
    )
    counts = agreements(shard, signature)
    assert {count for count in counts.values() if count / 100 * 100 > count}  # such as 7 and 14
    for document, count in counts.items():
        assert document in candidates(shard, signature, count / 100, 1000)


@settings(deadline=None, max_examples=100)
@given(some_bags, bags, term_weights)
def test_similarities_are_those_of_the_dictionaries(documents: list[Bag], bag: Bag, weights: TermWeights) -> None:
    (shard,) = small_shards(documents)
    found = similarities(shard, np.arange(len(documents)), question(bag, weights), weights)
    assert found == pytest.approx([alike(bag, other, weights) for other in documents], abs=1e-12)


def test_terms_of_one_question_do_not_count_in_the_next() -> None:
    weights = TermWeights(np.ones(24), np.ones(24), 0.5)
    (shard,) = small_shards([{1: 1024}, {2: 1024}])
    here = np.arange(2)
    assert similarities(shard, here, question({1: 1024}, weights), weights).tolist() == [1, 0]
    assert similarities(shard, here, question({2: 1024}, weights), weights).tolist() == [0, 1]


def test_the_most_alike_come_first_and_equals_by_their_numbers() -> None:
    found = ranked(np.array([7, 3, 9, 1]), np.array([0.5, 0.5, 0.9, 0.1]))
    assert found.documents.tolist() == [9, 3, 7, 1]


@settings(deadline=None, max_examples=30)
@given(st.lists(bags.filter(bool), min_size=1, max_size=30), st.integers(1, 7))
def test_a_document_finds_itself_in_whatever_shard_it_is(documents: list[Bag], shard_documents: int) -> None:
    weights = TermWeights(np.ones(24), np.ones(24), 0.0)
    shards = small_shards(documents, shard_documents, M)
    for number, bag in enumerate(documents):
        found = all_candidates(shards, signature_of(bag, M), 0.5, 1000)
        close = all_similarities(shards, found, question(bag, weights), weights)
        scores = dict(zip(found.tolist(), close.tolist(), strict=True))
        assert scores[number] == pytest.approx(1)


@settings(deadline=None, max_examples=30)
@given(some_bags, bags, term_weights, st.integers(1, 7), st.randoms(use_true_random=False))
def test_documents_of_all_shards_are_compared_in_any_order(
    documents: list[Bag], bag: Bag, weights: TermWeights, shard_documents: int, dice: random.Random
) -> None:
    numbers = dice.sample(range(len(documents)), len(documents))
    shards = small_shards(documents, shard_documents)
    found = all_similarities(shards, np.array(numbers), question(bag, weights), weights)
    assert found == pytest.approx([alike(bag, documents[number], weights) for number in numbers], abs=1e-12)
