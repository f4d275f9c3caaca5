"""How fast do pages become bags, and how fast would it be to write every word of every window as a row?

    python benchmarks/bags.py CRAWL… --pages 20000

Takes the pages of the crawl that have 60 to 150 links, as often as needed, each copy as a web of its own with
its own site and addresses, and measures on one core: the window kernel alone; the whole way from PAGES to BAGS,
from Arrow batches in memory to Arrow batches in memory, with nothing left out ("every row"), with the links of
templates counted ("all links"), and with the defaults; and, on the rows (page, term, weight) of the first, a bare
open-addressing table that adds the weights up, its rows made beforehand. Each is measured in a process of its own,
so that its peak of memory is its own. Without a crawl: the sample web. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from pagekin.bags.chunk import COLUMNS
from pagekin.bags.gather import Gatherable, distance_weights, gatherable
from pagekin.bags.templates import template_table
from pagekin.bags.terms import term_map
from pagekin.bags.windows import anchor_windows
from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.engines.protocol import Fold, Map, batches_of
from pagekin.pipelines import SCHEMAS, crawl_to_pages, pages_to_bags
from pagekin.settings import Settings, Strategy

LEAST_LINKS, MOST_LINKS = 60, 150
LOT_BYTES = 128 << 20  # what one task of the local engine reads with 1 GiB and one worker
ALL_LINKS = Strategy(template_links=True, nofollow=True)
EVERY_ROW = replace(ALL_LINKS, template_pages=0, repeats=0)  # nothing is left out: the rows that the peer gets
CHAINS = ("every row", "all links", "defaults")
BESIDE = ("word_terms", "terms", "languages", "templates")
SPANS = (("low", 0), ("first", 0), ("last", 1), ("high", 1))  # of a window; a page is all anchor
Tables = dict[str, pa.Table]


# --- pages to measure on ------------------------------------------------------------------------------------


def scanned(crawl: list[str], folder: Path) -> Tables:
    """PAGES and LEXICON of a crawl."""
    if not crawl:
        from pagekin.sample import write_sample

        write_sample(folder / "web", 4000)
        crawl = [str(folder / "web" / "sample.warc.gz")]
    settings = Settings()
    splits, _ = find_splits(crawl, settings.crawl)
    LocalEngine(workers=1).run(crawl_to_pages(settings), splits, SCHEMAS, folder / "tables")
    return {name: read_table(folder / "tables" / name, SCHEMAS[name]) for name in ("pages", "lexicon")}


def chosen(tables: Tables, wanted: int) -> Tables:
    """The pages with about a hundred links, copied to the number wanted, with their words and addresses."""
    links = pc.list_value_length(tables["pages"]["link_page"]).to_numpy()
    fit = np.flatnonzero((links >= LEAST_LINKS) & (links <= MOST_LINKS))
    if len(fit) < 100:
        fit = np.sort(np.argsort(-links, kind="stable")[:2000])
    pages = tables["pages"].select(list(COLUMNS)).take(pa.array(fit)).combine_chunks()
    copies = pa.concat_tables([_copy(pages, number) for number in range(-(-wanted // len(fit)))])
    lexicon = tables["lexicon"]
    words = pa.array(np.unique(pages["words"].chunk(0).flatten().to_numpy()))
    return {
        "pages": copies.sort_by([("site_id", "ascending"), ("page", "ascending")]).combine_chunks(),
        "lexicon": lexicon.filter(pc.is_in(lexicon["word"], words)).combine_chunks(),
        "urls": _addresses(copies),
    }


def _copy(pages: pa.Table, number: int) -> pa.Table:
    """The same pages on another web: the ids of sites and pages are turned round by a number of their own."""
    turn = np.int64(number * 0x5851F42D4C957F2D & 0x7FFFFFFFFFFFFFFF)
    columns = {name: pages[name].chunk(0) for name in pages.column_names}
    for name in ("page", "site_id"):
        columns[name] = pa.array(columns[name].to_numpy() ^ turn)
    targets = columns["link_page"]
    moved = pa.array(targets.flatten().to_numpy() ^ turn)
    columns["link_page"] = pa.ListArray.from_arrays(targets.offsets, moved, type=targets.type)
    return pa.table(columns, schema=pages.schema)


def _addresses(pages: pa.Table) -> pa.Table:
    linked = [chunk.flatten().to_numpy() for chunk in pages["link_page"].chunks]
    ids = np.unique(np.concatenate([*linked, pages["page"].to_numpy()]))
    nothing = pa.array(np.zeros(len(ids), np.int64))
    columns = [pa.array(ids), pa.array([""] * len(ids)), pc.equal(nothing, 1), nothing]
    return pa.Table.from_arrays(columns, schema=SCHEMAS["urls"])


# --- the chain ----------------------------------------------------------------------------------------------


def _lots(table: pa.Table, columns: Iterable[str] | None) -> Iterator[list[pa.RecordBatch]]:
    rows = table.select(list(columns)) if columns else table
    number = max(-(-rows.nbytes // LOT_BYTES), 1)
    size = -(-rows.num_rows // number)
    for start in range(0, rows.num_rows, size):
        yield list(batches_of(rows.slice(start, size)))


def _in_order(table: pa.Table, key: tuple[str, ...]) -> pa.Table:
    columns = [table[name].to_numpy() for name in key]
    if not key or (len(key) == 1 and (np.diff(columns[0]) >= 0).all()):
        return table
    return table.take(pa.array(np.lexsort(columns[::-1])))


def run_step(step: Map | Fold, tables: Tables) -> None:
    """Run a step on tables in memory as the local engine does on files, without the files."""
    sides = {name: tables[name] for name in step.uses}
    found: dict[str, list[pa.RecordBatch]] = {name: [] for name in step.writes}
    if isinstance(step, Map):
        lots = _lots(tables[step.reads], step.columns)
    else:
        lots = iter([list(batches_of(_in_order(tables[step.reads], step.key)))])
    for lot in lots:
        for name, batch in step.step(lot, **sides):
            found[name].append(batch)
    tables.update({name: pa.Table.from_batches(batches, SCHEMAS[name]) for name, batches in found.items()})


def chain_seconds(tables: Tables, strategy: Strategy) -> dict[str, float]:
    """Processor seconds of each step from PAGES to BAGS."""
    seconds = {}
    for step in pages_to_bags(Settings(strategy=strategy)):
        assert isinstance(step, Map | Fold)
        started = time.process_time()
        run_step(step, tables)
        seconds[step.name] = time.process_time() - started
    return seconds


# --- the peer -----------------------------------------------------------------------------------------------


@njit(cache=True)
def _write_rows(
    target: NDArray[np.int32], low: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64],
    high: NDArray[np.int64], terms: NDArray[np.int32], by_distance: NDArray[np.int64],
    keys: NDArray[np.int64], weights: NDArray[np.int32],
) -> int:  # fmt: skip
    count = 0
    for i in range(len(target)):
        for k in range(low[i], high[i]):
            distance = first[i] - k if k < first[i] else max(k - last[i] + 1, 0)
            if by_distance[distance] > 0:
                keys[count] = np.int64(target[i]) << 32 | (terms[k] ^ (terms[k] >> 31))
                weights[count] = by_distance[distance]
                count += 1
    return count


@njit(cache=True)
def _add_rows(
    keys: NDArray[np.int64], weights: NDArray[np.int32], slots: NDArray[np.int64], totals: NDArray[np.int64]
) -> int:
    """Add weights up by key; the table has room for all keys, and 0 marks an empty slot."""
    mask, shift, used = len(slots) - 1, np.uint64(20), 0
    for i in range(len(keys)):
        key = keys[i] + 1
        slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift) & mask
        while slots[slot] != key and slots[slot] != 0:
            slot = (slot + 1) & mask
        if slots[slot] == 0:
            slots[slot] = key
            used += 1
        totals[slot] += weights[i]
    return used


def hash_figures(tables: Tables, strategy: Strategy) -> dict[str, float]:
    """Seconds of the bare aggregation of all rows that windows and contents give."""
    found = prepared(tables, strategy)
    windows, ends = found.windows, found.stream.ends
    addresses = tables["urls"]["page"].to_numpy()
    own, linked = (
        np.searchsorted(addresses, ids) for ids in (found.chunk.page, found.chunk.link_page[windows["link"]])
    )
    spans = [np.append(windows[name], ends[k:][: len(own)]) for name, k in SPANS]
    target = np.append(linked, own).astype(np.int32)
    room = int((spans[3] - spans[0]).sum())
    keys, weights = np.empty(room, np.int64), np.empty(room, np.int32)
    count = _write_rows(target, *spans, found.stream.terms, distance_weights(strategy), keys, weights)
    keys, weights = keys[:count], weights[:count]
    distinct = count_distinct(keys)
    slots = np.zeros(1 << (int(1.5 * distinct)).bit_length(), np.int64)
    totals = np.zeros(len(slots), np.int64)
    _add_rows(keys[:1], weights[:1], slots, totals)
    slots[:], totals[:] = 0, 0
    started = time.process_time()  # all memory is there already
    _add_rows(keys, weights, slots, totals)
    return {"rows": count, "distinct": distinct, "seconds": time.process_time() - started}


def count_distinct(keys: NDArray[np.int64]) -> int:
    """How many different keys there are, so that the peer gets a table of the best size."""
    slots = np.zeros(1 << (2 * len(keys)).bit_length(), np.int64)
    return _add_rows(keys, np.zeros(len(keys), np.int32), slots, np.zeros(len(slots), np.int64))


# --- the window kernel --------------------------------------------------------------------------------------


def prepared(tables: Tables, strategy: Strategy) -> Gatherable:
    """The windows of all pages at once, and the tables that they need."""
    for step in pages_to_bags(Settings(strategy=strategy)):
        if step.name == "citations":
            break
        assert isinstance(step, Map | Fold)
        run_step(step, tables)
    return gatherable(*(tables[name] for name in ("pages", *BESIDE)), strategy)


def words_a_side(windows: NDArray[np.void]) -> float:
    """How many words windows have on one side, on the average, with the heading of the region."""
    both = windows["first"] - windows["low"] + windows["high"] - windows["last"]
    both += windows["heading_last"] - windows["heading"]
    return round(float(both.mean()) / 2, 1)


def window_figures(tables: Tables) -> dict[str, Any]:
    """Links per second of the kernel, from the words of the pages, and how many words a side windows have."""
    chunk = prepared(tables, ALL_LINKS).chunk
    terms = term_map(tables["word_terms"], tables["terms"], tables["languages"]["language"].to_pylist())
    figures: dict[str, Any] = {}
    for window in ("32", "syntactic", "topical"):
        strategy = replace(ALL_LINKS, window=window)
        templates = template_table(tables["templates"], strategy)
        started = time.process_time()
        _, windows = anchor_windows(chunk, terms, templates, strategy)
        seconds = time.process_time() - started
        _, counted = anchor_windows(chunk, terms, templates, Strategy(window=window))
        figures[window] = {
            "links": len(windows),
            "seconds": seconds,
            "links_per_second": round(len(windows) / seconds),
            "words_a_side": words_a_side(windows),
            "words_a_side_defaults": words_a_side(counted),
        }
    return figures


# --- one process a measurement ------------------------------------------------------------------------------


class _Peak(threading.Thread):
    """The most memory that this process has beyond what it had when the watch began."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.before, self.most, self.stopped = _resident(), 0, threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.02):
            self.most = max(self.most, _resident() - self.before)


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _measure(what: str, folder: Path, queue: Any) -> None:
    tables = {name: read_table(folder / name, SCHEMAS[name]) for name in ("lexicon", "urls")}
    tables["pages"] = pa.ipc.open_file(pa.memory_map(str(folder / "pages.arrow"))).read_all()
    tables["duplicates"] = SCHEMAS["duplicates"].empty_table()  # no page is a copy of another here
    small = {**tables, "pages": tables["pages"].slice(0, 200).combine_chunks()}
    task: Callable[[Tables], Any] = {
        "windows": window_figures,
        "every row": lambda given: chain_seconds(given, EVERY_ROW),
        "all links": lambda given: chain_seconds(given, ALL_LINKS),
        "defaults": lambda given: chain_seconds(given, Strategy()),
        "hash": lambda given: hash_figures(given, EVERY_ROW),
    }[what]
    task(dict(small))  # kernels are compiled
    if what != "hash":
        task(dict(tables))  # and the machine has given this process its memory, which a virtual one does slowly
    watch = _Peak()
    watch.start()
    figures = task(dict(tables))
    if what != "hash":
        figures = min(figures, task(dict(tables)), key=_whole_seconds)
    watch.stopped.set()
    watch.join()
    queue.put((figures, watch.most))


def _whole_seconds(figures: dict[str, Any]) -> float:
    return sum(row["seconds"] if isinstance(row, dict) else row for row in figures.values())


def measured(what: str, folder: Path) -> tuple[Any, int]:
    """The figures of one task, and its peak of memory in bytes."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_measure, args=(what, folder, queue))
    process.start()
    while True:
        try:
            answer: tuple[Any, int] = queue.get(timeout=1)
            break
        except Exception:
            if not process.is_alive():
                sys.exit(f"the measurement of {what} ended with status {process.exitcode}")
    process.join()
    return answer


def write_input(tables: Tables, folder: Path) -> None:
    """What the measuring processes read."""
    import pyarrow.parquet as pq

    for name in ("lexicon", "urls"):
        (folder / name).mkdir()
        pq.write_table(tables[name], folder / name / "part.parquet")
    with (
        pa.OSFile(str(folder / "pages.arrow"), "wb") as file,
        pa.ipc.new_file(file, tables["pages"].schema) as writer,
    ):
        writer.write_table(tables["pages"])


def figures_of(crawl: list[str], pages: int) -> dict[str, Any]:
    """All that is measured."""
    with tempfile.TemporaryDirectory(prefix="pagekin-bags-") as name:
        folder = Path(name)
        tables = chosen(scanned(crawl, folder), pages)
        write_input(tables, folder)
        rows, links, words = (
            tables["pages"].num_rows,
            pc.sum(pc.list_value_length(tables["pages"]["link_page"])).as_py(),
            pc.sum(pc.list_value_length(tables["pages"]["words"])).as_py(),
        )
        figures: dict[str, Any] = {
            "pages": rows, "links_per_page": round(links / rows, 1), "words_per_page": round(words / rows, 1),
            "lexicon": tables["lexicon"].num_rows, "addresses": tables["urls"].num_rows,
        }  # fmt: skip
        del tables
        figures["windows"], figures["windows_peak"] = measured("windows", folder)
        for name in CHAINS:
            steps, peak = measured(name, folder)
            seconds = sum(steps.values())
            figures[name] = {
                "seconds": round(seconds, 3), "pages_per_second": round(rows / seconds), "peak_bytes": peak,
                "steps": {step: round(spent, 3) for step, spent in steps.items()},
            }  # fmt: skip
        peer, peak = measured("hash", folder)
        figures["hash"] = {**peer, "seconds": round(peer["seconds"], 3), "peak_bytes": peak}
        figures["ratio"] = round(peer["seconds"] / figures["every row"]["seconds"], 2)
    return figures


def print_figures(figures: dict[str, Any]) -> None:
    """A table for a person."""
    print(
        f"{figures['pages']:,} pages, {figures['links_per_page']} links and {figures['words_per_page']} words "
        f"a page, {figures['lexicon']:,} different words, {figures['addresses']:,} addresses"
    )
    print(f"\n{'windows':<24}{'links/s':>14}{'words a side':>14}{'by default':>14}")
    for window, row in figures["windows"].items():
        widths = f"{row['words_a_side']:>14}{row['words_a_side_defaults']:>14}"
        print(f"{window:<24}{row['links_per_second']:>14,}{widths}")
    print(f"\n{'PAGES to BAGS':<24}{'seconds':>14}{'pages/s':>14}{'peak MiB':>14}")
    for name in CHAINS:
        row = figures[name]
        print(f"{name:<24}{row['seconds']:>14.2f}{row['pages_per_second']:>14,}{row['peak_bytes'] >> 20:>14,}")
    row = figures["hash"]
    print(f"{'rows into a hash table':<24}{row['seconds']:>14.2f}{'':>14}{row['peak_bytes'] >> 20:>14,}")
    print(
        f"{row['rows']:,} rows, {row['distinct']:,} different; "
        f"with every row, the chain is {figures['ratio']} times as fast"
    )
    print("\n" + f"{'seconds of the step':<24}" + "".join(f"{name:>14}" for name in CHAINS))
    for step in figures["defaults"]["steps"]:
        print(f"{step:<24}" + "".join(f"{figures[name]['steps'][step]:>14.3f}" for name in CHAINS))


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("crawl", nargs="*", help="crawl files or folders; the sample web if there are none")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    figures = figures_of(options.crawl, options.pages)
    if options.json:
        print(json.dumps(figures))
    else:
        print_figures(figures)


if __name__ == "__main__":
    main()
