"""Small tables and matrices made by hand, and the obvious ways to compute with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from pagekin.concepts.basis import learned_basis
from pagekin.concepts.features import Columns
from pagekin.concepts.matrix import Sparse
from pagekin.settings import ConceptSettings, Strategy
from pagekin.tables import BASIS, FRAGMENTS, TERM_COUNTS, TERMS, URLS

Tables = dict[str, pa.Table]
Row = Mapping[int, int]  # the frequency of each column, in units of 1/1024


def sparse(dense: np.ndarray) -> Sparse:
    """A dense matrix as a sparse one."""
    ends = np.append(0, np.cumsum(np.count_nonzero(dense, axis=1)))
    return Sparse(
        ends.astype(np.int64),
        np.nonzero(dense)[1].astype(np.int32),
        dense[dense != 0].astype(np.float32),
        dense.shape[1],
    )


def dense(matrix: Sparse) -> np.ndarray:
    """And back."""
    out = np.zeros((len(matrix.ends) - 1, matrix.width))
    for row in range(len(out)):
        for k in range(matrix.ends[row], matrix.ends[row + 1]):
            out[row, matrix.columns[k]] += matrix.values[k]
    return out


def fragments(rows: Sequence[Row], first_page: int = 1) -> pa.RecordBatch:
    """FRAGMENTS of the pages 1, 2, 3 …"""
    found = [
        {"page": page, "terms": sorted(row), "frequencies": [row[column] for column in sorted(row)]}
        for page, row in enumerate(rows, first_page)
    ]
    return pa.RecordBatch.from_pylist(found, FRAGMENTS)


def counted(rows: Sequence[Row]) -> pa.Table:
    """In how many rows each column is."""
    counts = Counter(column for row in rows for column in row)
    found = [{"number": number, "documents": count} for number, count in sorted(counts.items())]
    return pa.Table.from_pylist(found, TERM_COUNTS)


def addresses(pages: Sequence[int], fetched: Sequence[bool] | None = None) -> pa.Table:
    """URLS of pages, ascending."""
    found = fetched or [True] * len(pages)
    rows = [
        {"page": page, "url": f"http://{page}.test/", "fetched": f, "in_links": 0}
        for page, f in zip(pages, found, strict=True)
    ]
    return pa.Table.from_pylist(rows, URLS)


def some_terms(number: int) -> pa.Table:
    """TERMS, of which only the number matters."""
    columns = [pa.nulls(number, field.type).fill_null(_nothing(field.type)) for field in TERMS]
    return pa.table(columns, schema=TERMS)


def _nothing(kind: pa.DataType) -> object:
    return "" if kind == pa.string() else 0


def weighed_twin(row: Row, columns: Columns, links: float, by_length: bool) -> dict[int, float]:
    """A row by its places: terms by the root of how often they are there, of length 1; links of length `links`."""
    places = {n: columns.used.tolist().index(n) for n in row if n in columns.used.tolist()}
    weights = {n: float(columns.weight[place]) for n, place in places.items()}
    terms = {n: w * (row[n] / 1024) ** 0.5 for n, w in weights.items() if n < columns.terms}
    others = {n: w for n, w in weights.items() if n >= columns.terms}
    length = sum(v * v for v in terms.values()) ** 0.5
    more = length**0.5 if by_length else 1.0
    other_length = sum(v * v for v in others.values()) ** 0.5
    values = {n: more * v / length for n, v in terms.items() if length}
    values |= {n: more * links * v / other_length for n, v in others.items() if other_length}
    return {places[n]: v for n, v in values.items()}


def topic_rows(seed: int, pages: int = 60, terms: int = 40, topics: int = 4) -> list[Row]:
    """Pages of which each has terms of one topic and two of any."""
    dice, size = np.random.default_rng(seed), terms // topics
    rows = []
    for page in range(pages):
        own = (page % topics) * size + dice.choice(size, 5, replace=False)
        every = {*own.tolist(), *dice.integers(0, terms, 2).tolist()}
        rows.append({int(term): int(1024 * dice.integers(1, 5)) for term in every})
    return rows


def basis_table(
    batches: Sequence[pa.RecordBatch], rows: Sequence[Row], terms: int, settings: ConceptSettings
) -> pa.Table:
    """What is learned from some batches, if these rows were counted."""
    urls = addresses(range(1, len(rows) + 1))
    found = learned_basis(batches, counted(rows), urls, some_terms(terms), settings, Strategy())
    return pa.Table.from_batches([batch for _, batch in found], BASIS)
