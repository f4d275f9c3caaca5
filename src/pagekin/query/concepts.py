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
from pagekin.stores.documents import Documents
from pagekin.stores.tables import SortedTable
from pagekin.stores.vector_store import Floats, Numbers, VectorStore
from pagekin.tables import BASIS, FRAGMENTS

MOST_CONCEPTS, MOST_WORDS, MOST_PAGES = 3, 6, 3
LEAST_SHARE = 0.1  # of what makes two pages alike: a concept with less, but for the strongest, is no reason


@dataclass(frozen=True)
class SharedConcept:
    """A direction in which two pages point: words and pages that stand for it, and its share of their likeness."""

    words: tuple[str, ...]
    pages: tuple[str, ...]
    titles: tuple[str, ...]  # of these pages
    share: float


class Concepts:
    """The vectors of an index, and the basis that new ones are made with."""

    def __init__(self, index: Path, documents: Documents, terms: Callable[[], int], settings: ConceptSettings) -> None:
        self.store = VectorStore(index / "concepts", len(documents))
        self._documents = documents
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
        self, asked: Floats, document: int, word: Callable[[int], str], text: Callable[[str, int], str]
    ) -> tuple[SharedConcept, ...]:
        """The strongest concepts that a vector and a document share, the strongest first.

        `word` gives the form of a term, `text` the `url` or `title` of a document.
        """
        products = asked * self.store.vector(document)
        total = float(products[products > 0].sum()) or 1.0
        strongest = np.argsort(-products)[:MOST_CONCEPTS].tolist()
        told = [i for n, i in enumerate(strongest) if products[i] > (0 if n == 0 else LEAST_SHARE * total)]
        return tuple(self._concept(i, float(np.sign(asked[i])), float(products[i]) / total, word, text) for i in told)

    def _concept(
        self, axis: int, sign: float, share: float, word: Callable[[int], str], text: Callable[[str, int], str]
    ) -> SharedConcept:
        pages = self._pages(axis, sign).tolist()
        return SharedConcept(
            tuple(word(number) for number in self._words(axis, sign).tolist()),
            tuple(text("url", page) for page in pages),
            tuple(text("title", page) for page in pages),
            round(share, 4),
        )

    def _words(self, dimension: int, sign: float) -> Numbers:
        """The terms that point furthest into a direction."""
        columns, vectors = self._basis
        is_term = columns.used < columns.terms
        reach = sign * vectors[is_term, dimension] * columns.weight[is_term]
        return columns.used[is_term][np.argsort(-reach, kind="stable")[:MOST_WORDS]].astype(np.int64)

    def _pages(self, dimension: int, sign: float) -> Numbers:
        """The documents that point furthest into a direction; those of which only links speak come last."""
        reach = sign * self.store.vectors[:, dimension].astype(np.float32)
        return np.lexsort([-reach, ~self._documents.fetched])[:MOST_PAGES]
