"""Passages with the words that were sought."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.languages import stemmer
from pagekin.query.snippets import WIDTH, Finder, Roots, Snippet, Sought

LETTERS = "abcdefghij"


def finder(vocabulary: list[str], words: str = "", forms: str = "") -> Finder:
    """A finder over words that have the numbers of their places, from 1 on."""

    def spelt(numbers: np.ndarray) -> list[str]:
        return [vocabulary[number - 1] for number in numbers]

    return Finder(Sought(frozenset(words.split()), frozenset(forms.split())), Roots(spelt, len(vocabulary)))


def snippet(text: str, words: str = "", forms: str = "", language: str = "en") -> Snippet | None:
    vocabulary = sorted(set(text.split()))
    numbers = np.array([vocabulary.index(word) + 1 for word in text.split()], np.int64)
    return finder(vocabulary, words, forms).snippet([numbers], (language,))


def marked(found: Snippet | None) -> list[str]:
    assert found is not None
    return [found.text[first:last] for first, last in found.marks]


def test_all_forms_of_a_word_are_marked() -> None:
    assert marked(snippet("he runs while others were running", "run")) == ["runs", "running"]


def test_an_exact_form_alone_is_marked() -> None:
    assert marked(snippet("he runs while others were running", forms="runs")) == ["runs"]


def test_words_are_stemmed_in_the_language_of_the_page() -> None:
    assert marked(snippet("viele häuser und ein haus", "haus", language="de")) == ["häuser", "haus"]
    assert marked(snippet("viele häuser und ein haus", "haus", language="en")) == ["haus"]


def test_an_accent_on_the_first_letter_does_not_hide_a_stem() -> None:
    assert marked(snippet("ein übel und viele übels", "übel", language="de")) == ["übel", "übels"]


def test_the_passage_with_most_different_words_is_taken() -> None:
    far = " ".join(["x"] * 100)
    found = snippet(f"cat cat cat cat {far} cat dog {far}", "cat dog")
    assert marked(found) == ["cat", "dog"]


def test_the_words_stand_in_the_middle() -> None:
    far = " ".join(["x"] * 100)
    found = snippet(f"{far} cat {far}", "cat")
    assert found is not None
    words = found.text.split()
    assert len(words) == WIDTH and WIDTH // 3 < words.index("cat") < 2 * WIDTH // 3


def test_a_page_without_the_words_has_no_passage() -> None:
    assert snippet("nothing here", "cat") is None


def test_the_beginning_of_a_page_has_no_marks() -> None:
    numbers = np.arange(1, 100)
    found = finder([f"w{number}" for number in range(100)], "w1").beginning([numbers])
    assert len(found.text.split()) == WIDTH and found.marks == ()


def test_a_page_without_words_has_an_empty_passage() -> None:
    assert finder([], "cat").beginning([]) == Snippet("", ())


def most_kinds(text: list[str], sought: set[str]) -> int:
    """By looking at every passage."""
    return max(len(set(text[first : first + WIDTH]) & sought) for first in range(len(text)))


@given(st.lists(st.sampled_from([*LETTERS, *["z"] * 40]), min_size=1, max_size=200), st.sets(st.sampled_from(LETTERS)))
def test_no_passage_has_more_different_words(text: list[str], sought: set[str]) -> None:
    found = snippet(" ".join(text), forms=" ".join(sought))
    kinds = set(marked(found)) if found else set()
    assert len(kinds) == most_kinds(text, sought) and kinds <= sought


# --- what is remembered of words ----------------------------------------------------------------------------

VOCABULARY = "run runs running ran haus häuser hausen übel übels cat cats dog".split()


def by_looking(text: list[str], sought: Sought, languages: tuple[str, ...]) -> list[int]:
    """The places of words that were sought, by stemming each."""
    wanted = {(language, stem) for language in languages for stem in stemmer(language)(list(sought.words))}

    def is_sought(word: str) -> bool:
        stems = {(language, stemmer(language)([word])[0]) for language in languages}
        return word in sought.forms or bool(stems & wanted)

    return [place for place, word in enumerate(text) if is_sought(word)]


SOUGHT = st.builds(Sought, *[st.frozensets(st.sampled_from([*VOCABULARY, "unknown"]))] * 2)
TEXT = st.lists(st.integers(1, len(VOCABULARY)), max_size=30)
IN_LANGUAGES = st.sampled_from([("en",), ("de",), ("",), ("en", "de", "")])


@given(st.lists(st.tuples(SOUGHT, TEXT, IN_LANGUAGES), min_size=1, max_size=5))
def test_one_query_after_another_finds_what_looking_at_each_word_finds(
    queries: list[tuple[Sought, list[int], tuple[str, ...]]],
) -> None:
    roots = Roots(lambda numbers: [VOCABULARY[number - 1] for number in numbers], len(VOCABULARY))
    for sought, text, languages in queries:
        places = [place for place, _ in Finder(sought, roots).places(np.array(text, np.int64), languages)]
        assert places == by_looking([VOCABULARY[number - 1] for number in text], sought, languages)


def test_each_word_is_spelt_once_in_a_language() -> None:
    spelt: list[int] = []

    def spell(numbers: np.ndarray) -> list[str]:
        spelt.extend(numbers.tolist())
        return [VOCABULARY[number - 1] for number in numbers]

    roots = Roots(spell, len(VOCABULARY))
    for word in ("run", "cat"):
        Finder(Sought(frozenset([word]), frozenset()), roots).places(np.array([1, 2, 2, 3]), ("en",))
    assert spelt == [1, 2, 3]


def test_several_threads_may_learn_words_together() -> None:
    texts = [np.random.default_rng(seed).integers(1, len(VOCABULARY) + 1, 20) for seed in range(40)]
    roots = Roots(lambda numbers: [VOCABULARY[number - 1] for number in numbers], len(VOCABULARY))
    sought = Sought(frozenset(["run", "cat"]), frozenset(["dog"]))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: Finder(sought, roots).places(text, ("en",)), texts))
    assert [[place for place, _ in places] for places in found] == [
        by_looking([VOCABULARY[number - 1] for number in text], sought, ("en",)) for text in texts
    ]
