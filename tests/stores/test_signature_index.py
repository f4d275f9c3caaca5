"""H and I: signatures are read back, and every list holds exactly the documents of its bucket."""

from __future__ import annotations

from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest

from pagekin.stores.signature_index import DOCUMENTS_PER_BUCKET, SignatureIndex, append_signatures, write_inverted

M = 6


def made(folder: Path, documents: int, kept: np.ndarray | None = None) -> tuple[np.ndarray, SignatureIndex]:
    """Random signatures, half of them small as the least of many are, and their index."""
    random = np.random.default_rng(3)
    signatures = random.integers(0, 2**32, (documents, M), np.uint32)
    signatures[::2] >>= np.uint32(18)
    append_signatures(folder, signatures[: documents // 2])
    append_signatures(folder, signatures[documents // 2 :])
    write_inverted(folder, M, np.ones(documents, np.bool_) if kept is None else kept)
    return signatures, SignatureIndex(folder, M)


def bucket(signature: int, buckets: int) -> int:
    spread = (signature * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 32
    return spread * buckets >> 32


def lists(index: SignatureIndex) -> list[list[list[int]]]:
    """The documents of each bucket of each position."""
    return [[index.lists[j, a:b].tolist() for a, b in pairwise(row)] for j, row in enumerate(index.offsets.tolist())]


def test_signatures_are_read_back(tmp_path: Path) -> None:
    signatures, index = made(tmp_path, 101)
    assert (index.signatures == signatures).all()


@pytest.mark.parametrize("documents", [1, 3, 4, 200])
def test_every_list_holds_the_documents_of_its_bucket(tmp_path: Path, documents: int) -> None:
    signatures, index = made(tmp_path, documents)
    buckets = max(documents // DOCUMENTS_PER_BUCKET, 1)
    expected = [
        [[d for d in range(documents) if bucket(int(signatures[d, j]), buckets) == b] for b in range(buckets)]
        for j in range(M)
    ]
    assert lists(index) == expected


def test_documents_that_may_be_no_answers_are_in_no_list(tmp_path: Path) -> None:
    kept = np.arange(100) % 3 > 0
    signatures, index = made(tmp_path, 100, kept)
    assert [sorted(chain.from_iterable(position)) for position in lists(index)] == [np.flatnonzero(kept).tolist()] * M
    assert (index.signatures == signatures).all()


def test_if_none_may_be_an_answer_all_lists_are_empty(tmp_path: Path) -> None:
    _, index = made(tmp_path, 10, np.zeros(10, np.bool_))
    assert index.offsets.tolist() == [[0, 0, 0]] * M


def test_buckets_are_about_equally_full(tmp_path: Path) -> None:
    _, index = made(tmp_path, 20_000)
    sizes = np.diff(index.offsets.astype(np.int64), axis=1)
    assert sizes.max() < 6 * DOCUMENTS_PER_BUCKET
