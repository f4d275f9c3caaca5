"""Who the documents are: id, address, title and site of each, in one Arrow file that is mapped into memory."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NAME = "documents.arrow"


class Documents:
    """The documents of an index by their numbers, which follow the order of their ids."""

    def __init__(self, folder: Path) -> None:
        self._map = pa.memory_map(str(folder / NAME))
        self._table: pa.Table = pa.ipc.open_file(self._map).read_all()

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @cached_property
    def pages(self) -> NDArray[np.int64]:
        """The ids, ascending."""
        return self._table["page"].combine_chunks().to_numpy()  # type: ignore[no-any-return]

    @cached_property
    def sites(self) -> NDArray[np.int64]:
        """The id of the site of each."""
        return self._table["site_id"].combine_chunks().to_numpy()  # type: ignore[no-any-return]

    @cached_property
    def fetched(self) -> NDArray[np.bool_]:
        """Whether each was fetched."""
        return self._table["fetched"].combine_chunks().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]

    @cached_property
    def in_links(self) -> NDArray[np.int64]:
        """How many links lead to each."""
        return self._table["in_links"].combine_chunks().to_numpy()  # type: ignore[no-any-return]

    @cached_property
    def _by_digest(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        digests = self._table["digest"].combine_chunks().to_numpy()
        order = np.argsort(digests, kind="stable")
        return digests[order], order

    def exact_copies(self, number: int) -> NDArray[np.int64]:
        """The other documents that have the same words in the same order."""
        digest = self._table["digest"][number].as_py()
        digests, order = self._by_digest
        if digest == 0:
            return order[:0]
        first, last = np.searchsorted(digests, digest), np.searchsorted(digests, digest, side="right")
        same: NDArray[np.int64] = order[first:last]
        return np.delete(same, np.flatnonzero(same == number))

    def number(self, page: int) -> int | None:
        """The number of a page, if it is a document."""
        place = int(np.searchsorted(self.pages, page))
        return place if place < len(self) and self.pages[place] == page else None

    def text(self, column: str, number: int) -> str:
        """`url`, `title` or `site` of a document."""
        return str(self._table[column][number].as_py())


def write_documents(folder: Path, table: pa.Table) -> None:
    """Write the documents, which come in the order of their ids."""
    folder.mkdir(parents=True, exist_ok=True)
    with pa.OSFile(str(folder / NAME), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())
