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


def _rows(parts: Sequence[Path], first: int, last: int) -> Iterator[pa.RecordBatch]:
    """The rows of a table from one number to another, of which only the row groups that have them are read."""
    start = 0
    for part in parts:
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                count = file.metadata.row_group(group).num_rows
                low, high = max(first - start, 0), min(last - start, count)
                if low < high:
                    yield from file.read_row_group(group).slice(low, high - low).combine_chunks().to_batches()
                start += count


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


def shard_count(documents: int, settings: SimilaritySettings) -> int:
    """How many shards so many documents make."""
    return -(-documents // settings.shard_documents)


def shard_name(number: int) -> str:
    """The folder of a shard."""
    return f"shard-{number:05}"


def write_shard(
    folder: Path,
    number: int,
    bag_parts: Sequence[Path],
    signature_parts: Sequence[Path],
    may_answer: NDArray[np.bool_],
    settings: SimilaritySettings,
) -> None:
    """Write one shard of an index from BAGS and SIGNATURES, which have their rows in the same order.

    `may_answer` says it of all documents of the index.
    """
    folder.mkdir(parents=True)
    first = number * settings.shard_documents
    last = min(first + settings.shard_documents, len(may_answer))
    for bags, signed in _side_by_side(_rows(bag_parts, first, last), _rows(signature_parts, first, last)):
        _append(folder, bags, signed, settings)
    write_inverted(folder, settings.signatures, may_answer[first:last])


def write_shards(
    folder: Path,
    bag_parts: Sequence[Path],
    signature_parts: Sequence[Path],
    may_answer: NDArray[np.bool_],
    settings: SimilaritySettings,
) -> None:
    """Write all shards of an index, one after another."""
    for number in range(shard_count(len(may_answer), settings)):
        write_shard(folder / shard_name(number), number, bag_parts, signature_parts, may_answer, settings)


def _append(shard: Path, bags: pa.RecordBatch, signed: pa.RecordBatch, settings: SimilaritySettings) -> None:
    ends = bags["terms"].offsets.to_numpy().astype(np.int64)
    terms, frequencies = bags["terms"].flatten().to_numpy(), bags["frequencies"].flatten().to_numpy()
    append_bags(shard, terms, frequencies, ends - ends[0])
    append_signatures(shard, signed["signatures"].flatten().to_numpy().view(np.uint32).reshape(-1, settings.signatures))


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
