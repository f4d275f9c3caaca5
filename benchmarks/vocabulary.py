"""How fast are wildcard, fuzzy and phonetic terms expanded: against a scan of the lexicon, and against tantivy?

    python benchmarks/vocabulary.py --data ENCYCLOPEDIA
    python benchmarks/vocabulary.py --words LEXICON.txt

The lexicon is that of a crawl, by default of a sample web, or a file with a word a line. Two peers answer the same
questions in the same run. *scan*: a regular expression, `OSA` of rapidfuzz, or sets of trigrams over a list of all
words (Editex has no such peer); it must find as many words. *tantivy*: its own regular expression or fuzzy query, on an
index of the pages, each a document with a body (of the words, each a document, if there is but a file of them). It has
to find pages, and so a second time is given for pagekin, with a query for the words that were found on the same index.
Some questions are fixed, some are drawn for each kind: a word with a part cut out, or misspelt by one or two edits.

Times are medians of wall time in milliseconds; the ratios say how many times as long the peer takes. Files are warm.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from pagekin.engines.local import LocalEngine
from pagekin.sample import write_sample
from pagekin.settings import Settings
from pagekin.stores.vocabulary_store import Vocabulary, write_vocabulary
from pagekin.trials.crawl_tables import crawl_tables
from pagekin.vocabulary.expansion import Expansion
from pagekin.vocabulary.likeness import LEAST_LIKENESS
from pagekin.vocabulary.ngrams import trigrams
from pagekin.vocabulary.words import lower_case

MOST = 1000
PATIENCE_SECONDS = 0.5  # a question is repeated for so long, or `MOST_TIMES`
MOST_TIMES = 25
Numbers = NDArray[np.int64]


class Corpus(NamedTuple):
    """The words of a crawl, how often each was seen, and the documents for tantivy."""

    words: pa.StringArray
    occurrences: Numbers
    bodies: list[str]


class Question(NamedTuple):
    """What is asked for: a kind, a pattern or a word, and a distance if the kind has one."""

    kind: str
    text: str
    distance: int = 0


NAMED = [
    Question("wildcard", "*raklion"),
    Question("wildcard", "Brit*ney"),
    Question("wildcard", "reali?ation"),
    Question("wildcard", "Sm*th*"),
    Question("wildcard", "*ing"),
    Question("wildcard", "*a*"),
    Question("fuzzy", "microsoft", 1),
    Question("fuzzy", "microsoft", 2),
    Question("fuzzy", "house", 2),
    Question("sounds", "tymczak"),
    Question("editex", "rodney", 3),
    Question("like", "rhodnee"),
]


# --- lexicons and questions ---------------------------------------------------------------------------------


def crawl_corpus(data: Path | None, pages: int, work: Path) -> Corpus:
    """The lexicon of a crawl, and the first of its pages."""
    if data is None:
        write_sample(work / "web", pages=pages, seed=1)
        data = work / "web"
    inputs = [str(path) for path in data.glob("*.warc.gz")] or [str(data)]
    tables = crawl_tables(inputs, Settings(), work / "crawl", LocalEngine(1))
    lexicon = tables.table("lexicon").combine_chunks().sort_by("word")
    words = lexicon["text"].combine_chunks()
    lists, ids = tables.table("pages", ["words"])["words"].slice(0, pages), lexicon["word"].to_numpy()
    bodies = [
        " ".join(words.take(pa.array(np.searchsorted(ids, page.values.to_numpy()))).to_pylist()) for page in lists
    ]
    return Corpus(words, lexicon["occurrences"].to_numpy(), bodies)


def file_corpus(path: Path) -> Corpus:
    """The words of a file, each of them a document; those at its beginning count as more frequent."""
    words = list(dict.fromkeys(lower_case(line.strip()) for line in path.read_text("utf-8").splitlines()))
    words = [word for word in words if 0 < len(word) < 100]
    return Corpus(pa.array(words), len(words) // np.arange(1, len(words) + 1), words)


def misspelt(word: str, edits: int, dice: random.Random) -> str:
    """A word after some edits."""
    letters = list(word)
    for _ in range(edits):
        place = dice.randrange(len(letters) - 1)
        other = dice.choice("etaoinsrhl")
        letters[place : place + 2] = dice.choice(
            [
                letters[place : place + 2][::-1],
                [other, letters[place + 1]],
                [letters[place + 1]],
                [letters[place], other],
            ]
        )
    return "".join(letters)


def drawn_questions(words: list[str], each: int) -> Iterator[tuple[str, list[Question]]]:
    """Questions of every kind, made of words of five to twelve letters."""
    dice = random.Random(1)
    fit = [word for word in words if 5 <= len(word) <= 12 and word.isalpha() and word.isascii()]
    chosen = dice.choices(fit, k=each)
    yield "*tail", [Question("wildcard", "*" + word[-max(len(word) - 2, 4) :]) for word in chosen]
    yield "head*tail", [Question("wildcard", f"{word[:2]}*{word[-2:]}") for word in chosen]
    yield "*middle*", [Question("wildcard", f"*{word[1:-1]}*") for word in chosen]
    yield "one?letter", [Question("wildcard", f"{word[:2]}?{word[3:]}") for word in chosen]
    for edits in (1, 2):
        yield f"fuzzy {edits}", [Question("fuzzy", misspelt(word, edits, dice), edits) for word in chosen]
    yield "editex 2", [Question("editex", misspelt(word, 1, dice), 2) for word in chosen]
    yield "like", [Question("like", misspelt(word, 1, dice)) for word in chosen]
    yield "did you mean", [Question("nearest", misspelt(word, 1, dice)) for word in chosen]


# --- who answers --------------------------------------------------------------------------------------------


def expansion(vocabulary: Vocabulary, question: Question) -> Expansion:
    """The answer of the vocabulary."""
    if question.kind == "wildcard":
        return vocabulary.matching(question.text, MOST)
    if question.kind == "fuzzy":
        return vocabulary.within(question.text, question.distance, MOST)
    if question.kind == "editex":
        return vocabulary.editex(question.text, question.distance, MOST)
    asked = {"sounds": vocabulary.sounding_like, "like": vocabulary.like, "nearest": vocabulary.nearest}
    return asked[question.kind](question.text, MOST)


def expression_of(pattern: str) -> str:
    """A pattern with wildcards as a regular expression."""
    return lower_case(pattern).replace("*", ".*").replace("?", ".")


def scan(words: list[str], question: Question) -> list[str] | None:
    """The same by looking at every word."""
    if question.kind == "wildcard":
        match = re.compile(expression_of(question.text)).fullmatch
        return [word for word in words if match(word)]
    if question.kind == "fuzzy":
        found = cdist([question.text], words, scorer=OSA.distance, score_cutoff=question.distance, dtype=np.uint8)[0]
        return [words[k] for k in np.flatnonzero(found <= question.distance)]
    if question.kind == "like":
        grams = set(trigrams(question.text))
        sets = ((word, set(trigrams(word))) for word in words)
        return [word for word, own in sets if own and 2 * len(own & grams) / (len(own) + len(grams)) >= LEAST_LIKENESS]
    return None


class Tantivy:
    """An index of documents with one field."""

    def __init__(self, bodies: list[str]) -> None:
        import tantivy

        self.queries = tantivy.Query
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", tokenizer_name="whitespace", index_option="basic")
        self.schema = builder.build()
        index = tantivy.Index(self.schema)
        writer = index.writer(64 << 20, 1)
        for body in bodies:
            writer.add_document(tantivy.Document(body=[body]))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()

    def answer(self, question: Question) -> int | None:
        """How many documents tantivy finds by itself."""
        if question.kind == "wildcard":
            query = self.queries.regex_query(self.schema, "body", expression_of(question.text))
        elif question.kind == "fuzzy" and question.distance <= 2:
            query = self.queries.fuzzy_term_query(self.schema, "body", question.text, question.distance)
        else:
            return None
        return int(self.searcher.search(query, 10, count=True).count)

    def with_words(self, words: list[str]) -> int:
        """How many documents have one of some words."""
        query = self.queries.term_set_query(self.schema, "body", words)
        return int(self.searcher.search(query, 10, count=True).count)


# --- figures ------------------------------------------------------------------------------------------------


def median_ms(act: Callable[[], Any]) -> float:
    """The median time of an act that is repeated for a while."""
    act()
    times: list[float] = []
    while len(times) < MOST_TIMES and sum(times) < PATIENCE_SECONDS:
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def times_of(vocabulary: Vocabulary, words: list[str], peer: Tantivy | None, question: Question) -> dict[str, float]:
    """How long everyone takes for a question."""
    found = expansion(vocabulary, question)
    times = {"pagekin": median_ms(lambda: expansion(vocabulary, question))}
    slow = scan(words, question)
    if slow is not None:
        assert found.total == len(slow), f"the scan finds {len(slow)} words for {question}, not {found.total}"
        times["scan"] = median_ms(lambda: scan(words, question))
    if peer is not None and peer.answer(question) is not None:
        times["tantivy"] = median_ms(lambda: peer.answer(question))
        times["pagekin_and_search"] = median_ms(
            lambda: peer.with_words([match.word for match in expansion(vocabulary, question).matches])
        )
    return times


def figures_of(rows: list[dict[str, float]]) -> dict[str, float]:
    """Medians of the times of questions, and ratios of medians."""
    figures = {f"{name}_ms": round(statistics.median(row[name] for row in rows), 3) for name in rows[0]}
    if "scan" in rows[0]:
        figures["scan_ratio"] = round(figures["scan_ms"] / figures["pagekin_ms"], 1)
    if "tantivy" in rows[0]:
        figures["tantivy_ratio"] = round(figures["tantivy_ms"] / figures["pagekin_ms"], 1)
        figures["tantivy_to_search_ratio"] = round(figures["tantivy_ms"] / figures["pagekin_and_search_ms"], 1)
    return figures


def store_figures(corpus: Corpus, folder: Path) -> dict[str, Any]:
    """How long the vocabulary takes to be written and opened, and its size."""
    write_vocabulary(folder / "warm", corpus.words.slice(0, 10), corpus.occurrences[:10])  # compiles
    started = time.perf_counter()
    write_vocabulary(folder / "vocabulary", corpus.words, corpus.occurrences)
    seconds = time.perf_counter() - started
    size = sum(path.stat().st_size for path in (folder / "vocabulary").iterdir())
    return {
        "words": len(corpus.words),
        "documents": len(corpus.bodies),
        "bytes_a_word": round(size / len(corpus.words), 1),
        "text_bytes_a_word": round((folder / "vocabulary" / "words.u8").stat().st_size / len(corpus.words), 1),
        "write_seconds": round(seconds, 2),
        "open_ms": round(median_ms(lambda: Vocabulary(folder / "vocabulary")), 2),
    }


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of HTML or of WARC files; by default a sample web")
    parser.add_argument("--words", type=Path, help="a file with a word a line instead")
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--questions", type=int, default=25, help="to be drawn for each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        corpus = file_corpus(options.words) if options.words else crawl_corpus(options.data, options.pages, work)
        figures: dict[str, Any] = {"store": store_figures(corpus, work)}
        vocabulary, words = Vocabulary(work / "vocabulary"), corpus.words.to_pylist()
        peer = Tantivy(corpus.bodies) if importlib.util.find_spec("tantivy") else None
        figures["named"] = {
            " ".join(map(str, question[: 3 if question.distance else 2])): {
                "words": expansion(vocabulary, question).total,
                **figures_of([times_of(vocabulary, words, peer, question)]),
            }
            for question in NAMED
        }
        figures["drawn"] = {
            name: figures_of([times_of(vocabulary, words, peer, question) for question in questions])
            for name, questions in drawn_questions(words, options.questions)
        }
        print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
