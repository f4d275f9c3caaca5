"""A small run of the whole comparison, on the sample web."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from measuring import ROOT

BENCHMARKS = ROOT / "benchmarks"

PEERS = ROOT / ".venv-peers" / "bin" / "python"


def run(folder: Path, *options: str) -> dict[str, dict[str, object]]:
    """The rows of a run, by their keys."""
    command = [sys.executable, BENCHMARKS / "peers" / "run.py", "--sets", "sample", "--no-tune", "--out", folder]
    kernels = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")  # those that tests have compiled before
    environment = os.environ | {"PAGEKIN_BENCH": str(folder), "XDG_CACHE_HOME": kernels}
    subprocess.run([*command, *options], check=True, env=environment)
    found = json.loads((folder / "peers-sample.json").read_text("utf-8"))
    return {row["key"]: row for row in found["figures"]["rows"]}


@pytest.mark.slow
def test_pagekin_alone(tmp_path: Path) -> None:
    rows = run(tmp_path, "--peers")
    assert {"text", "blend", "answers", "companion", "cocitation_traditional"} <= rows.keys()
    blend = rows["blend"]
    assert blend["measures"]["sibling_somers_d"]["value"] > rows["companion"]["measures"]["sibling_somers_d"]["value"]
    assert blend["costs"]["median_ms"] > 0 and blend["costs"]["bytes_per_page"] > 0


@pytest.mark.slow
@pytest.mark.skipif(not PEERS.exists(), reason="no environment of peers: `make bench` makes .venv-peers")
def test_a_peer_beside_it(tmp_path: Path) -> None:
    rows = run(tmp_path, "--peers", "tf_idf")
    for text in ("own", "whole"):
        row = rows[f"tf_idf/{text}"]
        assert 0.3 < row["measures"]["precision_at_10"]["value"] <= 1
        assert row["costs"]["build_ms_per_page"] > 0
        assert row["blend_against"]["sibling_somers_d"]["p"] <= 1
