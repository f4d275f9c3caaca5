"""The related pages of all pages as a Spark job: the table that Shen et al. look answers up in, ready to be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from pagekin.engines.spark import SparkEngine
from pagekin.exports.parquet import related_batches
from pagekin.exports.rows import Choice, RelatedPages
from pagekin.index import Index, open_index

PAGES_AT_ONCE = 2000  # documents of a task, about
COLUMN_TYPES = "url string, title string, rank int, related_url string, related_title string, score double"

Span = tuple[int, int]


def export_on_spark(index: Index, choice: Choice, out: str, engine: SparkEngine, force: bool = False) -> int:
    """Write the pairs of related pages as a folder of Parquet files; returns how many there are.

    `out` is anything that Spark writes to, such as a path that all machines see, `hdfs://` or `s3a://`.
    """
    make = partial(_related_rows, path=index.path.absolute(), choice=choice)
    return engine.write_rows(make, _spans(len(index)), COLUMN_TYPES, out, force)


def _spans(documents: int) -> list[Span]:
    """The numbers of documents, in spans of about the same length."""
    pieces = max(-(-documents // PAGES_AT_ONCE), 1)
    cuts = np.linspace(0, documents, pieces + 1).astype(int).tolist()
    return list(pairwise(cuts))


def _related_rows(span: Span, path: Path, choice: Choice) -> Iterator[pa.RecordBatch]:
    return related_batches(RelatedPages(_opened(path), choice, span))


_open: dict[Path, Index] = {}  # in a process of Spark, which does many spans


def _opened(path: Path) -> Index:
    if path not in _open:
        _open.clear()
        _open[path] = open_index(path)
    return _open[path]
