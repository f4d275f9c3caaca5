"""Writes docs/performance.md, docs/scaling.md and docs/evaluation/peers.md from the results of the benchmarks.

    python benchmarks/write_documents.py

The words are in `benchmarks/templates`; every figure comes from a file in `benchmarks/results`, which says by which
command, on what machine and when it was measured. A test holds the documents to what this makes of the results.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2

from measuring import RESULTS, ROOT
from peer_tables import PeerTables
from scaling_tables import ScalingTables

TEMPLATES = ROOT / "benchmarks" / "templates"
DOCUMENTS = {
    "performance.md": ROOT / "docs/performance.md",
    "scaling.md": ROOT / "docs/scaling.md",
    "peers.md": ROOT / "docs/evaluation/peers.md",
}
MIB = 1 << 20
SMALL_STEP = 0.02  # of the time of a build: steps that take less are told together


def results(folder: Path = RESULTS) -> dict[str, Any]:
    """All results that are there, by the names of their files."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))}


class Results:
    """What templates ask for."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found

    def about(self, name: str) -> str:
        """By what, when and on what something was measured."""
        if name not in self.found:
            return f"*Not measured yet: `python benchmarks/run_all.py --only {name}`.*"
        it = self.found[name]
        used = ", ".join(f"{package} {version}" for package, version in it["versions"].items())
        text = f"`{it['command']}`, {it['date']}, on {it['machine']}, load {it['load']:g}; {used}."
        return f"*Measured by {text}*"

    def output(self, name: str) -> str:
        """What a benchmark printed, below what is told of it."""
        if name not in self.found:
            return self.about(name)
        lines = "\n".join(line.rstrip() for line in self.found[name]["figures"]["output"]).strip("\n")
        return f"{self.about(name)}\n\n```text\n{lines}\n```"

    def markdown(self, name: str) -> str:
        """The same of a benchmark that prints Markdown."""
        if name not in self.found:
            return self.about(name)
        return f"{self.about(name)}\n\n" + "\n".join(self.found[name]["figures"]["output"]).strip("\n")

    def copies(self) -> str:
        """How fast copies are found, of what `duplicates.py` prints as JSON."""
        if "duplicates" not in self.found:
            return self.about("duplicates")
        figures = json.loads("\n".join(self.found["duplicates"]["figures"]["output"]))
        return f"{self.about('duplicates')}\n\n{_sketches(figures['sketches'])}\n\n{_speeds(figures['speed'])}"

    def vocabulary(self) -> str:
        """How fast words are looked up, of what `vocabulary.py` prints as JSON."""
        if "vocabulary" not in self.found:
            return self.about("vocabulary")
        figures = json.loads("\n".join(self.found["vocabulary"]["figures"]["output"]))
        store = figures["store"]
        size = f"A lexicon of {store['words']:,} words, {store['bytes_a_word']:g} bytes each; medians in milliseconds:"
        return f"{self.about('vocabulary')}\n\n{size}\n\n{_lookups(figures['named'] | figures['drawn'])}"

    def picture(self, name: str, path: str, title: str) -> str:
        """What a benchmark drew in the same run, if it did."""
        drew = name in self.found and f"--plot docs/{path}" in self.found[name]["command"]
        return f"![{title}]({path})" if drew else ""

    # --- the whole build

    def builds(self) -> str:
        """Every build, a row each."""
        rows = ["| pages | | workers | seconds of the processor | pages a second | peak MiB | own MiB | bytes a page |"]
        rows.append("|---|---|---|---|---|---|---|---|")
        for crawl in self._crawls():
            rows += [_build_row(crawl["crawl"], row) for row in crawl["rows"]]
        return "\n".join(rows)

    def _crawls(self) -> list[dict[str, Any]]:
        return list(self.found["build"]["figures"]) if "build" in self.found else []

    def floors(self) -> str:
        """The largest build of each kind beside what its pages cost others."""
        heads = "| | " + " | ".join(crawl["crawl"] for crawl in self._crawls()) + " |"
        lines = [heads, "|---" * (len(self._crawls()) + 1) + "|"]
        for title, figure in FLOORS.items():
            lines.append(f"| {title} | " + " | ".join(figure(crawl) for crawl in self._crawls()) + " |")
        return "\n".join(lines)

    def growth(self) -> str:
        """The exponents."""
        lines = ["| | time | bytes | peak memory | own memory |", "|---|---|---|---|---|"]
        for crawl in self._crawls():
            cells = [_or_dash(crawl["growth"][key]) for key in ("cpu_seconds", "bytes", "peak_bytes", "own_bytes")]
            lines.append(f"| {crawl['crawl']}, {_sizes(crawl)} pages | {' | '.join(cells)} |")
        return "\n".join(lines)

    def steps(self) -> str:
        """What the largest build of each kind with one worker takes, by step."""
        return "\n\n".join(f"{crawl['crawl']}: {_steps(_largest(crawl, 'default'))}" for crawl in self._crawls())


def _sketches(rows: dict[str, Any]) -> str:
    lines = ["| | resemblance | error of a sketch | by theory | found | by the curve |", "|---|---|---|---|---|---|"]
    for name, row in rows.items():
        errors = f"{row['rmse']:.4f} | {row['rmse_of_128_draws']:.4f}"
        found = f"{row['found']:.3f} | {row['found_by_the_curve']:.3f}"
        lines.append(f"| {name} | {row['resemblance']:.3f} | {errors} | {found} |")
    return "\n".join(lines)


def _speeds(speed: dict[str, Any]) -> str:
    """Pages a second of each way, and how many times as fast each of pagekin's is."""
    ways = {name: row for name, row in speed.items() if isinstance(row, dict)}
    lines = [f"{speed['pages']:,} pages, {speed['pairs_of_0.9_or_more']:,} such pairs:", ""]
    lines += ["| | pages a second, up to candidates | compared and clustered | recall |", "|---|---|---|---|"]
    for name, row in ways.items():
        ends = row.get("pages_a_second_to_candidates", row["pages_a_second"])
        compared = f"{row['pages_a_second']:,}" if "pages_a_second_to_candidates" in row else "–"
        lines.append(f"| {name} | {ends:,} | {compared} | {row['recall']:.3f} |")
    ratios = [f"{key.removesuffix(', ratio')} is {value:g} times that of {name}" for name, row in ways.items()
              for key, value in row.items() if key.endswith("ratio")]  # fmt: skip
    return "\n".join([*lines, "", "; ".join(ratios).replace("_", " ") + "."])


def _lookups(rows: dict[str, Any]) -> str:
    lines = ["| | words found | pagekin | a scan | tantivy | tantivy / pagekin |", "|---|---|---|---|---|---|"]
    keys = ("words", "pagekin_ms", "scan_ms", "tantivy_ms", "tantivy_ratio")
    for name, row in rows.items():
        cells = ["–" if row.get(key) is None else f"{row[key]:,g}" for key in keys]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _build_row(name: str, row: dict[str, Any]) -> str:
    seconds, pages = row["cpu_seconds"], row["pages"]
    cells = [f"{pages:,} of {name}", row["kind"], str(row["workers"]), f"{seconds:.1f}", f"{pages / seconds:,.0f}"]
    cells += [f"{row[key] / MIB:,.0f}" for key in ("peak_bytes", "own_bytes")]
    return "| " + " | ".join([*cells, f"{row['bytes'] / pages:,.0f}"]) + " |"


def _largest(crawl: dict[str, Any], kind: str) -> dict[str, Any]:
    some = [row for row in crawl["rows"] if row["workers"] == 1 and row["kind"] == kind]
    return max(some, key=lambda row: int(row["pages"]))


def _ms(crawl: dict[str, Any], kind: str) -> float:
    row = _largest(crawl, kind)
    return float(row["cpu_seconds"]) * 1000 / int(row["pages"])


def _floor(crawl: dict[str, Any], name: str) -> str:
    value = crawl["floors"]["ms_per_page"].get(name)
    return "–" if value is None else f"{value:.3f} ms"


def _times(crawl: dict[str, Any], kind: str, name: str, inverse: bool = False) -> str:
    other = crawl["floors"]["ms_per_page"].get(name)
    if other is None:
        return "–"
    ratio = other / _ms(crawl, kind) if inverse else _ms(crawl, kind) / other
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


FLOORS = {
    "pages": lambda crawl: f"{_largest(crawl, 'default')['pages']:,}",
    "pagekin by default, a page": lambda crawl: f"{_ms(crawl, 'default'):.3f} ms",
    "pagekin without the keyword index": lambda crawl: f"{_ms(crawl, 'without keywords'):.3f} ms",
    "gunzip alone": lambda crawl: _floor(crawl, "gunzip"),
    "lexbor, parsing alone": lambda crawl: _floor(crawl, "lexbor"),
    "pagekin, reading the WARC alone": lambda crawl: _floor(crawl, "read"),
    "pagekin, scanning the HTML alone": lambda crawl: _floor(crawl, "scan"),
    "tantivy, making the keyword index alone": lambda crawl: _floor(crawl, "tantivy"),
    "BeautifulSoup, lxml and scikit-learn": lambda crawl: _floor(crawl, "tf_idf"),
    "BeautifulSoup, lxml and embeddings": lambda crawl: _floor(crawl, "embeddings"),
    "**by default, as a multiple of lexbor** (aim: at most 2)": lambda crawl: _times(crawl, "default", "lexbor"),
    "**without keywords, as a multiple of lexbor** (aim: at most 1)": lambda crawl: _times(
        crawl, "without keywords", "lexbor"
    ),
    "**faster than BeautifulSoup and scikit-learn, times** (aim: 10)": lambda crawl: _times(
        crawl, "default", "tf_idf", inverse=True
    ),
    "**faster than BeautifulSoup and embeddings, times** (aim: 50)": lambda crawl: _times(
        crawl, "default", "embeddings", inverse=True
    ),
}


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _sizes(crawl: dict[str, Any]) -> str:
    sizes = sorted({int(row["pages"]) for row in crawl["rows"]})
    return f"{sizes[0]:,} to {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"


def _steps(row: dict[str, Any]) -> str:
    """The steps that take most, in order, as shares of the build."""
    total = sum(row["steps"].values())
    large = {name: taken for name, taken in row["steps"].items() if taken >= SMALL_STEP * total}
    shown = [f"{name} {taken / total:.0%}" for name, taken in sorted(large.items(), key=lambda step: -step[1])]
    rest = 1 - sum(large.values()) / total
    return f"{', '.join(shown)}, {len(row['steps']) - len(large)} others {rest:.0%}, of {total:.1f} s."


# --- writing ------------------------------------------------------------------------------------------------


def documents(found: dict[str, Any]) -> dict[str, str]:
    """The text of each document, by the name of its template."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    templates = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True
    )
    names = {"results": Results(found), "peers": PeerTables(found), "scaling": ScalingTables(found)}
    return {name: templates.get_template(name).render(names) for name in DOCUMENTS}


def write_documents() -> None:
    """Write all documents."""
    for name, text in documents(results()).items():
        DOCUMENTS[name].write_text(text, "utf-8")


if __name__ == "__main__":
    write_documents()
