"""Random draws that are the same on every machine and in every version.

Every part of the sample web is drawn from dice that are named after it, so that any page can be made without
making the others. The draws are the bytes of SHAKE-128 of the name: fixed by a standard (FIPS 202), and a
tenth of the price of seeding a generator of numpy, which matters because every link draws its target's title.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import shake_128
from itertools import count
from struct import unpack
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """An endless row of draws that depends on its name alone.

    >>> Dice("1/example").below(6) == Dice("1/example").below(6)
    True
    """

    __slots__ = ("_name", "_next", "_rounds", "_size")

    def __init__(self, name: str, size: int = 40) -> None:
        self._next: Callable[[], int]
        self._name, self._size, self._rounds = name, size, count()
        self._refill()

    def _refill(self) -> None:
        digest = shake_128(f"{self._name}#{next(self._rounds)}".encode()).digest(4 * self._size)
        self._next = iter(unpack(f"<{self._size}I", digest)).__next__

    def draw(self) -> int:
        """A number below 2**32."""
        try:
            return self._next()
        except StopIteration:
            self._refill()
            return self._next()

    def below(self, end: int) -> int:
        """A number in 0 … end - 1."""
        return (self.draw() * end) >> 32

    def chance(self, times: int, out_of: int) -> bool:
        """True so many times out of so many."""
        return self.below(out_of) < times

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[(self.draw() * len(choices)) >> 32]

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        """The choices in another order (Fisher and Yates)."""
        row = list(choices)
        for last in range(len(row) - 1, 0, -1):
            other = self.below(last + 1)
            row[last], row[other] = row[other], row[last]
        return row
