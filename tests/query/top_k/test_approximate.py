"""What a risk promises: never too low a chance, and a share of the answer on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.query.top_k.approximate import chances, sums_below
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.no_random_access import no_random_access
from pagekin.query.top_k.protocol import KINDS, PRODUCT, SUM, Aggregation, TopK, TopKQuery
from pagekin.query.top_k.reading import highs

SETS, DOCUMENTS, LISTS, K = 150, 200, 3, 5


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from((0.1, 0.5, 1.0)), min_size=1, max_size=3), st.booleans(), st.integers(0, 99))
def test_chances_of_sums_are_those_of_many_draws_and_never_too_low(
    scales: list[float], exponential: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    draws = random.exponential(size=(20_000, len(scales))) if exponential else random.random((20_000, len(scales)))
    sums, limits = (draws * scales).sum(axis=1), np.array([0.05, 0.3, 0.8, 1.5])
    shares = (sums[:, None] <= limits).mean(axis=0)
    found = sums_below(np.array(scales), limits, exponential)
    assert np.all(found >= shares - 0.02)
    assert np.all(found <= shares + 0.06)


@pytest.mark.parametrize("kind", KINDS)
def test_the_chance_to_reach_min_k_is_that_of_many_draws(kind: str) -> None:
    # the first score is known to be 0.6; the others are draws from 0 to 0.8 and from 0 to 0.5
    least = {"sum": 1.2, "min": 0.3, "max": 0.7, "product": 0.1}[kind]
    query, highs = TopKQuery(Aggregation(kind, np.array([1.0, 1.0, 1.0])), 1), np.array([0.9, 0.8, 0.5])
    known, best = np.array([[True, False, False]]), query.whole(np.array([[0.6, 0.8, 0.5]]))
    draws = np.random.default_rng(1).random((100_000, 3)) * highs
    draws[:, 0] = 0.6
    share = float((query.whole(draws) >= least).mean())
    assert 0.05 < share < 0.9
    assert share - 0.01 <= float(chances(query, known, best, least, highs)[0]) <= share + 0.03


def sets_of_sources(power: float) -> list[list[MemorySource]]:
    """Many sets of independent scores: uniform, or with another power mostly smaller than that."""
    random = np.random.default_rng(5)
    scores = random.random((SETS, LISTS, DOCUMENTS)) ** power
    return [[MemorySource("", dict(enumerate(row)), 1.0, None) for row in rows] for rows in scores.tolist()]


def answers(kind: str, risk: float, power: float = 1.0) -> list[TopK]:
    query = TopKQuery(Aggregation(kind, np.ones(LISTS)), K, batch=10, risk=risk)
    return [no_random_access(query, sources) for sources in sets_of_sources(power)]


def missed(found: list[TopK], exact: list[TopK]) -> np.ndarray:
    """How many documents of each exact answer were not found."""
    return np.array([len(np.setdiff1d(e.documents, f.documents)) for e, f in zip(exact, found, strict=True)])


@pytest.mark.parametrize(("kind", "power"), [(SUM, 1.0), (SUM, 2.0), (PRODUCT, 1.0)])
@pytest.mark.parametrize("risk", [0.05, 0.3])
def test_no_more_is_missed_on_average_than_the_risk_allows(kind: str, power: float, risk: float) -> None:
    lost = missed(answers(kind, risk, power), answers(kind, 0.0, power))
    assert lost.mean() <= risk * K + 3 * lost.std() / np.sqrt(SETS)


def reaching(kind: str, depth: int, sources: list[MemorySource]) -> tuple[float, int]:
    """How many documents are expected to reach min-k when so much of each list was read, and how many do."""
    query = TopKQuery(Aggregation(kind, np.ones(LISTS)), K)
    gathering = Gathering(query, sources)
    for place in range(LISTS):
        gathering.read(place, depth)
    standing = gathering.standing()
    below = standing.worst < standing.least
    documents, least = standing.documents[below], standing.least
    expected = chances(query, standing.known[below], standing.best[below], least, highs(gathering.readers)).sum()
    wholes = query.whole(np.array([source.scores(documents) for source in sources]).T)
    return float(expected), int((wholes >= least).sum())


@pytest.mark.parametrize(("kind", "depth"), [(SUM, 40), (PRODUCT, 60)])
def test_as_many_documents_reach_min_k_as_their_chances_say(kind: str, depth: int) -> None:
    # Uniform scores are the model itself. A promise that is too high or too low by a quarter would show here.
    expected, real = np.array([reaching(kind, depth, sources) for sources in sets_of_sources(1.0)]).T
    error = float(np.std(real - expected) / np.sqrt(SETS))
    assert error < 0.07 * expected.mean()
    assert abs(real.mean() - expected.mean()) < 3 * error


def test_where_scores_are_smaller_fewer_reach_min_k_than_their_chances_say() -> None:
    expected, real = np.array([reaching(SUM, 40, sources) for sources in sets_of_sources(2.0)]).T
    assert 0 < real.mean() < expected.mean()


def test_a_risk_saves_accesses() -> None:
    exact, risky = answers(SUM, 0.0), answers(SUM, 0.3)
    assert missed(risky, exact).sum() > 0
    assert sum(found.cost for found in risky) < 0.9 * sum(found.cost for found in exact)


def test_without_a_risk_nothing_is_missed() -> None:
    exact = answers(SUM, 0.0)
    for sources, found in zip(sets_of_sources(1.0), exact, strict=True):
        wholes = sum(source.scores(np.arange(DOCUMENTS)) for source in sources)
        assert found.documents.tolist() == np.argsort(-wholes)[:K].tolist()


def test_the_bounds_of_what_is_found_are_right() -> None:
    for sources, found in zip(sets_of_sources(1.0), answers(SUM, 0.3), strict=True):
        wholes = sum(source.scores(found.documents) for source in sources)
        assert np.all((found.worst <= wholes + 1e-12) & (wholes <= found.best + 1e-12))


def test_the_order_is_that_of_the_worst_scores() -> None:
    assert all(np.all(np.diff(found.worst) <= 0) for found in answers(SUM, 0.3))
