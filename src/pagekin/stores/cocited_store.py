"""The co-cited pages of every document, the best first: one lookup (Shen et al.), by files mapped into memory."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.cocitation.merging import SOURCES
from pagekin.stores.arrays import mapped_array, write_array

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]

_ENDS, _OTHERS, _TOTALS, _CITING, _SOURCES = "ends.i64", "others.u32", "totals.f32", "citing.u32", "sources.i64"


class Cocited(NamedTuple):
    """The documents that are cited together with one: total similarities, how many blocks, and pages that cite both."""

    documents: Numbers
    totals: Floats
    citing: NDArray[np.uint32]
    sources: Numbers  # [document, place]: ids of pages, 0 for none


class CocitedStore:
    """COCITED by the numbers of documents."""

    def __init__(self, folder: Path) -> None:
        self._ends = np.memmap(folder / _ENDS, np.int64, "r")
        self._others: NDArray[np.uint32] = mapped_array(folder / _OTHERS, np.uint32)
        self._totals: Floats = mapped_array(folder / _TOTALS, np.float32)
        self._citing: NDArray[np.uint32] = mapped_array(folder / _CITING, np.uint32)
        self._sources: Numbers = mapped_array(folder / _SOURCES, np.int64).reshape(len(self._others), SOURCES)

    @property
    def lists(self) -> tuple[Numbers, NDArray[np.uint32]]:
        """Where the list of each document ends, and all lists."""
        return self._ends, self._others

    def row(self, document: int) -> Cocited:
        """What is cited together with a document, the most alike first."""
        span = slice(int(self._ends[document]), int(self._ends[document + 1]))
        totals, citing, sources = self._totals[span], self._citing[span], self._sources[span]
        return Cocited(self._others[span].astype(np.int64), totals.copy(), citing.copy(), sources.copy())

    def totals(self, document: int, others: Numbers, stands: Numbers) -> Floats:
        """The total similarity from a document to each of some others; 0 for those that are not among its best.

        A document that stands for others has the best of theirs, if that is more; `stands` says which does for each.
        """
        span = slice(int(self._ends[document]), int(self._ends[document + 1]))
        cited, totals = self._others[span].astype(np.int64), np.asarray(self._totals[span])
        known, totals = np.append(cited, stands[cited]), np.append(totals, totals)
        order = np.lexsort((-totals, known))  # of several totals of a document the highest comes first
        known, totals = np.append(known[order], -1), np.append(totals[order], np.float32(0))
        place = np.searchsorted(known[:-1], others)
        return np.where(known[place] == others, totals[place], np.float32(0))


def cited_pairs(folder: Path) -> int:
    """How many pairs there are."""
    return (folder / _OTHERS).stat().st_size // np.dtype(np.uint32).itemsize


def write_cocited(
    folder: Path, parts: Sequence[Path], pages: Numbers, spelled: Numbers, stands: Callable[[Numbers], Numbers]
) -> None:
    """Write COCITED, whose parts come in the order of its pages, for documents given by their ids in order.

    `spelled` has, for each document, the page that links to it count for. For a page that is no document the one that
    `stands` for it is taken; without one it is left out.
    """
    folder.mkdir(parents=True)
    order = np.argsort(spelled, kind="stable")
    keys, sizes = spelled[order], np.zeros(len(pages), np.int64)
    for part in parts:
        page, _ = _known(part, pages, stands)
        sizes[order] += np.searchsorted(page, keys, "right") - np.searchsorted(page, keys)
    ends = np.append(0, np.cumsum(sizes))
    write_array(folder / _ENDS, ends)
    size = int(ends[-1])
    files = [
        _new_file(folder / _OTHERS, np.uint32, (size,)),
        _new_file(folder / _TOTALS, np.float32, (size,)),
        _new_file(folder / _CITING, np.uint32, (size,)),
        _new_file(folder / _SOURCES, np.int64, (size, SOURCES)),
    ]
    for part in parts:
        page, columns = _known(part, pages, stands)
        first, last = np.searchsorted(page, keys), np.searchsorted(page, keys, "right")
        counts = last - first
        nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)  # of the rows of a document
        rows, places = nth + np.repeat(first, counts), nth + np.repeat(ends[:-1][order], counts)
        for file, column in zip(files, columns, strict=True):
            file[places] = column[rows]


def _new_file(path: Path, kind: type[np.generic], shape: tuple[int, ...]) -> NDArray[np.generic]:
    """An array that is written to disk as it is filled; an empty file cannot be mapped."""
    path.touch()
    if not shape[0]:
        return np.empty(shape, kind)
    if hasattr(os, "posix_fallocate"):  # or a disk that is full would end the process where the array is filled
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, math.prod(shape) * np.dtype(kind).itemsize)
    return np.memmap(path, kind, "w+" if path.stat().st_size == 0 else "r+", shape=shape)


def _known(
    part: Path, pages: Numbers, stands: Callable[[Numbers], Numbers]
) -> tuple[Numbers, list[NDArray[np.generic]]]:
    """The rows of a part whose other page is a document: their pages, and what is written of them."""
    table = pq.read_table(part)
    other = table["other"].to_numpy()
    other = np.where(np.isin(other, pages), other, stands(other))
    numbers = np.minimum(np.searchsorted(pages, other), max(len(pages) - 1, 0))
    kept = pages[numbers] == other if len(pages) else np.zeros(len(other), np.bool_)
    lists = table["sources"].combine_chunks()
    sources = np.zeros((len(other), SOURCES), np.int64)
    lengths = lists.value_lengths().to_numpy()
    row = np.repeat(np.arange(len(other)), lengths)
    place = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    sources[row, place] = lists.flatten().to_numpy()
    columns = [numbers, table["total"].to_numpy(), table["citing"].to_numpy(), sources]
    return table["page"].to_numpy()[kept], [column[kept] for column in columns]
