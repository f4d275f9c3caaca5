"""From what was asked, a text or an HTML file, to a bag by the strategy of the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.gather import UNIT, amounts
from pagekin.bags.terms import language_terms
from pagekin.errors import SettingsError
from pagekin.hashing import hash_texts
from pagekin.languages import known_language
from pagekin.query.page import scanned_page
from pagekin.settings import Strategy


class WeighedWords(NamedTuple):
    """The terms of what was asked: their ids, and how often each is there, in units of 1/1024."""

    ids: NDArray[np.int64]
    frequencies: NDArray[np.float64]


def question_of_text(text: str, strategy: Strategy, languages: Sequence[str]) -> WeighedWords:
    """A plain text as a question; what looks like markup in it is text too.

    Few words do not show their language: they are then read as in the commonest of the index, the first of `languages`.
    """
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return _question(escaped.encode("utf-8", "replace"), strategy, languages, languages[0])


def question_of_html(body: bytes, strategy: Strategy, languages: Sequence[str]) -> WeighedWords:
    """An HTML page as a question: its own words, read as those of the crawl were."""
    return _question(body, strategy, languages, "")


def question_of_terms(terms: Mapping[str, float], strategy: Strategy, languages: Sequence[str]) -> WeighedWords:
    """Terms in any of their forms, with how much each counts, as a question; the largest counts as often as UNIT."""
    if not all(isfinite(weight) and weight >= 0 for weight in terms.values()):
        raise SettingsError("terms must weigh 0 or more")
    stems = language_terms(list(terms), languages[0], strategy)
    most, counts = max(terms.values(), default=1.0) or 1.0, dict[str, float]()
    for stem, weight in zip(stems, terms.values(), strict=True):
        if stem:
            counts[stem] = counts.get(stem, 0.0) + UNIT * weight / most
    ids = hash_texts(pa.array(list(counts), pa.string()))
    return WeighedWords(ids, np.array(list(counts.values()), np.float64))


def _question(body: bytes, strategy: Strategy, languages: Sequence[str], otherwise: str) -> WeighedWords:
    page, words = scanned_page(body)
    page = page.slice(0, 1)
    language = known_language(page["language"][0].as_py()) or otherwise
    texts = list(words.values())
    terms = language_terms(texts, language if language in languages else "", strategy)
    by_word = dict(zip(words, zip(texts, terms, strict=True), strict=True))
    counts: Counter[str] = Counter()
    for word, amount in zip(page["words"].flatten().to_pylist(), _said(page, strategy), strict=True):
        text, term = by_word[word]
        if term and (strategy.numbers or any(character.isalpha() for character in text)):
            counts[term] += amount
    ids = hash_texts(pa.array(list(counts), pa.string()))
    return WeighedWords(ids, np.array(list(counts.values()), np.float64))


def _said(page: pa.RecordBatch, strategy: Strategy) -> list[int]:
    """How much each word of a page counts; those of the title more, as in the bags of the index."""
    each = amounts(strategy)
    said = np.full(len(page["words"].flatten()), each.content or UNIT)
    said[page["title_first"][0].as_py() : page["title_last"][0].as_py()] += each.title
    counted: list[int] = said.tolist()
    return counted
