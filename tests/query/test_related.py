"""What is related, as it is asked from Python: by address, by HTML, by text; copies, sites, shards, threads."""

from __future__ import annotations

import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from building import built_index
from small_web import COPIES, HOSTILE, NEVER_FETCHED, small_web, write_small_web

import pagekin
from pagekin.errors import UnknownPage
from pagekin.index import Index
from pagekin.query.records import Answer
from pagekin.settings import CocitationSettings, ConceptSettings, LinkSettings, Settings, SimilaritySettings

BEES = "http://garden.example/bees-0.html"
BREAD = "http://kitchen.test/bread-2.html"


def similarity(**changes: float) -> Settings:
    return Settings(similarity=replace(SimilaritySettings(), **changes))  # type: ignore[arg-type]


def urls(answer: Answer) -> list[str]:
    return [found.url for found in answer.results]


def fetched(folder: Path) -> list[str]:
    """Some pages of the sample web's directory."""
    return [line.split("\t")[0] for line in (folder / "directory.tsv").read_text("utf-8").splitlines()][::40]


# --- results


@pytest.mark.parametrize("exact", [False, True])
def test_pages_of_the_same_subject_come_first(small_index: Index, exact: bool) -> None:
    found = urls(small_index.related(BEES, k=8, exact=exact))
    assert len(found) == 8
    assert all("/bees-" in url for url in found)


def test_results_are_ranked_from_1_and_scores_fall(sample_index: Index, sample: Path) -> None:
    for url in fetched(sample)[:10]:
        results = sample_index.related(url).results
        assert [found.rank for found in results] == list(range(1, 11))
        assert [found.score for found in results] == sorted((found.score for found in results), reverse=True)
        assert url not in [found.url for found in results]


def test_a_result_carries_title_and_site(small_index: Index) -> None:
    pages = small_web()
    results = small_index.related("http://kitchen.test/bees-3.html", k=5).results
    assert len({(found.title, found.site) for found in results}) == 5
    for found in results:
        assert f"<title>{found.title}</title>" in pages[found.url]
        assert found.url.startswith(f"http://{found.site}/")


def test_a_score_is_the_similarity_of_the_two_pages(sample_index: Index, sample: Path) -> None:
    for url in fetched(sample)[:5]:
        for found in sample_index.related(url, weights={"text": 1}).results:
            assert found.score == pytest.approx(sample_index.similarity(url, found.url), abs=2e-6)
        for found in sample_index.related(url).results:
            assert found.evidence["text"] == pytest.approx(sample_index.similarity(url, found.url), abs=2e-6)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        (None, {"text": 0.5, "concepts": 0.3, "cocitation": 0.05, "links": 0.15}),
        ({"text": 1}, {"text": 1.0}),
        ({"concepts": 2}, {"concepts": 1.0}),
        ({"text": 3, "concepts": 1}, {"text": 0.75, "concepts": 0.25}),
    ],
)
def test_a_score_is_the_sum_of_the_shares_of_the_evidence(
    sample_index: Index, sample: Path, weights: dict[str, float] | None, shares: dict[str, float], exact: bool
) -> None:
    for url in fetched(sample)[:3]:
        results = sample_index.related(url, weights=weights, exact=exact).results
        assert len(results) == 10
        for found in results:
            assert found.evidence.keys() == {"text", "concepts", "cocitation", "links"}
            expected = sum(share * found.evidence[source] for source, share in shares.items())
            assert found.score == pytest.approx(expected, abs=2e-6)
            assert found.shares.keys() == shares.keys()
            assert sum(found.shares.values()) == pytest.approx(found.score, abs=3e-6)


def test_without_all_else_the_text_is_the_whole_evidence(small_crawl: Path) -> None:
    without = Settings(
        concepts=ConceptSettings(dimensions=0), cocitation=CocitationSettings(pages=0), links=LinkSettings(neighbours=0)
    )
    index = built_index(small_crawl, without, "without.kin")
    for found in index.related(BEES).results:
        assert found.evidence == {"text": found.score}


def test_similarity_is_symmetric_and_1_for_the_page_itself(sample_index: Index, sample: Path) -> None:
    some = fetched(sample)[:8]
    for one in some:
        assert sample_index.similarity(one, one) == 1
        assert [sample_index.similarity(one, other) for other in some] == pytest.approx(
            [sample_index.similarity(other, one) for other in some], abs=2e-6
        )


def test_all_answers_at_once_are_those_to_single_questions(small_index: Index) -> None:
    answers = list(small_index.related_all(k=4))
    assert len(answers) == len({answer.query for answer in answers}) == len(small_index)
    assert answers == [small_index.related(answer.query, k=4) for answer in answers]


def test_equals_are_ordered_by_their_addresses(tmp_path: Path) -> None:
    words = "tide harbour mooring varnish rigging"
    pages = {f"http://site-{i * 7 % 10}.test/": f"<p>{words} anchor" for i in range(10)}
    index = built_index(write_small_web(tmp_path / "ties.warc", pages | {"http://asked.test/": f"<p>{words}"}))
    for exact in (False, True):
        found = index.related("http://asked.test/", k=5, exact=exact)
        assert len({result.score for result in found.results}) == 1
        assert urls(found) == [f"http://site-{i}.test/" for i in range(5)]


def test_more_are_found_than_are_first_looked_at(sample: Path) -> None:
    few = built_index(sample / "sample.warc.gz", similarity(candidates=5), "few.kin")
    url = fetched(sample)[0]
    assert len(few.related(url, k=40).results) == 40
    assert len(few.related(url, k=10, other_sites=True).results) == 10


# --- what is left out


def test_near_copies_are_listed_apart(small_index: Index) -> None:
    answer = small_index.related(COPIES[0])
    assert [(copy.url, copy.score) for copy in answer.copies] == [(COPIES[1], 1.0)]
    assert not {*COPIES} & {*urls(answer)}


@pytest.mark.parametrize("exact", [False, True])
def test_results_are_never_as_alike_as_copies(sample_index: Index, sample: Path, exact: bool) -> None:
    least, seen = sample_index.similarity_settings.copy, 0
    for line in (sample / "duplicates.tsv").read_text("utf-8").splitlines():
        one, other, _ = line.split("\t")
        if sample_index.similarity(one, other) >= least:
            answer = sample_index.related(one, exact=exact)
            assert sample_index.related(other, k=1).query in [copy.url for copy in answer.copies]
            assert all(found.evidence["text"] < least for found in answer.results)
            seen += 1
    assert seen


def test_pages_with_the_same_words_are_copies(sample_index: Index, sample: Path) -> None:
    lines = (line.split("\t") for line in (sample / "duplicates.tsv").read_text("utf-8").splitlines())
    pairs = [(one, other) for one, other, kind in lines if kind in ("exact", "mirror")]
    for one, other in pairs:
        answer = sample_index.related(one)
        assert other not in urls(answer) and other in [copy.url for copy in answer.copies]


def test_other_sites_leaves_out_the_own(small_index: Index) -> None:
    assert "garden.example" in {found.site for found in small_index.related(BEES).results}
    for exact in (False, True):
        others = small_index.related(BEES, k=6, other_sites=True, exact=exact)
        assert {found.site for found in others.results} == {"shore.example", "kitchen.test"}


def test_other_sites_are_ranked_truly_however_large_the_own_is(sample_index: Index, sample: Path) -> None:
    for url in fetched(sample)[:6]:
        every = sample_index.related(url, k=len(sample_index), exact=True, copies=True)
        own = pagekin.open(sample_index.path).related(url, k=1).query.split("/")[2].removeprefix("www.")
        expected = [found.url for found in every.results if found.site != own][:10]
        assert urls(sample_index.related(url, other_sites=True, exact=True, copies=True)) == expected


def test_per_site_caps_each_site(small_index: Index) -> None:
    sites = Counter(found.site for found in small_index.related(BEES, k=30, per_site=2).results)
    assert set(sites.values()) == {2}
    assert len(sites) == 3


def test_pages_with_few_links_can_be_asked_for_but_are_no_answers(small_crawl: Path) -> None:
    index = built_index(small_crawl, similarity(least_in_links=2), "linked.kin")
    for exact in (False, True):
        assert urls(index.related(BREAD, exact=exact)) == [NEVER_FETCHED]
        assert urls(index.related("http://garden.example/bread-5.html", exact=exact)) == [NEVER_FETCHED]


# --- questions that are no pages of the index


@pytest.mark.parametrize("url", [*COPIES, HOSTILE])
def test_the_html_of_a_page_without_links_to_it_is_a_copy_of_it(small_index: Index, url: str) -> None:
    answer = small_index.related(html=small_web()[url].encode())
    assert answer.query == "HTML"
    assert {copy.url: copy.score for copy in answer.copies}[url] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("url", [BEES, BREAD, "http://shore.example/boats-4.html"])
def test_the_html_of_a_page_finds_it_among_the_first_nine(small_index: Index, url: str) -> None:
    """The words of links weigh much: one that is linked to with all the words of the question may come before."""
    answer = small_index.related(html=small_web()[url].encode())
    assert url in [found.url for found in (*answer.copies, *answer.results[:9])]


def test_a_short_text_is_read_in_the_commonest_language_of_the_index(small_index: Index) -> None:
    found = small_index.related(text="swarms hives combs")
    assert len(found.results) >= 5
    assert found.results == small_index.related(text="swarm hive comb").results


@pytest.mark.parametrize("exact", [False, True])
def test_a_text_finds_pages_of_its_subject(small_index: Index, exact: bool) -> None:
    found = urls(small_index.related(text="Kneading sourdough: flour, salt & <b>rye</b>", k=5, exact=exact))
    assert len(found) == 5
    assert all("/bread-" in url or url == NEVER_FETCHED for url in found)


@pytest.mark.parametrize("text", ["", "qwertz zxcvb", "the of and", "\0\ud800", "<p>", "123 456"])
def test_a_text_of_unknown_words_finds_nothing(small_index: Index, text: str) -> None:
    for exact in (False, True):
        assert small_index.related(text=text, exact=exact) == Answer("text", (), ())


@pytest.mark.parametrize("html", [b"", b"\xff\xfe", b"%PDF-1.4", b"<script>bees hive</script>", bytes(range(256))])
def test_html_without_known_words_finds_nothing(small_index: Index, html: bytes) -> None:
    assert small_index.related(html=html).results == ()


@pytest.mark.parametrize("asked", [{}, {"url": BEES, "text": "bees"}, {"html": b"", "text": ""}])
def test_one_thing_is_asked_at_a_time(small_index: Index, asked: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="one of url, html, text and terms"):
        small_index.related(**asked)  # type: ignore[arg-type]


# --- shards, threads, empty indexes


def test_several_shards_answer_as_one(sample: Path, sample_index: Index) -> None:
    pieces = built_index(sample / "sample.warc.gz", similarity(shard_documents=300), "pieces.kin")
    assert len(list((pieces.path / "shards").iterdir())) > 5
    for url in fetched(sample)[:12]:
        assert pieces.related(url, exact=True) == sample_index.related(url, exact=True)
        assert urls(pieces.related(url))[:5] == urls(sample_index.related(url))[:5]


def test_eight_threads_get_the_answers_that_one_gets(sample: Path, sample_index: Index) -> None:
    asked = fetched(sample)[:24]
    expected = [(sample_index.related(url), sample_index.related(url, exact=True)) for url in asked]
    index = pagekin.open(sample_index.path)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda url: (index.related(url), index.related(url, exact=True)), asked * 2))
    assert found == expected * 2


def test_a_moved_index_answers_the_same(small_index: Index, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(small_index.path, tmp_path / "moved.kin"))
    assert pagekin.open(moved).related(BEES, explain=True) == small_index.related(BEES, explain=True)


def test_an_index_of_one_page_has_nothing_related(tmp_path: Path) -> None:
    index = built_index(write_small_web(tmp_path / "one.warc", {"http://one.test/": "<p>harbour"}))
    for exact in (False, True):
        assert index.related("http://one.test/", exact=exact).results == ()


def test_a_page_of_which_no_word_was_said_is_known_and_like_nothing(tmp_path: Path) -> None:
    pages = {"http://one.test/": "<p>harbour <a href='/empty'></a>", "http://two.test/": "<p>harbour"}
    index = built_index(write_small_web(tmp_path / "two.warc", pages))
    assert index.similarity("http://one.test/empty", "http://one.test/") >= 0
    assert index.similarity("http://one.test/", "http://one.test/empty") >= 0


def test_an_index_without_a_word_can_be_asked(tmp_path: Path) -> None:
    index = built_index(write_small_web(tmp_path / "mute.warc", {"http://mute.test/": "<p>1 2 3"}))
    assert index.related(text="harbour").results == ()
    with pytest.raises(UnknownPage, match="is known, but"):
        index.related("http://mute.test/")
