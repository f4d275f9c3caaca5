"""Copies of what is related: one page stands for all, and has what links say of any."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from building import built_index
from small_web import write_small_web

from pagekin.index import Index
from pagekin.settings import CocitationSettings, DuplicateSettings, Settings


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


# --- what a page and its copies may be


def fresh(tmp_path: Path, pages: dict[str, str], settings: Settings | None = None) -> Index:
    return built_index(write_small_web(tmp_path / "fresh.warc", pages), settings, "fresh.kin")


def words(seed: int, count: int = 60) -> str:
    return " ".join(f"w{seed}x{number}" for number in range(count))


def test_where_the_page_that_stands_for_copies_has_no_bag_another_does(tmp_path: Path) -> None:
    """What stands on more than three pages of a site is a template, so that of an article at six addresses of a site
    nothing is left; its copy on another site is a document still."""
    pages = {f"http://a.example/?session={number}": f"<p>{words(1)}" for number in range(6)}
    pages |= {"http://b.example/": f"<p>{words(1)}", "http://c.example/": f"<p>{words(1, 30)} {words(2)}"}
    index = fresh(tmp_path, pages)
    assert index.manifest.duplicates["copies"] == 6
    [found] = index.related("http://c.example/").results
    assert (found.url, found.copies) == ("http://b.example/", 6)


def test_with_other_sites_a_copy_there_is_shown_for_a_page_on_the_own_site(tmp_path: Path) -> None:
    shared = words(1, 30)
    pages = {
        "http://a.example/asked": f"<p>{shared} {words(2)}",
        "http://a.example/x": f"<p>{shared} {words(3)}",
        "http://b.example/copied-x": f"<p>{shared} {words(3)}",
        "http://c.example/": f"<p>{shared} {words(4)}",
    }
    index = fresh(tmp_path, pages)
    for exact in (False, True):
        found = [each.url for each in index.related("http://a.example/asked", other_sites=True, exact=exact).results]
        assert sorted(found) == ["http://b.example/copied-x", "http://c.example/"]


def listed(seed: int, *urls: str) -> str:
    return "<ul>" + "".join(f"<li><a href={url}>{words(seed + k, 3)}</a>" for k, url in enumerate(urls)) + "</ul>"


def test_a_page_on_a_mirror_that_stands_for_its_copy_keeps_its_citations(tmp_path: Path) -> None:
    """The mirror has the shorter name, so its pages stand for those of the original, which more links lead to."""
    pages = {f"http://{host}/{n}": f"<p>{words(n)}" for host in ("m.example", "original.example") for n in range(4)}
    pages |= {
        f"http://hub{n}.test/": listed(100 + 10 * n, "http://original.example/0", "http://y.example/") for n in range(2)
    }
    pages |= {"http://fan.test/": listed(200, *(f"http://original.example/{n}" for n in (1, 2, 3)))}
    answer = fresh(tmp_path, pages).related("http://y.example/", weights={"cocitation": 1.0})
    assert len(answer.results) == 1 and answer.results[0].url.endswith(".example/0")


def test_with_mirrors_apart_citations_of_a_copy_still_count(tmp_path: Path) -> None:
    pages = {"http://a.example/": f"<p>{words(1)}", "http://b.example/": f"<p>{words(1)}"}
    pages |= {f"http://hub{n}.test/": listed(100 + 10 * n, "http://b.example/", "http://y.example/") for n in range(2)}
    apart = Settings(cocitation=CocitationSettings(mirrors=False))
    answer = fresh(tmp_path, pages, apart).related("http://y.example/", weights={"cocitation": 1.0})
    assert [found.copies for found in answer.results] == [1]
