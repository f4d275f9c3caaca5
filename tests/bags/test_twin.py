"""The fast way gives the same bags as the obvious one, under every strategy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pagekin.settings import Strategy

from .chain import Tables, bags_of
from .strategies import OURS, PAPER
from .twin import Row, Term, bags

EVERY = PAPER | OURS


def fast_bags(tables: Tables, strategy: Strategy, lots: int) -> dict[int, dict[Term, tuple[int, float]]]:
    """What the steps give, in the form of the twin."""
    made = bags_of(tables, strategy, lots)
    terms: list[Term] = [*made["terms"]["text"].to_pylist()]
    terms += [("link", page) for page in made["urls"]["page"].to_pylist()]
    found = {}
    for row in made["bags"].to_pylist():
        assert row["terms"] == sorted(set(row["terms"]))
        counted = zip(row["frequencies"], row["weights"], strict=True)
        found[row["page"]] = dict(zip([terms[n] for n in row["terms"]], counted, strict=True))
    return found


@dataclass(frozen=True)
class Web:
    """Tables, and their rows for the twin."""

    tables: Tables
    pages: list[Row]
    lexicon: list[Row]


def web_of(tables: Tables) -> Web:
    return Web(tables, tables["pages"].to_pylist(), tables["lexicon"].to_pylist())


@pytest.fixture(scope="module")
def sample(sample_web: Tables) -> Web:
    return web_of(sample_web)


@pytest.fixture(scope="module")
def real(real_pages: Tables) -> Web:
    return web_of(real_pages)


def check_same(web: Web, strategy: Strategy, lots: int = 3) -> None:
    """Terms and frequencies are equal, weights almost."""
    fast = fast_bags(web.tables, strategy, lots)
    slow = bags(web.pages, web.lexicon, strategy)
    assert fast.keys() == slow.keys()
    for page, bag in slow.items():
        assert {term: n for term, (n, _) in fast[page].items()} == {term: n for term, (n, _) in bag.items()}
        for term, (_, weight) in bag.items():
            assert fast[page][term][1] == pytest.approx(weight, abs=1e-6)


@pytest.mark.parametrize("name", EVERY)
def test_bags_of_the_sample_web(sample: Web, name: str) -> None:
    check_same(sample, EVERY[name])


@pytest.mark.parametrize("name", EVERY)
def test_bags_of_real_pages(real: Web, name: str) -> None:
    check_same(real, EVERY[name])


def test_bags_with_ones_own_stop_words(sample: Web, tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("The\nAND of\n", "utf-8")
    for stemming in ("nostem", "stem", "stopstem"):
        check_same(sample, replace(Strategy(), stop_words=str(tmp_path / "stop.txt"), stemming=stemming))


@pytest.mark.parametrize("name", ["templates counted", "links in templates", "narrow topics", "small bags"])
def test_the_pages_have_what_strategies_tell_apart(sample: Web, real: Web, name: str) -> None:
    for web in (sample, real):
        assert bags_of(web.tables, EVERY[name])["bags"] != bags_of(web.tables, Strategy())["bags"]


def test_the_pages_have_repeated_windows(sample: Web, real: Web) -> None:
    for web in (sample, real):
        every = Strategy(template_links=True, repeats=0, window="0")
        assert bags_of(web.tables, replace(every, repeats=1))["bags"] != bags_of(web.tables, every)["bags"]
