"""Pages that nobody wrote for us, and very many copies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagekin.duplicates import candidates, comparison
from pagekin.settings import DuplicateSettings

from .chain import Tables, copies, found, text, web, words


def test_one_word_a_million_times(tmp_path: Path) -> None:
    pages = {"http://a.test/": "spam " * 1_000_000, "http://b.test/": "spam " * 999_999, "http://c.test/": text(1)}
    tables = web(pages)
    results = found(tables, tmp_path)
    assert copies(tables, results) == {"http://b.test/": "http://a.test/"}
    assert results["resemblances"]["shared"].to_pylist() == [1]


def test_empty_pages_are_no_copies(tmp_path: Path) -> None:
    tables = web({"http://a.test/": "", "http://b.test/": "", "http://c.test/": "moved", "http://d.test/": "moved"})
    assert copies(tables, found(tables, tmp_path)) == {}


def test_no_pages_at_all(tmp_path: Path) -> None:
    assert found(web({}), tmp_path)["duplicates"].num_rows == 0


def test_ten_thousand_copies_make_no_pairs(tmp_path: Path) -> None:
    tables = web({f"http://a.test/{page}": text(1, 30) for page in range(10_000)})
    results = found(tables, tmp_path)
    assert results["duplicates"].num_rows == 9_999
    assert results["resemblances"].num_rows == results["long_lists"].num_rows == 0


def near_copies(count: int) -> Tables:
    """So many pages that differ from one another in one word or two."""
    base = words(1, 300)
    dice = np.random.default_rng(4).integers(0, 300, count).tolist()
    return web(
        {f"http://a.test/{k}": " ".join([*base[:place], f"own{k}", *base[place + 1 :]]) for k, place in enumerate(dice)}
    )


def test_a_long_list_is_cut_to_a_star_and_counted(tmp_path: Path) -> None:
    tables = near_copies(400)
    results = found(tables, tmp_path)
    assert results["long_lists"].num_rows > 0
    assert results["duplicates"].num_rows > 395
    assert results["resemblances"].num_rows < 400 * 100 / 2


def test_lots_of_any_size_compare_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = near_copies(60)
    whole = found(tables, tmp_path / "whole")
    monkeypatch.setattr(comparison, "LOT_SHINGLES", 2000)
    monkeypatch.setattr(candidates, "PAIRS_AT_ONCE", 100)
    monkeypatch.setattr(candidates, "SLICE", 7)
    assert found(tables, tmp_path / "lots") == whole


def test_without_samples_super_shingles_are_enough_for_near_copies(tmp_path: Path) -> None:
    tables = near_copies(30)
    assert len(copies(tables, found(tables, tmp_path, DuplicateSettings(sample=0)))) == 29
