"""Bags of a trial are those that a build under the strategy makes; what two strategies share is made once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.engines.local import LocalEngine
from pagekin.engines.protocol import Step
from pagekin.evaluation.scores import Bags
from pagekin.evaluation.strategies import Contender
from pagekin.settings import Strategy
from pagekin.trials.bag_maker import KEPT_COUNTS, BagMaker
from pagekin.trials.crawl_tables import index_tables

Built = Callable[[Contender], Path]
Bag = tuple[list[int], list[float]]  # terms and weights

ANCHORS = Strategy(content=0.0, anchors=1.0, frequency="none", bag_size=0)
CONTENDERS = {
    "the default": Contender(),
    "content": Contender(Strategy(anchors=0.0, bag_size=0)),
    "words around anchors": Contender(replace(ANCHORS, window="4", distance=False)),
    "sentences around anchors": Contender(replace(ANCHORS, window="syntactic", frequency="sqrt")),
    "links": Contender(Strategy(content=0.0, anchors=0.0, links=1.0, frequency="none")),
    "everything": Contender(Strategy(links=2.0, stemming="nostem", template_pages=0, numbers=True)),
    "unweighed": Contender(Strategy(frequency="none")),
    "nmdf as set": Contender(Strategy(mu=3.0, sigma=0.5)),
    "seven terms": Contender(Strategy(bag_size=7)),
    "cosine": Contender(Strategy(frequency="tf-idf", metric="cosine")),
    "a share of the cosine": Contender(Strategy(), 0.5),
}


def rows(index: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table of an index."""
    parts = sorted((index / table).glob("*.parquet"))
    return [row for part in parts for row in pq.read_table(part).to_pylist()]


def all_pages(maker: BagMaker) -> np.ndarray[Any, np.dtype[np.int64]]:
    pages: np.ndarray[Any, np.dtype[np.int64]] = maker.tables.table("urls", ["page"])["page"].to_numpy()
    return pages


def by_page(bags: Bags, pages: Iterable[int], weights: Sequence[float]) -> dict[int, Bag]:
    """Arrays as one bag a page, without the empty ones."""
    spans = zip(pages, bags.ends[:-1].tolist(), bags.ends[1:].tolist(), strict=True)
    found = {int(page): (bags.terms[a:b].tolist(), [float(w) for w in weights[a:b]]) for page, a, b in spans}
    return {page: bag for page, bag in found.items() if bag[0]}


def cosine_bag(row: dict[str, Any], by_term: Mapping[int, float]) -> list[float]:
    """Frequencies weighed by term, of length 1."""
    weights = [f * by_term[term] for term, f in zip(row["terms"], row["frequencies"], strict=True)]
    length = math.sqrt(sum(weight * weight for weight in weights))
    return [weight / length if length else 0.0 for weight in weights]


def same(one: Bags, other: Bags) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


class CountingEngine(LocalEngine):
    """An engine that writes down the steps it ran."""

    def run(self, steps: Sequence[Step], splits: Sequence[Any], schemas: Mapping[str, pa.Schema], folder: Path) -> None:
        self.ran = [*getattr(self, "ran", []), *(step.name for step in steps)]
        super().run(steps, splits, schemas, folder)


@pytest.fixture
def counting(index: Path, tmp_path: Path) -> BagMaker:
    """A maker whose engine counts."""
    return BagMaker(index_tables(index), tmp_path, CountingEngine(1))


def ran(maker: BagMaker, step: str) -> int:
    assert isinstance(maker.engine, CountingEngine)
    return maker.engine.ran.count(step)


# --- the same bags ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONTENDERS)
def test_bags_are_those_of_a_build(name: str, maker: BagMaker, built: Built) -> None:
    pages = all_pages(maker)
    bags = maker.bags(CONTENDERS[name], pages)
    expected = {row["page"]: (row["terms"], row["weights"]) for row in rows(built(CONTENDERS[name]), "bags")}
    assert len(expected) > 300
    assert by_page(bags, pages, bags.jaccard) == expected


@pytest.mark.parametrize("name", ["cosine", "a share of the cosine"])
def test_the_weights_of_the_cosine_are_tf_idf(name: str, maker: BagMaker, built: Built) -> None:
    pages, index = all_pages(maker), built(CONTENDERS[name])
    bags = maker.bags(CONTENDERS[name], pages)
    found = by_page(bags, pages, bags.cosine)
    by_term = {row["number"]: math.log((1 + len(pages)) / row["documents"]) for row in rows(index, "term_counts")}
    for row in rows(index, "bags"):
        assert found[row["page"]][1] == pytest.approx(cosine_bag(row, by_term), abs=1e-6)


@pytest.mark.parametrize(("name", "share"), [("content", 0.0), ("cosine", 1.0), ("a share of the cosine", 0.5)])
def test_the_share_is_that_of_the_contender_or_of_its_metric(name: str, share: float, maker: BagMaker) -> None:
    assert maker.bags(CONTENDERS[name], all_pages(maker)).share == share


def test_the_metric_of_a_strategy_leaves_no_room_for_a_share(maker: BagMaker) -> None:
    cosine, pages = Strategy(frequency="sqrt", metric="cosine"), all_pages(maker)
    assert same(maker.bags(Contender(cosine, 0.0), pages), maker.bags(Contender(cosine, 0.3), pages))


def test_bags_of_some_pages_are_those_of_all(maker: BagMaker) -> None:
    pages = all_pages(maker)
    whole, part = maker.bags(Contender(), pages), maker.bags(Contender(), pages[5::7])
    expected = by_page(whole, pages, whole.jaccard)
    wanted = {int(page): expected[int(page)] for page in pages[5::7] if int(page) in expected}
    assert by_page(part, pages[5::7], part.jaccard) == wanted


def test_a_page_without_a_bag_is_empty(maker: BagMaker) -> None:
    urls = maker.tables.table("urls", ["page", "fetched"])
    never = urls["page"].to_numpy()[~urls["fetched"].to_numpy()]
    bags = maker.bags(CONTENDERS["content"], never)
    assert bags.ends.tolist() == [0] * (len(never) + 1)
    assert len(never) > 10


def test_no_pages_have_no_bags(maker: BagMaker) -> None:
    bags = maker.bags(Contender(), np.empty(0, np.int64))
    assert (bags.ends.tolist(), len(bags.terms), len(bags.jaccard), len(bags.cosine)) == ([0], 0, 0, 0)


def test_a_strategy_that_takes_nothing_has_empty_bags(maker: BagMaker) -> None:
    bags = maker.bags(Contender(Strategy(content=0.0, anchors=0.0), 0.5), all_pages(maker))
    assert bags.ends[-1] == 0


# --- made once ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"frequency": "none"}, {"mu": 1.0}, {"sigma": 1.0}, {"metric": "cosine"}, {"bag_size": 9}]
)
def test_other_weights_need_no_step(change: dict[str, Any], counting: BagMaker) -> None:
    pages = all_pages(counting)
    first = counting.bags(Contender(), pages)
    before = len(counting.engine.ran)  # type: ignore[attr-defined]
    second = counting.bags(Contender(replace(Strategy(), **change)), pages)
    assert len(counting.engine.ran) == before > 0  # type: ignore[attr-defined]
    assert not same(first, second)


def test_terms_and_templates_are_made_once_for_all_windows(counting: BagMaker) -> None:
    for width in ("0", "4", "8"):
        counting.bags(Contender(Strategy(window=width)), all_pages(counting))
    assert [ran(counting, step) for step in ("word terms", "templates", "fragments")] == [1, 1, 3]


@pytest.mark.parametrize("change", [{"stop_words": "none"}, {"stemming": "nostem"}, {"numbers": True}])
def test_other_terms_leave_templates_alone(change: dict[str, Any], counting: BagMaker) -> None:
    for strategy in (Strategy(), replace(Strategy(), **change)):
        counting.bags(Contender(strategy), all_pages(counting))
    assert [ran(counting, step) for step in ("word terms", "templates", "fragments")] == [2, 1, 2]


def test_other_templates_leave_terms_alone(counting: BagMaker) -> None:
    for strategy in (Strategy(), Strategy(template_pages=10)):
        counting.bags(Contender(strategy), all_pages(counting))
    assert [ran(counting, step) for step in ("word terms", "templates", "fragments")] == [1, 2, 2]


def test_the_order_of_strategies_makes_no_difference(index: Path, tmp_path: Path) -> None:
    one = BagMaker(index_tables(index), tmp_path / "one", LocalEngine(1))
    two = BagMaker(index_tables(index), tmp_path / "two", LocalEngine(1))
    names, pages = list(CONTENDERS), all_pages(one)
    first = {name: one.bags(CONTENDERS[name], pages) for name in names}
    second = {name: two.bags(CONTENDERS[name], pages) for name in reversed(names)}
    assert all(same(first[name], second[name]) for name in names)


# --- what is kept -------------------------------------------------------------------------------------------

WINDOWS = [Contender(Strategy(window=str(width))) for width in range(KEPT_COUNTS + 2)]


def test_only_the_latest_counts_are_kept(counting: BagMaker) -> None:
    pages = all_pages(counting)[:5]
    for contender in WINDOWS:
        counting.bags(contender, pages)
    assert len(list(counting.work.glob("counts-*"))) == KEPT_COUNTS
    for contender in WINDOWS[-KEPT_COUNTS:]:
        counting.bags(contender, pages)
    assert ran(counting, "fragments") == len(WINDOWS)


def test_what_was_asked_for_lately_is_not_the_oldest(counting: BagMaker) -> None:
    pages = all_pages(counting)[:5]
    for contender in WINDOWS[:KEPT_COUNTS]:
        counting.bags(contender, pages)
    counting.bags(WINDOWS[0], pages)
    counting.bags(WINDOWS[KEPT_COUNTS], pages)
    counting.bags(WINDOWS[0], pages)
    assert ran(counting, "fragments") == KEPT_COUNTS + 1


def test_what_was_forgotten_is_made_anew(counting: BagMaker) -> None:
    pages = all_pages(counting)
    first = counting.bags(WINDOWS[0], pages)
    for contender in WINDOWS[1:]:
        counting.bags(contender, pages[:1])
    assert same(counting.bags(WINDOWS[0], pages), first)
    assert ran(counting, "fragments") == len(WINDOWS) + 1


def test_what_was_half_made_is_made_anew(maker: BagMaker, counting: BagMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("pagekin.engines.tasks.key_ranges", stop)
        counting.bags(Contender(), all_pages(counting))
    pages = all_pages(maker)
    assert same(counting.bags(Contender(), pages), maker.bags(Contender(), pages))
