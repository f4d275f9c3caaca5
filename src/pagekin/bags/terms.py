"""From words to terms: stop words and stems (Haveliwala et al. 2002, section 3.2).

All that depends on a language is decided here, once for each word form of the lexicon, and not where the
words stand. The stream of a page's words is then translated by a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.bags.chunk import group_starts
from pagekin.errors import SettingsError
from pagekin.grouping import grouped
from pagekin.hashing import MULTIPLIER, hash_texts
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.languages import LANGUAGES as KNOWN
from pagekin.languages import known_language, stemmer, stop_words
from pagekin.settings import Strategy
from pagekin.side_tables import row_numbers
from pagekin.tables import LANGUAGES, TERM_FORMS, TERMS, WORD_TERMS

Named = tuple[str, pa.RecordBatch]

MOST_LANGUAGES = 8  # the commonest of a crawl, if they have
RECENT = 1 << 14  # slots of the table of words that were looked up lately
LEAST_SHARE = 0.002  # this share of its pages; the words of all others are terms as they are


# --- languages of the crawl ---------------------------------------------------------------------------------


def count_languages(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """How many pages are in which language."""
    for batch in batches:
        counts = batch["language"].value_counts()
        yield "page_languages", pa.record_batch([counts.field(0), counts.field(1)], schema=LANGUAGES)


def commonest_languages(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """The languages whose words get stop words and stems; the empty one is always among them."""
    totals = dict.fromkeys(KNOWN, 0)
    rest = 0
    for batch in batches:
        for row in batch.to_pylist():
            code = known_language(row["language"])
            if code:
                totals[code] += row["pages"]
            else:
                rest += row["pages"]
    least = max(LEAST_SHARE * (rest + sum(totals.values())), 1)
    present = [code for code in sorted(KNOWN, key=lambda code: -totals[code])[:MOST_LANGUAGES] if totals[code] >= least]
    counts = [totals[code] for code in present]
    yield (
        "languages",
        pa.record_batch([pa.array([*present, ""]), pa.array([*counts, rest])], schema=LANGUAGES),
    )


# --- words to terms -----------------------------------------------------------------------------------------


def word_terms(batches: Iterable[pa.RecordBatch], languages: pa.Table, strategy: Strategy) -> Iterator[Named]:
    """What each word form is as a term, in each language."""
    for batch in batches:
        if not strategy.numbers:
            batch = batch.filter(pc.match_substring_regex(batch["text"], r"\pL"))
        for language in languages["language"].to_pylist():
            terms = pa.array(language_terms(batch["text"].to_pylist(), language, strategy), pa.string())
            kept = pc.not_equal(terms, "")
            yield from _term_rows(batch.filter(kept), terms.filter(kept), language)


def _term_rows(words: pa.RecordBatch, terms: pa.StringArray, language: str) -> Iterator[Named]:
    ids = pa.array(hash_texts(terms))
    where = pa.array([language] * len(terms), pa.string())
    yield "word_terms", pa.record_batch([where, words["word"], ids], schema=WORD_TERMS)
    yield "term_forms", pa.record_batch([ids, terms, words["text"], words["occurrences"]], schema=TERM_FORMS)


def language_terms(words: list[str], language: str, strategy: Strategy) -> list[str]:
    """The term of each word; empty for one that is dropped.

    >>> language_terms(["the", "swimming"], "en", Strategy())
    ['', 'swim']
    """
    stops = _stop_list(language, strategy)
    stems = words
    if strategy.stemming != "nostem":
        stems, stops = stemmer(language)(words), frozenset(stemmer(language)(sorted(stops)))
    if strategy.stemming == "stem":
        return ["" if stem in stops else stem for stem in stems]
    return ["" if stem in stops else word for word, stem in zip(words, stems, strict=True)]


def _stop_list(language: str, strategy: Strategy) -> frozenset[str]:
    choice = strategy.stop_words
    if choice == "none":
        return frozenset()
    if choice == "auto":
        return stop_words(language)
    if known_language(choice):
        return stop_words(known_language(choice))
    try:
        return frozenset(Path(choice).read_text("utf-8").lower().split())
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"strategy.stop_words cannot be {choice!r}: {error}; "
            f"allowed are auto, none, a file of words, {', '.join(KNOWN)}"
        ) from None


def settled_terms(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """One row a term, with its commonest form; rows come sorted by term, and their order numbers the terms.

    Of forms that are equally common the first in the alphabet is taken.
    """
    for batch in batches:
        starts = group_starts(batch["term"].to_numpy())
        occurrences = batch["occurrences"].to_numpy()
        most = np.repeat(np.maximum.reduceat(occurrences, starts), np.diff(starts, append=len(occurrences)))
        best = pa.table(batch.filter(pa.array(occurrences == most)))
        forms = grouped(best, ["term"], [("text", "min"), ("form", "min")])
        yield "terms", pa.record_batch([column.chunk(0) for column in forms.columns], schema=TERMS)


# --- the table for the stream -------------------------------------------------------------------------------


TermMap = NDArray[np.int64]  # an open-addressed table: a slot holds the key of a word in a language, and its term


@inlined_kernel
def _key(word: int, language: int) -> int:
    return word ^ i64(u64(language) * MULTIPLIER)


@inlined_kernel
def term_number(table: TermMap, word: int, language: int) -> int:
    """The number of the term that a word is in a language, or -1 if it is dropped there."""
    key, mask = _key(word, language), len(table) - 1
    slot = key & mask
    while table[slot, 0] != 0:
        if table[slot, 0] == key:
            return table[slot, 1]  # type: ignore[no-any-return]
        slot = (slot + 1) & mask
    return -1


@inlined_kernel
def recent_term_number(table: TermMap, word: int, language: int, recent: TermMap) -> int:
    """The same, by way of a small table of words that were looked up lately, as most words of a page were."""
    key = _key(word, language)
    slot = key & (RECENT - 1)
    if recent[slot, 0] != key:
        recent[slot, 0], recent[slot, 1] = key, term_number(table, word, language)
    return i64(recent[slot, 1])


@kernel
def _fill(table: TermMap, words: NDArray[np.int64], language: int, numbers: NDArray[np.int64]) -> None:
    mask = len(table) - 1
    for i in range(len(words)):
        key = _key(words[i], language)
        slot = key & mask
        while table[slot, 0] != 0:
            slot = (slot + 1) & mask
        table[slot, 0], table[slot, 1] = key, numbers[i]


def term_map(rows: pa.Table, terms: pa.Table, languages: list[str]) -> TermMap:
    """The table for WORD_TERMS, TERMS and the languages in their order."""
    table = np.zeros((1 << max(int(2 * rows.num_rows).bit_length(), 4), 2), np.int64)
    ids, numbers = terms["term"].to_numpy(), row_numbers(terms)
    for number, language in enumerate(languages):
        own = rows.filter(pc.equal(rows["language"], language))
        _fill(table, own["word"].to_numpy(), number, numbers[np.searchsorted(ids, own["term"].to_numpy())])
    return table


def language_numbers(column: pa.Array, languages: list[str]) -> NDArray[np.int64]:
    """For each page the number of its language; that of the empty one where it is not listed."""
    numbers = {code: number for number, code in enumerate(languages)}
    rest = numbers[""]
    encoded = column.dictionary_encode()
    codes = np.array([numbers.get(known_language(code), rest) for code in encoded.dictionary.to_pylist()], np.int64)
    return codes[encoded.indices.to_numpy()] if len(column) else np.empty(0, np.int64)
