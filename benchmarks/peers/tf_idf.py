"""scikit-learn: tf-idf and the cosine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from peers.protocol import first, run


class TfIdf:
    """Every page against every page, as a product of sparse rows."""

    packages = ("scikit-learn", "scipy")
    settings = "TfidfVectorizer, English stop words, sublinear tf, words of two pages or more; product of sparse rows"

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Rows of length 1, so that a product is a cosine."""
        words = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, dtype=np.float32)
        self.rows = words.fit_transform(texts).tocsr()
        self.columns = self.rows.T.tocsr()
        scipy.sparse.save_npz(folder / "rows.npz", self.rows, compressed=False)

    def best(self, page: int, k: int) -> np.ndarray:
        """The highest cosines."""
        return first(self.scores(page), k + 1)

    def scores(self, page: int) -> np.ndarray:
        """The cosine."""
        return (self.rows[page] @ self.columns).toarray()[0]


if __name__ == "__main__":
    run(TfIdf())
