"""A real cluster on this machine, a master and two workers in processes of their own, and what a fault costs there."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from equal_indexes import differences

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.sample import write_sample

pytestmark = pytest.mark.usefixtures("needs_spark")

PAGES = 300
MIDDLE = "urls"  # a step in the middle of a build
LONGEST_WAIT_SECONDS = 600
PAGEKIN = [sys.executable, "-c", "from pagekin.cli import main; main()"]
Process = subprocess.Popen[bytes]


def begin(command: list[str], messages: Path | None = None, **environment: str) -> Process:
    """A process that leads a group of its own, so that it can be killed with all its children."""
    with (messages or Path(os.devnull)).open("w") as errors:
        return subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=errors,
            start_new_session=True,
        )  # fmt: skip


def kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


class Cluster:
    """A master and two workers of one core each, on the loopback interface."""

    def __init__(self, folder: Path) -> None:
        self.folder, port = folder, free_port()
        self.url = f"spark://127.0.0.1:{port}"
        self.master = self._begin("master.Master", "--port", str(port))
        self._wait_for(port)
        self.workers = [self._worker(number) for number in range(2)]

    def _begin(self, name: str, *arguments: str) -> Process:
        import pyspark

        from pagekin.engines.spark.java import java_home

        script = Path(pyspark.__file__).parent / "bin" / "spark-class"
        command = [
            str(script),
            f"org.apache.spark.deploy.{name}",
            "--host",
            "127.0.0.1",
            "--webui-port",
            "0",
            *arguments,
        ]
        return begin(command, JAVA_HOME=str(java_home(self.folder)), SPARK_LOCAL_IP="127.0.0.1")

    def _worker(self, number: int) -> Process:
        work = self.folder / f"worker-{number}"
        return self._begin("worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir", str(work), self.url)

    def _wait_for(self, port: int) -> None:
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return
            time.sleep(0.1)
        pytest.fail("the master of the cluster does not answer")

    def end(self) -> None:
        for process in (self.master, *self.workers):
            kill(process)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.end()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, PAGES, seed=3)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="module")
def expected(web: Path, needs_spark: None) -> Path:
    index = web.with_name("local.kin")
    pagekin.build(web, index, engine=LocalEngine(2))
    return index


def begin_build(web: Path, index: Path, *options: str) -> Process:
    """A build on Spark as a person begins it."""
    given = ["--engine", "spark", "--set", "spark.executor.memory=512m", "--set", "spark.driver.host=127.0.0.1"]
    command = [*PAGEKIN, "build", str(web), "-o", str(index), *given, "--set", "crawl.split_bytes=300000", *options]
    return begin(command, messages_of(index), SPARK_LOCAL_IP="127.0.0.1")


def messages_of(index: Path) -> Path:
    """What a build told on standard error."""
    return index.with_suffix(".messages")


def wait_for_step(process: Process, index: Path, step: str) -> None:
    """Wait until a task of a step is done."""
    done = index.with_name(f"{index.name}.building") / "done"
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not list(done.glob(f"{step}-*.json")):
        assert process.poll() is None, "the build has ended"
        assert time.monotonic() < deadline, "the build takes too long"
        time.sleep(0.05)


def same_but_for_settings(one: Path, other: Path) -> bool:
    return set(differences(one, other)) <= {"settings_digest of the manifest"}


def test_a_cluster_gives_the_index_of_one_machine_though_a_worker_is_killed(
    cluster: Cluster, web: Path, expected: Path, tmp_path: Path
) -> None:
    whole, bereft = tmp_path / "whole.kin", tmp_path / "bereft.kin"
    assert begin_build(web, whole, "--master", cluster.url).wait(LONGEST_WAIT_SECONDS) == 0
    assert same_but_for_settings(expected, whole)
    assert messages_of(whole).read_text("utf-8") == ""
    build = begin_build(web, bereft, "--master", cluster.url)
    wait_for_step(build, bereft, MIDDLE)
    kill(cluster.workers[0])
    assert build.wait(LONGEST_WAIT_SECONDS) == 0
    assert same_but_for_settings(expected, bereft)


def test_a_driver_that_was_killed_goes_on_with_resume(web: Path, expected: Path, tmp_path: Path) -> None:
    index = tmp_path / "resumed.kin"
    build = begin_build(web, index, "--master", "local[2]")
    wait_for_step(build, index, MIDDLE)
    kill(build)
    marks = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.building/done/scan-*.json")}
    again = begin_build(web, index, "--master", "local[2]", "--resume")
    wait_for_step(again, index, "lots")
    assert marks and {path: path.stat().st_mtime_ns for path in marks} == marks
    assert again.wait(LONGEST_WAIT_SECONDS) == 0
    assert same_but_for_settings(expected, index)


@pytest.mark.parametrize("master", ["nonsense://127.0.0.1:1", "spark://127.0.0.1:1", "k8s://https://127.0.0.1:1"])
@pytest.mark.parametrize("command", ["build", "export"])
def test_a_master_that_does_not_answer_is_told_in_a_sentence(
    web: Path, expected: Path, tmp_path: Path, master: str, command: str
) -> None:
    given = {"build": [str(web)], "export": [str(expected), "--format", "parquet"]}[command]
    options = ["-o", str(tmp_path / "out"), "--engine", "spark", "--master", master]
    began = time.monotonic()
    told = subprocess.run([*PAGEKIN, command, *given, *options], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert re.fullmatch(rf"pagekin: Spark cannot be started at {re.escape(master)}: .*\n", told.stderr)
    assert time.monotonic() - began < 30
