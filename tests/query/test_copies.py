"""Copies of what is related: one page stands for all, and has what links say of any."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from building import built_index
from small_web import write_small_web

from pagekin.index import Index
from pagekin.settings import DuplicateSettings, Settings


def fetched(folder: Path) -> list[str]:
    """Some pages of the sample web's directory."""
    return [line.split("\t")[0] for line in (folder / "directory.tsv").read_text("utf-8").splitlines()][::40]


@pytest.fixture(scope="module")
def clusters(sample: Path, sample_index: Index) -> dict[str, set[str]]:
    """The copies that each page stands for, as the sample web's own list has them."""
    other_of: dict[str, set[str]] = defaultdict(set)
    for line in (sample / "duplicates.tsv").read_text("utf-8").splitlines():
        one, other, _ = line.split("\t")
        other_of[one].add(other)
        other_of[other].add(one)
    return other_of


def questions(sample: Path, clusters: dict[str, set[str]]) -> list[str]:
    return [*fetched(sample)[:8], *sorted(clusters)[:8]]


@pytest.mark.parametrize("exact", [False, True])
def test_of_a_page_and_its_copies_one_is_shown(
    sample: Path, sample_index: Index, clusters: dict[str, set[str]], exact: bool
) -> None:
    for url in questions(sample, clusters):
        found = {result.url for result in sample_index.related(url, k=30, exact=exact).results}
        assert not any(clusters[each] & found for each in found)


@pytest.mark.parametrize("exact", [False, True])
def test_with_copies_the_page_and_they_are_shown(sample_index: Index, sample: Path, exact: bool) -> None:
    seen = 0
    for url in fetched(sample):
        alone = sample_index.related(url, k=10, explain=True, exact=exact).results
        every = [result.url for result in sample_index.related(url, k=60, copies=True, exact=exact).results]
        copies = {copy for result in alone for copy in result.copied_at}
        seen += len(copies & {*every})
        assert [found for found in every if found in {result.url for result in alone}] == [r.url for r in alone]
    assert seen > 3


def test_a_result_tells_how_many_copies_it_stands_for(sample_index: Index, sample: Path) -> None:
    found = [result for url in fetched(sample) for result in sample_index.related(url, explain=True).results]
    assert max(result.copies for result in found) > 0
    assert all(result.copies == len(result.copied_at) for result in found)


def test_addresses_of_copies_come_with_reasons_alone(sample_index: Index, sample: Path) -> None:
    found = [result for url in fetched(sample) for result in sample_index.related(url).results]
    assert max(result.copies for result in found) > 0
    assert all(result.copied_at == () for result in found)


def test_what_is_asked_for_has_all_its_copies_apart(sample_index: Index, clusters: dict[str, set[str]]) -> None:
    for url in sorted(clusters)[:12]:
        assert clusters[url] <= {copy.url for copy in sample_index.related(url).copies}


# --- what links say of copies

TEXT = " ".join(f"word{number}" for number in range(60))
ORIGINAL, COPY = "http://one.example/article", "http://two.example/copied"
LINKED_WEB = {
    ORIGINAL: f"<title>Article</title><p>{TEXT}",
    COPY: f"<title>Article</title><p>{TEXT}",
    "http://three.example/": f"<a href={ORIGINAL}>harbour</a>",
    "http://four.example/": f"<a href={ORIGINAL}>seaport</a>",
    "http://five.example/": f"<a href={COPY}>lighthouse</a>",
}


def linked(tmp_path: Path, **settings: int) -> Index:
    chosen = Settings(duplicates=DuplicateSettings(**settings))
    return built_index(write_small_web(tmp_path / "linked.warc", LINKED_WEB), chosen, "linked.kin")


def terms(index: Index, url: str) -> set[str]:
    return {term.term for term in index.terms(url, k=100).terms}


def test_the_words_of_links_to_a_copy_are_said_of_the_page_that_stands_for_it(tmp_path: Path) -> None:
    index = linked(tmp_path)
    assert {"harbour", "seaport", "lighthouse"} <= terms(index, ORIGINAL)
    assert "lighthouse" in terms(index, COPY) and "harbour" not in terms(index, COPY)


def test_the_links_to_a_copy_are_counted_for_the_page_that_stands_for_it(tmp_path: Path) -> None:
    documents = linked(tmp_path)._documents
    links = {documents.text("url", number): int(documents.in_links[number]) for number in range(len(documents))}
    assert (links[ORIGINAL], links[COPY]) == (3, 1)


def test_copies_that_are_not_looked_for_are_pages_like_others(tmp_path: Path) -> None:
    index = linked(tmp_path, super_shingles=0)
    assert index.manifest.duplicates == {}
    assert "lighthouse" not in terms(index, ORIGINAL)


def test_the_manifest_tells_how_many_copies_there_are(tmp_path: Path) -> None:
    assert linked(tmp_path).manifest.duplicates == {"copies": 1, "clusters": 1, "mirrors": 0, "capped": 0}
