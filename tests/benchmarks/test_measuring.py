"""What is told of every benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import measuring


def test_a_result_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    document = measuring.result({"speed": 3.5, "name": "Γ"}, given="python benchmarks/x.py")
    measuring.write_result(tmp_path / "new" / "x.json", document)
    assert json.loads((tmp_path / "new" / "x.json").read_text("utf-8")) == document
    assert list((tmp_path / "new").iterdir()) == [tmp_path / "new" / "x.json"]


def test_a_result_tells_the_versions() -> None:
    told = measuring.result({}, ("pyarrow", "no-such-package-anywhere"))
    assert {"Python", "pagekin", "pyarrow"} <= told["versions"].keys()
    assert "no-such-package-anywhere" not in told["versions"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [("--quick", "--quick"), ("/far/away/a.warc.gz", "a.warc.gz"), ("sub/a", "sub/a")],
)
def test_commands_are_shown_without_folders(given: str, shown: str) -> None:
    assert measuring.plain_path(given) == shown


def test_a_path_of_the_repository_stays_whole() -> None:
    assert measuring.plain_path(str(measuring.RESULTS / "build.json")) == "benchmarks/results/build.json"


def test_processor_time_counts_children() -> None:
    busy = "import time; t = time.process_time()\nwhile time.process_time() - t < 0.2: pass"
    import subprocess
    import sys

    seconds, _ = measuring.processor_time(lambda: subprocess.run([sys.executable, "-c", busy], check=True))
    assert seconds >= 0.2


def test_the_bytes_of_a_folder_are_those_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"12345")
    (tmp_path / "c").write_bytes(b"12")
    assert measuring.folder_bytes(tmp_path) == 7
