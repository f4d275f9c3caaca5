"""pagekin advise: lists with what to do for a person, JSON for a program."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def advice(pagekin: Run, index: Path) -> dict[str, Any]:
    """Advice on the sample web."""
    done = pagekin("advise", index, "-k", "4", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_the_json_has_lists_and_how_long_they_are_in_all(advice: dict[str, Any]) -> None:
    kinds = ("missing_links", "orphans", "copies", "bare")
    assert advice.keys() == {"site", "pages", "totals", *kinds}
    for kind in kinds:
        assert len(advice[kind]) == min(advice["totals"][kind], 4)


def test_copies_are_those_of_the_truth(advice: dict[str, Any], index: Path) -> None:
    truth = index.with_name("duplicates.tsv").read_text("utf-8")
    for group in advice["copies"]:
        assert group["keep"] in truth
        assert all(url in truth for url in group["copies"])


def test_a_person_reads_what_to_do(pagekin: Run, index: Path, advice: dict[str, Any]) -> None:
    done = pagekin("advise", index, "-k", "4")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{advice['pages']} pages looked at\n")
    assert f"related, but not linked: {advice['totals']['missing_links']:,}; link one to the other" in done.stdout
    assert f"say the same: {advice['totals']['copies']}; keep the first" in done.stdout
    for link in advice["missing_links"]:
        assert link["url"] in done.stdout
        assert link["other_url"] in done.stdout


def test_a_site_of_which_nothing_was_fetched_is_a_plain_no(pagekin: Run, index: Path) -> None:
    done = pagekin("advise", index, "--site", "nowhere.test")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "pagekin: no page of nowhere.test was fetched\n"
