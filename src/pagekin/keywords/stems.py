"""Stems as terms of a keyword index: marked by their language, so that no word is found by the rules of another.

A mark is one capital letter, which no word has, that stands for the place of the language in the list of an index.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagekin.languages import stemmer


def marked_stems(words: Sequence[str], number: int, language: str) -> list[str]:
    """The stems of words in the language that has this number in the list of an index.

    >>> marked_stems(["running", "dogs"], 1, "en")
    ['Brun', 'Bdog']
    """
    mark = chr(ord("A") + number)
    return [mark + stem for stem in stemmer(language)(words)]
