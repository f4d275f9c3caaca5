"""The columns of many pages as flat arrays, for the kernels of this package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Chunk(NamedTuple):
    """Pages laid end to end: the words of page p are `words[word_ends[p]:word_ends[p + 1]]`, and so on."""

    page: Ints
    site: Ints
    language: Ints
    title_first: NDArray[np.int32]
    title_last: NDArray[np.int32]
    words: Ints
    word_ends: Ints
    link_page: Ints
    link_first: NDArray[np.int32]
    link_last: NDArray[np.int32]
    link_nofollow: NDArray[np.bool_]
    link_ends: Ints
    break_at: NDArray[np.int32]
    break_kinds: NDArray[np.int32]
    break_ends: Ints


COLUMNS = (
    "page", "site_id", "language", "title_first", "title_last", "words", "link_page", "link_first",
    "link_last", "link_nofollow", "break_at", "break_kinds",
)  # fmt: skip


def list_ends(column: pa.ListArray) -> Ints:
    """Where each list ends in the flat array, and 0 before them."""
    offsets: Ints = column.offsets.to_numpy().astype(np.int64)
    ends: Ints = offsets - offsets[0]
    return ends


def chunk_of(pages: pa.Table, language: Ints) -> Chunk:
    """PAGES as a chunk; `language` holds a number for each page."""
    batch = pages.select(list(COLUMNS)).combine_chunks().to_batches()[0]
    flat = {name: batch[name].flatten() for name in COLUMNS if pa.types.is_list(batch[name].type)}
    return Chunk(
        batch["page"].to_numpy(),
        batch["site_id"].to_numpy(),
        language,
        batch["title_first"].to_numpy(),
        batch["title_last"].to_numpy(),
        flat["words"].to_numpy(),
        list_ends(batch["words"]),
        flat["link_page"].to_numpy(),
        flat["link_first"].to_numpy(),
        flat["link_last"].to_numpy(),
        flat["link_nofollow"].to_numpy(zero_copy_only=False),
        list_ends(batch["link_page"]),
        flat["break_at"].to_numpy(),
        flat["break_kinds"].to_numpy(),
        list_ends(batch["break_at"]),
    )


def group_starts(*columns: Ints) -> Ints:
    """Where in sorted rows each group of equal keys begins.

    >>> group_starts(np.array([3, 3, 5])).tolist()
    [0, 2]
    """
    new = np.ones(len(columns[0]), np.bool_)
    new[1:] = False
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def whole(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """All batches as one table; nothing if there are none."""
    found = list(batches)
    return pa.Table.from_batches(found) if found else None
