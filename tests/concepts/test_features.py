"""The columns of pages: what bags and links give, which pages teach, what columns weigh."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hand_made import addresses, counted, dense, fragments, some_terms, weighed_twin
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.concepts.features import (
    Columns,
    bag_features,
    link_features,
    sampled_features,
    weighed_columns,
    weighed_rows,
)
from pagekin.settings import ConceptSettings, Strategy
from pagekin.tables import BAGS, DUPLICATES, FRAGMENTS, PAGES

TERMS = 5
ROW = {0: 1024, 3: 512, 6: 1024}

# --- links

LINKS = pa.schema([PAGES.field(name) for name in ("page", "link_page", "link_nofollow")])
PAGES_KNOWN = [10, 20, 30]
LINKED_BY, LINKS_TO = TERMS, TERMS + len(PAGES_KNOWN)


def linking(*rows: tuple[int, list[int], list[bool]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(zip(LINKS.names, row, strict=True)) for row in rows], LINKS)


def columns_of(
    batches: list[pa.RecordBatch], settings: ConceptSettings | None = None, copies: dict[int, int] | None = None
) -> dict[int, list[int]]:
    """All columns that links give to each page."""
    urls, found = addresses(PAGES_KNOWN), {page: [] for page in PAGES_KNOWN}
    rows = [{"page": page, "representative": other, "resemblance": 1.0} for page, other in (copies or {}).items()]
    duplicates = pa.Table.from_pylist(rows, DUPLICATES)
    for name, batch in link_features(batches, urls, some_terms(TERMS), duplicates, settings or ConceptSettings()):
        assert (name, batch.schema) == ("features", FRAGMENTS)
        for row in batch.to_pylist():
            assert row["terms"] == sorted(row["terms"]) and row["frequencies"] == [1024] * len(row["terms"])
            found[row["page"]] += row["terms"]
    return {page: sorted(columns) for page, columns in found.items()}


def test_a_link_is_a_column_of_both_its_ends() -> None:
    found = columns_of([linking((10, [20], [False]))])
    assert found == {10: [LINKS_TO + 1], 20: [LINKED_BY + 0], 30: []}


def test_pages_that_are_linked_by_several_have_a_column_for_each() -> None:
    found = columns_of([linking((10, [30], [False]), (20, [30, 10], [False, False]))])
    assert found[30] == [LINKED_BY + 0, LINKED_BY + 1]
    assert found[20] == [LINKS_TO + 0, LINKS_TO + 2]
    assert found[10] == [LINKED_BY + 1, LINKS_TO + 2]


def test_a_link_that_is_repeated_counts_once() -> None:
    found = columns_of([linking((10, [20, 20, 20], [False, True, False]))])
    assert found == {10: [LINKS_TO + 1], 20: [LINKED_BY + 0], 30: []}


def test_nofollow_and_links_to_the_page_itself_say_nothing() -> None:
    assert columns_of([linking((10, [20, 10], [True, False]))]) == {10: [], 20: [], 30: []}


def test_how_links_are_cut_into_batches_changes_nothing() -> None:
    whole = linking((10, [20, 30], [False, True]), (20, [], []), (30, [10, 20], [False, False]))
    cut = [whole.slice(0, 1), whole.slice(1, 1), whole.slice(2)]
    assert columns_of(cut) == columns_of(cut[::-1]) == columns_of([whole])


def test_links_that_count_nothing_are_no_columns() -> None:
    assert columns_of([linking((10, [20], [False]))], ConceptSettings(links=0.0)) == {10: [], 20: [], 30: []}


def test_a_link_to_a_copy_is_one_to_the_page_that_stands_for_it() -> None:
    found = columns_of([linking((10, [20], [False]))], copies={20: 30})
    assert found == {10: [LINKS_TO + 2], 20: [LINKED_BY + 0], 30: [LINKED_BY + 0]}


def test_a_page_does_not_speak_for_itself_by_links_to_its_copies() -> None:
    found = columns_of([linking((10, [20], [False]))], copies={20: 10})
    assert found == {10: [], 20: [LINKED_BY + 0], 30: []}


def test_a_page_without_links_gives_nothing() -> None:
    assert columns_of([linking((10, [], []))]) == {10: [], 20: [], 30: []}


# --- bags


def test_the_terms_of_bags_are_passed_on() -> None:
    rows = [{"page": 7, "terms": [1, 4], "frequencies": [2048, 99], "weights": [0.5, 0.5]}]
    ((name, found),) = bag_features([pa.RecordBatch.from_pylist(rows, BAGS)])
    assert (name, found.schema) == ("features", FRAGMENTS)
    assert found.to_pylist() == [{"page": 7, "terms": [1, 4], "frequencies": [2048, 99]}]


# --- the sample


def sampled(batches: list[pa.RecordBatch], urls: pa.Table, **changes: int) -> list[int]:
    found = sampled_features(batches, urls, ConceptSettings(**changes))  # type: ignore[arg-type]
    return sorted(page for _, batch in found for page in batch["page"].to_pylist())


def many_pages(number: int = 200) -> tuple[pa.RecordBatch, pa.Table]:
    """Pages with a column each, of which every third was never fetched."""
    fetched = [page % 3 > 0 for page in range(1, number + 1)]
    return fragments([ROW] * number), addresses(range(1, number + 1), fetched)


@pytest.mark.parametrize("sample", [1, 2, 50, 132, 133])
def test_as_many_pages_teach_as_may(sample: int) -> None:
    batch, urls = many_pages()
    assert len(sampled([batch], urls, sample=sample)) == sample


def test_only_fetched_pages_teach() -> None:
    batch, urls = many_pages()
    assert {page % 3 for page in sampled([batch], urls, sample=60)} == {1, 2}
    assert len(sampled([batch], urls, sample=1000)) == 134


def test_the_same_pages_teach_whatever_the_order_and_the_batches() -> None:
    batch, urls = many_pages()
    turned = batch.take(pa.array(np.random.default_rng(1).permutation(batch.num_rows)))
    cut = [turned.slice(first, 7) for first in range(0, 200, 7)]
    assert sampled(cut, urls, sample=50) == sampled([batch], urls, sample=50)


def test_the_seed_chooses_the_pages() -> None:
    batch, urls = many_pages()
    assert sampled([batch], urls, sample=50, seed=1) != sampled([batch], urls, sample=50, seed=2)


def test_every_page_is_as_likely_to_teach() -> None:
    batch, urls = many_pages(30)
    chosen = [page for seed in range(300) for page in sampled([batch], urls, sample=5, seed=seed)]
    times = np.unique(chosen, return_counts=True)[1]
    assert len(times) == 20
    assert times.min() > 45 and times.max() < 110  # 75 of 300, give or take 7.5


def test_a_larger_sample_keeps_the_pages_of_a_smaller_one() -> None:
    batch, urls = many_pages()
    assert set(sampled([batch], urls, sample=20)) < set(sampled([batch], urls, sample=90))


# --- what columns weigh


def test_columns_that_few_pages_have_are_left_out() -> None:
    rows = [{0: 1, 1: 1, 7: 1}, {0: 1, 2: 1, 7: 1}, {0: 1}]
    for least, expected in ((1, [0, 1, 2, 7]), (2, [0, 7]), (3, [0]), (4, [])):
        columns = weighed_columns(counted(rows), 3, TERMS, ConceptSettings(least_pages=least), Strategy())
        assert columns.used.tolist() == expected


def test_of_too_many_columns_the_commonest_are_kept() -> None:
    rows = [{0: 1, 2: 1, 9: 1, 4: 1}, {0: 1, 9: 1, 4: 1, 2: 1}, {9: 1, 4: 1}, {4: 1}]
    columns = weighed_columns(counted(rows), 4, TERMS, ConceptSettings(columns=3), Strategy())
    assert columns.used.tolist() == [0, 4, 9]  # of equals, the first
    assert columns.place[[0, 4, 9]].tolist() == [0, 1, 2]
    assert columns.place[2] == -1


def test_terms_weigh_as_it_is_set_and_links_by_their_rarity() -> None:
    rows = [{0: 1, 7: 1}] * 3 + [{1: 1, 7: 1}] * 2
    columns = weighed_columns(counted(rows), 9, TERMS, ConceptSettings(frequency="sqrt"), Strategy(frequency="none"))
    assert columns.weight == pytest.approx([1 / math.sqrt(3), 1 / math.sqrt(2), math.log(10 / 5)])


frequencies = st.integers(1, 9000)
some_rows = st.lists(st.dictionaries(st.integers(0, 12), frequencies, max_size=8), max_size=9)
COLUMNS = Columns(
    np.array([0, -1, 1, 2, -1, 3, -1, 4, 5, 6], np.int32),
    np.array([0.5, 2.0, 0.03, 1.0, 0.7, 3.0, 0.2], np.float32),
    np.array([0, 2, 3, 5, 7, 8, 9], np.int32),
    TERMS,
)


@settings(deadline=None, max_examples=100)
@given(some_rows, st.sampled_from([0.0, 0.25, 2.0]), st.booleans())
def test_rows_are_weighed_as_the_twin_weighs_them(rows: list[dict[int, int]], links: float, by_length: bool) -> None:
    found = dense(weighed_rows(fragments(rows), COLUMNS, ConceptSettings(links=links), by_length))
    expected = np.zeros((len(rows), 7))
    for number, row in enumerate(rows):
        for place, value in weighed_twin(row, COLUMNS, links, by_length).items():
            expected[number, place] = value
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_terms_have_length_1_and_links_the_length_that_is_set() -> None:
    found = dense(weighed_rows(fragments([{0: 700, 2: 5000, 7: 1, 8: 1}]), COLUMNS, ConceptSettings(links=0.25)))[0]
    assert np.linalg.norm(found[:4]) == pytest.approx(1)
    assert np.linalg.norm(found[4:]) == pytest.approx(0.25)


def test_a_part_of_a_batch_is_weighed_as_the_whole() -> None:
    rows = [{0: 1024}, {2: 9, 7: 1024}, {}, {3: 77, 8: 1, 0: 5}]
    whole = weighed_rows(fragments(rows), COLUMNS, ConceptSettings())
    part = weighed_rows(fragments(rows).slice(1, 3), COLUMNS, ConceptSettings())
    assert (dense(part) == dense(whole)[1:]).all()


@pytest.mark.parametrize("unknown", [1, 4, 6, 10, 1000, 2**31 - 1])
def test_a_column_that_was_never_met_is_ignored(unknown: int) -> None:
    known = {0: 1024, 5: 1024}
    one, other = (weighed_rows(fragments([row]), COLUMNS, ConceptSettings()) for row in (known, known | {unknown: 99}))
    assert (dense(one) == dense(other)).all()
