"""datasketch: weighted min-hash and a forest of prefix trees."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from datasketch import MinHashLSHForest, WeightedMinHashGenerator
from sklearn.feature_extraction.text import TfidfVectorizer

from peers.protocol import DEEP, first, run

SAMPLES = 128
WORDS = 20_000


class MinHashForest:
    """Signatures of tf-idf weights; the forest gives candidates, the signatures rank them."""

    packages = ("datasketch", "scikit-learn")
    settings = (
        f"WeightedMinHash of {SAMPLES} samples over tf-idf of the {WORDS:,} commonest words, LSH forest; "
        f"{DEEP} candidates by estimated Jaccard"
    )

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Sign all pages, and put them into the forest."""
        words = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, max_features=WORDS)
        rows = words.fit_transform(texts).tocsr()
        generator = WeightedMinHashGenerator(rows.shape[1], SAMPLES, seed=1)
        self.signed = [generator.minhash(row) if row.any() else None for row in map(_dense, rows)]
        self.forest = MinHashLSHForest(num_perm=SAMPLES)
        for page, signature in enumerate(self.signed):
            if signature is not None:
                self.forest.add(page, signature)
        self.forest.index()
        values = [np.zeros((SAMPLES, 2), int) if one is None else one.hashvalues for one in self.signed]
        self.values = np.stack(values).astype(np.int32)
        np.save(folder / "signatures.npy", self.values)
        (folder / "forest.pickle").write_bytes(pickle.dumps(self.forest))

    def best(self, page: int, k: int) -> np.ndarray:
        """The best candidates."""
        found, jaccard = self._candidates(page)
        return found[first(jaccard, k + 1)] if len(found) else found

    def _candidates(self, page: int) -> tuple[np.ndarray, np.ndarray]:
        """Pages of the forest, and the share of samples that each has in common with the page."""
        signature = self.signed[page]
        found = np.array(self.forest.query(signature, DEEP) if signature is not None else [], np.int64)
        return found, (self.values[found] == self.values[page]).all(axis=2).mean(axis=1)

    def scores(self, page: int) -> np.ndarray:
        """The estimated Jaccard of candidates; 0 for all others."""
        scores = np.zeros(len(self.signed), np.float32)
        found, jaccard = self._candidates(page)
        scores[found] = jaccard
        return scores


def _dense(row: object) -> np.ndarray:
    return row.toarray()[0]  # type: ignore[attr-defined]


if __name__ == "__main__":
    run(MinHashForest())
