"""The bags of a crawl under any number of strategies.

What one strategy needed and another needs too is made once: terms by their language settings, templates, and counted
bags, which only weights tell apart.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.bags.weights import weighed
from pagekin.concepts.basis import unpacked
from pagekin.engines.parts import read_table, table_parts
from pagekin.engines.protocol import Engine, Step
from pagekin.evaluation.scores import Bags, Floats
from pagekin.evaluation.strategies import Contender
from pagekin.pipelines import (
    SCHEMAS,
    bag_weights,
    bags_to_concepts,
    bags_to_words,
    pages_to_counts,
    pages_to_duplicates,
    pages_to_templates,
    pages_to_terms,
    terms_to_vectors,
)
from pagekin.settings import Settings, Strategy, WordSettings
from pagekin.trials.crawl_tables import CrawlTables, link_tables
from pagekin.weighting import counts_by_term, document_weights, gaussian

Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]

KEPT_COUNTS = 6  # folders of one kind that are kept for the next strategy

WORD_DIMENSIONS = 256

# Of the fields of a strategy: those that say what a term is, what a template is, and those that count nothing.
TERM_FIELDS = ("stop_words", "stemming", "numbers")
TEMPLATE_FIELDS = ("template_pages",)
WEIGHT_FIELDS = ("frequency", "mu", "sigma", "metric", "bag_size")
COUNT_FIELDS = tuple(field.name for field in fields(Strategy) if field.name not in WEIGHT_FIELDS)


def digest(strategy: Strategy, names: Iterable[str] = COUNT_FIELDS) -> str:
    """A short name for what some fields of a strategy say; by default, for all that decides what is counted."""
    values = repr([(name, getattr(strategy, name)) for name in names])
    return hashlib.blake2b(values.encode(), digest_size=8).hexdigest()


class BagMaker:
    """Makes bags in a folder of work."""

    def __init__(self, tables: CrawlTables, work: Path, engine: Engine) -> None:
        self.tables, self.work, self.engine = tables, work, engine
        self.documents: int = tables.table("urls", ["page"]).num_rows

    def mu_and_sigma(self, strategy: Strategy) -> tuple[float, float]:
        """The two numbers of nmdf that a strategy has in this crawl."""
        return gaussian(self.documents, strategy)

    def bags(self, contender: Contender, pages: Numbers) -> Bags:
        """The bags of these pages (ids, ascending), weighed; one of which nothing is known is empty."""
        strategy, counted = contender.strategy, self._counted(contender.strategy)
        counts = counts_by_term(read_table(counted / "term_counts", SCHEMAS["term_counts"]))
        by_term = document_weights(counts, self.documents, strategy)
        batches = [weighed(batch, by_term, strategy.bag_size) for batch in _rows_of(counted / "counted", pages)]
        rows = pa.Table.from_batches(batches, SCHEMAS["bags"])
        if strategy.metric == "cosine":
            return _bags(rows, pages, by_term, 1.0)
        return _bags(rows, pages, self._tf_idf(counts, strategy), contender.cosine)

    def vectors(self, contender: Contender, pages: Numbers) -> Floats:
        """The concepts of these pages (ids, ascending) as vectors of length 1; 0 for one of which nothing is known."""
        settings = Settings(strategy=contender.strategy, concepts=contender.vectors)
        of_vectors = hashlib.blake2b(repr(contender.vectors).encode(), digest_size=8).hexdigest()
        folder = self._from_bags(contender, f"concepts-{of_vectors}", bags_to_concepts(settings))
        return _vectors(folder / "concepts", pages, contender.vectors.dimensions)

    def word_vectors(self, contender: Contender, pages: Numbers) -> Floats:
        """The word vectors of these pages (ids, ascending), in the same way."""
        settings = Settings(strategy=contender.strategy, words=WordSettings(WORD_DIMENSIONS))
        name = f"term-vectors-{digest(contender.strategy, TERM_FIELDS)}"
        sides = {"terms": self._counted(contender.strategy)}
        of_terms = {"term_vectors": self.made(name, terms_to_vectors(settings), sides)}
        folder = self._from_bags(contender, "words", bags_to_words(settings), of_terms)
        return _vectors(folder / "words_of_pages", pages, WORD_DIMENSIONS)

    def _from_bags(
        self, contender: Contender, kind: str, steps: Sequence[Step], sides: dict[str, Path] | None = None
    ) -> Path:
        """The folder of what some steps make of a strategy's bags."""
        name = f"{kind}-{digest(contender.strategy, [field.name for field in fields(Strategy)])}"
        if not (self.work / name).exists():
            counted = self._counted(contender.strategy)
            tables = dict.fromkeys(("counted", "term_counts", "terms"), counted) | self.copies() | (sides or {})
            self.made(name, (bag_weights(contender.strategy), *steps), tables)
            self.forget_oldest("concepts-*")
            self.forget_oldest("words-*")
        (self.work / name).touch()
        return self.work / name

    def _tf_idf(self, counts: Weights, strategy: Strategy) -> Weights:
        return document_weights(counts, self.documents, replace(strategy, frequency="tf-idf"))

    def _counted(self, strategy: Strategy) -> Path:
        """The folder of a strategy's counted bags."""
        folder = self.work / f"counts-{digest(strategy)}"
        if not folder.exists():
            terms = self.terms(strategy)
            sides = {"word_terms": terms, "terms": terms, "languages": terms, "templates": self.templates(strategy)}
            sides |= self.copies()
            self.made(folder.name, pages_to_counts(strategy), sides)
            self.forget_oldest("counts-*")
        folder.touch()
        return folder

    def terms(self, strategy: Strategy) -> Path:
        """The folder of what words are as terms."""
        return self.made(f"terms-{digest(strategy, TERM_FIELDS)}", pages_to_terms(strategy))

    def templates(self, strategy: Strategy) -> Path:
        """The folder of what each site repeats."""
        return self.made(f"templates-{digest(strategy, TEMPLATE_FIELDS)}", pages_to_templates(strategy))

    def copies(self) -> dict[str, Path]:
        """The folders of what is known of copies."""
        tables = self.tables
        is_known = tables.stored is not None and tables.stored.duplicates == tables.settings.duplicates
        folder = tables.folder if is_known else self.made("copies", pages_to_duplicates(tables.settings))
        return dict.fromkeys(("duplicates", "mirrors"), folder)

    def made(self, name: str, steps: Sequence[Step], sides: dict[str, Path] | None = None) -> Path:
        """The folder of the tables that some steps write, whole or absent."""
        folder = self.work / name
        if not folder.exists():
            beside = self.work / f"making-{name}"
            shutil.rmtree(beside, ignore_errors=True)  # of an attempt that was ended early
            beside.mkdir(parents=True)
            link_tables(beside, self.tables.folder, ("pages", "lexicon", "urls"))
            for table, made in (sides or {}).items():
                link_tables(beside, made, (table,))
            self.engine.run(steps, (), SCHEMAS, beside)
            beside.rename(folder)
        return folder

    def forget_oldest(self, names: str) -> None:
        """Remove the tables of one kind that were not asked for lately."""
        folders = sorted(self.work.glob(names), key=lambda folder: folder.stat().st_mtime_ns)
        for folder in folders[:-KEPT_COUNTS]:
            shutil.rmtree(folder)


def _rows_of(folder: Path, pages: Numbers) -> Iterator[pa.RecordBatch]:
    """The rows of a table that are about some pages."""
    for part in table_parts(folder):
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                rows = file.read_row_group(group)
                kept = rows.filter(pa.array(np.isin(rows["page"].to_numpy(), pages)))
                yield from kept.combine_chunks().to_batches()


def _vectors(folder: Path, pages: Numbers, dimensions: int) -> Floats:
    """The vectors of some pages; in a tiny crawl they may have fewer dimensions than were asked for."""
    vectors = np.zeros((len(pages), dimensions), np.float32)
    for batch in _rows_of(folder, pages):
        rows = unpacked(batch["vector"])
        vectors[np.searchsorted(pages, batch["page"].to_numpy()), : rows.shape[1]] = rows
    return vectors


def _bags(rows: pa.Table, pages: Numbers, cosine_by_term: Weights, share: float) -> Bags:
    """BAGS, in the order of their pages, as arrays with a bag for each of some pages."""
    sizes = np.zeros(len(pages), np.int64)
    sizes[np.searchsorted(pages, rows["page"].to_numpy())] = _values(rows["terms"], lengths=True)
    ends = np.append(0, np.cumsum(sizes))
    terms, frequencies = _values(rows["terms"]), _values(rows["frequencies"])
    cosine = frequencies * cosine_by_term[terms] if share else np.zeros(len(terms))
    page = np.repeat(np.arange(len(pages)), sizes)
    lengths = np.sqrt(np.bincount(page, cosine**2, len(pages)))
    cosine /= np.maximum(lengths, np.finfo(np.float64).tiny)[page]
    return Bags(ends, terms, _values(rows["weights"]), cosine.astype(np.float32), share)


def _values(column: pa.ChunkedArray, lengths: bool = False) -> NDArray[Any]:
    """What the lists of a column hold, end to end, or how long each is."""
    lists = column.combine_chunks()
    if isinstance(lists, pa.ChunkedArray):  # what a column without rows becomes
        lists = pa.array([], column.type)
    values: NDArray[Any] = np.diff(lists.offsets.to_numpy()) if lengths else lists.flatten().to_numpy()
    return values
