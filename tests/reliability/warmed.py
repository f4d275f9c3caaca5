"""A build and all questions once, in the process that others are forked from: what they need is loaded then."""

from __future__ import annotations

import tempfile
from pathlib import Path

from damages import answers, golden

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.sample import write_sample

with tempfile.TemporaryDirectory() as folder:
    write_sample(Path(folder), 30)
    build(Path(folder) / "sample.warc.gz", Path(folder) / "a.kin", engine=LocalEngine(workers=1))
answers(golden())
