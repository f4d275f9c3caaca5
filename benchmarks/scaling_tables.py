"""The tables of docs/scaling.md, made of what `scaling.py` has measured."""

from __future__ import annotations

from typing import Any

from pagekin.assembly import STORES, tables_to_index
from pagekin.engines.protocol import Fold, Write, one_piece
from pagekin.pipelines import whole_build
from pagekin.settings import Settings

LEARNING = "basis"  # from 200,000 pages at the most
GIB = 1 << 30
TIB = 1 << 40
LARGE_STEPS = 12  # that are shown
CORES = (64, 640)  # of the clusters that hours are told for


def single_steps() -> list[str]:
    """The steps of a build that are one task, and grow with the crawl: what concepts are learned from does not."""
    steps = (*whole_build(Settings()), *tables_to_index(Settings(), ()))
    folds = [step.name for step in steps if isinstance(step, Fold) and not step.key]
    writes = [step.name for step in steps if isinstance(step, Write) and step.pieces is one_piece]
    return [name for name in (*folds, *writes) if name != LEARNING]


class ScalingTables:
    """What the template asks for."""

    def __init__(self, found: dict[str, Any]) -> None:
        figures = found.get("scaling", {}).get("figures", {"builds": [], "cores": 0})
        self._builds: list[dict[str, Any]] = figures["builds"]
        self.cores: int = figures["cores"]

    def __bool__(self) -> bool:
        """Whether anything was measured."""
        return bool(self._builds)

    def _largest(self, engine: str) -> dict[str, Any]:
        return max((row for row in self._builds if row["engine"] == engine), key=lambda row: row["pages"])

    def _pairs(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """The builds of both engines, by size."""
        local, spark = ([row for row in self._builds if row["engine"] == name] for name in ("local", "spark"))
        return list(zip(local, spark, strict=True))

    def builds(self) -> str:
        """Every build, a row each, and how many times as long Spark takes."""
        lines = [
            "| pages | engine | seconds | processor seconds | ms of a core a page | peak GiB | shuffled bytes a page |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in self._builds:
            each = 1000 * row["processor_seconds"] / row["pages"]
            travelled = f"{sum(row['shuffled'].values()) / row['pages']:,.0f}" if row["engine"] == "spark" else "–"
            lines.append(
                f"| {row['pages']:,} | {row['engine']} | {row['seconds']:,.1f} | {row['processor_seconds']:,.1f} "
                f"| {each:.2f} | {row['peak_bytes'] / GIB:.2f} | {travelled} |"
            )
        return "\n".join(lines)

    def overhead(self) -> str:
        """Spark beside the local engine, by size."""
        told = [
            f"{spark['seconds'] / local['seconds']:.2f} times as long by the clock and "
            f"{spark['processor_seconds'] / local['processor_seconds']:.2f} times the processor time for "
            f"{spark['pages']:,} pages"
            for local, spark in self._pairs()
        ]
        return "; ".join(told)

    def steps(self) -> str:
        """The steps that take longest on Spark, at every size."""
        rows = sorted((row for row in self._builds if row["engine"] == "spark"), key=lambda row: row["pages"])
        local, largest = self._largest("local"), rows[-1]
        shown = sorted(largest["steps"], key=lambda name: -largest["steps"][name])[:LARGE_STEPS]
        sizes = " | ".join(f"{row['pages']:,} pages" for row in rows)
        lines = [f"| step | {sizes} | local, {local['pages']:,} pages | bytes a page | tasks |"]
        lines.append("|---" * (len(rows) + 4) + "|")
        for name in shown:
            times = " | ".join(f"{1000 * row['steps'].get(name, 0) / row['pages']:.3f}" for row in rows)
            here = 1000 * local["steps"].get(name, 0) / local["pages"]
            travelled = largest["shuffled"].get(name, 0) / largest["pages"]
            lines.append(f"| {name} | {times} | {here:.3f} | {travelled:,.0f} | {largest['tasks'].get(name, 0)} |")
        return "\n".join(lines)

    def single_steps(self) -> str:
        """The steps that are always one task, those that take longest first."""
        steps = self._largest("spark")["steps"]
        return ", ".join(sorted(single_steps(), key=lambda name: -steps.get(name, 0)))

    def single_milliseconds(self) -> str:
        """How long what is one task takes for each page, at the most."""
        return f"{1000 * self._single_seconds() / self._largest('spark')['pages']:.3f}"

    def _single_seconds(self) -> float:
        """Of the stores, which are made side by side, the largest takes no longer than all."""
        steps = self._largest("spark")["steps"]
        return float(sum(steps.get(name, 0) for name in (*single_steps(), STORES)))

    def estimates(self) -> str:
        """What many pages would need, by what each took at the largest size."""
        row = self._largest("spark")
        lines = ["| | 45 million pages | 3 billion pages |", "|---|---|---|"]
        sizes = (45_000_000, 3_000_000_000)
        for title, figure in self._figures(row).items():
            lines.append(f"| {title} | " + " | ".join(figure(pages) for pages in sizes) + " |")
        return "\n".join(lines)

    def _figures(self, row: dict[str, Any]) -> dict[str, Any]:
        core_seconds = row["processor_seconds"] / row["pages"]
        index, crawl = row["index_bytes"] / row["pages"], row["crawl_bytes"] / row["pages"]
        travelled = sum(row["shuffled"].values()) / row["pages"]
        hours = {
            f"hours on {cores} cores, all of them busy": (
                lambda pages, cores=cores: f"{pages * core_seconds / 3600 / cores:,.1f}"
            )
            for cores in CORES
        }
        return {
            "core-hours": lambda pages: f"{pages * core_seconds / 3600:,.0f}",
            **hours,
            "hours that what is one task takes, whatever the cluster": (
                lambda pages: f"{pages * self._single_seconds() / row['pages'] / 3600:,.1f}"
            ),
            "crawl, compressed": lambda pages: _bytes(pages * crawl),
            "through the shuffle": lambda pages: _bytes(pages * travelled),
            "index": lambda pages: _bytes(pages * index),
        }


def _bytes(size: float) -> str:
    return f"{size / TIB:,.1f} TiB" if size >= TIB else f"{size / GIB:,.0f} GiB"
