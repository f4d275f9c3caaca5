"""Queries of every kind, mixed and nested, made by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from pagekin.query_language.words import page_pattern, page_words

DEEPEST = 2
SITES = ("example.org", "www.example.org", "example.net")
LANGUAGES = ("en", "de")
YEARS = (2019, 2020, 2021, 2022)


def random_query(
    dice: Random, words: Sequence[str], sites: Sequence[str] = SITES, languages: Sequence[str] = LANGUAGES
) -> str:
    """A query that can be read, of words that are given and words a little unlike them."""
    return _Maker(dice, words, sites, languages).query(0)


class _Maker:
    def __init__(self, dice: Random, words: Sequence[str], sites: Sequence[str], languages: Sequence[str]) -> None:
        self.dice, self.words, self.sites, self.languages = dice, words, sites, languages
        self.kinds: dict[str, Callable[[], str]] = {
            "word": self.word,
            "exact": lambda: f"={self.word()}",
            "phrase": self.phrase,
            "slop": lambda: f"{self.phrase()}~{self.dice.randint(0, 5)}",
            "near": lambda: f"({self.word()} NEAR/{self.dice.randint(1, 8)} {self.word()})",
            "wildcard": self.wildcard,
            "fuzzy": lambda: self.damaged() + self.dice.choice(["~", "~1", "~2", "~3"]),
            "sounds": lambda: f"sounds:{self.damaged()}",
            "editex": lambda: f"editex:{self.damaged()}{self.dice.choice(['', '~1', '~3'])}",
            "like": lambda: f"like:{self.damaged()}",
            "field": self.in_field,
            "site": lambda: f"site:{self.dice.choice(self.sites)}",
            "lang": lambda: f"lang:{self.dice.choice(self.languages)}",
            "date": self.date,
        }

    def query(self, depth: int) -> str:
        """Runs with OR between them."""
        return " OR ".join(self.run(depth) for _ in range(self.some(1, 1, 1, 1, 2, 3)))

    def run(self, depth: int) -> str:
        return " ".join(self.chain(depth) for _ in range(self.some(1, 1, 1, 2, 3)))

    def chain(self, depth: int) -> str:
        return " AND ".join(self.part(depth) for _ in range(self.some(1, 1, 1, 2)))

    def part(self, depth: int) -> str:
        sign = self.dice.choice(["", "", "", "", "", "", "", "", "+", "+", "-", "−", "NOT "])
        boost = self.dice.choice(["", "", "", "", "^2", "^0.5"])
        return sign + self.operand(depth) + boost

    def operand(self, depth: int) -> str:
        if depth < DEEPEST and self.dice.random() < 0.15:
            return f"({self.query(depth + 1)})"
        if depth < DEEPEST and self.dice.random() < 0.05:
            return f"{self.field()}:({self.query(depth + 1)})"
        return self.kinds[self.dice.choice(list(self.kinds))]()

    def some(self, *numbers: int) -> int:
        return self.dice.choice(numbers)

    def word(self) -> str:
        return self.dice.choice(self.words)

    def damaged(self) -> str:
        """A word in which a letter may be missing, doubled or swapped with the next."""
        word = self.word()
        at = self.dice.randrange(len(word))
        before, rest = word[:at], word[at:]
        damaged = self.dice.choice([word, before + rest[1:], before + rest[:1] + rest, before + rest[1::-1] + rest[2:]])
        return damaged if page_words(damaged) == [damaged] else word

    def wildcard(self) -> str:
        word = self.word()
        at, last = sorted((self.dice.randrange(len(word)), self.dice.randrange(len(word))))
        kept = word[:at] + self.dice.choice("*?*") + word[last + 1 :]
        return kept if page_pattern(kept) else f"{word[:1]}*"

    def phrase(self) -> str:
        """A phrase of words that stand one after another in those given, as they may on a page."""
        at = self.dice.randrange(len(self.words))
        return f'"{" ".join(self.words[at : at + self.some(2, 2, 3)]) if at + 1 < len(self.words) else "of the"}"'

    def field(self) -> str:
        return self.dice.choice(["title", "body", "anchor", "url"])

    def in_field(self) -> str:
        kinds = ("word", "exact", "phrase", "slop", "near", "wildcard", "fuzzy", "sounds", "editex", "like")
        return f"{self.field()}:{self.kinds[self.dice.choice(kinds)]()}"

    def date(self) -> str:
        first, last = sorted(self.dice.choice(YEARS) for _ in range(2))
        month = self.dice.randint(1, 12)
        return "date:" + self.dice.choice(
            [
                f"{first}",
                f"{first}-{month:02}",
                f"{first}..{last}",
                f"{first}-01-15..{last}-{month:02}-28",
                f"..{last}",
                f"{first}-{month:02}..",
            ]
        )
