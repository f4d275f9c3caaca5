"""bm25s: BM25, asked with the heaviest terms of a page, as "more like this" is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
import scipy.sparse
import Stemmer

from peers.protocol import first, run

TERMS = 50


class Bm25:
    """The terms of a page by tf · idf; the best of them are the question."""

    packages = ("bm25s", "PyStemmer")
    settings = f"bm25s (Lucene's BM25, English stop words and stems), asked with the {TERMS} terms of highest tf·idf"

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """An index, and the question that each page is."""
        stemmer = Stemmer.Stemmer("english")
        tokens = bm25s.tokenize(list(texts), stopwords="en", stemmer=stemmer, show_progress=False)
        self.index = bm25s.BM25(method="lucene")
        self.index.index(tokens, show_progress=False)
        self.index.save(str(folder))
        self.questions = _heaviest(tokens.ids, len(tokens.vocab))
        self.words = {number: word for word, number in tokens.vocab.items()}
        np.save(folder / "questions.npy", np.concatenate(self.questions))

    def best(self, page: int, k: int) -> np.ndarray:
        """The highest scores."""
        return first(self.scores(page), k + 1)

    def scores(self, page: int) -> np.ndarray:
        """BM25 of every page for the question that a page is."""
        words = [self.words[number] for number in self.questions[page].tolist()]
        return self.index.get_scores(words) if words else np.zeros(len(self.questions))


def _heaviest(ids: Sequence[Sequence[int]], vocabulary: int) -> list[np.ndarray]:
    """The terms of each page with the highest tf · idf."""
    ends = np.append(0, np.cumsum([len(page) for page in ids]))
    flat = np.concatenate([np.asarray(page, np.int64) for page in ids])
    rows = scipy.sparse.csr_matrix((np.ones(len(flat), np.float32), flat, ends), (len(ids), vocabulary + 1))
    rows.sum_duplicates()
    pages_of = np.bincount(rows.indices, minlength=vocabulary + 1)
    weights = rows.data * np.log(len(ids) / np.maximum(pages_of, 1))[rows.indices]
    return [
        rows.indices[begin + first(weights[begin:end], TERMS)] if end > begin else np.zeros(0, np.int64)
        for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


if __name__ == "__main__":
    run(Bm25())
