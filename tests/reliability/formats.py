"""Indexes of other formats: those of earlier ones answer, others are refused with the command that rebuilds them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from damages import GOLDEN, URL
from faults import Fault, Outcome

import pagekin
from pagekin.errors import IndexUnusable
from pagekin.stores.manifest import FORMAT, NAME, READABLE


def other_formats(tries: int, folder: Path, seed: int) -> Outcome:
    """Opens an index of each format that there was, and of some that are still to come."""
    outcome = Outcome()
    for number in range(tries):
        form = READABLE[0] + number % (len(READABLE) + 2)
        outcome.add(_answered(form) if form <= FORMAT else _refused(form, folder / f"{number}.kin"))
    return outcome


def _answered(form: int) -> str:
    found = pagekin.open(GOLDEN / f"format-{form}.kin").related(URL, k=3)
    return "" if len(found.results) == 3 and not found.left_out else f"format {form}: {found.left_out}"


def _refused(form: int, path: Path) -> str:
    shutil.copytree(GOLDEN / f"format-{FORMAT}.kin", path)
    fields = json.loads((path / NAME).read_text("utf-8"))
    (path / NAME).write_text(json.dumps(fields | {"format": form}), "utf-8")
    try:
        pagekin.open(path)
    except IndexUnusable as refusal:
        return "" if f"pagekin build small.warc -o {path} --force" in str(refusal) else str(refusal)
    return f"format {form} was opened"


FAULTS = (
    Fault("format", "an index of another format", "it answers, or is refused with the command", 7, 70, other_formats),
)
