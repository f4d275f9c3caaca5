"""The benchmark of the whole build: small runs of it, and what it computes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import build
from measuring import ROOT
from pagekin.sample import write_sample

BENCHMARKS = ROOT / "benchmarks"


@pytest.mark.parametrize("power", [0.5, 1.0, 1.2])
def test_the_exponent_of_a_power_is_found(power: float) -> None:
    sizes = [1000, 10_000, 30_000, 100_000]
    assert build.exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power, abs=1e-3)


def test_one_size_has_no_exponent() -> None:
    assert build.exponent([1000], [3.0]) is None


def test_growth_is_that_of_large_builds_by_default() -> None:
    def row(pages: int, seconds: float, workers: int = 1, kind: str = "default") -> dict[str, object]:
        memory = {"peak_bytes": 7.0 if pages > 20_000 else 1.0, "own_bytes": 5.0 + pages}
        values = {"cpu_seconds": seconds, **memory, "bytes": pages * 9}
        return {"pages": pages, "workers": workers, "kind": kind, **values}

    rows = [row(1000, 50.0), row(9_960, 10.0), row(29_900, 30.02), row(99_960, 100.36)]
    found = build.growth([*rows, row(99_960, 1.0, 2), row(99_960, 1.0, 1, "other")])
    assert found["cpu_seconds"] == pytest.approx(1.0, abs=0.01)
    assert found["peak_bytes"] == pytest.approx(0.0)
    assert found["own_bytes"] == pytest.approx(1.0, abs=0.01)
    assert found["bytes"] == pytest.approx(1.0)


@pytest.mark.slow
def test_a_small_run(tmp_path: Path) -> None:
    out = tmp_path / "build.json"
    options = ["--sizes", "120", "--real", "--workers", "1", "--no-routes", "--json", out]
    kernels = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")  # those that tests have compiled before
    environment = os.environ | {"PAGEKIN_BENCH": str(tmp_path), "XDG_CACHE_HOME": kernels}
    command = [sys.executable, BENCHMARKS / "build.py", *options]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    [crawl] = json.loads(out.read_text("utf-8"))["figures"]
    kinds = {row["kind"]: row for row in crawl["rows"]}
    assert kinds["default"]["pages"] == kinds["without keywords"]["pages"] > 50
    assert kinds["default"]["bytes"] > kinds["without keywords"]["bytes"] > 0
    assert "keyword index" in kinds["default"]["steps"]
    assert "keyword index" not in kinds["without keywords"]["steps"]
    assert {"gunzip", "lexbor", "read", "scan", "tantivy"} <= crawl["floors"]["ms_per_page"].keys()
    assert kinds["default"]["peak_bytes"] > kinds["default"]["own_bytes"] > 0


def test_a_cut_crawl_has_as_many_pages_as_were_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_sample(tmp_path / "web", 60)
    monkeypatch.setattr(build, "real_pages", lambda name: tmp_path / "web" / "sample.warc.gz")
    [cut] = build.real_crawl(20, tmp_path)
    assert gzip.decompress(cut.read_bytes()).count(b"WARC-Type: response") == 20


def test_without_the_crawl_nothing_is_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "real_pages", lambda name: None)
    assert build.real_crawl(20, tmp_path) == []
