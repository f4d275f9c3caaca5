"""Webs made by hand or sampled, and the steps from PAGES to DUPLICATES run on them by the engine for one machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.hashing import hash_text
from pagekin.pipelines import SCHEMAS, pages_to_duplicates
from pagekin.settings import DuplicateSettings, Settings
from pagekin.tables import PAGES, URLS

RESULTS = ("resemblances", "duplicates", "mirrored_hosts", "exact_copies", "boilerplate", "long_lists")
Tables = dict[str, pa.Table]


def page_row(url: str, segments: Sequence[str]) -> dict[str, object]:
    """A row of PAGES: segments of words with a break before each."""
    words = [hash_text(word) for segment in segments for word in segment.split()]
    ends = np.cumsum([len(segment.split()) for segment in segments])[:-1].tolist()
    row: dict[str, object] = {field.name: [] for field in PAGES if pa.types.is_list(field.type)}
    return row | {
        "site_id": 1, "page": hash_text(url), "url": url, "site": "", "title": "", "language": "", "captured_as": "",
        "captured_at": datetime(2020, 1, 1, tzinfo=UTC), "noindex": False, "words": words, "title_first": 0,
        "title_last": 0, "break_at": ends, "break_kinds": [4] * len(ends),
    }  # fmt: skip


def web(pages: Mapping[str, str], links: Mapping[str, int] | None = None) -> Tables:
    """PAGES and URLS of pages by their addresses; a | in a text is a break."""
    rows = [page_row(url, [part for part in text.split("|") if part.split()]) for url, text in pages.items()]
    table = pa.Table.from_pylist(rows, schema=PAGES)
    in_links = pa.array([(links or {}).get(url, 0) for url in pages], pa.int64())
    urls = pa.table([table["page"], table["url"], pa.array([True] * len(pages)), in_links], URLS.names)
    return {"pages": table, "urls": urls.cast(URLS).sort_by("page")}


def found(
    tables: Tables,
    folder: Path,
    settings: DuplicateSettings | None = None,
    engine: LocalEngine | None = None,
    rows: int = 4096,
) -> Tables:
    """What the steps make of these tables, which are written in row groups of so many rows."""
    for name in ("pages", "urls"):
        (folder / name).mkdir(parents=True)
        pq.write_table(tables[name], folder / name / "part.parquet", row_group_size=rows)
    steps = pages_to_duplicates(Settings(duplicates=settings or DuplicateSettings()))
    (engine or LocalEngine(1)).run(steps, [], SCHEMAS, folder)
    return {name: read_table(folder / name, SCHEMAS[name]).combine_chunks() for name in RESULTS}


def copies(tables: Tables, results: Tables) -> dict[str, str]:
    """Each copy with its representative, by their addresses."""
    url = dict(zip(tables["urls"]["page"].to_pylist(), tables["urls"]["url"].to_pylist(), strict=True))
    rows = results["duplicates"].to_pylist()
    return {url[row["page"]]: url[row["representative"]] for row in rows}


def together(copies: Mapping[str, str]) -> set[frozenset[str]]:
    """All pairs of pages that are in one cluster."""
    clusters: dict[str, set[str]] = {}
    for copy, representative in copies.items():
        clusters.setdefault(representative, {representative}).add(copy)
    return {frozenset(pair) for cluster in clusters.values() for pair in combinations(sorted(cluster), 2)}


def words(seed: int, count: int) -> list[str]:
    """So many words of a made-up language."""
    return [f"w{number}" for number in np.random.default_rng(seed).integers(0, 5000, count)]


def text(seed: int, count: int = 200) -> str:
    """The same as one text."""
    return " ".join(words(seed, count))
