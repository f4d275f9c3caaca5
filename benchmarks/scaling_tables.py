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
PAPERS_PAGES = 45_000_000
FIGURE_12 = (
    (
        "bag fragments",
        "24 hours on three machines of 550 MHz",
        (
            "scan", "lexicon", "moves", "aliases", "pages", "addresses", "urls", "page languages", "languages",
            "word terms", "terms", "segments", "templates", "citations", "repeated", "fragments",
        ),
    ),
    ("merging them", "8 hours on two processors of 933 MHz", ("bags", "bag terms", "term counts", "weights")),
    ("signatures", "22 hours on the same", ("signatures",)),
)  # fmt: skip  # each with the steps of a build that do it
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
        self._skew: dict[str, Any] = found.get("skew", {}).get("figures", {"folds": [], "in_links": 0})
        self.in_links = f"{self._skew['in_links']:,}"

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
        """The steps that take longest on Spark, on both engines at every size."""
        pairs = sorted(self._pairs(), key=lambda pair: pair[0]["pages"])
        builds = [spark for _, spark in pairs] + [local for local, _ in pairs]
        largest = self._largest("spark")
        shown = sorted(largest["steps"], key=lambda name: -largest["steps"][name])[:LARGE_STEPS]
        sizes = " | ".join(f"{build['engine']}, {build['pages']:,}" for build in builds)
        lines = [f"| step | {sizes} | bytes a page | tasks |", "|---" * (len(builds) + 3) + "|"]
        for name in shown:
            times = " | ".join(f"{1000 * build['steps'].get(name, 0) / build['pages']:.3f}" for build in builds)
            travelled = largest["shuffled"].get(name, 0) / largest["pages"]
            lines.append(f"| {name} | {times} | {travelled:,.0f} | {largest['tasks'].get(name, 0)} |")
        return "\n".join(lines)

    def beside_the_paper(self) -> str:
        """The steps of the paper's figure 12, with what the same work would take on Spark."""
        row = self._largest("spark")
        lines = ["| step | Haveliwala et al. 2002 | pagekin on Spark, core-hours |", "|---|---|---|"]
        for title, took, steps in FIGURE_12:
            seconds = sum(row["steps"].get(name, 0) for name in steps) * self.cores
            lines.append(f"| {title} | {took} | {_hours(seconds / row['pages'] * PAPERS_PAGES)} |")
        return "\n".join(lines)

    def skew(self) -> str:
        """What one page with many in-links costs, fold by fold."""
        lines = ["| fold | seconds | tasks | most that one task got, MB | bytes an in-link |", "|---|---|---|---|---|"]
        for row in self._skew["folds"]:
            most = row["largest_task_bytes"]
            each = f"{most / self._skew['in_links']:.2f}"
            lines.append(f"| {row['fold']} | {row['seconds']:.1f} | {row['tasks']} | {most / 1e6:,.1f} | {each} |")
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
        sizes = (PAPERS_PAGES, 3_000_000_000)
        for title, figure in self._figures(row).items():
            lines.append(f"| {title} | " + " | ".join(figure(pages) for pages in sizes) + " |")
        return "\n".join(lines)

    def _figures(self, row: dict[str, Any]) -> dict[str, Any]:
        core_seconds = row["processor_seconds"] / row["pages"]
        index, crawl = row["index_bytes"] / row["pages"], row["crawl_bytes"] / row["pages"]
        travelled = sum(row["shuffled"].values()) / row["pages"]
        hours = {
            f"hours on {cores} cores, all of them busy": (
                lambda pages, cores=cores: _hours(pages * core_seconds / cores)
            )
            for cores in CORES
        }
        return {
            "core-hours": lambda pages: f"{pages * core_seconds / 3600:,.0f}",
            **hours,
            "hours that what is one task takes, whatever the cluster": (
                lambda pages: _hours(pages * self._single_seconds() / row["pages"])
            ),
            "crawl, compressed": lambda pages: _bytes(pages * crawl),
            "through the shuffle": lambda pages: _bytes(pages * travelled),
            "index": lambda pages: _bytes(pages * index),
        }


def _hours(seconds: float) -> str:
    """Hours, with two digits that say something."""
    hours = seconds / 3600
    return f"{hours:,.1f}" if hours >= 1 else f"{hours:.2f}"


def _bytes(size: float) -> str:
    return f"{size / TIB:,.1f} TiB" if size >= TIB else f"{size / GIB:,.0f} GiB"
