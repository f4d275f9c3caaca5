"""wordllama: static vectors of word pieces, added up; the weights are in the wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from peers.protocol import Vectors, run

LOT = 64  # wordllama pads a lot to its longest text


class StaticWords(Vectors):
    """One vector a page, the mean of those of all its word pieces."""

    packages = ("wordllama",)
    settings = "wordllama's 256 numbers of each word piece of the whole page, averaged; exact search"

    def __init__(self) -> None:
        import wordllama

        # Its loader looks for the tokenizer beside a cache, and else on the network; it lies in the wheel.
        self.model = wordllama.WordLlama.load(dim=256, cache_dir=Path(wordllama.__file__).parent)

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """Embed all texts, long ones with long ones."""
        order = np.argsort([len(text) for text in texts])
        vectors = np.empty((len(texts), 256), np.float32)
        for lot in np.array_split(order, max(len(texts) // LOT, 1)):
            vectors[lot] = self.model.embed([texts[page] for page in lot], norm=True)
        self.keep(vectors, folder)


if __name__ == "__main__":
    run(StaticWords())
