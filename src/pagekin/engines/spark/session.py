"""A Spark session for pagekin: what is set where nobody sets it, and what is told when something goes wrong."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from pagekin import errors
from pagekin.engines.spark.java import java_home
from pagekin.errors import PagekinError, SparkUnusable, StepFailed, TargetExists

LOCAL = "local[*,4]"  # all cores, and a task may fail three times before the build does
DEFAULTS = {
    # A partition is a task of ours: Spark must neither join nor split them, and a row of it is a whole batch.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
    "spark.sql.autoBroadcastJoinThreshold": str(64 << 20),
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",  # as many tasks run at once as there are cores
    "spark.ui.showConsoleProgress": "false",
}
ON_ONE_MACHINE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
}


def settings_for(master: str, given: Mapping[str, str]) -> dict[str, str]:
    """All settings of a session: what is given goes before what is set here.

    >>> settings_for("local[2]", {"spark.ui.enabled": "true"})["spark.ui.enabled"]
    'true'
    """
    place = ON_ONE_MACHINE if master.startswith("local") else {}
    log = Path(__file__).with_name("log4j2.properties")
    quiet = {"spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log.as_uri()}"}
    return {**DEFAULTS, **place, **quiet, **given}


@contextmanager
def open_session(master: str, given: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session that ends with the block, or one of its own beside a session that is there already."""
    running = SparkSession.getActiveSession()
    if running is not None:
        yield _beside(running, given)
        return
    with tempfile.TemporaryDirectory(prefix="pagekin-") as cache:
        session = _started(master or LOCAL, given, Path(cache))
        try:
            yield session
        finally:
            session.stop()


def _beside(running: SparkSession, given: Mapping[str, str]) -> SparkSession:
    """A session of the same application, with settings of its own for what can still be set."""
    session = running.newSession()
    for key, value in settings_for(str(running.sparkContext.master), given).items():
        if key.startswith("spark.sql."):
            session.conf.set(key, value)
    return session


def _started(master: str, given: Mapping[str, str], cache: Path) -> SparkSession:
    os.environ["JAVA_HOME"] = str(java_home(cache))
    os.environ.setdefault("PYSPARK_PYTHON", given.get("spark.pyspark.python", sys.executable))
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName("pagekin").master(master)
    for key, value in settings_for(master, given).items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except Exception as error:
        advice = "see that there is a Spark at this address, and that it can be reached from here"
        raise SparkUnusable(f"Spark cannot be started at {master}: {_first_line(error)}; {advice}") from None


def told(error: Exception) -> PagekinError:
    """What an error of Spark says: the error that a task of ours raised on a worker, or the first line of it."""
    found = re.findall(r"pagekin\.errors\.(\w+): (.+)", str(error))
    if found:
        name, message = found[-1]
        kind: type[PagekinError] = getattr(errors, name, StepFailed)
        return kind(message)
    if "PATH_ALREADY_EXISTS" in str(error):
        return TargetExists(f"{_first_line(error)}; give --force to replace it, or choose another name with -o")
    return StepFailed(f"Spark gave up: {_telling_line(error)}; --resume goes on from here")


def _telling_line(error: Exception) -> str:
    """The last line of a traceback in Python, or the first of anything else."""
    _, traceback, after = str(error).partition("Traceback (most recent call last):")
    lines = [line for line in after.splitlines() if line and not line.startswith(" ")]
    return lines[0] if traceback and lines else _first_line(error)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
