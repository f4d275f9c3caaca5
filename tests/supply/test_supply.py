"""What pagekin depends on: locked with checksums, and under licences that go with its own."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from audit import LOCK, SKIPPED, verdict  # noqa: E402
from licences import DOCUMENT, OF_FILES, OF_LIBRARIES, PERMISSIVE, licensed, needed, same  # noqa: E402


def locked() -> dict[str, str]:
    """The version of each package in the lock file."""
    return dict(re.findall(r"^([a-z0-9.-]+)==([^ ;]+)", LOCK.read_text("utf-8"), re.M))


def test_every_dependency_is_locked() -> None:
    assert needed("pagekin") <= locked().keys()


def test_what_is_locked_has_a_checksum_and_no_address() -> None:
    text = LOCK.read_text("utf-8")
    assert len(re.findall(r"^[a-z0-9.-]+==.*\\\n +--hash=sha256:[0-9a-f]{64}", text, re.M)) == len(locked())
    assert "://" not in text and "--find-links" not in text and "--index-url" not in text


def test_the_lock_allows_what_pyproject_asks_for() -> None:
    from packaging.requirements import Requirement

    versions = locked()
    for text in distribution("pagekin").requires or ():
        requirement = Requirement(text)
        if requirement.marker is None:
            assert versions[same(requirement.name)] in requirement.specifier, text


def test_all_licences_go_with_apache_2() -> None:
    for row in licensed():
        allowed = PERMISSIVE | OF_FILES | (OF_LIBRARIES if row.extra else frozenset())
        assert row.parts <= allowed, row


def test_the_document_names_every_package_that_is_needed() -> None:
    named = set(re.findall(r"^\| ([^ ]+) \|", DOCUMENT.read_text("utf-8"), re.M)) - {"package"}
    assert {row.name for row in licensed()} <= named


def test_an_audit_that_asked_nobody_says_so() -> None:
    assert verdict('{"dependencies": [{"name": "numpy", "skip_reason": "not found"}]}') == (0, SKIPPED)
    assert verdict("") == (0, SKIPPED)


def test_an_audit_that_found_something_fails() -> None:
    report = (
        '{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1"}]}, {"name": "b", "skip_reason": ""}]}'
    )
    assert verdict(report) == (1, "a 1 has X-1")
