"""How fast do blocks of links become the pages that are cited together, and does the cost grow with the pages alone?

    OPENBLAS_NUM_THREADS=1 python benchmarks/cocitation.py
    OPENBLAS_NUM_THREADS=1 python benchmarks/cocitation.py --quick --memory --plot growth.svg

*Merging* takes made-up CITED rows: blocks of 3 to 80 links about one topic each, its pages drawn by rank (Zipf), on
thousands of sites, a few of them templates that stand on many pages of their site. The local engine writes them as in
a build, in sorted runs without what sites repeat, and runs the two folds of `pages_to_cocited`. 10,000,000 pairs are
20,000,000 entries (page, other); wanted are 60 seconds of one core. Beside it, on the same entries: one `lexsort` of
the columns (page, other, site, anchor) in memory, the floor of every way that sorts; and, if it can be imported, DuckDB
with one thread, which aggregates the same in SQL, but does not find the citing pages. Its totals should be pagekin's.
It may take 4 GiB: with 1 and with 2 GiB it did not come to an end.

*Growth* runs all steps of co-citation, from PAGES to COCITED, on sample webs of growing size (Shen et al., Figure 8),
beside the scan of the same pages.

*Memory* (`--memory`) is the peak of merging the same rows with 256 MiB and with 1 GiB.

Times are processor time, so that a busy machine does not count, with wall time beside it. What is told of memory has
a process of its own, and is its peak beside what it had with all kernels loaded. Linux only: it reads /proc, because
ru_maxrss of a new process is not below what the process that began it had.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.cocitation.merging import least_total
from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.engines.protocol import Map, Step
from pagekin.evaluation.chart import scale
from pagekin.evaluation.results import Estimate
from pagekin.pipelines import SCHEMAS, crawl_to_pages, pages_to_cocited, pages_to_sites, pages_to_terms
from pagekin.sample import write_sample
from pagekin.settings import Settings
from pagekin.tables import AUTHORITY, CITED, COCITED, URLS

SETTINGS = Settings()
MIB = 1 << 20
WANTED_SECONDS = 60
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


class Spent(NamedTuple):
    """Seconds of the processor, and of the clock."""

    cpu: float
    wall: float


class Watch:
    """An observer of a build that notes what each step took."""

    def __init__(self) -> None:
        self.steps: dict[str, Spent] = {}
        self.step, self.begun = "", Spent(0, 0)

    def begin(self, step: str, total: int) -> None:
        """A step begins."""
        self.step, self.begun = step, Spent(time.process_time(), time.perf_counter())

    def advance(self, units: int) -> None:
        """Nothing to note."""

    def end(self) -> None:
        """The step is done."""
        self.steps[self.step] = Spent(time.process_time() - self.begun.cpu, time.perf_counter() - self.begun.wall)


def peak_bytes() -> int:
    """The most memory that this process has had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def alone(task: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(task, *arguments).result()


# --- made-up blocks -----------------------------------------------------------------------------------------

PAGES, PAGES_A_TOPIC = 300_000, 500
LEAST_LINKS, MOST_LINKS = 3, 80
BLOCKS_A_SITE = 7
TEMPLATES, TEMPLATE_PAGES = 0.01, 20  # one block in a hundred stands on so many pages of its site
ANCHORS = 3  # ways to name a page
ALIKE = 0.1  # the share of pairs whose anchors have words in common
GROUP_ENTRIES = 1 << 20  # as many as in a batch of the step that finds blocks


class Block(NamedTuple):
    """A block as rows of CITED: `others` and `similarities` hold one list for each page, all of one length."""

    site: int
    sources: Ints  # the pages that it stands on
    pages: Ints
    anchors: Ints
    others: Ints
    similarities: Floats

    @property
    def entries(self) -> int:
        """Twice the number of its pairs."""
        return len(self.others) * len(self.sources)


@cache
def _others(size: int) -> tuple[Ints, Ints]:
    """For each link of a block, where the others stand, and how far away."""
    here, there = np.nonzero(~np.eye(size, dtype=np.bool_))
    return there, np.abs(there - here)


def _ids(rng: np.random.Generator, number: int) -> Ints:
    return rng.integers(-(1 << 63), (1 << 63) - 1, number)


def drawn_blocks(entries: int) -> Iterator[Block]:
    """Blocks that have so many entries together, site by site."""
    rng = np.random.default_rng(1)
    pages = _ids(rng, PAGES)
    popularity = -np.log(np.arange(PAGES_A_TOPIC) + 1)
    proximity = np.minimum(np.exp((SETTINGS.cocitation.near - np.arange(MOST_LINKS)) / 2), 1)  # Equation 5
    site = number = 0
    while entries > 0:
        if number % BLOCKS_A_SITE == 0:
            site = int(_ids(rng, 1)[0])
        size = int(np.exp(rng.uniform(np.log(LEAST_LINKS), np.log(MOST_LINKS + 1))))
        topic = int(PAGES // PAGES_A_TOPIC * rng.random() ** 2)  # some topics are much larger
        places = np.argpartition(-popularity - rng.gumbel(size=PAGES_A_TOPIC), size)[:size]  # the best of such a race
        cited = topic * PAGES_A_TOPIC + rng.permutation(places)
        there, distance = _others(size)
        likeness = (rng.random(len(there)) < ALIKE) / 3
        sources = _ids(rng, TEMPLATE_PAGES if rng.random() < TEMPLATES else 1)
        anchors = cited * ANCHORS + rng.integers(0, ANCHORS, size)
        similarities = (proximity[distance] * (1 + likeness)).astype(np.float32)
        block = Block(site, sources, pages[cited], anchors, pages[cited[there]], similarities)
        entries -= block.entries
        number += 1
        yield block


def _cited(blocks: list[Block]) -> pa.RecordBatch:
    """Blocks as CITED."""
    copies = [block for block in blocks for _ in block.sources]
    sizes = [len(block.pages) for block in copies]
    plain = [
        np.concatenate([block.pages for block in copies]),
        np.repeat([block.site for block in copies], sizes),
        np.concatenate([block.anchors for block in copies]),
        np.repeat(np.concatenate([block.sources for block in blocks]), sizes),
        np.ones(sum(sizes), np.int64),
    ]
    ends = np.append(0, np.cumsum(np.repeat(np.array(sizes) - 1, sizes))).astype(np.int32)
    flat = {name: np.concatenate([getattr(block, name) for block in copies]) for name in ("others", "similarities")}
    lists = [
        pa.ListArray.from_arrays(pa.array(ends), pa.array(values), type=CITED.field(name).type)
        for name, values in flat.items()
    ]
    return pa.record_batch([*(pa.array(column) for column in plain), *lists], schema=CITED)


def write_input(folder: Path, pairs: int) -> dict[str, int]:
    """Write the drawn rows, and the tables that the folds look up; gives what was written."""
    counts = dict.fromkeys(("blocks", "rows", "pairs", "pairs_of_templates"), 0)
    sites: set[int] = set()
    for name in ("drawn", "authority", "urls"):
        (folder / name).mkdir(parents=True)
    with pq.ParquetWriter(folder / "drawn" / "part.parquet", CITED, compression="zstd") as writer:
        waiting: list[Block] = []
        for block in drawn_blocks(2 * pairs):
            waiting.append(block)
            sites.add(block.site)
            counts["blocks"] += len(block.sources)
            counts["rows"] += len(block.sources) * len(block.pages)
            counts["pairs"] += block.entries // 2
            counts["pairs_of_templates"] += block.entries // 2 if len(block.sources) > 1 else 0
            if sum(each.entries for each in waiting) > GROUP_ENTRIES:
                writer.write_batch(_cited(waiting))
                waiting = []
        if waiting:
            writer.write_batch(_cited(waiting))
    ascending, ones = np.sort(np.array(list(sites))), np.ones(len(sites))
    authority = pa.table([ascending, ones.astype(np.int64), ones], schema=AUTHORITY)
    pq.write_table(authority, folder / "authority" / "part.parquet")
    pages = np.sort(_ids(np.random.default_rng(1), PAGES))
    urls = [pages, pa.array([""] * PAGES), pa.array(np.ones(PAGES, np.bool_)), np.zeros(PAGES, np.int64)]
    pq.write_table(pa.table(urls, schema=URLS), folder / "urls" / "part.parquet")
    return counts | {"sites": len(sites)}


# --- merging ------------------------------------------------------------------------------------------------

FOLDS = ("co-citations", "co-cited")


def _as_they_are(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch]]:
    for batch in batches:
        yield "cited", batch


def merging_steps() -> list[Step]:
    """Rows that a build would find in blocks, and the folds that merge them."""
    drawn = Map("runs", reads="drawn", writes=("cited",), step=_as_they_are)
    return [drawn, *(step for step in pages_to_cocited(SETTINGS) if step.name in FOLDS)]


def _merge(rows: Path, folder: Path, memory: int) -> dict[str, Spent]:
    """Run the folds in a new folder on rows that were drawn; gives what each step took."""
    folder.mkdir()
    for name in ("drawn", "authority", "urls"):
        (folder / name).symlink_to(rows / name)
    watch = Watch()
    LocalEngine(workers=1, memory=memory, observer=watch).run(merging_steps(), (), SCHEMAS, folder)
    return watch.steps


def merged(small: Path, rows: Path, folder: Path, memory: int) -> dict[str, Any]:
    """What merging takes, in time and memory."""
    _merge(small, Path(f"{folder}-small"), memory)  # kernels are loaded
    before = peak_bytes()
    steps = _merge(rows, folder, memory)
    cpu, wall = (sum(spent) for spent in zip(*steps.values(), strict=True))
    return {
        "memory": memory,
        "steps": {
            name: {"cpu_seconds": round(s.cpu, 2), "wall_seconds": round(s.wall, 2)} for name, s in steps.items()
        },
        "cpu_seconds": round(cpu, 2),
        "wall_seconds": round(wall, 2),
        "before_bytes": before,
        "peak_bytes": peak_bytes(),
        "kept": read_table(folder / "cocited", COCITED, ["page"]).num_rows,
    }


def sorted_once(rows: Path) -> dict[str, float]:
    """What one sort of all entries takes."""
    table = pq.read_table(rows / "drawn").combine_chunks()
    others = table["others"].chunk(0)
    row = np.repeat(np.arange(table.num_rows), np.diff(others.offsets.to_numpy()))
    page, site, anchor = (table[name].to_numpy()[row] for name in ("page", "site_id", "anchor"))
    columns = [anchor, site, others.flatten().to_numpy(), page]
    before, begun = peak_bytes(), Spent(time.process_time(), time.perf_counter())
    np.lexsort(columns)
    cpu, wall = time.process_time() - begun.cpu, time.perf_counter() - begun.wall
    return {"cpu_seconds": round(cpu, 2), "wall_seconds": round(wall, 2), "before_bytes": before} | {
        "peak_bytes": peak_bytes()
    }


DUCKDB_MEMORY = "4GiB"
AGGREGATION = """
    with entries as (
        select page, site_id, anchor, unnest(others) as other, unnest(similarities) as similarity from rows),
    cited as (select page, sum(blocks) as blocks from rows group by page),
    anchors as (
        select page, other, site_id, list_sum(max(similarity, {repeats})::double[]) as total
        from entries group by page, other, site_id, anchor),
    sites as (
        select page, other, least(sum(total), {most}) as total from anchors group by page, other, site_id),
    totals as (
        select other as page, page as other, (sum(total) / (1 + ln(any_value(blocks))))::float as total
        from sites join cited using (page) group by all)
    select page, other, total from totals where total >= {least}::float
    qualify row_number() over (partition by page order by total desc, other) <= {pages}
    order by page, total desc, other
"""


def by_duckdb(rows: Path, folder: Path) -> dict[str, Any]:
    """What the same takes in SQL, and how far its totals are from those that pagekin left in a folder."""
    duckdb: Any = importlib.import_module("duckdb")
    settings = SETTINGS.cocitation
    limits = {"threads": 1, "memory_limit": DUCKDB_MEMORY, "temp_directory": str(folder / "duckdb")}
    limits["preserve_insertion_order"] = False
    database = duckdb.connect(config=limits)
    database.execute(f"create view rows as select * from read_parquet('{rows}/drawn/*.parquet')")
    question = AGGREGATION.format(
        repeats=settings.repeats, most=settings.site_most, least=least_total(settings, PAGES), pages=settings.pages
    )
    before, begun = peak_bytes(), Spent(time.process_time(), time.perf_counter())
    found = database.sql(question).to_arrow_table()
    cpu, wall = time.process_time() - begun.cpu, time.perf_counter() - begun.wall
    ours = read_table(folder / "cocited", COCITED, ["page", "other", "total"])
    same = found.num_rows == ours.num_rows
    apart = np.abs(found["total"].to_numpy() - ours["total"].to_numpy()).max(initial=0) if same else np.inf
    return {
        "version": duckdb.__version__, "cpu_seconds": round(cpu, 2), "wall_seconds": round(wall, 2),
        "before_bytes": before, "peak_bytes": peak_bytes(), "kept": found.num_rows,
        "largest_difference": float(f"{apart:.2g}"),
    }  # fmt: skip


def merging_figures(folder: Path, pairs: int, memories: list[int]) -> dict[str, Any]:
    """Merging with each size of memory, and its peers; the first size is that of a build."""
    alone(write_input, folder / "small", 20_000)
    counts = alone(write_input, folder / "rows", pairs)
    alone(merged, folder / "small", folder / "small", folder / "warm", memories[0])  # kernels are compiled
    figures: dict[str, Any] = {"input": counts}
    figures["merging"] = [
        alone(merged, folder / "small", folder / "rows", folder / str(memory), memory) for memory in memories
    ]
    figures["lexsort"] = alone(sorted_once, folder / "rows")
    if importlib.util.find_spec("duckdb"):
        figures["duckdb"] = alone(by_duckdb, folder / "rows", folder / str(memories[0]))
    return figures


# --- growth -------------------------------------------------------------------------------------------------


def _pairs(cited: Path) -> int:
    """How many pairs the runs of CITED have."""
    entries = 0
    for path in cited.glob("*.arrow"):
        with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as run:
            entries += sum(len(run.get_batch(k)["others"].flatten()) for k in range(run.num_record_batches))
    return entries // 2


def _grown(folder: Path, pages: int) -> dict[str, Any]:
    """What the steps of co-citation take on one sample web."""
    write_sample(folder / "web", pages)
    splits, _ = find_splits([str(folder / "web")], SETTINGS.crawl)
    sites, cocited = pages_to_sites(SETTINGS), pages_to_cocited(SETTINGS)
    before = (*crawl_to_pages(SETTINGS), *pages_to_terms(SETTINGS.strategy))
    watch = Watch()
    LocalEngine(workers=1, observer=watch).run((*before, *sites, *cocited), splits, SCHEMAS, folder / "tables")
    parts = {
        "sites": [step.name for step in sites],
        "blocks": [step.name for step in cocited if step.name not in FOLDS],
        "merging": list(FOLDS),
    }
    seconds = {part: round(sum(watch.steps[name].cpu for name in names), 3) for part, names in parts.items()}
    whole = sum(seconds.values())
    return {
        "pages": pages,
        "pairs_per_page": round(_pairs(folder / "tables" / "cited") / pages, 1),
        "parts": seconds,
        "cpu_seconds": round(whole, 3),
        "wall_seconds": round(sum(watch.steps[name].wall for names in parts.values() for name in names), 3),
        "seconds_per_1000": round(1000 * whole / pages, 4),
        "share_of_scan": round(whole / watch.steps["scan"].cpu, 3),
        "kept": read_table(folder / "tables" / "cocited", COCITED, ["page"]).num_rows,
    }


def growth_figures(sizes: list[int]) -> list[dict[str, Any]]:
    """The cost of co-citation on sample webs of these sizes."""
    rows = []
    for pages in (300, *sizes):  # the first is not counted: kernels are compiled
        with tempfile.TemporaryDirectory(prefix="pagekin-growth-") as name:
            rows.append(_grown(Path(name), pages))
    return rows[1:]


WIDTH, HEIGHT, MARGIN = 480, 300, 50


def growth_plot(rows: list[dict[str, Any]]) -> str:
    """Seconds against pages, as SVG, with the line from zero to the largest web: what is linear lies on it."""
    pages, seconds = ([row[name] for row in rows] for name in ("pages", "cpu_seconds"))
    across, up = (scale([Estimate(max(values), 0, max(values))]) for values in (pages, seconds))

    def place(page: float, second: float) -> tuple[str, str]:
        x = MARGIN + (WIDTH - 2 * MARGIN) * page / across.high
        return f"{x:.1f}", f"{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * second / up.high:.1f}"

    def add(tag: str, text: str = "", **attributes: str) -> None:
        SubElement(svg, tag, {name.replace("_", "-"): value for name, value in attributes.items()}).text = text

    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {HEIGHT}"})
    svg.attrib |= {"font-family": "sans-serif", "font-size": "11", "fill": "#333"}
    add("rect", width="100%", height="100%", fill="white")
    add("text", "Co-citation of sample webs: processor seconds", x=str(MARGIN), y="24", font_size="13")
    add("text", "pages", x=str(WIDTH - MARGIN), y=str(HEIGHT - 12), text_anchor="end")
    for tick in up.ticks:
        x, y = place(0, tick)
        add("line", x1=x, x2=str(WIDTH - MARGIN), y1=y, y2=y, stroke="#ddd")
        add("text", f"{tick:g}", x=str(MARGIN - 6), y=y, text_anchor="end", dominant_baseline="middle")
    for tick in across.ticks:
        add("text", f"{tick:,.0f}", x=place(tick, 0)[0], y=str(HEIGHT - MARGIN + 16), text_anchor="middle")
    (x1, y1), (x2, y2) = place(0, 0), place(pages[-1], seconds[-1])
    add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke="#999", stroke_dasharray="4")
    for page, second in zip(pages, seconds, strict=True):
        x, y = place(page, second)
        add("circle", cx=x, cy=y, r="4", fill="#06c")
    return tostring(svg, "unicode")


# --- all of it ----------------------------------------------------------------------------------------------


def figures_of(pairs: int, memories: list[int], sizes: list[int]) -> dict[str, Any]:
    """All that is measured."""
    figures: dict[str, Any] = {"load_before": [round(load, 2) for load in os.getloadavg()]}
    with tempfile.TemporaryDirectory(prefix="pagekin-cocitation-") as name:
        figures |= merging_figures(Path(name), pairs, memories)
    return figures | {"growth": growth_figures(sizes), "load_after": [round(load, 2) for load in os.getloadavg()]}


def print_figures(figures: dict[str, Any]) -> None:
    """Tables for a person."""
    _print_merging(figures)
    _print_growth(figures["growth"])


def _print_merging(figures: dict[str, Any]) -> None:
    counts, rows = figures["input"], figures["merging"]
    pairs = counts["pairs"]
    print(
        f"{pairs:,} pairs in {counts['blocks']:,} blocks ({counts['rows']:,} links) on {counts['sites']:,} sites; "
        f"{counts['pairs_of_templates'] / pairs:.0%} of the pairs in templates"
    )
    print(f"\n{'merging':<24}{'cpu s':>9}{'wall s':>9}{'pairs/s':>12}{'peak MiB':>10}{'before':>8}{'ratio':>8}")
    first = rows[0]
    lines = [(f"pagekin, {row['memory'] // MIB} MiB", row) for row in rows]
    lines += [(name, figures[name]) for name in ("lexsort", "duckdb") if name in figures]
    for name, row in lines:
        spent = f"{row['cpu_seconds']:>9.1f}{row['wall_seconds']:>9.1f}{pairs / max(row['cpu_seconds'], 0.01):>12,.0f}"
        memory = f"{row['peak_bytes'] // MIB:>10,}{row['before_bytes'] // MIB:>8,}"
        print(f"{name:<24}{spent}{memory}{row['cpu_seconds'] / first['cpu_seconds']:>8.2f}")
    for name, step in first["steps"].items():
        print(f"  {name:<22}{step['cpu_seconds']:>9.1f}{step['wall_seconds']:>9.1f}")
    wanted = WANTED_SECONDS * pairs / 10_000_000
    print(
        f"wanted: {wanted:.0f} s of one core; {first['cpu_seconds'] / wanted:.0%} of that; {first['kept']:,} rows kept"
    )
    if "duckdb" in figures:
        peer = figures["duckdb"]
        print(f"DuckDB {peer['version']}: {peer['kept']:,} rows, totals within {peer['largest_difference']:g}")
    else:
        print("DuckDB was left out: it cannot be imported.")


def _print_growth(rows: list[dict[str, Any]]) -> None:
    parts = list(rows[0]["parts"])
    heads = "".join(f"{name:>10}" for name in (*parts, "cpu s", "wall s", "s/1,000", "of scan"))
    print(f"\n{'sample web':>10}{'pairs/page':>12}{heads}{'kept':>12}")
    for row in rows:
        seconds = "".join(f"{row['parts'][part]:>10.2f}" for part in parts)
        whole = f"{row['cpu_seconds']:>10.2f}{row['wall_seconds']:>10.2f}{row['seconds_per_1000']:>10.4f}"
        print(
            f"{row['pages']:>10,}{row['pairs_per_page']:>12}{seconds}{whole}{row['share_of_scan']:>10.1%}{row['kept']:>12,}"
        )


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs and of the pages")
    parser.add_argument("--memory", action="store_true", help="merge with 256 MiB, too")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw how the cost grows")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    memories = [1024 * MIB, *([256 * MIB] if options.memory else [])]
    sizes = [size // share for size in (2_500, 5_000, 10_000, 20_000, 40_000)]
    figures = figures_of(options.pairs // share, memories, sizes)
    if options.plot:
        options.plot.write_text(growth_plot(figures["growth"]), "utf-8")
    if options.json:
        print(json.dumps(figures))
    else:
        print_figures(figures)


if __name__ == "__main__":
    main()
