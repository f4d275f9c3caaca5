"""Stop words and stemmers by language: what the rest of the package knows of any one language.

The lists were written for pagekin: function words in their forms, words without a topic, and the furniture of
web pages ("click", "menu"). Words are parted at apostrophes, so the lists hold the pieces ("don", "t").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources

import Stemmer

# The languages that have a list, by their codes, with the name of their Snowball stemmer. English has Porter's
# original algorithm, the one that Haveliwala et al. used. Ukrainian has a list only.
STEMMERS = {
    "en": "porter",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
    "uk": "",
}
LANGUAGES = tuple(STEMMERS)
_SAME = {"nb": "no", "nn": "no"}


def known_language(code: str) -> str:
    """The code under which a language is known here, or nothing.

    >>> known_language("nb"), known_language("en"), known_language("tlh")
    ('no', 'en', '')
    """
    code = _SAME.get(code, code)
    return code if code in STEMMERS else ""


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; none for one that is not known."""
    if language not in STEMMERS:
        return frozenset()
    text = resources.files(__package__).joinpath(f"{language}.txt").read_text("utf-8")
    return frozenset(text.split())


@cache
def stemmer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """A function from words to their stems; the words themselves where there is no stemmer.

    >>> stemmer("en")(["running", "weather"])
    ['run', 'weather']
    """
    name = STEMMERS.get(language, "")
    if not name:
        return list
    # Without its cache: words come once each, and to keep them took three quarters of the time.
    stem: Callable[[Sequence[str]], list[str]] = Stemmer.Stemmer(name, 0).stemWords
    return stem
