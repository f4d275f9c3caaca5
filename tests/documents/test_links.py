"""What the documents refer to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pagekin.cli import COMMANDS

from .generated import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_SOURCE = re.compile(r"`((?:src/|tests/|docs/|benchmarks/)[\w./-]+\.\w+)`")


def _text(path: Path) -> str:
    return _FENCED.sub("", path.read_text("utf-8"))


def _anchor(heading: str) -> str:
    """The anchor that a heading gets on GitHub and its like."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _anchors(path: Path) -> set[str]:
    return {_anchor(heading) for heading in re.findall(r"^#+ +(.+)$", _text(path), re.M)}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in _LINK.findall(_text(path)):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file) if file else path
        assert found.exists(), f"{path.name} links to {target}"
        if anchor:
            assert anchor in _anchors(found), f"{path.name} links to {target}: no such heading"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_files_exist(path: Path) -> None:
    for name in _SOURCE.findall(_text(path)):
        assert (ROOT / name).exists(), f"{path.name} names {name}"


@pytest.mark.parametrize("command", COMMANDS)
def test_readme_has_every_command(command: str) -> None:
    rows = re.findall(r"^\| `pagekin (\w+)", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert command in rows


def test_every_document_is_linked_to() -> None:
    linked = {
        (path.parent / target.partition("#")[0]).resolve()
        for path in DOCUMENTS
        for target in _LINK.findall(_text(path))
        if "://" not in target
    }
    lost = [str(path.relative_to(ROOT)) for path in DOCUMENTS if path.parent != ROOT and path not in linked]
    assert not lost
