"""Min-wise values estimate the resemblance without bias; super-shingles follow their curve."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pagekin.duplicates.candidates import fewest_samples
from pagekin.duplicates.sketches import MOST_SAMPLES, least_values, sample_rate, sample_rates
from pagekin.settings import DuplicateSettings

TRIALS = 600


def values(numbers: NDArray[np.int64], bins: int = 128) -> NDArray[np.uint64]:
    filled, out = np.empty((2, bins), np.uint64)
    least_values(numbers, len(numbers), filled, out)
    return out


def agreements(size: int, resemblance: float, seed: int) -> NDArray[np.bool_]:
    """For many pairs of sets of this size and resemblance, in which values they agree."""
    dice = np.random.default_rng(seed)
    shared = round(2 * size * resemblance / (1 + resemblance))
    rows = []
    for _ in range(TRIALS):
        numbers = dice.integers(-(1 << 63), 1 << 63, 2 * size - shared) | 1
        rows.append(values(numbers[:size]) == values(numbers[size - shared :]))
    return np.array(rows)


@pytest.mark.parametrize("size", [20, 300, 2000])
@pytest.mark.parametrize("resemblance", [0.3, 0.6, 0.9])
def test_estimates_are_unbiased(size: int, resemblance: float) -> None:
    shared = round(2 * size * resemblance / (1 + resemblance))
    exact = shared / (2 * size - shared)
    estimates = agreements(size, resemblance, size).mean(axis=1)
    assert abs(estimates.mean() - exact) < 5 * estimates.std() / np.sqrt(TRIALS) + 1e-9


@pytest.mark.parametrize("resemblance", [0.6, 0.7, 0.8, 0.9])
def test_super_shingles_follow_the_curve(resemblance: float) -> None:
    rows = agreements(1500, resemblance, 3).reshape(-1, 16, 8)
    share = np.any(np.all(rows, axis=2), axis=1).mean()
    curve = 1 - (1 - resemblance**8) ** 16
    assert abs(share - curve) < 5 * np.sqrt(curve * (1 - curve) / TRIALS) + 0.01


def test_equal_sets_have_equal_values_in_any_order() -> None:
    numbers = np.random.default_rng(1).integers(-(1 << 63), 1 << 63, 40) | 1
    assert (values(numbers) == values(numbers[::-1].copy())).all()


def test_long_pages_are_sampled_at_lower_rates() -> None:
    sizes = np.array([1, 8 * MOST_SAMPLES, 8 * MOST_SAMPLES + 1, 1_000_000])
    assert sample_rates(sizes, 8).tolist() == [sample_rate(size, 8) for size in sizes.tolist()] == [8, 8, 16, 1024]


def test_a_contained_page_is_missed_once_in_hundreds_of_times() -> None:
    dice, settings = np.random.default_rng(5), DuplicateSettings()
    samples = dice.binomial(400, 1 / 8, 5000)
    shared = dice.binomial(samples, settings.contained)
    least = fewest_samples(np.full((2, 5000), 400), np.stack([samples, samples + 50]), settings)
    assert (shared < least).mean() < 0.01
