"""The sample web: all its copies are found and nothing else, however the work is cut."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from pagekin.crawl.urls import canonical_url
from pagekin.engines.local import LocalEngine

from .chain import Tables, copies, found, together


@pytest.fixture(scope="module")
def results(sample_web: Tables, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return found(sample_web, tmp_path_factory.mktemp("duplicates") / "tables")


def truth(crawl: Path) -> dict[str, str]:
    """Each copy with its original; the copy of a copy with the first original."""
    lines = [line.split("\t") for line in crawl.with_name("duplicates.tsv").read_text("utf-8").splitlines()]
    original = {canonical_url(copy): canonical_url(first) for first, copy, _ in lines}
    return {copy: original.get(first, first) for copy, first in original.items()}


def test_precision_and_recall_of_pairs(sample_crawl: Path, sample_web: Tables, results: Tables) -> None:
    wanted, got = together(truth(sample_crawl)), together(copies(sample_web, results))
    assert len(wanted) > 200
    assert len(wanted & got) / len(got) >= 0.99
    assert len(wanted & got) / len(wanted) >= 0.99


def test_the_mirrors_are_found(results: Tables) -> None:
    assert [row["alike"] for row in results["mirrored_hosts"].to_pylist()] == [16] * 5


@pytest.mark.parametrize(("workers", "memory", "rows"), [(1, 1 << 20, 100), (2, 1 << 20, 100), (2, 1 << 30, 500)])
def test_workers_and_memory_change_nothing(
    sample_web: Tables, results: Tables, tmp_path: Path, workers: int, memory: int, rows: int
) -> None:
    assert found(sample_web, tmp_path / "tables", engine=LocalEngine(workers, memory), rows=rows) == results


def test_the_order_of_pages_changes_nothing(sample_web: Tables, results: Tables, tmp_path: Path) -> None:
    pages = sample_web["pages"]
    turned = pages.take(pa.array(list(reversed(range(pages.num_rows)))))
    assert found({**sample_web, "pages": turned}, tmp_path / "tables", rows=300) == results
