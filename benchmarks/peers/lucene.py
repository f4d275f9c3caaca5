"""Lucene's MoreLikeThis: a small program in Java, with the jars of the Debian package liblucene8-java.

`make bench` fetches the package with apt-get, without installing it. Where there is no Java, no apt-get or no network
this peer is left out, and the table says so.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from measuring import CACHE, circumstances, folder_bytes, write_result
from peers import protocol

SOURCE = Path(__file__).with_name("MoreLikeThisPeer.java")
JARS = ("lucene-core", "lucene-queries", "lucene-analyzers-common")
HOME = CACHE / "lucene"


def fetched_jars() -> list[Path]:
    """The jars of Lucene, fetched once; none if they cannot be had."""
    if not list(HOME.glob("usr/share/java/lucene-core-*.jar")):
        HOME.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["apt-get", "download", "liblucene8-java"], cwd=HOME, check=True, stdout=subprocess.DEVNULL)
            package = next(HOME.glob("liblucene8-java*.deb"))
            subprocess.run(["dpkg", "-x", str(package), str(HOME)], check=True)
        except (OSError, subprocess.CalledProcessError, StopIteration):
            return []
    return [jar for name in JARS for jar in HOME.glob(f"usr/share/java/{name}-*.jar")]


class LuceneMoreLikeThis:
    """The query of the best terms of a page, ranked by BM25."""

    packages = ()
    settings = "MoreLikeThis with its defaults (25 terms of two in the page and five pages), EnglishAnalyzer, BM25"


def missing() -> str:
    """Why this peer cannot be measured here; empty if it can."""
    if shutil.which("javac") is None:
        return "there is no Java compiler here"
    return "" if fetched_jars() else "the Debian package liblucene8-java could not be fetched"


def _lines(path: Path, values: Sequence[object]) -> str:
    path.write_text("".join(f"{value}\n" for value in values), "utf-8")
    return str(path)


def measure(corpus: Path, out: Path, kind: str) -> dict[str, Any]:
    """As `protocol.measure` does, in a process of Java."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "index").mkdir(parents=True)
    jars = fetched_jars()
    classes, path = HOME / "classes", ":".join(map(str, jars))
    subprocess.run(["javac", "-cp", path, "-d", str(classes), str(SOURCE)], check=True)
    texts, asked = protocol.read_texts(corpus, kind), np.load(corpus / "asked.npy")
    some = np.random.default_rng(1).choice(asked, min(protocol.QUESTIONS, len(asked)), replace=False)
    given = [
        _lines(out / "texts.txt", [" ".join(text.split()) for text in texts]),
        _lines(out / "timed.txt", some.tolist()),
        _lines(out / "asked.txt", asked.tolist()),
    ]
    results = [str(out / name) for name in ("index", "scores.f32", "costs.txt")]
    one_core = ["-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC"]
    java = ["java", *one_core, "-cp", f"{path}:{classes}", "MoreLikeThisPeer"]
    subprocess.run([*java, *given, *results], check=True)
    scores = np.fromfile(out / "scores.f32", ">f4").reshape(len(asked), len(texts))
    np.save(out / "scores.npy", scores.astype(np.float32))
    seconds, median, slowest = map(float, (out / "costs.txt").read_text().split())
    for name in ("scores.f32", "texts.txt"):
        (out / name).unlink()
    costs = {"build_seconds": seconds, "index_bytes": folder_bytes(out / "index"), "pages": len(texts)}
    costs |= {"median_ms": median, "p99_ms": slowest, "text": kind, "settings": LuceneMoreLikeThis.settings}
    costs |= circumstances()
    costs["versions"] |= {"Lucene": jars[0].stem.rpartition("-")[2], "Java": _java_version()}
    write_result(out / "costs.json", costs)
    return costs


def _java_version() -> str:
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return said.split('"')[1]


def main() -> None:
    """Read the options and measure."""
    import sys

    corpus, out, kind = sys.argv[1:]
    print(measure(Path(corpus), Path(out), kind))


if __name__ == "__main__":
    main()
