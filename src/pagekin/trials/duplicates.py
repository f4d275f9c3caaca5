"""Which pages of an index or of crawl files are copies of others, as records for a person to read."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pagekin.duplicates.shingles import TEXT_COLUMNS, contents, text_chunk
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import table_parts
from pagekin.errors import SettingsError
from pagekin.number_set import number_set
from pagekin.pipelines import SCHEMAS, pages_to_duplicates
from pagekin.settings import Settings
from pagekin.trials.crawl_tables import CrawlTables, crawl_tables, index_tables, is_index, link_tables

FEW_BYTES = 64 << 20  # of PAGES: below that, to begin worker processes takes longer than the work
PASSAGE = 12  # words of a passage that differs, at most
LOOKED_AT = 1000  # words behind the first that differs
COMPARED_COPIES = 10  # of a cluster, the most alike
PASSAGES = 3  # of a copy, at most


@dataclass(frozen=True)
class Difference:
    """The first words that a page has in place of those of another."""

    here: str
    there: str


@dataclass(frozen=True)
class Copy:
    """A page that another stands for, compared with that."""

    url: str
    resemblance: float
    containment: float | None  # the share of it that its representative has; None if the two were not compared
    containing: float | None  # the share of the representative that it has
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class Cluster:
    """Copies of one page, and the page that stands for all."""

    representative: str
    copies: tuple[Copy, ...]

    @property
    def pages(self) -> list[str]:
        """All addresses, the representative first."""
        return [self.representative, *(copy.url for copy in self.copies)]

    @property
    def resemblance(self) -> float:
        """That of the copy that is least like the representative."""
        return min(copy.resemblance for copy in self.copies)

    @property
    def containment(self) -> float | None:
        """Of the copy that has least in common with the representative, the share of the smaller page."""
        return min(
            (max(c.containment, c.containing or 0) for c in self.copies if c.containment is not None), default=None
        )


@dataclass(frozen=True)
class Part:
    """A page that stands within a much larger one, and is no copy of it."""

    url: str
    whole: str
    containment: float


@dataclass(frozen=True)
class Mirror:
    """Two hosts most of whose pages are alike."""

    host: str
    original: str
    alike: int
    pages: int
    original_pages: int

    @property
    def share(self) -> float:
        """The share of the smaller host that is alike."""
        return self.alike / min(self.pages, self.original_pages)


@dataclass(frozen=True)
class Duplicates:
    """All that was found; `kept` and `dropped` are addresses."""

    clusters: tuple[Cluster, ...]
    parts: tuple[Part, ...]
    mirrors: tuple[Mirror, ...]
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    capped: int  # lists that were too long for all their pairs to be compared

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len(self.kept) + len(self.dropped)


def duplicates(
    crawl: str | Path | Sequence[str | Path],
    settings: Settings | None = None,
    engine: LocalEngine | None = None,
    *,
    examples: int = 0,
) -> Duplicates:
    """The copies among the pages of an index or of crawl files.

    For so many clusters, the largest, it is said what differs.
    """
    inputs = [str(path) for path in ([crawl] if isinstance(crawl, str | Path) else crawl)]
    engine = engine or LocalEngine(os.cpu_count() or 1)
    with tempfile.TemporaryDirectory(prefix="pagekin-duplicates-") as folder:
        work = Path(folder)
        tables = _tables(inputs, settings, work, engine)
        return _with_differences(read_duplicates(tables), examples, tables)


def _tables(inputs: Sequence[str], settings: Settings | None, work: Path, engine: LocalEngine) -> CrawlTables:
    """The tables of copies, with PAGES beside them: those that an index has, or new ones."""
    tables = index_tables(Path(inputs[0])) if is_index(inputs) else None
    wanted = settings or (tables.settings if tables else Settings())
    if not wanted.duplicates.super_shingles:
        raise SettingsError(
            f"copies in {inputs[0]} are not looked for with duplicates.super_shingles=0; --set it to 16 to do so"
        )
    if tables is None:
        return _compared(crawl_tables(inputs, wanted, work / "crawl", engine), work / "duplicates", engine)
    if settings is not None and settings.crawl != tables.settings.crawl:
        raise SettingsError(
            f"{inputs[0]} is an index, whose pages have been read: crawl settings belong to `pagekin build`; give the "
            "crawl files in its place"
        )
    if settings is None or settings.duplicates == tables.settings.duplicates:
        return tables
    return _compared(replace(tables, settings=settings), work / "duplicates", engine)


def _compared(tables: CrawlTables, work: Path, engine: LocalEngine) -> CrawlTables:
    work.mkdir()
    link_tables(work, tables.folder, ("pages", "urls", "lexicon"))
    workers = engine.workers if tables.bytes > FEW_BYTES else 1
    steps = pages_to_duplicates(tables.settings)
    LocalEngine(workers, engine.memory, engine.observer).run(steps, [], SCHEMAS, work)
    return replace(tables, folder=work)


# --- from tables to records ---------------------------------------------------------------------------------


class _Pair(NamedTuple):
    """How a page and another were found to be alike, as seen from the page."""

    resemblance: float
    containment: float
    containing: float


class _Found(NamedTuple):
    """The tables as mappings of page ids."""

    url: Mapping[int, str]
    first: Mapping[int, int]  # of exact copies
    representative: Mapping[int, int]
    pairs: Mapping[tuple[int, int], _Pair]


def read_duplicates(tables: CrawlTables) -> Duplicates:
    """What the steps left in a folder."""
    urls = tables.table("urls", ["page", "url", "fetched"])
    fetched = urls.filter(urls["fetched"])
    copies = tables.table("duplicates")
    found = _Found(
        _mapping(fetched, "page", "url"),
        _mapping(tables.table("exact_copies"), "page", "first"),
        _mapping(copies, "page", "representative"),
        _pairs(tables.table("resemblances")),
    )
    dropped = {found.url[page] for page in found.representative}
    return Duplicates(
        _clusters(found, copies),
        _parts(found),
        tuple(Mirror(**row) for row in tables.table("mirrored_hosts").to_pylist()),
        tuple(sorted(set(found.url.values()) - dropped)),
        tuple(sorted(dropped)),
        tables.table("long_lists", ["number"]).num_rows,
    )


def _mapping(table: pa.Table, key: str, value: str) -> dict[int, Any]:
    return dict(zip(table[key].to_pylist(), table[value].to_pylist(), strict=True))


def _pairs(resemblances: pa.Table) -> dict[tuple[int, int], _Pair]:
    rows = zip(*(resemblances[name].to_pylist() for name in resemblances.schema.names[:5]), strict=True)
    return {(page, other): _Pair(*likeness) for page, other, *likeness in rows}


def _pair(found: _Found, page: int, other: int) -> _Pair | None:
    """How two pages are alike, exact copies standing for one another."""
    one, two = found.first.get(page, page), found.first.get(other, other)
    if one == two:
        return _Pair(1.0, 1.0, 1.0)
    if one < two:
        return found.pairs.get((one, two))
    turned = found.pairs.get((two, one))
    return turned and _Pair(turned.resemblance, turned.containing, turned.containment)


def _clusters(found: _Found, copies: pa.Table) -> tuple[Cluster, ...]:
    """The clusters, the largest first; their copies, those most like the representative first."""
    members: dict[int, list[Copy]] = defaultdict(list)
    for row in copies.to_pylist():
        pair = _pair(found, row["page"], row["representative"])
        contained = (pair.containment, pair.containing) if pair else (None, None)
        members[row["representative"]].append(Copy(found.url[row["page"]], row["resemblance"], *contained))
    clusters = [
        Cluster(found.url[page], tuple(sorted(of_page, key=lambda copy: (-copy.resemblance, copy.url))))
        for page, of_page in members.items()
    ]
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster.copies), cluster.representative)))


def _parts(found: _Found) -> tuple[Part, ...]:
    """The representatives that are a part of another."""
    parts: dict[tuple[str, str], float] = {}
    for (page, other), pair in found.pairs.items():
        inner, outer = (page, other) if pair.containment >= pair.containing else (other, page)
        one, two = (found.representative.get(each, each) for each in (inner, outer))
        if one != two:
            key = (found.url[one], found.url[two])
            parts[key] = max(parts.get(key, 0.0), pair.containment, pair.containing)
    return tuple(Part(*key, containment) for key, containment in sorted(parts.items()))


# --- what differs -------------------------------------------------------------------------------------------


def _with_differences(found: Duplicates, examples: int, tables: CrawlTables) -> Duplicates:
    shown = found.clusters[:examples]
    wanted = {url for cluster in shown if cluster.resemblance < 1 for url in cluster.pages[: 1 + COMPARED_COPIES]}
    if not wanted:
        return found
    texts = _texts(wanted, tables)
    words = _word_texts(texts.values(), tables)
    clusters = [
        replace(cluster, copies=tuple(_told(copy, cluster, texts, words) for copy in cluster.copies))
        for cluster in shown
    ]
    return replace(found, clusters=(*clusters, *found.clusters[examples:]))


def _told(copy: Copy, cluster: Cluster, texts: Mapping[str, list[int]], words: Mapping[int, str]) -> Copy:
    if copy.resemblance == 1 or copy.url not in texts:
        return copy
    pairs = differing(texts[copy.url], texts[cluster.representative])
    told = [Difference(*(" ".join(words[word] for word in passage) for passage in pair)) for pair in pairs]
    return replace(copy, differences=tuple(told))


def _texts(urls: set[str], tables: CrawlTables) -> dict[str, list[int]]:
    """The content of some pages."""
    known = number_set(tables.table("boilerplate")["segment"].to_numpy())
    texts: dict[str, list[int]] = {}
    for rows in _row_groups(tables, [*TEXT_COLUMNS, "url"], "url", pa.array(urls)):
        for batch in rows.combine_chunks().to_batches():
            words = contents(text_chunk(batch), known, tables.settings.duplicates)
            texts |= {url: text.tolist() for url, text in zip(batch["url"].to_pylist(), words, strict=True)}
    return texts


def _row_groups(tables: CrawlTables, columns: list[str], name: str, wanted: pa.Array) -> Iterator[pa.Table]:
    """The rows of PAGES with certain values, a row group at a time."""
    for part in table_parts(tables.folder / "pages"):
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                values = file.read_row_group(group, [name])[name]
                rows = np.flatnonzero(pc.is_in(values, wanted).to_numpy())
                if len(rows):
                    yield file.read_row_group(group, columns).take(pa.array(rows))


def _word_texts(texts: Iterable[list[int]], tables: CrawlTables) -> dict[int, str]:
    wanted = pa.array(sorted({word for text in texts for word in text}), pa.int64())
    found: dict[int, str] = {}
    for part in table_parts(tables.folder / "lexicon"):
        lexicon = pq.read_table(part, columns=["word", "text"])
        found |= _mapping(lexicon.filter(pc.is_in(lexicon["word"], wanted)), "word", "text")
    return found


def differing(here: Sequence[int], there: Sequence[int]) -> list[tuple[Sequence[int], Sequence[int]]]:
    """The first passages that one text has in place of those of another, cut to a few words each.

    >>> differing([1, 2, 9, 3], [1, 2, 3, 4])
    [([9], []), ([], [4])]
    """
    same = next((k for k, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    one, other = here[same : same + LOOKED_AT], there[same : same + LOOKED_AT]
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    found: list[tuple[Sequence[int], Sequence[int]]] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        pair = (one[a : min(b, a + PASSAGE)], other[c : min(d, c + PASSAGE)])
        if kind != "equal" and pair not in found and len(found) < PASSAGES:
            found.append(pair)
    return found
