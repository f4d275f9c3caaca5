"""Writes docs/licences.md: what pagekin depends on, and under which licence each of it stands.

python tests/supply/licences.py
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "licences.md"
EXTRAS = ("mcp", "postgresql", "words")  # those of s3 and http bring dozens of packages, and are not in the tests
# What a program under Apache 2.0 may depend on: nothing here reaches beyond the files of the package itself.
PERMISSIVE = frozenset(
    "0BSD Apache-2.0 BSD BSD-2-Clause BSD-3-Clause CC0-1.0 ISC LLVM-exception MIT MIT-0 PSF-2.0 Unlicense Zlib".split()
)
OF_FILES = frozenset({"MPL-2.0"})  # asks for changes to its own files alone
OF_LIBRARIES = frozenset({"LGPL-3.0-only"})  # asks that the library can be replaced; for extras alone
_NAMES = {
    "MIT License": "MIT", "BSD License": "BSD", "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "Apache License 2.0": "Apache-2.0",
}  # fmt: skip


class Licensed(NamedTuple):
    """A package, and its licence as SPDX writes it."""

    name: str
    licence: str
    extra: str  # that brings it; empty for one that is always needed

    @property
    def parts(self) -> set[str]:
        """The names in the licence."""
        return set(re.split(r"[\s()]+|AND|OR|WITH", self.licence)) - {""}


def licence_of(package: Distribution) -> str:
    """What a package says of its licence: by SPDX, in a word, or by a classifier."""
    metadata = package.metadata
    classified = [c.rpartition(" :: ")[2] for c in metadata.get_all("Classifier") or () if c.startswith("License")]
    said = (
        metadata["License-Expression"]
        or _first_line(metadata["License"] or "")
        or " AND ".join(_NAMES.get(name, name) for name in classified)
    )
    return _NAMES.get(said, said).replace(", ", " AND ") or "unknown"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def same(name: str) -> str:
    """A name as all spell it.

    >>> same("typing_extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(name: str, extra: str = "") -> set[str]:
    """All packages that one needs, and those that they need."""
    found: set[str] = set()
    waiting = [(name, extra)]
    while waiting:
        package, wanted = waiting.pop()
        for text in distribution(package).requires or ():
            requirement = Requirement(text)
            is_wanted = requirement.marker is None or requirement.marker.evaluate({"extra": wanted})
            if is_wanted and same(requirement.name) not in found and _is_here(requirement.name):
                found.add(same(requirement.name))
                waiting.append((requirement.name, ",".join(requirement.extras)))
    return found


def _is_here(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def licensed() -> list[Licensed]:
    """All packages, those that are always needed first."""
    always = needed("pagekin")
    rows = [Licensed(name, licence_of(distribution(name)), "") for name in sorted(always)]
    known = set(always)
    for extra in EXTRAS:
        more = sorted(needed("pagekin", extra) - known)
        rows += [Licensed(name, licence_of(distribution(name)), extra) for name in more]
        known |= set(more)
    return rows


def document() -> str:
    """The whole text."""
    lines = [
        "# Licences of what pagekin depends on",
        "",
        "pagekin stands under Apache 2.0. Everything it needs may be used by such a program: most is permissive;",
        "MPL-2.0 asks for changes to its own files alone, and LGPL-3.0, of an extra, that the library can be replaced.",
        "Written by `python tests/supply/licences.py` from what the packages say of themselves; a test compares.",
        "",
        "| package | licence | needed for |",
        "|---|---|---|",
    ]
    rows = [f"| {row.name} | {row.licence} | {f'`{row.extra}`' if row.extra else 'always'} |" for row in licensed()]
    return "\n".join([*lines, *rows, ""])


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
