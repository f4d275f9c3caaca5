"""Judges, on a directory and on pairs that are small enough to be judged by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from pagekin.errors import TruthError
from pagekin.evaluation.directory import Directory
from pagekin.evaluation.judges import DirectoryJudge, PairsJudge, kinships, sampled
from pagekin.evaluation.pairs import Pairs
from pagekin.evaluation.results import MEASURES, Ranked, Tally

CLASSES = ("Arts/Film/Comedy", "Arts/Film/Horror", "Arts/Music/Jazz", "Science/Biology/Birds")
PATHS = [[0, 0, 0], [0, 0, 1], [0, 1, 2], [1, 2, 3]]
COMEDY, HORROR, JAZZ, BIRDS = range(4)

HAND_MADE = [[HORROR], [HORROR], [HORROR], [COMEDY], [COMEDY], [JAZZ], [BIRDS]]
HAND_MADE_SCORES = [1.0, 0.5, 0.0, 0.5, 0.1, 0.2, 0.0]  # for page 0

Scores = Callable[[int], Any]


def directory(classes: list[list[int]], depth: int = 3) -> Directory:
    """Page number i, whose id is 10 i, is in these classes."""
    ends = np.append(0, np.cumsum([len(own) for own in classes])).astype(np.int64)
    flat = np.array([each for own in classes for each in own], np.int32)
    paths = np.ascontiguousarray(np.array(PATHS, np.int32)[:, -depth:])
    return Directory(np.arange(len(classes)) * 10, ends, flat, paths, CLASSES, {})


def address(page: int) -> str:
    return f"http://site/{page}"


def scores_for(source: int, scores: list[float]) -> Scores:
    """These for one page, and nothing for all others."""
    own, others = np.array(scores, np.float32), np.zeros(len(scores), np.float32)
    return lambda page: own if page == source else others


def random_scores(pages: int) -> Scores:
    return lambda page: np.random.default_rng(page).integers(0, 5, pages).astype(np.float32) / 5


def parts(tally: Tally, row: int) -> dict[str, tuple[float, float]]:
    """What one source adds above and below the line."""
    return {key: (ratio.above[row], ratio.below[row]) for key, ratio in tally.items()}


def hand_made() -> tuple[DirectoryJudge, Tally]:
    judge = DirectoryJudge(directory(HAND_MADE), address)
    return judge, judge.tally(scores_for(0, HAND_MADE_SCORES), map)


# --- a directory --------------------------------------------------------------------------------------------


def test_pairs_with_siblings_cousins_and_strangers_are_counted_apart() -> None:
    found = parts(hand_made()[1], 0)
    # 1 and 2 (0.5, 0.0) against 3 and 4 (0.5, 0.1): one right, two wrong, one tied
    assert found["sibling_gamma"] == (-1, 3)
    assert found["sibling_somers_d"] == (-1, 4)
    # against 5 (0.2): one right, one wrong
    assert found["cousin_gamma"] == found["cousin_somers_d"] == (0, 2)
    # against 6 (0.0): one right, one tied
    assert found["unrelated_gamma"] == (1, 1)
    assert found["unrelated_somers_d"] == (1, 2)


def test_one_of_two_pages_of_the_class_has_nothing_in_common_with_the_source() -> None:
    assert parts(hand_made()[1], 0)["orthogonality"] == (1, 2)


def test_the_first_ten_are_judged_by_their_classes() -> None:
    found = parts(hand_made()[1], 0)
    assert found["precision_at_10"] == (0.1, 1)  # page 1
    assert found["r_score_at_10"] == pytest.approx((0.4, 1))  # page 1, and its siblings 3 and 4


def test_a_ranking_that_orders_nothing_has_all_its_pairs_tied() -> None:
    found = parts(hand_made()[1], 1)
    assert found["sibling_gamma"] == (0, 0)
    assert found["sibling_somers_d"] == (0, 4)
    assert found["orthogonality"] == (2, 2)


def test_sources_without_company_in_their_class_are_not_asked_for() -> None:
    assert hand_made()[0].sources.tolist() == [0, 1, 2, 3, 4]


def test_a_source_has_company_if_any_of_its_classes_has() -> None:
    judge = DirectoryJudge(directory([[HORROR, BIRDS], [JAZZ], [COMEDY, JAZZ], [HORROR], [COMEDY, BIRDS]]), address)
    assert judge.sources.tolist() == [0, 1, 2, 3, 4]


def test_a_directory_in_which_no_class_has_two_pages_is_refused() -> None:
    with pytest.raises(TruthError, match=r"no class of the directory has two pages .* at depth 3"):
        DirectoryJudge(directory([[COMEDY, HORROR], [JAZZ], [BIRDS]]), address)


def test_every_row_of_a_tally_is_about_one_source() -> None:
    judge, tally = hand_made()
    assert {len(ratio.above) for ratio in tally.values()} == {len(judge.sources)}
    assert {len(ratio.below) for ratio in tally.values()} == {len(judge.sources)}


def test_the_pages_of_a_directory_are_ranked_and_no_others() -> None:
    assert hand_made()[0].pages.tolist() == [0, 10, 20, 30, 40, 50, 60]


def test_a_page_in_several_classes_is_as_near_as_the_nearest_pair() -> None:
    classes = [[HORROR, JAZZ], [HORROR], [COMEDY, JAZZ], [COMEDY, BIRDS], [BIRDS]]
    found = parts(DirectoryJudge(directory(classes), address).tally(scores_for(0, [1.0, 0.4, 0.3, 0.2, 0.1]), map), 0)
    assert found["orthogonality"] == (0, 2)  # pages 1 and 2 are of its classes
    assert found["sibling_gamma"] == (2, 2)  # page 3, by Comedy and Horror
    assert found["cousin_gamma"] == (0, 0)
    assert found["unrelated_gamma"] == (2, 2)  # page 4


def test_classes_right_below_the_root_are_unrelated() -> None:
    judge = DirectoryJudge(directory(HAND_MADE, 1), address)
    tally = judge.tally(scores_for(0, HAND_MADE_SCORES), map)
    assert {key for key in tally if key.endswith("gamma")} == {"unrelated_gamma"}
    assert parts(tally, 0)["r_score_at_10"] == (0.2, 1)


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, {"unrelated": (1, 1)}),
        (2, {"sibling": (1, 1), "unrelated": (2, 2)}),
        (3, {"sibling": (1, 1), "cousin": (2, 2), "unrelated": (3, 3)}),
        (4, {"sibling": (1, 1), "cousin": (2, 3), "unrelated": (4, 4)}),
    ],
)
def test_kinships_cover_each_distance_once(depth: int, expected: dict[str, tuple[int, int]]) -> None:
    found = kinships(depth)
    assert found == expected
    assert [distance for low, high in found.values() for distance in range(low, high + 1)] == list(range(1, depth + 1))


def test_measures_are_those_that_reports_know() -> None:
    known = {measure.key for measure in MEASURES if measure.truth == "directory"}
    assert set(hand_made()[1]) == known


def test_excerpts_show_sources_with_what_is_found_and_its_classes() -> None:
    judge = DirectoryJudge(directory([[HORROR], [HORROR, JAZZ], [COMEDY]]), address)
    first, second = judge.excerpts(scores_for(0, [1.0, 0.5, 0.2]))
    assert (first.source, first.category, first.gamma) == ("http://site/0", "Arts/Film/Horror", 1.0)
    horror_and_jazz = "Arts/Film/Horror; Arts/Music/Jazz"
    found = (Ranked(1, 0.5, "http://site/10", horror_and_jazz), Ranked(2, 0.2, "http://site/20", "Arts/Film/Comedy"))
    assert first.ranked == found
    assert (second.category, second.gamma, second.ranked) == (horror_and_jazz, None, ())


# --- samples and threads ------------------------------------------------------------------------------------


def test_a_sample_has_the_size_that_is_asked_for_and_is_in_order() -> None:
    sources = np.arange(100) * 3
    found = sampled(sources, 20, 1).tolist()
    assert len(set(found)) == 20
    assert found == sorted(found)
    assert set(found) <= set(sources.tolist())


def test_a_sample_is_the_same_for_the_same_seed_only() -> None:
    sources = np.arange(100)
    assert sampled(sources, 20, 1).tolist() == sampled(sources, 20, 1).tolist()
    assert sampled(sources, 20, 1).tolist() != sampled(sources, 20, 2).tolist()


@pytest.mark.parametrize("most", [0, 100, 1000])
def test_all_sources_are_kept_if_there_are_no_more(most: int) -> None:
    assert sampled(np.arange(100), most, 1).tolist() == list(range(100))


def test_every_source_may_be_in_a_sample() -> None:
    assert {page for seed in range(100) for page in sampled(np.arange(20), 5, seed).tolist()} == set(range(20))


def test_a_judge_asks_for_a_sample_of_those_with_company() -> None:
    judge = DirectoryJudge(directory(HAND_MADE), address, most=3, seed=4)
    assert judge.sources.tolist() == sampled(np.arange(5), 3, 4).tolist()


def test_a_sampled_source_has_the_row_that_it_has_among_all() -> None:
    whole, few = DirectoryJudge(directory(HAND_MADE), address), DirectoryJudge(directory(HAND_MADE), address, 2)
    of_all, of_few = whole.tally(random_scores(7), map), few.tally(random_scores(7), map)
    for row, source in enumerate(few.sources.tolist()):
        assert parts(of_few, row) == parts(of_all, whole.sources.tolist().index(source))


def in_threads(function: Callable[[int], Any], sources: Iterable[int]) -> Iterator[Any]:
    with ThreadPoolExecutor(4) as pool:
        yield from pool.map(function, sources)


def assert_equal(one: Tally, other: Tally) -> None:
    assert list(one) == list(other)
    for key in one:
        assert one[key].above.tolist() == other[key].above.tolist()
        assert one[key].below.tolist() == other[key].below.tolist()


def test_threads_give_what_one_thread_gives() -> None:
    classes = [[int(number)] for number in np.random.default_rng(1).integers(0, 4, 300)]
    judge = DirectoryJudge(directory(classes), address)
    assert_equal(judge.tally(random_scores(300), in_threads), judge.tally(random_scores(300), map))


# --- pairs --------------------------------------------------------------------------------------------------


def pairs(rows: dict[int, dict[int, float]]) -> Pairs:
    """Pairs from the grades of related pages by source."""
    ends = np.append(0, np.cumsum([len(grades) for grades in rows.values()])).astype(np.int64)
    related = np.array([page for grades in rows.values() for page in grades], np.int64)
    grades = np.array([grade for row in rows.values() for grade in row.values()], np.float64)
    return Pairs(np.array(list(rows), np.int64), ends, related, grades, {})


HAND_MADE_PAIRS = pairs({10: {20: 1.0, 40: 3.0}, 30: {10: 1.0}})
FETCHED = np.array([10, 20, 30, 50])


def test_related_pages_are_judged_by_where_they_stand() -> None:
    judge = PairsJudge(HAND_MADE_PAIRS, FETCHED, address)
    found = parts(judge.tally(scores_for(0, [1.0, 0.2, 0.9, 0.3, 0.0]), map), 0)  # pages 30, 40 and 20, in this order
    assert found["recall_at_10"] == (1.0, 1.0)
    assert found["mrr"] == (0.5, 1.0)
    gained, ideal = 3 / math.log2(3) + 1 / 2, 3 + 1 / math.log2(3)
    assert found["ndcg_at_10"] == pytest.approx((gained / ideal, 1.0))


def test_a_source_for_which_nothing_is_found_counts_as_0() -> None:
    judge = PairsJudge(HAND_MADE_PAIRS, FETCHED, address)
    found = parts(judge.tally(scores_for(0, [1.0, 0.2, 0.9, 0.3, 0.0]), map), 1)
    assert found == {"recall_at_10": (0.0, 1.0), "mrr": (0.0, 1.0), "ndcg_at_10": (0.0, 1.0)}


def test_all_fetched_pages_and_those_of_the_pairs_are_ranked() -> None:
    judge = PairsJudge(HAND_MADE_PAIRS, FETCHED, address)
    assert judge.pages.tolist() == [10, 20, 30, 40, 50]
    assert judge.pages[judge.sources].tolist() == [10, 30]


def test_each_of_sampled_sources_keeps_its_own_related_pages() -> None:
    rows = {source: {source + 1: 1.0} for source in range(0, 100, 2)}
    judge = PairsJudge(pairs(rows), np.arange(100), address, most=7, seed=3)
    tally = judge.tally(lambda source: np.eye(100, dtype=np.float32)[source + 1], map)
    assert judge.sources.tolist() == (2 * sampled(np.arange(50), 7, 3)).tolist()
    assert tally["mrr"].above.tolist() == [1.0] * 7


def test_measures_of_pairs_are_those_that_reports_know() -> None:
    tally = PairsJudge(HAND_MADE_PAIRS, FETCHED, address).tally(random_scores(5), map)
    assert set(tally) == {measure.key for measure in MEASURES if measure.truth == "related"}


def test_threads_give_what_one_thread_gives_for_pairs() -> None:
    rows = {source: {(source * 7 + step) % 200 + 200: 1.0 + step for step in range(3)} for source in range(200)}
    judge = PairsJudge(pairs(rows), np.arange(400), address)
    assert_equal(judge.tally(random_scores(400), in_threads), judge.tally(random_scores(400), map))


def test_excerpts_mark_the_pages_that_are_known_to_be_related() -> None:
    excerpt = PairsJudge(HAND_MADE_PAIRS, FETCHED, address).excerpts(scores_for(0, [1.0, 0.2, 0.9, 0.0, 0.0]))[0]
    assert (excerpt.source, excerpt.category, excerpt.gamma) == ("http://site/10", "2 known related pages", None)
    assert excerpt.ranked == (Ranked(1, 0.9, "http://site/30", ""), Ranked(2, 0.2, "http://site/20", "related"))


def test_excerpts_show_three_sources_at_some_ranks() -> None:
    rows = {source: {199: 1.0} for source in range(20)}
    found = PairsJudge(pairs(rows), np.arange(200), address).excerpts(lambda _: np.ones(200, np.float32))
    assert len(found) == 3
    assert [ranked.rank for ranked in found[0].ranked] == [1, 2, 5, 10, 20, 50, 100]
