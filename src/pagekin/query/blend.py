"""How much each source of evidence counts in one ranking: as it was asked for, or as the settings of an index say.

Every source gives scores from 0 to 1, each in its own way: the text a mixture of Jaccard and cosine, concepts and words
a cosine where it is not negative, co-citation its strength, links the cosine of neighbourhoods, keywords BM25 by that
of the best page, authority the logarithm of the PageRank between the least and the highest. Weights add up to 1, and so
the whole score is from 0 to 1 too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from pathlib import Path

from pagekin.errors import SettingsError
from pagekin.settings import SimilaritySettings

TEXT, CONCEPTS, WORDS, COCITATION, LINKS = "text", "concepts", "words", "cocitation", "links"
AUTHORITY = "authority"  # of a page whatever was asked; it lists no pages
KEYWORDS = "keywords"  # one more, if it is said what the pages should be about
OF_DOCUMENTS = (COCITATION, LINKS)  # what is known of pages alone: nobody links to a text
SWITCHES = {
    CONCEPTS: "concepts.dimensions=100",
    WORDS: "words.dimensions=256",
    COCITATION: "cocitation.pages=15",
    LINKS: "links.neighbours=1000",
    AUTHORITY: "links.neighbours=1000",
}  # the setting that gives an index each source that it may not have

Blend = dict[str, float]  # how much each source counts; together 1


def settled_blend(settings: SimilaritySettings, sources: Collection[str], about: bool) -> Blend:
    """What the settings of an index say, for the sources that it has."""
    shares = {
        CONCEPTS: settings.concepts,
        WORDS: settings.words,
        COCITATION: settings.cocitation,
        LINKS: settings.linked,
        AUTHORITY: settings.authority,
    }
    weights = {name: share for name, share in shares.items() if name in sources}
    weights |= {TEXT: max(1 - sum(weights.values()), 0.0)}
    if about:
        rest = 1 - settings.keywords
        weights = {name: rest * share for name, share in weights.items()} | {KEYWORDS: settings.keywords}
    return _normal(weights)


def asked_blend(weights: Mapping[str, float], sources: Collection[str], about: bool, index: Path) -> Blend:
    """What a person asked for; SettingsError if it cannot be."""
    if about != (KEYWORDS in weights):
        advice = "say what pages should be about, or do not weigh keywords"
        raise SettingsError("what pages are about must be weighed too, such as keywords=1" if about else advice)
    known = (TEXT, *SWITCHES, KEYWORDS)
    unknown = sorted(weights.keys() - set(known))
    if unknown:
        raise SettingsError(f"there is no source {unknown[0]!r} to be weighed; there are {', '.join(known)}")
    if not (min(weights.values(), default=0.0) >= 0 and 0 < sum(weights.values()) < inf):
        raise SettingsError("weights must not be negative, and at least one must be more than 0")
    missing = [name for name, weight in weights.items() if weight and name not in (*sources, KEYWORDS)]
    if missing:
        raise SettingsError(f"{index} has no {missing[0]}; build it again with --set {SWITCHES[missing[0]]}")
    return _normal(weights)


def _normal(weights: Mapping[str, float]) -> Blend:
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items() if weight}


def without(blend: Blend, *names: str) -> Blend:
    """A blend without some sources: the others share what those would count.

    >>> without({"text": 0.4, "concepts": 0.4, "links": 0.2}, "links")
    {'text': 0.5, 'concepts': 0.5}
    """
    return _normal({name: share for name, share in blend.items() if name not in names})


def check_listing(blend: Blend) -> None:
    """Raise SettingsError if no source of a blend can name a page."""
    if not blend.keys() - {AUTHORITY}:
        raise SettingsError("authority ranks pages, but finds none; weigh another source too, such as text=1")
