"""What a term weighs, how bags are cut, and what μ and σ are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pagekin.settings import Strategy
from pagekin.weighting import document_weights, gaussian

from .chain import PLAIN, Bag, bag, bags_of, web

CONTENT = replace(PLAIN, content=1, anchors=0)
DF = np.array([1.0, 4.0, 100.0])


def weights(frequency: str, **more: float) -> list[float]:
    return document_weights(DF, 100, replace(Strategy(frequency=frequency), **more)).tolist()  # type: ignore[arg-type]


def content_bag(html: str, strategy: Strategy) -> Bag:
    found = bag(bags_of(web({"http://a.test/": html}), strategy), "http://a.test/")
    assert found is not None
    return found


def test_none_leaves_frequencies_alone() -> None:
    assert weights("none") == [1, 1, 1]


def test_log_divides_by_one_and_the_logarithm() -> None:
    assert weights("log") == pytest.approx([1, 1 / 3, 1 / (1 + math.log2(100))])


def test_sqrt_divides_by_the_root() -> None:
    assert weights("sqrt") == pytest.approx([1, 0.5, 0.1])


def test_tf_idf_multiplies_by_the_logarithm_of_rarity_and_never_by_nothing() -> None:
    assert weights("tf-idf") == pytest.approx([math.log(101), math.log(101 / 4), math.log(1.01)])


def test_nmdf_is_a_bell_over_the_logarithm() -> None:
    expected = [math.exp(-0.5 * ((math.log(df) - 2) / 0.5) ** 2) for df in DF]
    assert weights("nmdf", mu=2.0, sigma=0.5) == pytest.approx(expected)


@pytest.mark.parametrize(("documents", "mu", "sigma"), [(100, 2.303, 1.036), (1_000_000, 6.908, 3.108)])
def test_mu_and_sigma_follow_the_size_of_the_crawl(documents: int, mu: float, sigma: float) -> None:
    assert gaussian(documents, Strategy()) == (mu, sigma)


def test_mu_and_sigma_can_be_set() -> None:
    assert gaussian(1000, Strategy(mu=1.5)) == (1.5, 1.554)
    assert gaussian(1000, Strategy(mu=1.5, sigma=2)) == (1.5, 2)


@pytest.mark.parametrize("documents", [0, 1, 2])
def test_the_smallest_crawls_have_a_bell_too(documents: int) -> None:
    assert gaussian(documents, Strategy()).sigma > 0


def test_a_term_in_the_middle_of_the_scale_weighs_most_under_nmdf() -> None:
    found = document_weights(np.array([1.0, 100.0, 10_000.0]), 10_000, Strategy())
    assert found.argmax() == 1
    assert found[[0, 2]] == pytest.approx(0.0847, abs=1e-3)


def test_weights_add_up_to_one() -> None:
    assert sum(content_bag("one two two three", CONTENT).weights.values()) == pytest.approx(1)


def test_weights_are_shares() -> None:
    assert content_bag("one two two", CONTENT).weights == pytest.approx({"one": 1 / 3, "two": 2 / 3})


def test_a_bag_keeps_its_heaviest_terms() -> None:
    found = content_bag("one two two three three three", replace(CONTENT, bag_size=2))
    assert found.weights == pytest.approx({"two": 0.4, "three": 0.6})


def test_of_equal_terms_those_with_the_least_numbers_are_kept() -> None:
    tables = bags_of(web({"http://a.test/": "one two three four five"}), replace(CONTENT, bag_size=2))
    assert tables["bags"]["terms"].to_pylist() == [[0, 1]]


def test_a_bag_may_keep_all() -> None:
    words = " ".join(f"word{number}" for number in range(500))
    assert len(content_bag(words, replace(CONTENT, bag_size=0)).weights) == 500


def test_documents_are_counted_before_bags_are_cut() -> None:
    tables = bags_of(web({"http://a.test/": "one two three"}), replace(CONTENT, bag_size=1))
    assert tables["term_counts"].num_rows == 3
