"""tantivy: its own "more like this" query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tantivy

from peers.protocol import run


class TantivyMoreLikeThis:
    """A query of the best terms of a page, which tantivy chooses by tf · idf, ranked by BM25."""

    packages = ("tantivy",)
    settings = "more_like_this_query with its defaults (25 terms), English stems, one segment"

    def build(self, texts: Sequence[str], folder: Path) -> None:
        """One field with title and text; the text is stored, since the query reads it."""
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("number", stored=True, fast=True)
        schema.add_text_field("text", stored=True, tokenizer_name="en_stem")
        self.size = len(texts)
        index = tantivy.Index(schema.build(), path=str(folder))
        writer = index.writer(heap_size=512_000_000, num_threads=1)
        for number, text in enumerate(texts):
            writer.add_document(tantivy.Document(number=number, text=text))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()
        every = self.searcher.search(tantivy.Query.all_query(), len(texts)).hits
        self.addresses = {self._number(address): address for _, address in every}

    def _number(self, address: tantivy.DocAddress) -> int:
        return int(self.searcher.doc(address)["number"][0])

    def best(self, page: int, k: int) -> list[int]:
        """The first of the answer."""
        return [self._number(address) for _, address in self._hits(page, k + 1)]

    def _hits(self, page: int, k: int) -> list[tuple[float, tantivy.DocAddress]]:
        query = tantivy.Query.more_like_this_query(self.addresses[page])
        return self.searcher.search(query, k, count=False).hits

    def scores(self, page: int) -> np.ndarray:
        """What the answer says of every page that is in it."""
        numbers = self._by_address()
        scores = np.zeros(self.size, np.float32)
        for score, address in self._hits(page, self.size):
            scores[numbers[address.segment_ord, address.doc]] = score
        return scores

    def _by_address(self) -> dict[tuple[int, int], int]:
        if not hasattr(self, "_numbers"):
            self._numbers = {(a.segment_ord, a.doc): number for number, a in self.addresses.items()}
        return self._numbers


if __name__ == "__main__":
    run(TantivyMoreLikeThis())
