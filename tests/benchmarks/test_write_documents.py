"""The documents are what the benchmarks measured, and nothing else."""

from __future__ import annotations

import re

import pytest

from write_documents import DOCUMENTS, TEMPLATES, documents, results


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_what_the_results_say(name: str) -> None:
    said = "run python benchmarks/write_documents.py: the results or the words have changed"
    assert DOCUMENTS[name].read_text("utf-8") == documents(results())[name], said


def test_every_result_tells_how_it_came_about() -> None:
    for name, found in results().items():
        assert found["command"].startswith("python benchmarks/"), name
        assert {"date", "machine", "load", "versions", "figures"} <= found.keys(), name


def test_results_name_no_folder_of_a_machine() -> None:
    for name, found in results().items():
        assert not re.search(r"(?<![\w:/.])/(?:work|root|home|tmp|Users)/", str(found)), name


def test_a_changed_figure_changes_the_document() -> None:
    found = results()
    found["scan"]["figures"]["output"] = ["a line that nobody measured"]
    assert "a line that nobody measured" in documents(found)["performance.md"]


def test_what_was_not_measured_is_said() -> None:
    text = documents({})["performance.md"]
    assert "Not measured yet: `python benchmarks/run_all.py --only scan`" in text


def test_templates_hold_no_measured_figures() -> None:
    """Aims, depths and the names of models are words; a number with a unit of time or memory is a figure."""
    figures = re.compile(r"\d[\d.,]* (?:µs|MiB|GiB|pages a second|%(?! (?:interval|load|at)))")
    for path in TEMPLATES.glob("*.md"):
        found = [line for line in path.read_text("utf-8").splitlines() if figures.search(line)]
        assert [line for line in found if "aim" not in line.lower() and "95 %" not in line and "99 %" not in line] == []
