"""What made a page related, as a bar: a part for each kind of evidence, as long as what it gave to the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagekin.query.records import Related

# The kinds of evidence as a person reads them, in the order in which bars show them.
KINDS = {
    "text": "same words",
    "concepts": "same topics",
    "words": "words of like meaning",
    "cocitation": "cited together",
    "links": "linked",
    "keywords": "the words asked for",
    "authority": "often linked to",
}


@dataclass(frozen=True)
class Part:
    """What one kind of evidence gave: where its part of the bar begins and how long it is, in hundredths."""

    kind: str
    name: str
    start: float
    length: float
    percent: int


def evidence_bar(found: Related) -> list[Part]:
    """The parts of a bar that is as long as the score; kinds that gave nothing have none."""
    total = sum(found.shares.values())
    parts: list[Part] = []
    start = 0.0
    for kind in sorted(found.shares, key=_place):
        share = found.shares[kind]
        if share > 0:
            percent = round(100 * share / total)
            parts.append(Part(kind, KINDS.get(kind, kind), round(100 * start, 2), round(100 * share, 2), percent))
        start += share
    return parts


def _place(kind: str) -> int:
    """Where a kind stands in a bar; one that is not known here comes last."""
    return [*KINDS, kind].index(kind)
