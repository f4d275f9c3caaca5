"""What does one page with millions of in-links cost on Spark, and how much of it comes to one task?

    python benchmarks/skew.py --json benchmarks/results/skew.json
    python benchmarks/skew.py --in-links 1000000

Every page of a crawl links to one. What the links say of it is made of numbers (`tests/engines/hub_crawl.py`), and
goes through the folds of a build. Bytes are those that tasks read from the shuffle, as Spark counts them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from measuring import ROOT, result, write_or_print
from scaling import CORES, Clock

TESTS = str(ROOT / "tests" / "engines")
sys.path.insert(0, TESTS)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (TESTS, os.environ.get("PYTHONPATH", ""))))

from hub_crawl import FOLDS, HUB_SCHEMAS, hub_pipeline, pieces  # noqa: E402
from spark_tasks import largest_tasks  # noqa: E402

IN_LINKS = 10_000_000
LINKS_OF_A_PIECE = 50_000
MEMORY = 1 << 30  # of a task, as by default


def figures(in_links: int) -> dict[str, Any]:
    """All folds, once."""
    from pagekin.engines.spark import SparkEngine
    from pagekin.engines.spark.session import open_session

    master, clock = f"local[{CORES},4]", Clock()
    engine = SparkEngine(master, MEMORY, observer=clock)
    with tempfile.TemporaryDirectory(prefix="pagekin-skew-") as folder, open_session(master, {}) as spark:
        engine.run(hub_pipeline(), pieces(in_links, -(-in_links // LINKS_OF_A_PIECE)), HUB_SCHEMAS, Path(folder))
        largest = largest_tasks(spark)
    rows = [
        {"fold": name, "seconds": clock.steps[name], "tasks": clock.tasks[name], "largest_task_bytes": largest[name]}
        for name in FOLDS
    ]
    return {"cores": CORES, "in_links": in_links, "folds": rows}


def main() -> None:
    """Read the options, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in-links", type=int, default=IN_LINKS, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the result goes; by default it is printed")
    options = parser.parse_args()
    document = result(figures(options.in_links), ["pyspark", "pandas"])
    write_or_print(options.json, document)


if __name__ == "__main__":
    main()
