"""Questions to the word vectors of an index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagekin.concepts.matrix import unit
from pagekin.concepts.words import form_vectors
from pagekin.query.similar import WeighedBag
from pagekin.settings import WordSettings
from pagekin.stores.vector_store import CENTRE, Floats, VectorStore


class Words:
    """The word vectors of an index; a question that is no document needs the extra `words` too."""

    def __init__(self, index: Path, documents: int, form: Callable[[int], str], settings: WordSettings) -> None:
        self.store = VectorStore(index / "words", documents)
        self.settings = settings
        self._form, self._folder = form, index / "words"

    @cached_property
    def _centre(self) -> Floats:
        return np.asarray(np.load(self._folder / CENTRE))

    def vector_of(self, bag: WeighedBag, frequencies: NDArray[np.float64]) -> Floats:
        """The vector of what is no document."""
        if not len(bag.terms):
            return np.zeros(self.settings.dimensions, np.float32)
        vectors = form_vectors([self._form(int(term)) for term in bag.terms], self.settings.dimensions)
        return unit(bag.jaccard.astype(np.float32) @ (vectors - self._centre))
