"""Pages by the concepts that they share: alone, blended with text, explained, and from the command line."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from building import built_index
from small_web import COPIES, NEVER_FETCHED, small_web, write_small_web

import pagekin
from pagekin.errors import SettingsError
from pagekin.index import Index
from pagekin.query.records import Answer
from pagekin.settings import CocitationSettings, ConceptSettings, LinkSettings, Settings

BEES = "http://garden.example/bees-0.html"
BREAD = "http://kitchen.test/bread-2.html"
CONCEPTS = {"concepts": 1.0}
TEXT = {"text": 1.0}


def urls(answer: Answer) -> list[str]:
    return [found.url for found in answer.results]


def some_pages(folder: Path, step: int) -> list[str]:
    """Some pages of the sample web's directory."""
    return [line.split("\t")[0] for line in (folder / "directory.tsv").read_text("utf-8").splitlines()][::step]


def documents(index: Index) -> list[str]:
    """The addresses of all documents, in order."""
    return [index._documents.text("url", document) for document in range(len(index))]


def cosines(index: Index, url: str) -> dict[str, float]:
    """The likeness of a page to all documents, from the vectors as they lie on disk."""
    vectors = np.fromfile(index.path / "concepts" / "vectors.f16", np.float16).reshape(len(index), -1)
    wide, every = vectors.astype(np.float64), documents(index)
    products = wide @ wide[every.index(url)]
    return dict(zip(every, np.maximum(products, 0).tolist(), strict=True))


def whole_ranking(index: Index, url: str, weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """All pages that are related, by comparing with every page; copies left out."""
    likeness, total = cosines(index, url), sum(weights.values())
    alike = {other: index.similarity(url, other) for other in likeness}
    documents = index._documents
    hidden = np.flatnonzero(documents.representatives != np.arange(len(documents)))
    copies = {url, *(copy.url for copy in index.related(url).copies)}
    copies |= {documents.text("url", number) for number in hidden.tolist()}
    text, concepts = (weights.get(name, 0.0) / total for name in ("text", "concepts"))
    scores = {
        other: text * alike[other] + concepts * likeness[other]
        for other in likeness
        if other not in copies and alike[other] < index.similarity_settings.copy
    }
    return sorted(((other, score) for other, score in scores.items() if score > 0), key=lambda pair: -pair[1])


def assert_begins(answer: Answer, ranking: list[tuple[str, float]]) -> None:
    """The answer is the beginning of a ranking; pages of the same score may have changed places."""
    scores = dict(ranking)
    assert [found.score for found in answer.results] == pytest.approx(
        [score for _, score in ranking[: len(answer.results)]], abs=1e-5
    )
    assert [found.score for found in answer.results] == pytest.approx([scores[u] for u in urls(answer)], abs=1e-5)


# --- rankings


@pytest.mark.parametrize("exact", [False, True])
def test_by_concepts_alone_pages_are_ranked_by_the_cosine(small_index: Index, exact: bool) -> None:
    for url in (BEES, BREAD, NEVER_FETCHED):
        answer = small_index.related(url, k=12, weights=CONCEPTS, exact=exact)
        assert len(answer.results) == 12
        assert_begins(answer, whole_ranking(small_index, url, CONCEPTS))


def test_by_concepts_alone_pages_of_the_same_subject_come_first(small_index: Index) -> None:
    found = urls(small_index.related(BEES, k=8, weights=CONCEPTS))
    assert len(found) == 8
    assert all("/bees-" in url for url in found)


def test_by_text_alone_answers_are_those_of_an_index_without_concepts(small_crawl: Path, small_index: Index) -> None:
    settings = Settings(
        concepts=ConceptSettings(dimensions=0), cocitation=CocitationSettings(pages=0), links=LinkSettings(neighbours=0)
    )
    bare = built_index(small_crawl, settings, "bare.kin")
    for url in (BEES, BREAD, COPIES[0], NEVER_FETCHED):
        for exact in (False, True):
            one, other = small_index.related(url, weights=TEXT, exact=exact), bare.related(url, exact=exact)
            assert [(r.rank, r.url, r.score) for r in one.results] == [(r.rank, r.url, r.score) for r in other.results]
            assert [(r.url, r.score) for r in one.copies] == [(r.url, r.score) for r in other.copies]


def test_the_score_is_the_blend_of_the_evidence(sample_index: Index, sample: Path) -> None:
    settings = sample_index.similarity_settings
    shares = {"concepts": settings.concepts, "cocitation": settings.cocitation, "links": settings.linked}
    shares["text"] = 1 - sum(shares.values())
    assert all(0 < share < 1 for share in shares.values())
    for url in some_pages(sample, 100):
        for found in sample_index.related(url).results:
            blend = sum(share * found.evidence[source] for source, share in shares.items())
            assert found.score == pytest.approx(blend, abs=2e-6)


def test_the_evidence_is_the_similarity_and_the_cosine(sample_index: Index, sample: Path) -> None:
    for url in some_pages(sample, 500):
        likeness = cosines(sample_index, sample_index.related(url, k=1).query)
        for found in sample_index.related(url).results:
            assert found.evidence["text"] == pytest.approx(sample_index.similarity(url, found.url), abs=2e-6)
            assert found.evidence["concepts"] == pytest.approx(likeness[found.url], abs=1e-5)


@pytest.mark.parametrize("weights", [{"text": 0.7, "concepts": 0.3}, {"text": 1, "concepts": 1}, {"concepts": 3}])
def test_exactly_asked_it_is_the_beginning_of_the_whole_ranking(
    sample_index: Index, sample: Path, weights: dict[str, float]
) -> None:
    for url in some_pages(sample, 700):
        answer = sample_index.related(url, exact=True, weights=weights)
        assert len(answer.results) == 10
        assert_begins(answer, whole_ranking(sample_index, answer.query, weights))


@pytest.mark.parametrize("weights", [None, CONCEPTS, {"text": 1, "concepts": 1}])
def test_quickly_asked_nine_of_the_ten_are_found(
    sample_index: Index, sample: Path, weights: dict[str, float] | None
) -> None:
    met = []
    for url in some_pages(sample, 20):
        truth = {*urls(sample_index.related(url, exact=True, weights=weights))}
        met.append(len(truth & {*urls(sample_index.related(url, weights=weights))}) / len(truth))
    assert np.mean(met) >= 0.9


def test_only_the_proportion_of_weights_matters(small_index: Index) -> None:
    one = small_index.related(BEES, weights={"text": 1, "concepts": 0.5})
    assert small_index.related(BEES, weights={"text": 20, "concepts": 10}) == one
    assert one != small_index.related(BEES, weights={"text": 1, "concepts": 2})


def test_by_default_the_settings_of_the_index_weigh(small_index: Index) -> None:
    settings = small_index.similarity_settings
    shares = {"concepts": settings.concepts, "cocitation": settings.cocitation, "links": settings.linked}
    weights = shares | {"text": 1 - sum(shares.values())}
    assert urls(small_index.related(BEES)) == urls(small_index.related(BEES, weights=weights))


def test_another_share_in_the_settings_changes_the_blend(small_crawl: Path) -> None:
    settings = Settings()
    settings = replace(settings, similarity=replace(settings.similarity, concepts=1.0, cocitation=0.0, linked=0.0))
    index = built_index(small_crawl, settings, "share.kin")
    assert index.related(BEES) == index.related(BEES, weights=CONCEPTS)


@pytest.mark.parametrize("exact", [False, True])
def test_equals_are_ordered_by_their_addresses(tmp_path: Path, exact: bool) -> None:
    """Pages of the same words have the same vector: their scores must not differ by how a product was rounded."""
    words = "hive honey swarm queen drone anchor"
    same = {f"http://site-{i * 7 % 30:02}.test/": f"<p>{words} clover comb" for i in range(30)}
    index = built_index(write_small_web(tmp_path / "ties.warc", small_web() | same))
    for weights in (CONCEPTS, {"text": 1, "concepts": 1}):
        found = [url for url in urls(index.related(text=words, k=60, exact=exact, weights=weights)) if "/site-" in url]
        assert found == [f"http://site-{i:02}.test/" for i in range(30)]


# --- weights that cannot be


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"pictures": 1}, "there is no source 'pictures' to be weighed; there are text, concepts"),
        ({"text": 1, "concepts": -1}, "must not be negative"),
        ({"text": -0.5}, "must not be negative"),
        ({"text": 0, "concepts": 0}, "at least one must be more than 0"),
        ({}, "at least one must be more than 0"),
        ({"text": math.nan}, "weights must"),
        ({"concepts": math.inf}, "weights must"),
    ],
)
def test_weights_that_cannot_be_are_refused(small_index: Index, weights: dict[str, float], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        small_index.related(BEES, weights=weights)


# --- questions that are no pages of the index


def shown_by_the_crawl() -> dict[str, str]:
    """Pages about cars, some of which call them automobiles, with the same words beside; and others."""
    beside = "engine wheel brake gearbox clutch piston exhaust radiator throttle chassis bonnet axle".split()
    pages = {}
    for number in range(12):
        words = " ".join(beside[(number * 5 + i * (1 + number % 3)) % 12] for i in range(7))
        name = "automobile" if number % 2 else "car"
        pages[f"http://{name}.test/{number}"] = f"<p>{name} {words} {name}"
    bakery = "flour yeast dough oven crust crumb rye loaf knead starter salt baker".split()
    garden = "hive honey swarm queen drone comb nectar pollen wax smoker brood keeper".split()
    for subject, every in (("bakery", bakery), ("garden", garden)):
        for number in range(12):
            words = " ".join(every[(number * 5 + i * (1 + number % 3)) % 12] for i in range(8))
            pages[f"http://{subject}.test/{number}"] = f"<p>{words}"
    return pages


@pytest.fixture(scope="module")
def motoring(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of that crawl, in few dimensions."""
    crawl = write_small_web(tmp_path_factory.mktemp("cars") / "cars.warc", shown_by_the_crawl())
    return built_index(crawl, Settings(concepts=ConceptSettings(dimensions=3)))


def sites(answer: Answer) -> list[str]:
    return [found.site for found in answer.results]


@pytest.mark.parametrize("asked", [{"text": "automobile"}, {"html": b"<p>automobile"}])
def test_pages_without_a_word_of_the_question_are_found_by_concepts(motoring: Index, asked: dict[str, str]) -> None:
    by_text = motoring.related(**asked, k=12, weights=TEXT)  # type: ignore[arg-type]
    by_concepts = motoring.related(**asked, k=12, weights=CONCEPTS)  # type: ignore[arg-type]
    assert set(sites(by_text)) == {"automobile.test"}
    assert sites(by_concepts).count("automobile.test") == sites(by_concepts).count("car.test") == 6


def test_what_is_found_by_concepts_shares_no_word(motoring: Index) -> None:
    for found in motoring.related(text="automobile", k=12, weights=CONCEPTS).results:
        if found.site == "car.test":
            assert found.evidence["text"] == 0
            assert found.score == pytest.approx(found.evidence["concepts"], abs=2e-6)
            assert found.score > 0.5


def test_blended_pages_with_the_word_come_before_those_without(motoring: Index) -> None:
    found = sites(motoring.related(text="automobile", k=12, weights={"text": 1, "concepts": 1}))
    assert found == ["automobile.test"] * 6 + ["car.test"] * 6


def test_a_page_is_near_its_own_html(small_index: Index) -> None:
    for url in (BEES, BREAD):
        answer = small_index.related(html=small_web()[url].encode(), weights=CONCEPTS)
        subject = url.rpartition("/")[2].partition("-")[0]
        assert len(answer.results) == 10
        assert all(subject in found.url or found.url == NEVER_FETCHED for found in answer.results[:8])


def test_a_text_finds_pages_of_its_subject(small_index: Index) -> None:
    found = urls(small_index.related(text="kneading sourdough, flour and rye", k=6, weights=CONCEPTS))
    assert len(found) == 6
    assert all("/bread-" in url or url == NEVER_FETCHED for url in found)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("weights", [None, CONCEPTS])
def test_a_text_of_unknown_words_finds_nothing(
    small_index: Index, weights: dict[str, float] | None, exact: bool
) -> None:
    assert small_index.related(text="qwertz zxcvb", weights=weights, exact=exact) == Answer("text", (), ())


def test_a_page_that_was_never_fetched_is_asked_for_and_found(small_index: Index) -> None:
    assert "/bread-" in urls(small_index.related(NEVER_FETCHED, weights=CONCEPTS))[0]
    assert NEVER_FETCHED in urls(small_index.related(BREAD, k=12, weights=CONCEPTS))


# --- copies and choices


@pytest.mark.parametrize("weights", [None, TEXT, CONCEPTS])
def test_near_copies_are_recognised_by_text(small_index: Index, weights: dict[str, float] | None) -> None:
    answer = small_index.related(COPIES[0], weights=weights)
    assert [copy.url for copy in answer.copies] == [COPIES[1]]
    assert not {*COPIES} & {*urls(answer)}


def test_pages_with_the_same_concepts_are_no_copies(motoring: Index) -> None:
    answer = motoring.related(text="automobile", weights=CONCEPTS)
    assert answer.results[0].evidence["concepts"] > motoring.similarity_settings.copy
    assert answer.copies == ()


def test_sites_are_chosen_as_they_are_by_text(small_index: Index) -> None:
    others = small_index.related(BEES, k=6, other_sites=True, weights=CONCEPTS)
    assert {found.site for found in others.results} == {"shore.example", "kitchen.test"}
    assert len({found.site for found in small_index.related(BEES, k=3, per_site=1, weights=CONCEPTS).results}) == 3


def test_all_answers_at_once_are_those_to_single_questions(small_index: Index) -> None:
    for answer in small_index.related_all(k=3):
        assert answer == small_index.related(answer.query, k=3)


# --- reasons


def forms(index: Index) -> set[str]:
    return set(index._forms)


def test_concepts_are_told_by_terms_and_pages_of_the_index(sample_index: Index, sample: Path) -> None:
    known_terms, known_pages, seen = forms(sample_index), {*documents(sample_index)}, 0
    for url in some_pages(sample, 400):
        for found in sample_index.related(url, explain=True).results:
            assert found.why is not None
            for concept in found.why.concepts:
                assert 1 <= len(concept.words) <= 6 and 1 <= len(concept.pages) <= 3
                assert {*concept.words} <= known_terms
                assert {*concept.pages} <= known_pages
                seen += 1
    assert seen > 30


def test_the_shares_of_concepts_fall_and_add_up_to_at_most_1(sample_index: Index, sample: Path) -> None:
    for url in some_pages(sample, 400):
        for found in sample_index.related(url, explain=True).results:
            assert found.why is not None
            shares = [concept.share for concept in found.why.concepts]
            assert shares == sorted(shares, reverse=True)
            assert all(share >= 0 for share in shares)
            assert sum(shares) <= 1.0005  # each is rounded to four digits


def test_what_is_alike_by_concepts_has_one_to_tell(small_index: Index) -> None:
    for found in small_index.related(BEES, explain=True, weights=CONCEPTS).results:
        assert found.why is not None and found.why.concepts


def test_the_concept_of_two_pages_about_cars_is_told_by_words_of_cars(motoring: Index) -> None:
    (found, *_) = motoring.related(text="automobile", explain=True, weights=CONCEPTS, other_sites=True).results
    assert found.why is not None
    words = {word for page in shown_by_the_crawl().items() if "/car" in page[0] or "automobile" in page[0]
             for word in page[1].removeprefix("<p>").split()}  # fmt: skip
    concept = found.why.concepts[0]
    assert concept.share > 0.5
    assert {*concept.words} <= words
    assert all("/car." in page or "automobile" in page for page in concept.pages)


# --- the command line


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from pagekin.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_json_has_the_evidence_of_all_sources(small_index: Index) -> None:
    done = run("related", small_index.path, BEES, "--weights", "concepts=1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads(done.stdout)["results"]
    assert [result["url"] for result in results] == urls(small_index.related(BEES, weights=CONCEPTS))
    assert all(result["evidence"].keys() == {"text", "concepts", "cocitation", "links"} for result in results)
    assert all(result["score"] == pytest.approx(result["evidence"]["concepts"], abs=2e-6) for result in results)


def test_weights_of_several_sources_are_given_with_commas(small_index: Index) -> None:
    done = run("related", small_index.path, BEES, "--weights", "text=1, concepts=0.5", "--json")
    expected = small_index.related(BEES, weights={"text": 1, "concepts": 0.5})
    assert [result["score"] for result in json.loads(done.stdout)["results"]] == [r.score for r in expected.results]


@pytest.mark.parametrize("given", ["concepts", "concepts=much", "=", "", "concepts=1,", "pictures=1", "text=-1"])
def test_weights_that_cannot_be_read_are_refused_in_a_sentence(small_index: Index, given: str) -> None:
    done = run("related", small_index.path, BEES, "--weights", given)
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = [line for line in done.stderr.splitlines() if "rror: " in line or "pagekin: " in line]
    assert "weigh" in said and "Traceback" not in done.stderr


def test_the_concepts_are_printed_with_the_reasons(small_index: Index) -> None:
    done = run("related", small_index.path, BEES, "--weights", "concepts=1", "--explain", "-k", "2")
    assert done.returncode == 0
    assert "both are about (" in done.stdout


def test_concepts_are_left_out_from_the_command_line(small_crawl: Path) -> None:
    out = small_crawl.with_name("set.kin")
    done = run("build", small_crawl, "-o", out, "--workers", "1", "--set", "concepts.dimensions=0")
    assert done.returncode == 0
    assert not (out / "concepts").exists()
    refused = run("related", out, BEES, "--weights", "concepts=1")
    assert refused.returncode == 2
    assert "has no concepts" in refused.stderr
    assert pagekin.open(out).related(BEES, k=1).results[0].evidence.keys() == {"text", "cocitation", "links"}
