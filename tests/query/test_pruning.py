"""Lists without their weakest entries: which go, and what is promised of the documents that are then the best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_shards import Bag, alike, bags, question, small_shards, some_bags, term_weights

from pagekin.query.exact import TermIndex, exactly_similar, term_index
from pagekin.query.pruning import promised_variation, pruned, pruned_top_k, summed_cosines
from pagekin.query.similar import Floats, TermWeights, WeighedBag

DOCUMENTS = 12
TermList = dict[int, tuple[float, float]]  # the weights of a term, for the Jaccard and the cosine, by document

# Parts of a power of 2: their products and sums are exact, so that no test needs to allow for rounding.
parts = st.sampled_from([0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]).map(lambda part: part / 64)
term_lists = st.dictionaries(st.integers(0, DOCUMENTS - 1), st.tuples(parts, parts), max_size=DOCUMENTS)
some_lists = st.lists(term_lists, min_size=1, max_size=6)
# An entry goes only if both weights are small: with equal ones more of them do.
long_lists = st.lists(parts, min_size=DOCUMENTS, max_size=DOCUMENTS).map(
    lambda row: {d: (w, w) for d, w in enumerate(row)}
)
some_long_lists = st.lists(long_lists, min_size=1, max_size=6)
numbers_wanted = st.integers(1, 4)
epsilons = st.sampled_from([1 / 16, 1 / 8, 1 / 4, 1 / 2])
asked_weights = st.lists(st.sampled_from([0.0, 0.5, 0.75, 1.0]), min_size=6, max_size=6)


def index_of(lists: list[TermList]) -> TermIndex:
    """Lists as a term index has them."""
    rows = [(document, *weights) for each in lists for document, weights in sorted(each.items())]
    documents, jaccard, cosine = np.array(rows, np.float64).reshape(-1, 3).T
    most = [[max((weights[i] for weights in each.values()), default=0.0) for each in lists] for i in (0, 1)]
    return TermIndex(
        np.append(0, np.cumsum([len(each) for each in lists])),
        documents.astype(np.int32),
        *(column.astype(np.float32) for column in (jaccard, cosine, np.array(most[0]), np.array(most[1]))),
    )


def lists_of(index: TermIndex) -> list[TermList]:
    """The lists of a term index."""
    entries = zip(
        index.documents.tolist(), zip(index.jaccard.tolist(), index.cosine.tolist(), strict=True), strict=True
    )
    every = list(entries)
    return [dict(every[first:last]) for first, last in zip(index.offsets[:-1], index.offsets[1:], strict=True)]


def kth(values: list[float], k: int) -> float:
    """The k-th best; 0 if there are fewer."""
    return sorted(values, reverse=True)[k - 1] if k <= len(values) else 0.0


def bag_of(weights: list[float]) -> WeighedBag:
    """A question for terms 0, 1, 2 … with these weights in the cosine."""
    return WeighedBag(np.arange(len(weights), dtype=np.int32), np.zeros(len(weights)), np.array(weights))


def first(sums: Floats, k: int) -> list[int]:
    """The k documents with the largest sums; of equals those with the least numbers."""
    return sorted((d for d in range(len(sums)) if sums[d] > 0), key=lambda d: (-sums[d], d))[:k]


def most_terms(epsilon: float) -> int:
    """For how many terms something is promised."""
    return int(1 / epsilon)


def variation_that_agrees(whole: Floats, left: Floats, delta: float) -> Floats:
    """The scores in [(1 - δ)·whole, whole] that are nearest to the sums of pruned lists."""
    return np.maximum(left, (1 - delta) * whole)


# --- which entries go


@settings(deadline=None)
@given(some_lists, numbers_wanted, epsilons)
def test_what_stays_is_not_below_the_share_of_the_kth_best_by_one_of_the_weights(
    lists: list[TermList], k: int, epsilon: float
) -> None:
    def stays(each: TermList, weights: tuple[float, float]) -> bool:
        return any(weights[i] >= epsilon * kth([w[i] for w in each.values()], k) for i in (0, 1))

    wanted = [{d: weights for d, weights in each.items() if stays(each, weights)} for each in lists]
    assert lists_of(pruned(index_of(lists), k, epsilon)) == wanted


@settings(deadline=None)
@given(some_lists, numbers_wanted, st.sampled_from([0.25, 1.0]))
def test_the_largest_weights_stay_true(lists: list[TermList], k: int, epsilon: float) -> None:
    index = pruned(index_of(lists), k, epsilon)
    again = index_of(lists_of(index))
    assert index.most_jaccard.tolist() == again.most_jaccard.tolist()
    assert index.most_cosine.tolist() == again.most_cosine.tolist()


def test_a_list_of_k_entries_loses_none() -> None:
    lists: list[TermList] = [{0: (1.0, 1.0), 1: (0.5, 0.5), 2: (1 / 64, 1 / 64)}]
    assert lists_of(pruned(index_of(lists), 3, 1.0)) == lists


def test_an_entry_that_counts_by_the_cosine_alone_stays() -> None:
    lists: list[TermList] = [{0: (1.0, 1.0), 1: (1 / 64, 0.5), 2: (1 / 64, 1 / 64)}]
    assert list(lists_of(pruned(index_of(lists), 1, 0.25))[0]) == [0, 1]


def test_with_epsilon_0_nothing_goes() -> None:
    lists: list[TermList] = [{0: (1.0, 1.0), 1: (0.0, 0.0)}]
    assert lists_of(pruned(index_of(lists), 1, 0.0)) == lists


# --- what is promised


@settings(deadline=None, max_examples=500)
@given(some_long_lists, asked_weights, numbers_wanted, epsilons)
def test_the_best_of_pruned_lists_are_the_best_of_a_small_variation_of_the_scores(
    lists: list[TermList], weights: list[float], k: int, epsilon: float
) -> None:
    """Pruned sums are (k, δ)-good for the sums S: some variation of S, within a share of δ, has the same first k.

    It is enough to show one. It may be anything from (1 - δ)·S(d) to S(d). For a document whose pruned sum lies in
    that range, take the pruned sum, for any other the lower end. The first k lost so little that theirs is the
    pruned sum; so they come first, in the same order, unless another was lifted above the k-th of them, and those
    that were lifted must be below it.
    """
    lists = lists[: most_terms(epsilon)]
    index, bag = index_of(lists), bag_of(weights[: len(lists)])
    whole = summed_cosines(index, DOCUMENTS, bag)
    left = summed_cosines(pruned(index, k, epsilon), DOCUMENTS, bag)
    delta = promised_variation(epsilon, len(lists))
    varied = variation_that_agrees(whole, left, delta)
    assert (varied <= whole).all()
    assert first(varied, k) == first(left, k)


@settings(deadline=None)
@given(term_lists, numbers_wanted, st.sampled_from([0.25, 1.0]))
def test_the_best_of_a_single_list_are_the_true_ones(one: TermList, k: int, epsilon: float) -> None:
    index, bag = index_of([one]), bag_of([1.0])
    left = summed_cosines(pruned(index, k, epsilon), DOCUMENTS, bag)
    assert first(left, k) == first(summed_cosines(index, DOCUMENTS, bag), k)


def test_a_variation_by_epsilon_alone_is_not_enough_for_four_terms() -> None:
    """Document 4 has a little in every list; all but one of its entries go, and it loses more than ε of its sum.

    With scores changed by no more than ε it would still be before the document that is now the first.
    """
    epsilon, little = 0.25, 0.24
    lists: list[TermList] = [{term: (1.0, 1.0), 4: (little, little)} for term in range(4)]
    lists[0][4] = (0.99, 0.99)
    index, bag = index_of(lists), bag_of([1.0, 1.0, 1.0, 1.0])
    whole = summed_cosines(index, 5, bag)
    [best] = first(summed_cosines(pruned(index, 1, epsilon), 5, bag), 1)
    assert best == 0
    assert (1 + epsilon) * whole[best] < (1 - epsilon) * whole[4]


@pytest.mark.parametrize(("epsilon", "terms", "promised"), [(0.1, 1, 0.0), (0.25, 4, 0.75), (0.1, 0, 0.0)])
def test_the_promise_weakens_with_every_further_term(epsilon: float, terms: int, promised: float) -> None:
    assert promised_variation(epsilon, terms) == promised


@settings(deadline=None, max_examples=100)
@given(some_bags, bags, term_weights, numbers_wanted, epsilons, st.integers(1, 31))
def test_the_promise_holds_for_shards_that_are_pruned_by_themselves(
    documents: list[Bag], bag: Bag, weights: TermWeights, k: int, epsilon: float, shard_documents: int
) -> None:
    shards = small_shards(documents, shard_documents)
    indexes = [term_index(shard, weights) for shard in shards]
    bag = dict(list(bag.items())[: most_terms(epsilon)])
    asked = question(bag, weights)
    whole, left = np.zeros((2, len(documents)))
    for scores, lists in ((whole, indexes), (left, [pruned(index, k, epsilon) for index in indexes])):
        found = pruned_top_k(shards, lists, asked, len(documents))
        scores[found.documents] = found.scores
    varied = variation_that_agrees(whole, left, promised_variation(epsilon, len(bag)))
    assert varied[first(varied, k)] == pytest.approx(left[first(left, k)])


# --- rankings of pruned lists


@settings(deadline=None, max_examples=100)
@given(some_bags, bags, term_weights, numbers_wanted, st.integers(1, 31))
def test_whole_lists_add_up_to_the_cosine(
    documents: list[Bag], bag: Bag, weights: TermWeights, k: int, shard_documents: int
) -> None:
    shards = small_shards(documents, shard_documents)
    found = pruned_top_k(shards, [term_index(shard, weights) for shard in shards], question(bag, weights), k)
    cosines = [alike(bag, other, weights._replace(share=1.0)) for other in documents]
    assert found.scores == pytest.approx([c for c in sorted(cosines, reverse=True)[:k] if c > 0], abs=1e-6)
    assert found.scores == pytest.approx([cosines[d] for d in found.documents.tolist()], abs=1e-6)


@settings(deadline=None, max_examples=100)
@given(some_bags, bags, term_weights, numbers_wanted, epsilons)
def test_what_pruned_lists_find_has_its_true_score(
    documents: list[Bag], bag: Bag, weights: TermWeights, k: int, epsilon: float
) -> None:
    shards = small_shards(documents)
    indexes = [pruned(term_index(shard, weights), k, epsilon) for shard in shards]
    found = exactly_similar(shards, indexes, question(bag, weights), weights, k)
    assert found.scores == pytest.approx([alike(bag, documents[d], weights) for d in found.documents.tolist()])


def test_by_the_jaccard_even_a_page_that_equals_the_question_can_be_lost() -> None:
    """Its weights are small beside those of pages with a single term, and yet all that was asked for."""
    weights = TermWeights(np.ones(24), np.ones(24), 0.0)
    bag = {term: 1024 for term in range(5)}
    shards = small_shards([bag, *({term: 1024} for term in range(5))])
    indexes = [pruned(term_index(shard, weights), 1, 0.5) for shard in shards]
    assert 0 not in exactly_similar(shards, indexes, question(bag, weights), weights, 1).documents
