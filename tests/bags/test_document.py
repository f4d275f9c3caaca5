"""The worked example of docs/steps/bags.md is true."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from pagekin.settings import read_settings

from .chain import Tables, bag, bags_of, web

DOCUMENT = (Path(__file__).parents[2] / "docs" / "steps" / "bags.md").read_text("utf-8")
EXAMPLE = DOCUMENT[DOCUMENT.index("## A worked example") :]
TARGET = "http://honey.test/"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The bags of the pages in the document under the strategy that stands there."""
    pages = dict(re.findall(r"`(\S+)`:\n\n```html\n(.*?)```", EXAMPLE, re.DOTALL))
    assert len(pages) == 2
    settings = tmp_path_factory.mktemp("example") / "settings.toml"
    settings.write_text(re.findall(r"```toml\n(.*?)```", EXAMPLE, re.DOTALL)[0], "utf-8")
    return bags_of(web(pages), read_settings(settings).strategy)


def rows() -> dict[str, list[float]]:
    """The table of the document: tf, df, their quotient and the weight of each term."""
    found = re.findall(r"^\| (\w+) \|((?: [\d.]+ \|){4})$", EXAMPLE, re.MULTILINE)
    return {term: [float(cell) for cell in cells.split("|")[:4]] for term, cells in found}


def by_form(tables: Tables, values: dict[str, float]) -> dict[str, float]:
    forms = dict(zip(tables["terms"]["text"].to_pylist(), tables["terms"]["form"].to_pylist(), strict=True))
    return {forms[term]: value for term, value in values.items()}


def test_the_bag_is_that_of_the_table(tables: Tables) -> None:
    found = bag(tables, TARGET)
    assert found is not None
    assert by_form(tables, found.frequencies) == pytest.approx({t: row[0] for t, row in rows().items()}, abs=0.0005)
    assert by_form(tables, found.weights) == pytest.approx({t: row[3] for t, row in rows().items()}, abs=0.0005)


def test_the_numbers_of_bags_are_those_of_the_table(tables: Tables) -> None:
    counts = tables["term_counts"].to_pylist()
    forms = tables["terms"]["form"].to_pylist()
    found = {forms[row["number"]]: row["documents"] for row in counts}
    assert {term: found[term] for term in rows()} == {term: row[1] for term, row in rows().items()}


def test_the_table_computes(tables: Tables) -> None:
    for tf, df, quotient, _ in rows().values():
        assert quotient == pytest.approx(tf / math.sqrt(df), abs=0.0006)


def test_what_each_page_says_adds_up_to_the_table() -> None:
    said = re.findall(r"(\w+) ([\d.]+)", "".join(line for line in EXAMPLE.splitlines() if line.startswith("> ")))
    for term, (tf, *_) in rows().items():
        assert tf == pytest.approx(sum(float(count) for word, count in said if word == term), abs=0.0006)
