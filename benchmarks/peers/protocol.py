"""What a peer is, and how each is measured: it builds an index of texts, finds the ten best, and scores all pages.

    python -m peers.tf_idf CORPUS OUT own          (in the folder benchmarks, by the Python of the peers)

CORPUS is a folder of `peers.corpus`; `own` or `whole` says which of its texts are given. OUT becomes a folder with
`scores.npy`, a row for each question and a column for each page, and `costs.json`. A page that is no answer scores 0
or less. Who calls it sees to it that one thread is used (`ONE_THREAD`); times are those of the processor.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow.parquet as pq

from measuring import circumstances, folder_bytes, median_milliseconds, processor_time, write_result

QUESTIONS = 300
K = 10
DEEP = 200  # pages that are asked of an index which finds the first ones only


class Peer(Protocol):
    """A way to find related pages."""

    packages: tuple[str, ...]  # whose versions are told
    settings: str  # in words

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Make an index of the texts, and leave it in a folder."""

    def best(self, page: int, k: int) -> Any:
        """The k pages most like a page, by their numbers: what a person would ask."""

    def scores(self, page: int) -> np.ndarray:
        """How alike every page is to a page."""


class Vectors:
    """What all peers have in common that give a page a vector of length 1: the cosine of any two."""

    vectors: np.ndarray

    def keep(self, vectors: np.ndarray, folder: Path) -> None:
        """Vectors, made of length 1, as the index."""
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
        np.save(folder / "vectors.npy", self.vectors)

    def best(self, page: int, k: int) -> np.ndarray:
        """By an exact scan of all vectors."""
        return first(self.vectors @ self.vectors[page], k + 1)

    def scores(self, page: int) -> np.ndarray:
        """The cosine."""
        return self.vectors @ self.vectors[page]


def first(scores: np.ndarray, k: int) -> np.ndarray:
    """The numbers of the k highest scores, the highest first.

    >>> first(np.array([0.1, 0.9, 0.5]), 2).tolist()
    [1, 2]
    """
    k = min(k, len(scores))
    found = np.argpartition(-scores, k - 1)[:k]
    return found[np.argsort(-scores[found], kind="stable")]


def read_texts(corpus: Path, kind: str) -> list[str]:
    """The title and the text of each page."""
    rows = pq.read_table(corpus / "pages.parquet", columns=["title", kind])
    return [f"{title}\n{text}" for title, text in zip(rows["title"].to_pylist(), rows[kind].to_pylist(), strict=True)]


def measure(peer: Peer, corpus: Path, out: Path, kind: str) -> dict[str, Any]:
    """Build, ask, score; write what was found."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "index").mkdir(parents=True)
    texts, asked = read_texts(corpus, kind), np.load(corpus / "asked.npy")
    seconds, _ = processor_time(lambda: peer.build(texts, out / "index"))
    some = np.random.default_rng(1).choice(asked, min(QUESTIONS, len(asked)), replace=False).tolist()
    for page in some[:20]:
        peer.best(page, K)
    latency = median_milliseconds(lambda page: peer.best(page, K), some)
    scores = np.stack([np.asarray(peer.scores(page), np.float32) for page in asked.tolist()])
    np.save(out / "scores.npy", scores)
    size = folder_bytes(out / "index")
    costs = {"build_seconds": round(seconds, 3), "index_bytes": size, "pages": len(texts), **latency}
    costs |= {"text": kind, "settings": peer.settings, **circumstances(peer.packages)}
    write_result(out / "costs.json", costs)
    return costs


def run(peer: Peer) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=peer.settings)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("text", choices=["own", "whole"])
    options = parser.parse_args()
    print(measure(peer, options.corpus, options.out, options.text))
