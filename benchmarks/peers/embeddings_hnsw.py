"""The same embeddings, found by a graph of neighbours: usearch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from peers.protocol import DEEP, run


class EmbeddingsHnsw:
    """A graph over the vectors that `peers.embeddings` left for the same texts; they are not made twice."""

    packages = ("usearch",)
    settings = f"the same vectors in a graph of usearch with its defaults, as 2-byte numbers; {DEEP} pages are ranked"

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Add the vectors to a graph; what they cost themselves is told in the row of the exact search."""
        from usearch.index import Index

        self.vectors = np.load(folder.parents[1] / "embeddings" / "index" / "vectors.npy")
        self.graph = Index(ndim=self.vectors.shape[1], metric="cos", dtype="f16")
        self.graph.add(np.arange(len(self.vectors)), self.vectors, threads=1)
        self.graph.save(str(folder / "vectors.usearch"))

    def best(self, page: int, k: int) -> np.ndarray:
        """The nearest that the graph finds."""
        return self.graph.search(self.vectors[page], k + 1, threads=1).keys

    def scores(self, page: int) -> np.ndarray:
        """The cosine of those that the graph finds; 0 for the others."""
        found = self.graph.search(self.vectors[page], DEEP, threads=1)
        scores = np.zeros(len(self.vectors), np.float32)
        scores[found.keys.astype(np.int64)] = 1 - found.distances
        return scores


if __name__ == "__main__":
    run(EmbeddingsHnsw())
