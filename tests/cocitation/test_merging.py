"""From rows of CITED to COCITED: Equations 12 and 13 by hand, the best of each page, and the combiners."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from pagekin.cocitation.merging import (
    best_cocited,
    fewer_citations,
    fewer_totals,
    least_total,
    total_similarities,
)
from pagekin.settings import CocitationSettings
from pagekin.tables import AUTHORITY, CITED, COCITED, URLS

Row = dict[str, Any]

SETTINGS = CocitationSettings(own_site="no")
FEW_URLS = pa.Table.from_pylist([{"page": 1, "url": "http://a.test/", "fetched": True, "in_links": 0}], URLS)
PAGE = 100


def cited(source: int, others: dict[int, float], site: int = 1, anchor: int = 1, page: int = PAGE) -> Row:
    """A row of CITED: a page and what a block cites beside it."""
    return {
        "page": page, "site_id": site, "anchor": anchor, "source": source, "blocks": 1, "others": list(others),
        "similarities": list(others.values()),
    }  # fmt: skip


def batch(rows: Iterable[Row]) -> pa.RecordBatch:
    """Rows as a fold gets them: in the order of their pages."""
    return pa.RecordBatch.from_pylist(sorted(rows, key=lambda row: int(row["page"])), CITED)


def authority(values: dict[int, float]) -> pa.Table:
    rows = [{"site_id": site, "pages": 1, "authority": value} for site, value in sorted(values.items())]
    return pa.Table.from_pylist(rows, AUTHORITY)


def totals(
    rows: Iterable[Row], settings: CocitationSettings = SETTINGS, values: dict[int, float] | None = None
) -> dict[tuple[int, int], Row]:
    """TS of each pair (page, other), with the rest of its row."""
    found = total_similarities([batch(rows)], authority(values or {}), settings)
    return {(row["page"], row["other"]): row for _, batch in found for row in batch.to_pylist()}


def total(
    rows: Sequence[Row], settings: CocitationSettings = SETTINGS, values: dict[int, float] | None = None
) -> float:
    """TS(7 -> PAGE) but for the blocks that cite PAGE."""
    return float(totals(rows, settings, values)[7, PAGE]["total"] * (1 + math.log(len(rows))))


# --- Equation 12


def test_what_is_said_of_a_page_is_the_total_from_the_others_to_it() -> None:
    found = totals([cited(1, {7: 1.5, 8: 0.5})])
    assert {pair: row["total"] for pair, row in found.items()} == {(7, PAGE): 1.5, (8, PAGE): 0.5}


def test_an_anchor_of_a_site_counts_r_times_and_the_best_count() -> None:
    rows = [cited(source, {7: value}) for source, value in enumerate([0.5, 1.75, 1.0, 1.25])]
    assert total(rows, replace(SETTINGS, repeats=1)) == pytest.approx(1.75)
    assert total(rows, replace(SETTINGS, repeats=2)) == pytest.approx(3.0)
    assert total(rows, replace(SETTINGS, repeats=9)) == pytest.approx(4.5)


def test_nine_times_by_default() -> None:
    rows = [cited(source, {7: 1.0}) for source in range(12)]
    assert total(rows) == pytest.approx(9)


def test_other_anchors_count_apart() -> None:
    rows = [cited(source, {7: 1.0}, anchor=source % 2) for source in range(6)]
    assert total(rows, replace(SETTINGS, repeats=2)) == pytest.approx(4)


def test_other_sites_count_apart() -> None:
    rows = [cited(source, {7: 1.0}, site=source % 3) for source in range(12)]
    assert total(rows, replace(SETTINGS, repeats=2)) == pytest.approx(6)


def test_a_site_adds_n_at_most() -> None:
    rows = [cited(source, {7: 1.5}, anchor=source) for source in range(20)]
    assert total(rows) == pytest.approx(10)
    assert total(rows, replace(SETTINGS, site_most=4.0)) == pytest.approx(4)
    assert total(rows, replace(SETTINGS, site_most=0.0)) == pytest.approx(30)
    more = [*rows, cited(30, {7: 0.5}, site=2)]
    assert total(more) == pytest.approx(10.5)


def test_a_site_counts_by_its_authority() -> None:
    rows = [cited(1, {7: 1.0}, site=1), cited(2, {7: 1.0}, site=2)]
    values = {1: 4.0, 2: 0.25}
    assert total(rows, replace(SETTINGS, authority=0.5), values) == pytest.approx(2.5)
    assert total(rows, replace(SETTINGS, authority=1.0), values) == pytest.approx(4.25)
    assert total(rows, SETTINGS, values) == pytest.approx(2)


# --- Equation 13


def test_a_page_that_many_blocks_cite_counts_less() -> None:
    rows = [cited(1, {7: 1.0}), cited(2, {8: 1.0}), cited(3, {})]
    assert totals(rows)[7, PAGE]["total"] == pytest.approx(1 / (1 + math.log(3)))


def test_rows_that_stand_for_several_blocks_count_as_often() -> None:
    rows = [cited(1, {7: 1.0}), {**cited(2, {}), "blocks": 6}]
    assert totals(rows)[7, PAGE]["total"] == pytest.approx(1 / (1 + math.log(7)))


def test_totals_go_one_way() -> None:
    """What many blocks cite is a weak answer for others, which does not make them weak answers for it."""
    rows = [cited(1, {7: 1.0}), cited(2, {}), cited(1, {PAGE: 1.0}, page=7)]
    found = totals(rows)
    assert found[7, PAGE]["total"] == pytest.approx(1 / (1 + math.log(2)))
    assert found[PAGE, 7]["total"] == 1.0


def test_the_pages_that_put_them_nearest_come_first() -> None:
    rows = [cited(source, {7: value}, anchor=source) for source, value in enumerate([0.5, 2.0, 1.0, 1.0, 0.25])]
    row = totals(rows)[7, PAGE]
    assert (row["sources"], row["citing"]) == ([1, 2, 3], 5)


def test_citing_counts_no_more_than_may_count() -> None:
    rows = [cited(source, {7: 1.0}, anchor=source % 2) for source in range(10)]
    assert totals(rows, replace(SETTINGS, repeats=3))[7, PAGE]["citing"] == 6


def test_blocks_that_cite_a_page_alone_give_nothing() -> None:
    assert totals([cited(1, {}), cited(2, {})]) == {}


# --- the best


def cocited_rows(rows: Sequence[tuple[int, int, float]]) -> pa.RecordBatch:
    found = [{"page": p, "other": o, "total": t, "citing": 1, "sources": []} for p, o, t in rows]
    return pa.RecordBatch.from_pylist(found, COCITED)


def best(rows: Sequence[tuple[int, int, float]], settings: CocitationSettings = SETTINGS) -> list[tuple[int, int]]:
    found = best_cocited([cocited_rows(rows)], FEW_URLS, settings)
    return [(row["page"], row["other"]) for _, batch in found for row in batch.to_pylist()]


def test_the_best_come_first() -> None:
    assert best([(1, 5, 0.5), (1, 6, 2.0), (1, 7, 1.0), (2, 5, 3.0)]) == [(1, 6), (1, 7), (1, 5), (2, 5)]


def test_no_more_than_m_are_kept() -> None:
    rows = [(page, other, other / 4) for page in (1, 2) for other in range(10, 40)]
    found = best(rows)
    assert found == [(page, other) for page in (1, 2) for other in range(39, 24, -1)]
    assert best(rows, replace(SETTINGS, pages=1)) == [(1, 39), (2, 39)]


def test_equal_totals_are_in_the_order_of_ids() -> None:
    others = [5, -3, 9, 1 << 62, -(1 << 62), 0]
    assert [other for _, other in best([(1, other, 1.0) for other in others])] == sorted(others)
    kept = best([(1, other, 1.0) for other in others], replace(SETTINGS, pages=2))
    assert kept == [(1, -(1 << 62)), (1, -3)]


def test_what_is_below_t_is_left_out() -> None:
    rows = [(1, 5, 3.9999), (1, 6, 4.0), (1, 7, 4.5), (2, 5, 0.1)]
    assert best(rows, replace(SETTINGS, least=4.0)) == [(1, 7), (1, 6)]
    assert best([(1, 5, 0.1)], replace(SETTINGS, least=0.1)) == [(1, 5)]


@pytest.mark.parametrize(
    ("pages", "least"), [(0, 0.0), (1, 0.0), (5_000, 0.0), (100_000, 0.0), (37_482_913, 4.0), (10**10, 4.0)]
)
def test_t_by_the_size_of_the_crawl(pages: int, least: float) -> None:
    assert least_total(SETTINGS, pages) == least


def test_t_grows_with_the_crawl() -> None:
    found = [least_total(SETTINGS, pages) for pages in (200_000, 10**6, 10**7, 3 * 10**7)]
    assert found == sorted(found)
    assert 0 < found[0] < found[-1] < 4
    middle = round(math.sqrt(100_000 * 37_482_913))
    assert least_total(SETTINGS, middle) == pytest.approx(2, abs=1e-3)


def test_t_as_it_is_set() -> None:
    assert {least_total(CocitationSettings(least=1.5), pages) for pages in (1, 10**9)} == {1.5}


# --- combiners


def folded(rows: pa.RecordBatch, settings: CocitationSettings, values: pa.Table, random: Random | None) -> list[Row]:
    """COCITED, with totals cut into runs that are combined, if there is something to cut them with."""
    order = np.argsort(rows["page"].to_numpy(), kind="stable")
    found = [made for _, made in total_similarities([rows.take(pa.array(order))], values, settings)]
    if not found:
        return []
    made = pa.Table.from_batches(found)
    if random:
        made = in_runs(made, random, lambda run: [less for _, less in fewer_totals([run], settings)])
    made = made.take(pa.array(np.argsort(made["page"].to_numpy(), kind="stable"))).combine_chunks()
    out = best_cocited(made.to_batches(), FEW_URLS, settings)
    return [row for _, batch in out for row in batch.to_pylist()]


def in_runs(table: pa.Table, random: Random, combine: Any) -> pa.Table:
    """The rows in any order, cut into runs, each sorted by page and combined; some runs are combined once more."""
    places = list(range(table.num_rows))
    random.shuffle(places)
    runs = []
    while places:
        size = random.randint(1, len(places))
        run, places = sorted_run(table, places[:size]), places[size:]
        for _ in range(random.randint(0, 2)):
            run = pa.Table.from_batches(combine(run)).combine_chunks().to_batches()[0]
        runs.append(run)
    return pa.Table.from_batches(runs)


def sorted_run(table: pa.Table, places: list[int]) -> pa.RecordBatch:
    run = table.take(pa.array(places))
    run = run.take(pa.array(np.argsort(run["page"].to_numpy(), kind="stable")))
    return run.combine_chunks().to_batches()[0]


def some_rows(random: Random) -> list[Row]:
    """Blocks of pages of a few sites, mostly templates; no page gives a pair twice."""
    pages = [1, 2, 3, 4, 5, 6]
    similarities = [0.25, 0.5, 1.0, 1.5, 2.0]
    templates = [{page: random.choice(similarities) for page in random.sample(pages, k)} for k in (0, 1, 2, 3, 3)]
    rows = []
    for source in range(random.randint(1, 60)):
        site = source % random.choice([1, 2])
        for page in random.sample(pages, random.randint(1, 3)):
            others = random.choice(templates)
            given = [{o: s for o, s in others.items() if o != page}]
            if random.random() < 0.2:  # two blocks of one page
                given.append({o: 0.75 for o in pages if o != page and o not in others})
            rows += [cited(source, block, site, random.choice([1, 1, 1, 2]), page) for block in given]
    return rows


@given(st.randoms(use_true_random=False), st.sampled_from([1, 2, 3, 5, 9]), st.sampled_from([0.0, 2.0, 10.0]))
@tries(max_examples=80, deadline=None)
def test_combining_changes_no_result(random: Random, repeats: int, most: float) -> None:
    settings = replace(SETTINGS, repeats=repeats, site_most=most, pages=random.choice([1, 3, 15]), authority=0.5)
    rows, values = batch(some_rows(random)), authority({0: 1.75, 1: 0.25})
    whole = folded(rows, settings, values, None)
    made = pa.Table.from_batches([rows])
    combined = in_runs(made, random, lambda run: [less for _, less in fewer_citations([run], settings)])
    assert sum(combined["blocks"].to_pylist()) == rows.num_rows
    assert folded(combined.combine_chunks().to_batches()[0], settings, values, random) == whole


def test_combining_leaves_as_many_rows_as_may_count() -> None:
    rows = [cited(source, {7: 1.0, 8: 0.5}) for source in range(100)] + [cited(0, {7: 1.0}, page=3)]
    for repeats, left in ((1, 3), (9, 9)):
        (made,) = [less for _, less in fewer_citations([batch(rows)], replace(SETTINGS, repeats=repeats))]
        assert [(row["page"], row["source"]) for row in made.to_pylist()] == [
            (3, 0),
            *((PAGE, source) for source in range(left)),
        ]
        assert sum(made["blocks"].to_pylist()) == 101


def test_rows_that_differ_are_not_combined() -> None:
    rows = [cited(source, {7: 1.0 + source / 128}) for source in range(20)]
    rows += [cited(source, {7: 1.0}, anchor=source + 2) for source in range(20)]
    rows += [cited(source, {7: 1.0}, site=source + 2) for source in range(20)]
    (made,) = [less for _, less in fewer_citations([batch(rows)], SETTINGS)]
    assert made.num_rows == 60
