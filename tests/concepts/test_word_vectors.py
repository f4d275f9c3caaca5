"""Word vectors from outside the crawl: looked up once a term, added up over bags."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import pagekin
from pagekin.concepts import words
from pagekin.concepts.basis import unpacked
from pagekin.concepts.matrix import unit
from pagekin.concepts.words import centred, form_vectors, page_words, term_vectors
from pagekin.engines.local import LocalEngine
from pagekin.errors import SettingsError
from pagekin.evaluation.strategies import Contender
from pagekin.settings import Settings, SimilaritySettings, WordSettings, read_settings
from pagekin.tables import BAGS, TERM_COUNTS, TERMS
from pagekin.trials.bag_maker import BagMaker
from pagekin.trials.crawl_tables import index_tables

FORMS = ["violin", "piano", "tractor", "wheat", "xqzjw"]
MUSIC = {"violin": "violin symphony", "piano": "piano sonata", "guitar": "guitar melody"}
FARM = {"tractor": "tractor farming", "wheat": "wheat crops", "harvest": "harvest agriculture"}


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("something wants the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    words.word_model.cache_clear()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pages that share no word, with word vectors that are all that counts."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "site").mkdir()
    for name, text in (MUSIC | FARM).items():
        (folder / "site" / f"{name}.html").write_text(f"<p>{text}", "utf-8")
    shares = SimilaritySettings(concepts=0.0, words=1.0, cocitation=0.0, linked=0.0)
    settings = Settings(similarity=shares, words=WordSettings(256))
    pagekin.build(folder / "site", folder / "site.kin", settings, engine=LocalEngine(1))
    return folder / "site.kin"


def terms() -> pa.RecordBatch:
    rows = [{"term": number, "text": form, "form": form} for number, form in enumerate(FORMS)]
    return pa.RecordBatch.from_pylist(rows, TERMS)


def vectors_table(dimensions: int = 64) -> pa.Table:
    batches = [batch for _, batch in term_vectors([terms()], WordSettings(dimensions))]
    return pa.Table.from_batches(batches)


def counts(*documents: int) -> pa.Table:
    rows = [{"number": number, "documents": count} for number, count in enumerate(documents)]
    return pa.Table.from_pylist(rows, TERM_COUNTS)


def test_words_of_one_meaning_are_nearer_than_others(no_network: None) -> None:
    violin, piano, tractor, wheat, _ = unit(form_vectors(FORMS, 256))
    assert violin @ piano > violin @ tractor and tractor @ wheat > piano @ wheat


def test_a_word_is_the_average_of_its_pieces() -> None:
    model = words.word_model()
    ids = model.tokenizer.encode("hymenoptera", add_special_tokens=False).ids
    assert len(ids) > 1
    assert form_vectors(["hymenoptera"], 256)[0] == pytest.approx(model.vectors[ids].mean(axis=0), abs=1e-5)


def test_there_is_a_row_for_each_term_in_their_order() -> None:
    table = vectors_table(32)
    assert table["term"].to_pylist() == [0, 1, 2, 3, 4]
    assert unpacked(table["vector"]) == pytest.approx(form_vectors(FORMS, 32), abs=1e-3)


def test_what_all_bags_have_in_common_is_taken_off() -> None:
    table, documents = vectors_table(), counts(3, 1, 0, 0, 0)
    left, middle = centred(table, documents)
    all_vectors = unpacked(table["vector"])
    assert middle == pytest.approx((3 * all_vectors[0] + all_vectors[1]) / 4, abs=1e-5)
    assert left == pytest.approx(all_vectors - middle, abs=1e-6)


def test_a_page_is_the_sum_of_its_terms_by_weight() -> None:
    table, documents = vectors_table(), counts(1, 1, 1, 1, 1)
    row = {"page": 7, "terms": [0, 2, 9], "frequencies": [1024, 1024, 1024], "weights": [0.5, 0.25, 0.25]}
    [(_, found)] = page_words([pa.RecordBatch.from_pylist([row], BAGS)], table, documents)
    left, _ = centred(table, documents)
    expected = unit(0.5 * left[0] + 0.25 * left[2])  # 9 is a page that links, which has no vector
    assert unpacked(found["vector"])[0] == pytest.approx(expected, abs=1e-3)


def test_pages_that_share_no_word_are_found(index: Path) -> None:
    answer = pagekin.open(index).related("http://site/wheat.html", k=2)
    assert {found.url for found in answer.results} == {"http://site/tractor.html", "http://site/harvest.html"}
    assert answer.results[0].evidence["text"] == 0.0
    assert answer.results[0].evidence["words"] == pytest.approx(answer.results[0].score)


def test_a_text_is_asked_with_in_the_same_way(index: Path, no_network: None) -> None:
    answer = pagekin.open(index).related(text="crops and farming", k=3, weights={"words": 1})
    assert {found.url for found in answer.results} == {f"http://site/{name}.html" for name in FARM}


def test_without_the_extra_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(words, "find_spec", lambda name: None)
    words.word_model.cache_clear()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("<p>some words", "utf-8")
    settings = Settings(words=WordSettings(64))
    with pytest.raises(SettingsError, match=r"pip install 'pagekin\[words\]'"):
        pagekin.build(tmp_path / "site", tmp_path / "a.kin", settings, engine=LocalEngine(1))


def test_a_question_to_which_words_do_not_count_needs_no_extra(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "find_spec", lambda name: None)
    words.word_model.cache_clear()
    answer = pagekin.open(index).related(text="a symphony", k=1, weights={"text": 1})
    assert [found.url for found in answer.results] == ["http://site/violin.html"]
    assert "words" not in answer.results[0].evidence


def test_there_are_no_more_dimensions_than_the_model_has() -> None:
    with pytest.raises(SettingsError, match="from 0 to 256"):
        read_settings(None, ["words.dimensions=300"])


def test_a_trial_makes_the_vectors_that_an_index_has(index: Path, tmp_path: Path) -> None:
    opened = pagekin.open(index)
    maker = BagMaker(index_tables(index), tmp_path, LocalEngine(1))
    made = maker.word_vectors(Contender(opened.strategy, words=1.0), opened._documents.pages)
    assert made == pytest.approx(opened._words.store.vectors.astype(np.float32), abs=1e-3)
    assert len(list(tmp_path.glob("term-vectors-*"))) == 1
