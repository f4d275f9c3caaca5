"""Makes the steps of these tests importable, also in worker processes, and starts Spark for those that need it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pagekin.errors import SparkUnusable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH", ""))))


@cache
def spark_is_missing() -> str:
    """What has to be installed before Spark can run here; empty if nothing."""
    if not (find_spec("pyspark") and find_spec("pandas")):
        return "Spark is not installed: pip install 'pagekin[spark]'"
    from pagekin.engines.spark.java import found_java

    try:
        found_java()
    except SparkUnusable as error:
        return str(error)
    return ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs Spark where it cannot run; from here and not from a fixture, so that one line tells it of all."""
    if isinstance(item, pytest.Function) and _needs_spark(item) and spark_is_missing():
        pytest.skip(spark_is_missing())


def _needs_spark(item: pytest.Function) -> bool:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return "needs_spark" in item.fixturenames or parameters.get("engine") == "spark"


@pytest.fixture(scope="module")
def needs_spark() -> None:
    """Marks the tests that are skipped where Spark cannot run."""


@pytest.fixture(scope="module")
def spark(needs_spark: None) -> Iterator[SparkSession]:
    """A session on two cores of this machine, which the engines of a module use."""
    from pagekin.engines.spark.session import open_session

    with open_session("local[2,4]", {}) as session:
        yield session


@pytest.fixture(scope="module", params=["local", "spark"])
def engine(request: pytest.FixtureRequest) -> Any:
    """Each engine, with runs and ranges of a few rows."""
    from tiny_engines import TinyLocal

    if request.param == "local":
        return TinyLocal()
    request.getfixturevalue("spark")
    from tiny_engines import tiny_spark

    return tiny_spark()
