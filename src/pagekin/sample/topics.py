"""The directory of the sample web: three levels of topics, each with its own English words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from pagekin.sample.dice import Dice


@dataclass(eq=False)
class Topic:
    """A class of the directory; the words of the classes above it belong to its pages too."""

    name: str
    above: Topic | None
    number: int
    things: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    below: list[Topic] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The names from the top, as in `Food/Baking/Sourdough`."""
        return f"{self.above.path}/{self.name}" if self.above else self.name

    @property
    def slug(self) -> str:
        """The name as it stands in a host."""
        return self.name.lower().replace(" and ", "-").replace(" ", "-")


@dataclass(frozen=True)
class Directory:
    """All topics, level by level."""

    tops: tuple[Topic, ...]
    middles: tuple[Topic, ...]
    leaves: tuple[Topic, ...]

    def leaf_near(self, leaf: Topic, dice: Dice) -> Topic:
        """Where a link from a page of this leaf leads: mostly the leaf itself, then ever farther."""
        draw = dice.below(100)
        if draw < 72 or leaf.above is None or leaf.above.above is None:
            return leaf
        if draw < 88:
            return dice.pick(leaf.above.below)
        if draw < 94:
            return dice.pick(dice.pick(leaf.above.above.below).below)
        return dice.pick(self.leaves)


@cache
def directory() -> Directory:
    """The directory as it is written in topics.txt."""
    levels: tuple[list[Topic], list[Topic], list[Topic]] = ([], [], [])
    text = files("pagekin.sample").joinpath("topics.txt").read_text("utf-8")
    for line in text[text.index("# ", text.index("\n\n")) :].splitlines():
        if line.startswith("#"):
            topic = _new_topic(levels, line)
        elif line:
            _give_words(topic, line)
    return Directory(*map(tuple, levels))


def _new_topic(levels: tuple[list[Topic], ...], line: str) -> Topic:
    marks, name = line.split(" ", 1)
    depth = len(marks) - 1
    above = levels[depth - 1][-1] if depth else None
    topic = Topic(name, above, len(levels[depth]))
    levels[depth].append(topic)
    if above:
        above.below.append(topic)
    return topic


def _give_words(topic: Topic, line: str) -> None:
    field_name, words = line.split(": ", 1)
    getattr(topic, field_name).extend(words.split(", "))
