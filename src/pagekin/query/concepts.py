"""Questions to the vectors of an index: what a page, a text or an HTML file is near to, and what that means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.concepts.basis import Basis, basis_of, vectors_of
from pagekin.query.similar import WeighedBag
from pagekin.settings import ConceptSettings
from pagekin.stores.tables import SortedTable
from pagekin.stores.vector_store import Floats, Numbers, VectorStore
from pagekin.tables import BASIS, FRAGMENTS

MOST_CONCEPTS, MOST_WORDS, MOST_PAGES = 3, 6, 3


@dataclass(frozen=True)
class SharedConcept:
    """A direction in which two pages point: words and pages that stand for it, and its share of their likeness."""

    words: tuple[str, ...]
    pages: tuple[str, ...]
    share: float


class Concepts:
    """The vectors of an index, and the basis that new ones are made with."""

    def __init__(self, index: Path, documents: int, terms: Callable[[], int], settings: ConceptSettings) -> None:
        self.store = VectorStore(index / "concepts", documents)
        self.settings = settings
        self._table, self._terms = SortedTable(index / "basis", "column"), terms

    @cached_property
    def _basis(self) -> Basis:
        columns = [self._table.column(name) for name in BASIS.names]
        return basis_of(pa.table(columns, schema=BASIS), self._terms())

    def vector_of(self, bag: WeighedBag, frequencies: NDArray[np.float64]) -> Floats:
        """The vector of what is no document, from the terms that it has and how often, in units of 1/1024."""
        row = {"page": 0, "terms": bag.terms.tolist(), "frequencies": np.rint(frequencies).astype(np.int64).tolist()}
        vectors = vectors_of(pa.RecordBatch.from_pylist([row], FRAGMENTS), self._basis, self.settings)
        return np.asarray(vectors[0])

    def shared(
        self, asked: Floats, document: int, word: Callable[[int], str], page: Callable[[int], str]
    ) -> tuple[SharedConcept, ...]:
        """The strongest concepts that a vector and a document share, the strongest first."""
        products = asked * self.store.vector(document)
        total = float(products[products > 0].sum()) or 1.0
        strongest = [int(i) for i in np.argsort(-products)[:MOST_CONCEPTS] if products[i] > 0]
        return tuple(
            SharedConcept(
                tuple(word(int(number)) for number in self._words(i, float(np.sign(asked[i])))),
                tuple(page(int(number)) for number in self._pages(i, float(np.sign(asked[i])))),
                round(float(products[i]) / total, 4),
            )
            for i in strongest
        )

    def _words(self, dimension: int, sign: float) -> Numbers:
        """The terms that point furthest into a direction."""
        columns, vectors = self._basis
        is_term = columns.used < columns.terms
        reach = sign * vectors[is_term, dimension] * columns.weight[is_term]
        return columns.used[is_term][np.argsort(-reach, kind="stable")[:MOST_WORDS]].astype(np.int64)

    def _pages(self, dimension: int, sign: float) -> Numbers:
        """The documents that point furthest into a direction."""
        return np.argsort(-sign * self.store.vectors[:, dimension].astype(np.float32), kind="stable")[:MOST_PAGES]
