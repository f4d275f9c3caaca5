"""Shards: the documents of an index in pieces, numbered from one to the next."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.settings import SimilaritySettings
from pagekin.stores.shards import Shard, open_shards, write_shards
from pagekin.tables import BAGS, SIGNATURES

M = 4
DOCUMENTS = 23


def written(folder: Path, shard_documents: int, kept: np.ndarray | None = None) -> list[Shard]:
    """Shards of two tables, each cut at another place; document i has the term i and the signatures i, i + 1, …"""
    for part, rows in enumerate((range(9), range(9, DOCUMENTS))):
        bags = [{"page": i, "terms": [i, 100], "frequencies": [1024, 32 << i % 8], "weights": [0.5, 0.5]} for i in rows]
        pq.write_table(pa.Table.from_pylist(bags, BAGS), folder / f"bags-{part}.parquet")
    for part, rows in enumerate((range(14), range(14, DOCUMENTS))):
        signed = [{"page": i, "signatures": list(range(i, i + M))} for i in rows]
        pq.write_table(pa.Table.from_pylist(signed, SIGNATURES), folder / f"signed-{part}.parquet")
    settings = SimilaritySettings(signatures=M, shard_documents=shard_documents)
    parts = [[folder / f"{name}-{part}.parquet" for part in range(2)] for name in ("bags", "signed")]
    write_shards(folder / "shards", *parts, np.ones(DOCUMENTS, np.bool_) if kept is None else kept, settings)
    return open_shards(folder / "shards", M)


@pytest.mark.parametrize("size", [1, 5, 9, 22, 23, 1000])
def test_each_document_is_in_one_shard_and_in_order(tmp_path: Path, size: int) -> None:
    shards = written(tmp_path, size)
    assert [shard.first for shard in shards] == list(range(0, DOCUMENTS, size))
    terms = [shard.bags.bag(i).terms.tolist() for shard in shards for i in range(len(shard.bags))]
    assert terms == [[i, 100] for i in range(DOCUMENTS)]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_shard_has_the_signatures_of_its_documents(tmp_path: Path, size: int) -> None:
    signatures = np.concatenate([shard.index.signatures for shard in written(tmp_path, size)])
    assert signatures.tolist() == [list(range(i, i + M)) for i in range(DOCUMENTS)]


def test_frequencies_go_with_their_documents(tmp_path: Path) -> None:
    shards = written(tmp_path, 7)
    found = [shard.bags.bag(i).frequencies.tolist() for shard in shards for i in range(len(shard.bags))]
    assert found == [[1024, 32 << i % 8] for i in range(DOCUMENTS)]


def test_each_shard_lists_those_of_its_documents_that_may_be_answers(tmp_path: Path) -> None:
    shards = written(tmp_path, 5, np.arange(DOCUMENTS) % 2 == 0)
    listed = [sorted(shard.index.lists[0].tolist()) for shard in shards]
    assert listed == [[0, 2, 4], [1, 3], [0, 2, 4], [1, 3], [0, 2]]


def test_without_documents_there_are_no_shards(tmp_path: Path) -> None:
    write_shards(tmp_path / "shards", [], [], np.empty(0, np.bool_), SimilaritySettings())
    assert open_shards(tmp_path / "shards", 80) == []
