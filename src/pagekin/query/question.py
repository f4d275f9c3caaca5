"""From what was asked, a text or an HTML file, to a bag by the strategy of the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.gather import UNIT
from pagekin.bags.terms import language_terms
from pagekin.crawl.encoding import utf8_html
from pagekin.hashing import hash_texts
from pagekin.languages import known_language
from pagekin.scan.page import scan_captures
from pagekin.settings import Strategy
from pagekin.tables import CAPTURES

NOWHERE = "http://question.invalid/"


class Question(NamedTuple):
    """The terms of what was asked: their ids, and how often each is there, in units of 1/1024."""

    ids: NDArray[np.int64]
    frequencies: NDArray[np.float64]


def question_of_text(text: str, strategy: Strategy, languages: Sequence[str]) -> Question:
    """A plain text as a question; what looks like markup in it is text too."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return question_of_html(escaped.encode("utf-8", "replace"), strategy, languages)


def question_of_html(body: bytes, strategy: Strategy, languages: Sequence[str]) -> Question:
    """An HTML page as a question: its own words, read as those of the crawl were."""
    html, encoding = utf8_html(body, "")
    row = {"source": "", "url": NOWHERE, "captured_at": datetime(1970, 1, 1, tzinfo=UTC), "html": html}
    row |= {"encoding": encoding, "moved_to": "", "moved_by": ""}
    tables = dict(scan_captures([pa.RecordBatch.from_pylist([row], schema=CAPTURES)]))
    lexicon = tables.get("words")
    if lexicon is None:
        return Question(np.empty(0, np.int64), np.empty(0))
    language = known_language(tables["captured"]["language"][0].as_py())
    if language not in languages:
        language = ""
    words = lexicon["text"].to_pylist()
    terms = language_terms(words, language, strategy)
    counts: Counter[str] = Counter()
    for word, term, occurrences in zip(words, terms, lexicon["occurrences"].to_pylist(), strict=True):
        if term and (strategy.numbers or any(character.isalpha() for character in word)):
            counts[term] += occurrences
    ids = hash_texts(pa.array(list(counts), pa.string()))
    return Question(ids, np.array(list(counts.values()), np.float64) * UNIT)
