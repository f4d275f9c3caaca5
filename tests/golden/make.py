"""Makes the golden index anew, for a new format: set FORMAT in stores/manifest.py, run this file, keep the old one.

python tests/golden/make.py
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from small_web import COPIES, HOSTILE, MOVED, NEVER_FETCHED, write_small_web

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.index import Index
from pagekin.stores.manifest import FORMAT

GOLDEN = Path(__file__).resolve().parent
QUESTIONS: list[dict[str, Any]] = [
    *({"url": url} for url in (COPIES[0], HOSTILE, MOVED[0], NEVER_FETCHED, "http://garden.example/bees-0.html")),
    {"url": "http://kitchen.test/bread-2.html", "other_sites": True},
    {"url": "http://kitchen.test/bread-2.html", "per_site": 1, "exact": True},
    {"text": "Old boats in the harbour"},
]


def answers(index: Index) -> list[dict[str, Any]]:
    """What the index says to the questions, with reasons."""
    found = [dataclasses.asdict(index.related(**asked, k=4, explain=True)) for asked in QUESTIONS]
    plain: list[dict[str, Any]] = json.loads(json.dumps(found))  # tuples become lists, as in a file
    return plain


def make() -> None:
    """Write format-N.kin and format-N.json beside this file."""
    target = GOLDEN / f"format-{FORMAT}.kin"
    # The manifest names the crawl as it was given: no path of this machine.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_small_web(Path("small.warc"))
        pagekin.build("small.warc", "small.kin", engine=LocalEngine(workers=1))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree("small.kin", target)
    text = json.dumps(answers(pagekin.open(target)), indent=1, ensure_ascii=True)
    target.with_suffix(".json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    make()
