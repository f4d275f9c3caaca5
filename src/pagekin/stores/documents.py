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

    def check_texts(self) -> None:
        """ArrowInvalid if a text does not lie where the file says, or is none."""
        self._table.validate(full=True)

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
    def representatives(self) -> NDArray[np.int64]:
        """The document that stands for each and its copies: for most, itself; in formats before 4, for all."""
        if "representative" not in self._table.column_names:
            return np.arange(len(self))
        numbers: NDArray[np.int64] = np.searchsorted(self.pages, self._table["representative"].to_numpy())
        return numbers

    @cached_property
    def is_copied(self) -> NDArray[np.bool_]:
        """Whether there are several copies of each."""
        return np.asarray(np.bincount(self.representatives, minlength=len(self))[self.representatives] > 1)

    @cached_property
    def _shared(self) -> NDArray[np.int64]:
        """What the documents of one cluster have in common: in formats before 4 the digest of all words, if any."""
        if "digest" not in self._table.column_names:
            return self.representatives
        digests = self._table["digest"].to_numpy()
        return np.where(digests == 0, np.arange(len(self)), digests)

    @cached_property
    def _clusters(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._shared, kind="stable")
        return self._shared[order], order

    def cluster(self, number: int) -> NDArray[np.int64]:
        """The other documents that are copies of the same page."""
        shared, order = self._clusters
        own = self._shared[number]
        members = order[np.searchsorted(shared, own) : np.searchsorted(shared, own, side="right")]
        others: NDArray[np.int64] = members[members != number]
        return others

    def column(self, name: str) -> pa.Array:
        """One column of all documents, in one piece."""
        return self._table[name].combine_chunks()

    @cached_property
    def _columns(self) -> dict[str, pa.Array]:
        """Texts, each column in one piece, which is a tenth of the work to look into."""
        return {name: self.column(name) for name in ("url", "title", "site")}

    def number(self, page: int) -> int | None:
        """The number of a page, if it is a document."""
        place = int(np.searchsorted(self.pages, page))
        return place if place < len(self) and self.pages[place] == page else None

    def text(self, column: str, number: int) -> str:
        """`url`, `title` or `site` of a document."""
        return str(self._columns[column][number].as_py())


def write_documents(folder: Path, table: pa.Table) -> None:
    """Write the documents, which come in the order of their ids."""
    folder.mkdir(parents=True, exist_ok=True)
    with pa.OSFile(str(folder / NAME), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())
