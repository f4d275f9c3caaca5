"""Shards: documents with their signatures, inverted signatures and bags, each shard complete for its documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.settings import SimilaritySettings
from pagekin.stores.bag_store import BagStore, append_bags
from pagekin.stores.signature_index import SignatureIndex, append_signatures, write_inverted


def _batches(parts: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    for part in parts:
        with pq.ParquetFile(part) as file:
            yield from file.iter_batches(4096)


def _side_by_side(
    ours: Iterator[pa.RecordBatch], theirs: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """The rows of two tables in pairs of batches of one length, however each table was cut into batches."""
    our, their = next(ours, None), next(theirs, None)
    while our is not None and their is not None:
        count = min(our.num_rows, their.num_rows)
        if count:
            yield our.slice(0, count), their.slice(0, count)
        our = our.slice(count) if count < our.num_rows else next(ours, None)
        their = their.slice(count) if count < their.num_rows else next(theirs, None)
    assert our is None and their is None, "two tables of the same documents have other numbers of rows"


def write_shards(
    folder: Path,
    bag_parts: Sequence[Path],
    signature_parts: Sequence[Path],
    may_answer: NDArray[np.bool_],
    settings: SimilaritySettings,
) -> None:
    """Write the shards of an index from BAGS and SIGNATURES, which have their rows in the same order."""
    room, first, number = 0, 0, -1
    for bags, signed in _side_by_side(_batches(bag_parts), _batches(signature_parts)):
        start = 0
        while start < bags.num_rows:
            if room == 0:
                _end_shard(folder, number, may_answer[:first], settings)
                room, number = settings.shard_documents, number + 1
                _shard(folder, number).mkdir(parents=True)
            count = min(room, bags.num_rows - start)
            _append(_shard(folder, number), bags.slice(start, count), signed.slice(start, count), settings)
            room, start, first = room - count, start + count, first + count
    _end_shard(folder, number, may_answer[:first], settings)


def _shard(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:05}"


def _append(shard: Path, bags: pa.RecordBatch, signed: pa.RecordBatch, settings: SimilaritySettings) -> None:
    ends = bags["terms"].offsets.to_numpy().astype(np.int64)
    terms, frequencies = bags["terms"].flatten().to_numpy(), bags["frequencies"].flatten().to_numpy()
    append_bags(shard, terms, frequencies, ends - ends[0])
    append_signatures(shard, signed["signatures"].flatten().to_numpy().view(np.uint32).reshape(-1, settings.signatures))


def _end_shard(folder: Path, number: int, may_answer: NDArray[np.bool_], settings: SimilaritySettings) -> None:
    if number >= 0:
        first = number * settings.shard_documents
        write_inverted(_shard(folder, number), settings.signatures, may_answer[first:])


class Shard:
    """A shard that is open; its documents are numbered from `first` on."""

    def __init__(self, folder: Path, first: int, m: int) -> None:
        self.first = first
        self.index = SignatureIndex(folder, m)
        self.bags = BagStore(folder)


def open_shards(folder: Path, m: int) -> list[Shard]:
    """All shards of an index."""
    shards: list[Shard] = []
    first = 0
    for path in sorted(folder.glob("shard-*")):
        shards.append(Shard(path, first, m))
        first += len(shards[-1].bags)
    return shards
