"""Stop words and stemmers."""

from __future__ import annotations

from importlib import resources

import pytest
import Stemmer

from pagekin.languages import LANGUAGES, STEMMERS, known_language, stemmer, stop_words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_list_loads(language: str) -> None:
    assert len(stop_words(language)) > 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_in_lower_case_and_without_spaces(language: str) -> None:
    assert all(word == word.lower() and word.isalpha() for word in stop_words(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_stop_word_stands_twice(language: str) -> None:
    words = resources.files("pagekin.languages").joinpath(f"{language}.txt").read_text("utf-8").split()
    assert sorted(words) == sorted(set(words))


def test_english_has_about_800() -> None:
    assert 750 <= len(stop_words("en")) <= 850


def test_a_language_without_a_list_has_no_stop_words() -> None:
    assert stop_words("tlh") == stop_words("") == frozenset()


def test_english_is_stemmed_by_porters_own_algorithm() -> None:
    words = sorted(stop_words("en")) + "relational conditional hopping falling generously skies dying news".split()
    assert stemmer("en")(words) == Stemmer.Stemmer("porter").stemWords(words)


@pytest.mark.parametrize("language", [code for code, name in STEMMERS.items() if name])
def test_the_others_are_stemmed_by_snowball(language: str) -> None:
    words = sorted(stop_words(language))
    assert stemmer(language)(words) == Stemmer.Stemmer(STEMMERS[language]).stemWords(words)


def test_a_language_without_a_stemmer_keeps_its_words() -> None:
    assert stemmer("uk")(["слова"]) == ["слова"]
    assert stemmer("")(["words"]) == ["words"]


def test_both_forms_of_norwegian_are_norwegian() -> None:
    assert known_language("nb") == known_language("nn") == "no"
