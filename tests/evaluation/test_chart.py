"""Charts are XML, and their bars are as long as their values."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagekin.evaluation.chart import SIDE, WIDTH, Row, bar_chart, scale
from pagekin.evaluation.results import Estimate

SVG = "{http://www.w3.org/2000/svg}"

values = st.floats(-1, 1, allow_nan=False)


def row(label: str, *numbers: float) -> Row:
    return Row(label, tuple(Estimate(value, value - 0.02, value + 0.03) for value in numbers))


def parsed(*rows: Row, series: tuple[str, ...] = ("sibling Γ",)) -> ElementTree.Element:
    return ElementTree.fromstring(bar_chart("key", "Title", series, rows))


def lengths(svg: ElementTree.Element, n: int = 0) -> list[float]:
    return [float(bar.get("width", "")) for bar in svg.findall(f".//{SVG}g/{SVG}rect[@class='bar series{n}']")]


def zero(svg: ElementTree.Element) -> float:
    (line,) = svg.findall(f"{SVG}line[@class='zero']")
    return float(line.get("x1", ""))


def test_bars_are_as_long_as_their_values() -> None:
    short, long, none = lengths(parsed(row("a", 0.2), row("b", 0.6), row("c", 0.0)))
    assert long == pytest.approx(3 * short, rel=1e-3)
    assert none == 0
    assert long > 100


def test_both_series_have_one_scale() -> None:
    svg = parsed(row("a", 0.6, 0.3), series=("sibling Γ", "sibling D"))
    assert lengths(svg, 0)[0] == pytest.approx(2 * lengths(svg, 1)[0], rel=1e-3)


def test_negative_values_lie_left_of_zero() -> None:
    svg = parsed(row("a", 0.2), row("b", -0.2))
    right, left = svg.findall(f".//{SVG}g/{SVG}rect")
    assert float(right.get("x", "")) == pytest.approx(zero(svg))
    assert float(left.get("x", "")) + float(left.get("width", "")) == pytest.approx(zero(svg), abs=0.02)
    assert float(left.get("width", "")) == pytest.approx(float(right.get("width", "")), abs=0.02)


def test_whiskers_reach_from_the_low_to_the_high_end() -> None:
    svg = parsed(row("a", 0.5))
    whisker = svg.findall(f".//{SVG}g/{SVG}line[@class='whisker']")[0]
    one = lengths(svg)[0] / 0.5
    assert float(whisker.get("x1", "")) == pytest.approx(zero(svg) + 0.48 * one, abs=0.02)
    assert float(whisker.get("x2", "")) == pytest.approx(zero(svg) + 0.53 * one, abs=0.02)


def test_every_bar_has_its_label_and_its_values() -> None:
    svg = parsed(row("window 32", 0.456, -0.123), series=("sibling Γ", "sibling D"))
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert "window 32" in texts and "Γ 0.456  D −0.123" in texts


def test_who_cannot_see_the_chart_is_told_it() -> None:
    svg = parsed(row("window 32", 0.456))
    title, desc = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None and desc is not None
    assert svg.get("role") == "img"
    assert svg.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert (title.text, desc.text) == ("Title", "window 32: sibling Γ 0.456 (0.436 to 0.486).")


def test_a_series_that_was_not_measured_has_no_bar() -> None:
    svg = parsed(Row("a", (Estimate(0.5, 0.4, 0.6), None)), series=("sibling Γ", "sibling D"))
    assert (len(lengths(svg, 0)), len(lengths(svg, 1))) == (1, 0)


def test_labels_are_text() -> None:
    svg = bar_chart("key", "<script>t</script>", ["Γ"], [row("<script>alert(1)</script>\x00\u202e&", 0.5)])
    assert "<script" not in svg and "\u202e" not in svg
    assert "<script>alert(1)</script> &" in [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(st.lists(st.tuples(st.text(max_size=8), values), min_size=1, max_size=5))
def test_any_chart_is_xml_and_stays_inside(rows: list[tuple[str, float]]) -> None:
    svg = parsed(*(row(label, value) for label, value in rows))
    places = [float(line.get(end, "")) for line in svg.iter(f"{SVG}line") for end in ("x1", "x2")]
    assert all(SIDE - 0.01 <= x <= WIDTH - SIDE + 0.01 for x in places)


@given(st.lists(values, max_size=5))
@example([1e-310])
@example([-1e-9])
@example([])
def test_a_scale_is_even_has_zero_and_few_ticks(numbers: list[float]) -> None:
    found = scale([Estimate(value, value, value) for value in numbers])
    assert 0.0 in found.ticks
    assert 2 <= len(found.ticks) <= 8
    assert found.ticks[0] <= min([0.0, *numbers]) + 1e-9 and max([0.0, *numbers]) - 1e-9 <= found.ticks[-1]
