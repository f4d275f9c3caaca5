"""Bars with whiskers, as SVG that stands inside a page and takes its colours from there.

Labels stand above their bars: so they may be long, and a chart stays readable on the width of a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from pagekin.evaluation.results import Estimate
from pagekin.evaluation.words import number, with_interval
from pagekin.plain_text import shown

WIDTH = 400
SIDE = 8  # free space left and right, for the halves of tick labels
TOP = 26  # the legend
ROW = 45
LABEL = 17  # from the top of a row to the foot of its label
INDENT = 4  # of a label, so that it does not touch the axis
BARS = ((22, 10), (34, 5))  # for each series: from the top of a row to the bar, and how thick the bar is
CAP = 3  # half a whisker's cap
BOTTOM = 22  # the axis and its numbers
LEAST_SPAN = 1e-6  # narrower than what is ever shown: a scale from 0 to 1 says so
TICKS = 5  # at most about this many


@dataclass(frozen=True)
class Row:
    """What a bar is called, and its value for each series; None where nothing was measured."""

    label: str
    estimates: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class Scale:
    """Where values stand: from `low` at the left to `high` at the right, both multiples of `step`."""

    low: float
    high: float
    step: float

    def x(self, value: float) -> float:
        """The place of a value."""
        return SIDE + (WIDTH - 2 * SIDE) * (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[float]:
        """The values with a number at the axis."""
        return [round(self.low + n * self.step, 10) for n in range(round((self.high - self.low) / self.step) + 1)]


def scale(estimates: Sequence[Estimate]) -> Scale:
    """The smallest even scale that has zero, all values and all intervals.

    >>> scale([Estimate(0.41, 0.38, 0.44)]).ticks
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    """
    low = min([0.0, *(min(e.low, e.value) for e in estimates)])
    high = max([0.0, *(max(e.high, e.value) for e in estimates)])
    span = high - low if high - low > LEAST_SPAN else 1.0
    power = 10 ** math.floor(math.log10(span / TICKS))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= span / TICKS * 0.999)
    return Scale(step * math.floor(low / step), step * max(math.ceil(high / step), 1 if low == 0 else 0), step)


def bar_chart(key: str, title: str, series: Sequence[str], rows: Sequence[Row]) -> str:
    """A chart of one or two series, thick bars and thin ones below; `key` makes its ids the only ones on a page."""
    measured = scale([estimate for row in rows for estimate in row.estimates if estimate is not None])
    height = TOP + ROW * len(rows) + BOTTOM
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {height}", "role": "img"})
    svg.set("aria-labelledby", f"{key}-title {key}-desc")
    svg.set("class", "chart")
    _texted(svg, "title", title, id=f"{key}-title")
    _texted(svg, "desc", _description(series, rows), id=f"{key}-desc")
    _add_legend(svg, series)
    _add_axis(svg, measured, TOP + ROW * len(rows))
    for n, row in enumerate(rows):
        _add_row(svg, measured, series, row, TOP + ROW * n)
    return tostring(svg, "unicode")


def _description(series: Sequence[str], rows: Sequence[Row]) -> str:
    """The chart for those who cannot see it."""
    return "; ".join(f"{row.label}: {', '.join(_told(series, row))}" for row in rows) + "."


def _told(series: Sequence[str], row: Row) -> list[str]:
    pairs = zip(series, row.estimates, strict=True)
    return [f"{name} {with_interval(estimate)}" for name, estimate in pairs if estimate is not None]


def _add_legend(svg: Element, series: Sequence[str]) -> None:
    x = float(SIDE)
    for n, name in enumerate(series):
        thick = BARS[n][1]
        _add(svg, "rect", f"bar series{n}", x=x, y=10 - thick / 2, width=22, height=thick)
        _texted(svg, "text", name, "legend", x=x + 28, y=14)
        x += 48 + 8 * len(name)
    _add_whisker(svg, x, x + 22, 10)
    _texted(svg, "text", "95 % interval", "legend", x=x + 28, y=14)


def _add_axis(svg: Element, measured: Scale, foot: float) -> None:
    for tick in measured.ticks:
        x = measured.x(tick)
        _add(svg, "line", "zero" if tick == 0 else "grid", x1=x, x2=x, y1=TOP, y2=foot + 4)
        _texted(svg, "text", f"{tick:g}".replace("-", "−"), "tick", x=x, y=foot + 18)


def _add_row(svg: Element, measured: Scale, series: Sequence[str], row: Row, top: float) -> None:
    group = _add(svg, "g", "row")
    _texted(group, "title", f"{row.label}: {', '.join(_told(series, row))}")
    _texted(group, "text", row.label, "label", x=SIDE + INDENT, y=top + LABEL)
    _texted(group, "text", _values(series, row), "value end", x=WIDTH - SIDE, y=top + LABEL)
    for n, estimate in enumerate(row.estimates):
        if estimate is not None:
            _add_bar(group, measured, estimate, n, top + BARS[n][0], BARS[n][1])


def _values(series: Sequence[str], row: Row) -> str:
    """What stands at the right: the value alone, or each of two with the last word of its name."""
    values = [number(e.value) if e is not None else "–" for e in row.estimates]
    if len(series) == 1:
        return values[0]
    return "  ".join(f"{name.split()[-1]} {value}" for name, value in zip(series, values, strict=True))


def _add_bar(group: Element, measured: Scale, estimate: Estimate, n: int, y: float, thick: float) -> None:
    left, right = sorted((measured.x(0), measured.x(estimate.value)))
    _add(group, "rect", f"bar series{n}", x=left, y=y, width=right - left, height=thick)
    _add_whisker(group, measured.x(estimate.low), measured.x(estimate.high), y + thick / 2)


def _add_whisker(parent: Element, low: float, high: float, y: float) -> None:
    _add(parent, "line", "whisker", x1=low, x2=high, y1=y, y2=y)
    for x in (low, high):
        _add(parent, "line", "whisker", x1=x, x2=x, y1=y - CAP, y2=y + CAP)


def _add(parent: Element, tag: str, kind: str = "", **attributes: float | str) -> Element:
    values = {name: value if isinstance(value, str) else f"{value:.2f}" for name, value in attributes.items()}
    return SubElement(parent, tag, {"class": kind, **values} if kind else values)


def _texted(parent: Element, tag: str, text: str, kind: str = "", **attributes: float | str) -> None:
    _add(parent, tag, kind, **attributes).text = shown(text)
