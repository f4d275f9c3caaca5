"""A vocabulary is the same whatever order its words come in, and answers in order of distance and occurrences."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from pagekin.errors import QueryTimeout
from pagekin.stores.vocabulary_store import Vocabulary, write_vocabulary
from pagekin.vocabulary.expansion import Expansion, Match

SEEN = {
    "britney": 44,
    "britain": 9000,
    "heraklion": 6,
    "of": 1 << 40,
    "realisation": 19,
    "realization": 83,
    "receive": 953,
    "received": 2672,
    "relieve": 128,
    "rhode": 208,
    "rodney": 48,
    "rooney": 144,
    "müller": 7,
    "miller": 71,
    "日本": 3,
}


def written(folder: Path, seen: dict[str, int]) -> Path:
    write_vocabulary(folder, pa.array(list(seen), pa.string()), np.array(list(seen.values()), np.int64))
    return folder


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    return Vocabulary(written(tmp_path_factory.mktemp("made") / "vocabulary", SEEN))


def found(expansion: Expansion) -> list[tuple[str, float]]:
    return [(match.word, match.distance) for match in expansion.matches]


def test_the_order_of_words_is_not_seen(tmp_path: Path) -> None:
    shuffled = list(SEEN)
    Random(1).shuffle(shuffled)
    one = written(tmp_path / "one", SEEN)
    other = written(tmp_path / "other", {word: SEEN[word] for word in shuffled})
    assert [path.name for path in sorted(one.iterdir())] == [path.name for path in sorted(other.iterdir())]
    assert all(path.read_bytes() == (other / path.name).read_bytes() for path in one.iterdir())


def test_a_part_of_an_array_is_written_alone(tmp_path: Path) -> None:
    words = pa.array(["zz", "bb", "aa", "yy"]).slice(1, 2)
    write_vocabulary(tmp_path / "part", words, np.array([5, 6]))
    assert Vocabulary(tmp_path / "part").matching("*", 9).matches == (Match("aa", 0.0, 6), Match("bb", 0.0, 5))


def test_a_vocabulary_without_words_answers(tmp_path: Path) -> None:
    empty = Vocabulary(written(tmp_path / "empty", {}))
    answers = [empty.matching("*", 5), empty.matching("*ing", 5), empty.within("java", 2, 5), empty.like("java", 5)]
    answers += [empty.sounding_like("java", 5), empty.editex("java", 2, 5), empty.nearest("java", 5)]
    assert len(empty) == 0
    assert answers == [Expansion((), 0)] * 7


def test_patterns_may_have_capitals(vocabulary: Vocabulary) -> None:
    assert found(vocabulary.matching("Brit*ney", 5)) == [("britney", 0.0)]


def test_what_was_seen_more_often_comes_first(vocabulary: Vocabulary) -> None:
    assert found(vocabulary.matching("reali?ation", 5)) == [("realization", 0.0), ("realisation", 0.0)]


def test_what_is_nearer_comes_before_what_was_seen_more_often(vocabulary: Vocabulary) -> None:
    assert found(vocabulary.within("Recieve", 2, 5)) == [("receive", 1.0), ("relieve", 1.0), ("received", 2.0)]


def test_what_was_cut_off_is_counted(vocabulary: Vocabulary) -> None:
    expansion = vocabulary.matching("*e*", 2)
    assert [match.word for match in expansion.matches] == ["received", "receive"]
    assert expansion.total == sum("e" in word for word in SEEN)


def test_more_occurrences_than_there_is_room_for(vocabulary: Vocabulary) -> None:
    assert vocabulary.matching("of", 1).matches == (Match("of", 0.0, (1 << 32) - 1),)


def test_words_that_sound_alike(vocabulary: Vocabulary) -> None:
    assert found(vocabulary.sounding_like("Mueller", 5)) == [("miller", 0.0), ("müller", 0.0)]


def test_words_within_an_editex_distance(vocabulary: Vocabulary) -> None:
    assert found(vocabulary.editex("Rodney", 2, 5)) == [("rodney", 0.0), ("rooney", 2.0)]


def test_words_that_share_trigrams(vocabulary: Vocabulary) -> None:
    assert found(vocabulary.like("Rhodnee", 5)) == [("rhode", 0.5), ("rodney", pytest.approx(5 / 9))]


def test_the_nearest_is_another_word(tmp_path: Path) -> None:
    nearest = Vocabulary(written(tmp_path / "v", {"brittney": 1, "britne": 3, "britney": 2})).nearest("Britney", 9)
    assert nearest == Expansion((Match("britne", 1.0, 3), Match("brittney", 1.0, 1)), 2)


def test_the_nearest_of_a_short_word_is_one_edit_away(tmp_path: Path) -> None:
    vocabulary = Vocabulary(written(tmp_path / "v", {"card": 1, "ward": 1000, "wards": 5}))
    assert found(vocabulary.nearest("carp", 9)) == [("card", 1.0)]
    assert found(vocabulary.nearest("carps", 9)) == [("wards", 2.0), ("card", 2.0)]


@pytest.mark.parametrize(("seen", "first"), [(900, "cart"), (1100, "car")])
def test_an_edit_more_needs_a_thousand_times_as_many_occurrences(tmp_path: Path, seen: int, first: str) -> None:
    nearest = Vocabulary(written(tmp_path / "v", {"cart": 1, "car": seen})).nearest("carte", 9)
    assert nearest.matches[0].word == first


@pytest.mark.parametrize(
    "ask",
    [
        lambda v, late: v.matching("*e*", 5, late),
        lambda v, late: v.within("recieve", 1, 5, late),
        lambda v, late: v.within("of", 2, 5, late),
        lambda v, late: v.sounding_like("recieve", 5, late),
        lambda v, late: v.editex("recieve", 2, 5, late),
        lambda v, late: v.like("recieve", 5, late),
        lambda v, late: v.nearest("recieve", 5, late),
    ],
)
def test_no_question_outlasts_its_deadline(vocabulary: Vocabulary, ask: object) -> None:
    with pytest.raises(QueryTimeout):
        ask(vocabulary, time.monotonic() - 1)  # type: ignore[operator]
