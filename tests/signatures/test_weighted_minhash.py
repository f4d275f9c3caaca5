"""How right signatures are: without bias, and no farther off than chance demands.

All randomness has fixed seeds. No two pairs of bags have a term in common, so that their errors are independent.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pagekin.hashing import hash_text
from pagekin.signatures.weighted_minhash import EMPTY, signatures

M = 80
SEEDS = range(40)
JACCARDS = (0.05, 0.2, 0.5, 0.8, 0.95)
Floats = NDArray[np.float64]
Bag = dict[int, float]


def normalised(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def jaccards(pairs: Floats) -> Floats:
    return np.asarray(pairs.min(1).sum(1) / pairs.max(1).sum(1))


def estimates(pairs: Floats, m: int = M, seed: int = 1) -> Floats:
    """The estimated Jaccard of pairs of rows of weights."""
    count, _, terms = pairs.shape
    ids = np.random.default_rng(seed).integers(-(1 << 63), (1 << 63) - 1, (count, 1, terms))
    ids = np.broadcast_to(ids, pairs.shape).ravel()
    ends = np.arange(0, pairs.size + 1, terms)
    signed = signatures(ids, pairs.ravel().astype(np.float32), ends, m, seed).reshape(count, 2, m)
    return np.asarray((signed[:, 0] == signed[:, 1]).mean(1))


def overlapping(jaccard: float, count: int, terms: int, sigma: float, rng: np.random.Generator) -> Floats:
    """Pairs that have a third of their terms in common, of so much weight that the Jaccard is as wanted."""
    common, own, other = (normalised(rng.lognormal(0, sigma, (count, terms))) for _ in range(3))
    shared, nothing = 2 * jaccard / (1 + jaccard), np.zeros((count, terms))
    left = np.hstack([shared * common, (1 - shared) * own, nothing])
    return np.stack([left, np.hstack([shared * common, nothing, (1 - shared) * other])], 1)


def reweighed(count: int, terms: int, sigma: float, rng: np.random.Generator) -> Floats:
    """Pairs that have all their terms in common, but weigh them otherwise."""
    return normalised(rng.lognormal(0, sigma, (count, 2, terms)))


def nested(count: int, terms: int, rng: np.random.Generator) -> Floats:
    """Pairs of which one has a few of the other's terms and no more."""
    whole = rng.lognormal(0, 1, (count, terms))
    part = whole * (np.arange(terms) < terms // 3)
    return normalised(np.stack([whole, part], 1))


KINDS = {
    **{f"jaccard {j}": (lambda rng, j=j: overlapping(j, 300, 40, 1.0, rng)) for j in JACCARDS},
    "heavy tails": lambda rng: overlapping(0.3, 300, 40, 2.5, rng),
    "few terms": lambda rng: overlapping(0.4, 300, 2, 1.0, rng),
    "other weights": lambda rng: reweighed(300, 60, 1.0, rng),
    "nested": lambda rng: nested(300, 60, rng),
}


@pytest.mark.parametrize("kind", KINDS)
def test_estimates_have_no_bias_and_the_error_of_chance(kind: str) -> None:
    errors, expected = [], []
    for seed in SEEDS:
        pairs = KINDS[kind](np.random.default_rng(seed))
        truth = jaccards(pairs)
        errors.append(estimates(pairs, seed=seed) - truth)
        expected.append(truth * (1 - truth) / M)
    every = np.concatenate(errors)
    # With 12,000 pairs the mean of fair errors lies within 0.002 by four standard deviations and more.
    assert abs(every.mean()) < 0.002
    assert np.sqrt((every**2).mean()) <= 1.05 * np.sqrt(np.mean(expected))


def test_equal_bags_agree_in_everything() -> None:
    bags = normalised(np.random.default_rng(1).lognormal(0, 1, (50, 1, 30)))
    assert (estimates(np.repeat(bags, 2, 1)) == 1).all()


def test_bags_with_nothing_in_common_agree_in_nothing() -> None:
    assert estimates(overlapping(0.0, 500, 40, 1.0, np.random.default_rng(1))).max() == 0


# --- the construction of the paper --------------------------------------------------------------------------

PRIME = (1 << 61) - 1
REPLICAS = 50


def paper_signatures(bag: Bag, m: int, seed: int) -> list[int]:
    """Haveliwala et al. (2002, section 6.2): words repeated by weight, the least value of m random linear functions."""
    rng = np.random.default_rng(seed)
    functions = [(int(a), int(b)) for a, b in rng.integers(1, PRIME, (m, 2))]
    words = [hash_text(f"{term} {copy}") for term in bag for copy in range(round(bag[term] * REPLICAS))]
    return [min((a * word + b) % PRIME for word in words) for a, b in functions]


def agreement(one: list[int], other: list[int]) -> float:
    return float(np.mean([a == b for a, b in zip(one, other, strict=True)]))


def test_the_construction_of_the_paper_estimates_the_same() -> None:
    rng = np.random.default_rng(1)
    paper, ours = [], []
    for seed in range(100):
        weights = rng.multinomial(REPLICAS, [1 / 6] * 6, 2) / REPLICAS
        left, right = ({1000 * seed + i: weight for i, weight in enumerate(row)} for row in weights)
        truth = jaccards(weights[None])[0]
        paper.append(agreement(paper_signatures(left, M, seed), paper_signatures(right, M, seed)) - truth)
        ours.append(agreement(list(signed(left, seed=seed)), list(signed(right, seed=seed))) - truth)
    # The mean of 100 fair errors has a standard deviation of 0.005.
    assert abs(np.mean(paper)) < 0.02
    assert abs(np.mean(ours)) < 0.02


# --- what signatures depend on ------------------------------------------------------------------------------


def signed(bag: Bag, m: int = M, seed: int = 1) -> NDArray[np.uint32]:
    ids, weights = np.array(list(bag), np.int64), np.array(list(bag.values()), np.float32)
    row: NDArray[np.uint32] = signatures(ids, weights, np.array([0, len(bag)]), m, seed)[0]
    return row


def random_bag(terms: int, seed: int) -> Bag:
    rng = np.random.default_rng(seed)
    ids = rng.integers(-(1 << 62), 1 << 62, terms).tolist()
    return dict(zip(ids, normalised(rng.lognormal(0, 1, terms)).tolist(), strict=True))


def test_a_bag_alone_is_signed_as_in_a_batch() -> None:
    bags = [random_bag(terms, terms) for terms in (1, 160, 3, 0, 40, 1000, 7)]
    ids = np.array([term for bag in bags for term in bag], np.int64)
    weights = np.array([weight for bag in bags for weight in bag.values()], np.float32)
    together = signatures(ids, weights, np.cumsum([0, *map(len, bags)]), M, 1)
    assert (together == np.array([signed(bag) for bag in bags])).all()


def test_the_order_of_terms_does_not_matter() -> None:
    bag = random_bag(90, 1)
    assert (signed(bag) == signed(dict(reversed(bag.items())))).all()


@pytest.mark.parametrize("bag", [{}, {5: 0.0}])
def test_a_bag_with_nothing_in_it_has_signatures_of_its_own(bag: Bag) -> None:
    assert (signed(bag) == EMPTY).all()
    assert not (signed(random_bag(40, 1)) == EMPTY).any()


def test_no_bags_at_all() -> None:
    nothing = np.empty(0, np.int64), np.empty(0, np.float32), np.zeros(1, np.int64)
    assert signatures(*nothing, M, 1).shape == (0, M)


def test_another_seed_gives_other_signatures() -> None:
    bag = random_bag(90, 1)
    assert not (signed(bag, seed=1) == signed(bag, seed=2)).any()


def test_weights_that_do_not_add_up_to_one_are_signed_too() -> None:
    bag = random_bag(40, 1)
    heavy = {term: 7 * weight for term, weight in bag.items()}
    assert (signed(heavy) == signed(dict(reversed(heavy.items())))).all()
    assert 0 < agreement(list(signed(bag)), list(signed(heavy))) < 0.4


@pytest.mark.parametrize("m", [1, 7, 20, 160, 400])
def test_any_number_of_signatures(m: int) -> None:
    errors = []
    for seed in SEEDS:
        pairs = overlapping(0.4, 200, 40, 1.0, np.random.default_rng(seed))
        errors.append(estimates(pairs, m, seed) - 0.4)
    every = np.concatenate(errors)
    chance = np.sqrt(0.4 * 0.6 / m)
    assert abs(every.mean()) < max(0.002, 4 * chance / np.sqrt(len(every)))
    # A bag has about 13 copies a signature, so that with many signatures these are not the only source of error.
    assert np.sqrt((every**2).mean()) <= 1.05 * chance


# --- signatures without a copy ------------------------------------------------------------------------------


def light_pairs(jaccard: float, count: int, copies: int, seed: int) -> Floats:
    """Pairs so light that they have few copies in all, and most signatures have to be filled from others."""
    return overlapping(jaccard, count, 40, 1.0, np.random.default_rng(seed)) * copies / 1024


def test_whole_bags_hardly_ever_leave_a_signature_empty() -> None:
    bags = normalised(np.random.default_rng(1).lognormal(0, 1, (2000, 40))).astype(np.float32)
    ids = np.arange(bags.size)
    rows = signatures(ids, bags.ravel(), np.arange(0, bags.size + 1, 40), M, 1)
    repeated = sum(M - len(set(row)) for row in rows.tolist())  # a filled signature repeats another
    assert repeated <= 4


@pytest.mark.parametrize("jaccard", [0.2, 0.5, 0.8])
def test_signatures_that_are_filled_from_others_estimate_as_well(jaccard: float) -> None:
    errors = [estimates(light_pairs(jaccard, 400, 200, seed), seed=seed) - jaccard for seed in SEEDS]
    assert abs(np.concatenate(errors).mean()) < 0.004


def test_light_bags_that_are_equal_agree_in_everything() -> None:
    pairs = light_pairs(0.5, 200, 20, 1)
    same = estimates(np.repeat(pairs[:, :1], 2, 1))
    assert (same == 1).all()


def test_a_bag_of_a_single_copy_fills_all_signatures_with_it() -> None:
    assert len(set(signed({7: 1.0 / 1024}).tolist())) == 1
