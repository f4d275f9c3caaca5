"""Stop words and stems: NOSTEM, STEM and STOPSTEM as section 3.2 of Haveliwala et al. 2002 defines them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pagekin.bags.terms import language_terms
from pagekin.errors import SettingsError
from pagekin.settings import Strategy, read_settings

from .chain import PLAIN, bag, bags_of, frequencies, web

CONTENT = replace(PLAIN, content=1, anchors=0)
ENGLISH = replace(CONTENT, stop_words="auto")
URL = "http://a.test/"


def english(text: str, strategy: Strategy) -> set[str]:
    return set(frequencies(f"<html lang=en><p>{text}", URL, strategy))


def test_nostem_drops_stop_words_and_leaves_the_others_as_they_are() -> None:
    strategy = replace(ENGLISH, stemming="nostem")
    assert english("the rivers swimming", strategy) == {"rivers", "swimming"}


def test_stem_keeps_stems() -> None:
    assert english("the rivers swimming river", replace(ENGLISH, stemming="stem")) == {"river", "swim"}


def test_stopstem_keeps_words() -> None:
    assert english("the rivers swimming river", replace(ENGLISH, stemming="stopstem")) == {
        "rivers", "swimming", "river",
    }  # fmt: skip


@pytest.mark.parametrize(("stemming", "kept"), [("nostem", ["nights", ""]), ("stem", ["", ""]), ("stopstem", ["", ""])])
def test_stem_and_stopstem_drop_words_with_the_stem_of_a_stop_word(
    stemming: str, kept: list[str], tmp_path: Path
) -> None:
    (tmp_path / "stop.txt").write_text("night", "utf-8")
    strategy = Strategy(stop_words=str(tmp_path / "stop.txt"), stemming=stemming)
    assert language_terms(["nights", "night"], "en", strategy) == kept


def test_ones_own_stop_words_may_be_in_any_case_and_on_any_lines(tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("River\n  LAKE hill\n", "utf-8")
    assert english("the river lake hill", replace(CONTENT, stop_words=str(tmp_path / "stop.txt"))) == {"the"}


def test_the_language_is_that_of_the_page() -> None:
    pages = {
        "http://a.test/": "<html lang=en><p>die hard",  # "die" is an article in German
        "http://b.test/": "<html lang=de><p>die Flüsse",
    }
    tables = bags_of(web(pages), replace(ENGLISH, stemming="stem"))
    english_bag, german_bag = bag(tables, "http://a.test/"), bag(tables, "http://b.test/")
    assert english_bag is not None and german_bag is not None
    assert set(english_bag.frequencies) >= {"die"}
    assert set(german_bag.frequencies) == {"fluss"}


def test_a_language_can_be_chosen_for_all_pages() -> None:
    assert english("die hard", replace(CONTENT, stop_words="de")) == {"hard"}


def test_words_of_an_unknown_language_stay_as_they_are() -> None:
    strategy = replace(ENGLISH, stemming="stem")
    assert set(frequencies("<html lang=tlh><p>the swimming", URL, strategy)) == {"the", "swimming"}


def test_words_without_a_letter_are_terms_only_if_asked_for() -> None:
    assert english("route 66 a4", CONTENT) == {"route", "a4"}
    assert english("route 66 a4", replace(CONTENT, numbers=True)) == {"route", "66", "a4"}


def test_a_term_is_shown_in_its_commonest_form() -> None:
    tables = bags_of(web({URL: "<html lang=en><p>rivers rivers river lakes lake"}), replace(ENGLISH, stemming="stem"))
    forms = dict(zip(tables["terms"]["text"].to_pylist(), tables["terms"]["form"].to_pylist(), strict=True))
    assert forms["river"] == "rivers"
    assert forms["lake"] == "lake"  # both are there once: the first in the alphabet


def test_terms_are_numbered_in_the_order_of_their_ids() -> None:
    tables = bags_of(web({URL: " ".join(f"word{n}" for n in range(500))}), CONTENT, lots=4)
    assert tables["terms"]["term"].to_pylist() == sorted(tables["terms"]["term"].to_pylist())
    assert tables["terms"].num_rows == 500


@pytest.mark.parametrize(
    ("assignment", "allowed"),
    [
        ("stemming=lemma", "nostem, stem, stopstem"),
        ("frequency=bm25", "none, log, sqrt, tf-idf, nmdf"),
        ("window=paragraph", "syntactic, topical"),
        ("metric=dice", "jaccard, cosine"),
        ("repeats=-1", "0 or more"),
        ("content=-0.5", "0 or more"),
    ],
)
def test_a_wrong_value_is_refused_with_the_allowed_ones(assignment: str, allowed: str) -> None:
    with pytest.raises(SettingsError, match=allowed):
        read_settings(None, [f"strategy.{assignment}"])


def test_a_setting_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(SettingsError, match="template_pages, template_site"):
        read_settings(None, ["strategy.windows=4"])


def test_stop_words_that_cannot_be_read_are_refused_with_what_is_allowed() -> None:
    with pytest.raises(SettingsError, match="auto, none, a file of words, en, ca"):
        language_terms(["word"], "en", Strategy(stop_words="no such file"))
