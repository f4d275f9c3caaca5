"""A Spark session for pagekin: what is set where nobody sets it, and what is told when something goes wrong."""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pagekin import errors
from pagekin.engines.spark.java import java_home
from pagekin.errors import PagekinError, SparkUnusable, StepFailed, TargetExists

FAULTS = (PySparkException, Py4JJavaError)  # what Spark raises; of the second kind is what it did not foresee
ADVICE = "see that there is a Spark at this address, and that it can be reached from here"
KNOCK_SECONDS = 10
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
    _knock(master)
    os.environ.setdefault("PYSPARK_PYTHON", given.get("spark.pyspark.python", sys.executable))
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.appName("pagekin").master(master)
    for key, value in settings_for(master, given).items():
        builder = builder.config(key, value)
    with _java(java_home(cache)):
        try:
            return builder.getOrCreate()
        except Exception as error:
            raise SparkUnusable(f"Spark cannot be started at {master}: {_first_line(error)}; {ADVICE}") from None


@contextmanager
def _java(home: Path) -> Iterator[None]:
    """Have Spark start this Java; it was made for one session, and the next looks for one anew."""
    former = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(home)
    try:
        yield
    finally:
        if former is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = former


def _knock(master: str) -> None:
    """SparkUnusable if nobody listens where a cluster should be; Spark itself would try for more than a minute."""
    if not re.fullmatch(r"local.*|yarn|spark://.+:\d+|k8s://.+", master):
        expected = "expected local[2], spark://host:7077, k8s://https://host:443 or yarn"
        raise SparkUnusable(f"Spark cannot be started at {master}: no address of a Spark; {expected}")
    places = master_addresses(master)
    reasons = [reason for place in places if (reason := _silence(place))]
    if places and len(reasons) == len(places):
        raise SparkUnusable(f"Spark cannot be started at {master}: {'; '.join(reasons)}; {ADVICE}")


def master_addresses(master: str) -> list[tuple[str, int]]:
    """Where the masters of a cluster listen, one of which must answer; none for a cluster that is not found this way.

    >>> master_addresses("spark://one:7077,two:7078"), master_addresses("k8s://https://host:443")
    ([('one', 7077), ('two', 7078)], [('host', 443)])
    >>> master_addresses("yarn")
    []
    """
    found = re.fullmatch(r"(?:spark://|k8s://(?:https?://)?)([^/]+)/?", master)
    places = [place.rpartition(":") for place in found[1].split(",")] if found else []
    return [(host.strip("[]"), int(port)) for host, _, port in places if host and port.isdecimal()]


def _silence(place: tuple[str, int]) -> str:
    """Why nobody can be reached at a place; empty if somebody can."""
    try:
        socket.create_connection(place, KNOCK_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        return f"{place[0]}:{place[1]} does not answer ({_first_line(error)})"
    return ""


def told(error: Exception, advice: str = "--resume goes on from here") -> PagekinError:
    """What an error of Spark says: the error that a task of ours raised on a worker, or its most telling line."""
    found = re.findall(r"pagekin\.errors\.(\w+): (.+)", str(error))
    if found:
        name, message = found[-1]
        kind: type[PagekinError] = getattr(errors, name, StepFailed)
        return kind(message)
    if "PATH_ALREADY_EXISTS" in str(error):
        return TargetExists(f"{_first_line(error)}; give --force to replace it, or choose another name with -o")
    return StepFailed(f"Spark gave up: {_telling_line(str(error))}; {advice}")


def _telling_line(told_by_spark: str) -> str:
    """The last line of a traceback in Python, the last cause that Java names, or the first line of anything else.

    >>> _telling_line("It failed:\\n: java.lang.Error: a\\n\\tat x\\nCaused by: java.io.IOException: no disk")
    'java.io.IOException: no disk'
    """
    _, traceback, after = told_by_spark.partition("Traceback (most recent call last):")
    of_python = [line for line in after.splitlines() if line and not line.startswith(" ")] if traceback else []
    of_java = re.findall(r"^(?:Caused by|): (.+)", told_by_spark, re.M)
    return next(iter([*of_python, *of_java[::-1]]), "") or _first_line(Exception(told_by_spark))


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
