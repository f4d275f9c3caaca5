"""500 queries of every kind on a sample web find what an evaluator finds that looks at every word of every page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest
from building import built_index
from generated import random_query
from reference import Page, Reference

from pagekin.crawl.urls import host_of, site_of
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.errors import QueryError
from pagekin.index import Index
from pagekin.languages import known_language, stemmer
from pagekin.pipelines import SCHEMAS, pages_to_anchor_texts
from pagekin.query_language.nodes import Near, Node, Phrase, Word
from pagekin.query_language.parser import parse_query
from pagekin.query_language.words import page_words
from pagekin.sample import write_sample
from pagekin.settings import Settings
from pagekin.trials.crawl_tables import link_tables
from pagekin.vocabulary.likeness import LEAST_LIKENESS

QUERIES = 500
BREAK = ""  # stands between texts of one field
MARK = ":"  # between the language of a word and the word


class InLanguages(Reference):
    """The slow evaluator on words that are marked by the language of the page, or of the link, that has them."""

    def _stands_in(self, page: Page, field: str, node: Node) -> bool:
        if isinstance(node, Phrase | Near) or (isinstance(node, Word) and not node.exact):
            return super()._stands_in(page, field, node)
        plain = {word.partition(MARK)[2] for word in page.fields.get(field, ())}
        return node.text in plain if isinstance(node, Word) else not self.forms(node).isdisjoint(plain)

    def _places(self, page: Page, field: str, text: str) -> list[int]:
        wanted = set(self.stems(text))
        return [place for place, stem in enumerate(page.fields.get(f"{field}, stemmed", ())) if stem in wanted]


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_table(folder / name, SCHEMAS[name]).to_pylist()
    return found


def marked(language: str, words: Sequence[str]) -> list[str]:
    return [f"{language}{MARK}{word}" for word in words]


def said_of(pages: Path, words: dict[int, str]) -> Iterator[tuple[int, list[str]]]:
    """What links say of each page."""
    for row in rows(pages, "anchor_texts"):
        spans = zip([0, *row["text_last"]], row["text_last"], row["text_language"], strict=False)
        texts = [marked(language, [words[w] for w in row["words"][first:last]]) for first, last, language in spans]
        yield row["page"], [word for text in texts for word in (*text, BREAK)]


def seen(row: dict[str, Any], page: dict[str, Any] | None, anchor: list[str], words: dict[int, str]) -> Page:
    url, language = row["url"], page["language"] if page else ""
    fields = {"anchor": anchor, "url": marked(language, page_words(unquote(url.partition("://")[2])))}
    if page is None:
        return Page(row["page"], fields, site_of(url), host_of(url))
    text = marked(language, [words[word] for word in page["words"]])
    first, last = page["title_first"], page["title_last"]
    fields |= {"title": text[first:last], "body": [*text[:first], *([BREAK] if first else []), *text[last:]]}
    return Page(row["page"], fields, site_of(url), host_of(url), language, page["captured_at"])


def reference(index: Index, work: Path) -> InLanguages:
    """The slow evaluator on the pages of an index."""
    work.mkdir()
    link_tables(work, index.path, ("pages", "urls", "lexicon"))
    LocalEngine(1).run(pages_to_anchor_texts(Settings()), [], SCHEMAS, work)
    words = {row["word"]: row["text"] for row in rows(index.path, "lexicon")}
    pages, said = {row["page"]: row for row in rows(index.path, "pages")}, dict(said_of(work, words))
    known = [row for row in rows(index.path, "urls") if row["page"] in pages or row["page"] in said]
    found = [seen(row, pages.get(row["page"]), said.get(row["page"], []), words) for row in known]
    languages = index.manifest.languages

    @cache
    def stem(word: str) -> str:
        language, _, form = word.partition(MARK)
        language = known_language(language) if known_language(language) in languages else ""
        return f"{language}{MARK}{stemmer(language)([form])[0]}" if form else ""

    @cache
    def stems(text: str) -> tuple[str, ...]:
        return tuple(stem(f"{language}{MARK}{text}") for language in languages)

    for page in found:
        page.fields.update({f"{name}, stemmed": list(map(stem, words)) for name, words in list(page.fields.items())})
    return InLanguages(found, stems, set(words.values()), LEAST_LIKENESS)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, InLanguages]:
    folder = tmp_path_factory.mktemp("searched")
    write_sample(folder / "web", 50, seed=3)
    index = built_index(folder / "web" / "sample.warc.gz")
    return index, reference(index, folder / "work")


@pytest.mark.slow
def test_what_is_found(web: tuple[Index, InLanguages]) -> None:
    index, slow = web
    dice, lexicon = Random(1), rows(index.path, "lexicon")
    common = [row["text"] for row in sorted(lexicon, key=lambda row: -row["occurrences"])[:300]]
    sites = sorted({page.site for page in slow.pages})
    found, refused = 0, 0
    for _ in range(QUERIES):
        text = random_query(dice, common, sites[:20], ("en", "ru"))
        try:
            answer = index._search.best(text, len(slow.pages), timeout_seconds=60)
        except QueryError:
            refused += 1  # phrases that may stand in too many ways
            continue
        if all(part.total == len(part.words) for part in answer.expanded):
            assert {hit.page for hit in answer.hits} == slow.matches(parse_query(text)), text
            assert answer.total == len(answer.hits)
            found += 0 < answer.total < len(slow.pages)
    assert found > QUERIES / 3
    assert refused < QUERIES / 50
