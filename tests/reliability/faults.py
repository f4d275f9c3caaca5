"""What a fault is to the tests: a name, how often it is tried in each form, and a function that tries it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Outcome:
    """How often a fault was tried, and what was lost: a sentence for each try that was not survived."""

    tries: int = 0
    lost: list[str] = field(default_factory=list)
    note: str = ""  # what was measured, if it is more than a count

    def add(self, said: str) -> None:
        """One more try; nothing is said of one that was survived."""
        self.tries += 1
        if said:
            self.lost.append(said)


Try = Callable[[int, Path, int], Outcome]  # (tries, a folder of its own, a seed)


@dataclass(frozen=True)
class Fault:
    """A row of the table in docs/reliability.md."""

    group: str
    name: str
    survived: str  # what it means to survive it
    short: int  # tries in `make test`
    long: int  # tries in `make soak`
    run: Try
    most_lost: float = 0.0  # the share that is known to be lost, where pagekin has no defence yet
