"""What does the keyword index cost, and how much slower than bare tantivy is a query?

    python benchmarks/keywords.py
    python benchmarks/keywords.py --data schools-wikipedia/ --queries 200 --keep crawl/
    python benchmarks/keywords.py --tables crawl/
    python benchmarks/keywords.py --index schools.kin

*Writing*: the steps from PAGES to anchor texts and the index of a crawl (by default a sample web), one process and one
thread of tantivy, beside the time that its pages took to scan.

*Asking*: queries made by chance from the words and sentences of the crawl. pagekin reads the query, makes queries of
tantivy and ranks; tantivy alone, on the same index, is given what its own parser understands, already stemmed, and only
in those languages that have the stem (words, phrases, Boolean), or a query of its own kind on the word forms (fuzzy, a
regular expression for wildcards). Both look at all four fields, weigh them alike, count all matches and give the ids of
the ten best pages, without snippets; what ten snippets cost is measured apart. *either* is words with OR, which tantivy
does alone; *wishes* are the same words without, for which pagekin also looks for pages that have all of them.

Times are medians of processor time, so that a busy machine does not count; a search in a thread of its own counts as
well. Each query is asked three times by both in turn, and the least time counts. *anew* is pagekin without what it
remembers of words from one query to the next. *unlike* is the number of queries for which the two count different
pages.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import pyarrow.compute as pc
from tantivy import Occur, Query

from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import table_parts
from pagekin.engines.protocol import Fold, Map
from pagekin.keywords.anchors import LINK_COLUMNS, anchor_texts, fewer_link_texts, link_texts
from pagekin.keywords.stems import marked_stems
from pagekin.pipelines import SCHEMAS
from pagekin.query.keywords import FIELD_WEIGHTS, Keywords
from pagekin.query_language.nodes import FIELDS
from pagekin.query_language.parser import parse_query
from pagekin.sample import write_sample
from pagekin.settings import Settings
from pagekin.stores.keyword_index import PAGE, forms_of, write_keywords
from pagekin.stores.manifest import read_manifest
from pagekin.stores.vocabulary_store import write_vocabulary
from pagekin.tables import ANCHOR_TEXTS, LINK_TEXTS
from pagekin.trials.crawl_tables import CrawlTables, crawl_tables, index_tables

LANGUAGES = ("en", "")
ROUNDS = 3
STEPS = (
    Map("link texts", reads="pages", writes=("link_texts",), columns=LINK_COLUMNS, step=link_texts),
    Fold(
        "anchor texts", reads="link_texts", writes=("anchor_texts",), key=("site_id", "page"), uses=("urls",),
        combine=fewer_link_texts, step=anchor_texts,
    ),
)  # fmt: skip
TABLES = SCHEMAS | {"link_texts": LINK_TEXTS, "anchor_texts": ANCHOR_TEXTS}


def timed(function: Callable[[], object]) -> float:
    """The processor time that a function takes, in seconds."""
    started = time.process_time()
    function()
    return time.process_time() - started


# --- writing ------------------------------------------------------------------------------------------------


def written(data: Path | None, pages: int, work: Path, folder: Path) -> CrawlTables:
    """A crawl with its keyword index, in a folder of its own; says what that took."""
    if data is None:
        write_sample(work / "web", pages=pages, seed=1)
        data = work / "web"
    inputs = [str(path) for path in data.glob("*.warc.gz")] or [str(data)]
    scanned = timed(lambda: crawl_tables(inputs, Settings(), folder, LocalEngine(1)))
    anchors = timed(lambda: LocalEngine(1).run(STEPS, [], TABLES, folder))
    pages_parts, texts, words = (table_parts(folder / name) for name in ("pages", "anchor_texts", "lexicon"))
    indexed = timed(lambda: write_keywords(folder / "keywords", pages_parts, texts, words, LANGUAGES))
    tables = CrawlTables(data.name, folder, Settings(), ())
    lexicon = tables.table("lexicon")
    write_vocabulary(folder / "vocabulary", lexicon["text"].combine_chunks(), lexicon["occurrences"].to_numpy())
    say_cost(tables, scanned, anchors, indexed)
    return tables


def say_cost(tables: CrawlTables, scanned: float, anchors: float, indexed: float) -> None:
    lengths = pc.list_value_length(tables.table("pages", ["words"])["words"])
    pages, words = len(lengths), pc.sum(lengths).as_py()
    size = sum(path.stat().st_size for path in (tables.folder / "keywords").iterdir())
    print(f"{pages:,} pages of {words / pages:,.0f} words; PAGES takes {tables.bytes / 1e6:.1f} MB")
    print(f"scanning        {scanned / pages * 1e3:6.2f} ms a page")
    print(f"anchor texts    {anchors / pages * 1e3:6.2f} ms a page")
    print(f"keyword index   {indexed / pages * 1e3:6.2f} ms a page, {indexed / words * 1e9:.0f} ns a word")
    print(f"                {size / 1e6:6.1f} MB, {size / words:.2f} bytes a word\n")


# --- asking -------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """A query as pagekin reads it, and what tantivy alone is asked."""

    text: str
    bare: Callable[[Keywords], Query]


def parsed(text: str, keywords: Keywords) -> Callable[[Keywords], Query]:
    """A query that tantivy reads itself, its words and phrases stemmed in each language that has them."""

    def stemmed(found: re.Match[str]) -> str:
        words = re.findall("[a-z]+", found[0])
        quote = '"' if len(words) > 1 else ""
        ways = [marked_stems(words, *place) for place in enumerate(keywords.languages)]
        known = [stems for stems in ways if all(is_known(stem, keywords) for stem in stems)]
        return f"({' '.join(quote + ' '.join(stems) + quote for stems in known or ways[:1])})"

    text = re.sub('"[^"]*"|[a-z]+', stemmed, text)
    return lambda keywords: keywords.index.index.parse_query(text, list(FIELDS), FIELD_WEIGHTS)


def is_known(stem: str, keywords: Keywords) -> bool:
    """Whether any field of any page has a stem."""
    return any(keywords.index.searcher.doc_freq(field, stem) for field in FIELDS)


def in_all_forms(make: Callable[[Keywords, str], Query]) -> Callable[[Keywords], Query]:
    """A query for the word forms of every field."""

    def bare(keywords: Keywords) -> Query:
        queries = [
            Query.boost_query(make(keywords, forms_of(field)), weight) for field, weight in FIELD_WEIGHTS.items()
        ]
        return Query.boolean_query([(Occur.Should, query) for query in queries])

    return bare


def fuzzy(word: str, distance: int) -> Asked:
    """A word within an edit distance."""
    make = in_all_forms(lambda keywords, field: Query.fuzzy_term_query(keywords.index.schema, field, word, distance))
    return Asked(f"{word}~{distance}", make)


def wildcard(pattern: str) -> Asked:
    """A pattern with `*`."""
    expression = pattern.replace("*", ".*")
    return Asked(
        pattern,
        in_all_forms(lambda keywords, field: Query.regex_query(keywords.index.schema, field, expression)),
    )


def queries_of(tables: CrawlTables, keywords: Keywords, number: int) -> dict[str, list[Asked]]:
    """Queries of each kind."""
    dice = Random(1)
    lexicon = tables.table("lexicon").sort_by([("occurrences", "descending"), ("word", "ascending")])
    texts = [text for text in lexicon["text"].to_pylist()[:20_000] if re.fullmatch("[a-z]{4,}", text)]
    frequent, long = texts[:5000], [text for text in texts if len(text) >= 7]
    sentences = sentences_of(tables, dice, number)

    def some(make: Callable[[], Asked]) -> list[Asked]:
        return [make() for _ in range(number)]

    def read(text: str, bare: str = "") -> Asked:
        return Asked(text, parsed(bare or text, keywords))

    def either(number: int) -> Asked:
        words = [pick() for _ in range(number)]
        return read(" OR ".join(words), " ".join(words))

    def pick(words: Sequence[str] = frequent) -> str:
        return dice.choice(words)

    return {
        "one word": some(lambda: read(pick())),
        "either of two": some(lambda: either(2)),
        "either of five": some(lambda: either(5)),
        "two wishes": some(lambda: read(f"{pick()} {pick()}")),
        "five wishes": some(lambda: read(" ".join(pick() for _ in range(5)))),
        "phrase of two": [read(f'"{" ".join(words[:2])}"') for words in sentences],
        "phrase of four": [read(f'"{" ".join(words)}"') for words in sentences],
        "Boolean": some(lambda: read(f"+{pick()} -{pick()} +({pick()} OR {pick()})")),
        "fuzzy, one edit": some(lambda: fuzzy(swapped(pick(long), dice), 1)),
        "fuzzy, two edits": some(lambda: fuzzy(swapped(pick(long), dice), 2)),
        "wildcard inside": some(lambda: wildcard(re.sub("(...)(...)(.*)", r"\1*\3", pick(long)))),
        "wildcard before": some(lambda: wildcard(f"*{pick(long)[2:]}")),
    }


def swapped(word: str, dice: Random) -> str:
    """A word with two of its letters in the wrong order."""
    at = dice.randrange(1, len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def sentences_of(tables: CrawlTables, dice: Random, number: int) -> list[list[str]]:
    """Four words that follow one another on a page."""
    words = dict(zip(*(tables.table("lexicon")[name].to_pylist() for name in ("word", "text")), strict=True))
    pages = [row for row in tables.table("pages", ["words"])["words"].to_pylist() if len(row) > 100]
    found: list[list[str]] = []
    while len(found) < number:
        page = dice.choice(pages)
        at = dice.randrange(50, len(page) - 4)
        four = [words[word] for word in page[at : at + 4]]
        found += [four] if all(re.fullmatch("[a-z]+", word) for word in four) else []
    return found


def bare_answer(keywords: Keywords, asked: Asked) -> int:
    """What tantivy alone gives; returns how many pages it counts."""
    searcher = keywords.index.searcher
    result = searcher.search(asked.bare(keywords), 10)
    searcher.fast_field_values(PAGE, [address for _, address in result.hits])
    count: int = result.count  # type: ignore[attr-defined]  # which its stubs do not know
    return count


def answer(keywords: Keywords, asked: Asked, snippets: bool = False) -> int:
    """What pagekin gives; returns how many pages it counts."""
    return keywords.search(parse_query(asked.text), 10, time.monotonic() + 60, snippets).total


class Times(NamedTuple):
    """How long one query took, in milliseconds."""

    ours: float
    anew: float
    bare: float


def forget_words(keywords: Keywords) -> None:
    for remembered in (keywords.stems, keywords.stems_of, keywords.pages_with, keywords.word_queries):
        remembered.cache_clear()


def least_times(keywords: Keywords, asked: Asked) -> Times:
    """The three take turns in being first, for whoever asks next finds more in the caches of the processor."""
    times: dict[str, list[float]] = {name: [] for name in ("anew", "ours", "bare")}
    for turn in range(ROUNDS):
        for name in (*times, *times)[turn : turn + 3]:
            if name == "anew":
                forget_words(keywords)
            times[name].append(timed(partial(bare_answer if name == "bare" else answer, keywords, asked)))
    return Times(**{name: 1e3 * min(taken) for name, taken in times.items()})


def with_snippets(keywords: Keywords, asked: Asked) -> float:
    return 1e3 * min(timed(partial(answer, keywords, asked, snippets=True)) for _ in range(ROUNDS))


def say_latencies(keywords: Keywords, queries: dict[str, list[Asked]]) -> None:
    titles = ("pagekin", "anew", "tantivy", "ratio", "anew", "unlike", "+ snippets")
    print(f"{'median ms of a query':20}" + "".join(f"{title:>11}" for title in titles))
    alone: list[Times] = []
    for kind, asked in queries.items():
        unlike = sum(answer(keywords, query) != bare_answer(keywords, query) for query in asked)
        times = [least_times(keywords, query) for query in asked]
        alone += [] if kind.startswith(("fuzzy", "wildcard")) else times
        say_times(kind, times, f"{unlike:11}{statistics.median(with_snippets(keywords, q) for q in asked[:20]):11.3f}")
    say_times("all but these four", alone)


def say_times(kind: str, times: Sequence[Times], rest: str = "") -> None:
    ours, anew, bare = map(statistics.median, zip(*times, strict=True))
    print(f"{kind:20}{ours:11.3f}{anew:11.3f}{bare:11.3f}{ours / bare:11.2f}{anew / bare:11.2f}{rest}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of pages or of WARC files; by default a sample web")
    parser.add_argument("--pages", type=int, default=2000, help="how many pages the sample web has")
    parser.add_argument("--keep", type=Path, help="a new folder for the tables and the keyword index of the data")
    parser.add_argument("--tables", type=Path, help="such a folder, in place of data")
    parser.add_argument("--index", type=Path, help="an index, in place of data")
    parser.add_argument("--queries", type=int, default=100, help="of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        tables, languages = crawl_of(options, Path(work))
        keywords = Keywords(tables.folder, languages)
        say_latencies(keywords, queries_of(tables, keywords, options.queries))


def crawl_of(options: argparse.Namespace, work: Path) -> tuple[CrawlTables, Sequence[str]]:
    """The crawl to be asked and the languages of its keyword index."""
    if options.index:
        return index_tables(options.index), read_manifest(options.index).languages
    if options.tables:
        return CrawlTables(options.tables.name, options.tables, Settings(), ()), LANGUAGES
    return written(options.data, options.pages, work, options.keep or work / "crawl"), LANGUAGES


if __name__ == "__main__":
    main()
