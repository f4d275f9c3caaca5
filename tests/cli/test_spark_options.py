"""What is said of options of Spark that cannot be; none of these starts it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--engine", "spark", "--workers", "2"], "--workers is for the local engine"),
        (["--master", "local[2]"], "are for --engine spark"),
        (["--set", "spark.executor.memory=4g"], "are for --engine spark"),
        (["--engine", "spark", "--set", "spark.executor.memory"], "expected spark.KEY=VALUE"),
        (["--engine", "flink"], "'flink' is not one of 'local', 'spark'"),
    ],
)
def test_options_that_do_not_go_together(
    pagekin: Run, site: Path, tmp_path: Path, options: list[str], told: str
) -> None:
    done = pagekin("build", site, "-o", tmp_path / "a.kin", *options)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_export_on_spark_is_a_folder_of_parquet(pagekin: Run, index: Path, tmp_path: Path) -> None:
    done = pagekin("export", index, "--format", "csv", "--engine", "spark", "-o", tmp_path / "a.csv")
    assert done.returncode == 2
    assert "--format parquet" in done.stderr
