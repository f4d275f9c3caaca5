"""Synonyms are read from files of two kinds and stand beside the words of a query."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.errors import ThesaurusError
from pagekin.query_language import thesaurus as module
from pagekin.query_language.parser import parse_query
from pagekin.query_language.printing import query_text
from pagekin.query_language.thesaurus import MOST_SYNONYMS, Thesaurus, expanded, read_thesaurus

from .reference import Page, Reference

TSV = "# our own\n\ncar\tauto\tMotor Car\nassistant professor\tlecturer\r\ne-mail\tpost\nprofessor\tprof\n"
WORDNET = """\
  1 A small file in the format of the WordNet database.
  2 Comments begin with two spaces.
00001740 18 n 02 assistant_professor 0 lecturer 0 001 @ 00002000 n 0000 | who teaches, below an associate professor
00002000 18 n 02 professor 0 prof 0 000 | who has a chair
00003000 00 s 03 fond(p) 0 attached_to(ip) 0 Loving 1 000 | full of love
00004000 18 n 02 prof 0 don 1 000 | a teacher at a college
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "thesaurus"
    path.write_bytes(text.encode())
    return path


@pytest.fixture
def tsv(tmp_path: Path) -> Thesaurus:
    return read_thesaurus(written(tmp_path, TSV))


@pytest.fixture
def wordnet(tmp_path: Path) -> Thesaurus:
    return read_thesaurus(written(tmp_path, WORDNET))


def test_examples() -> None:
    assert doctest.testmod(module).failed == 0


def test_a_row_speaks_for_its_first_column(tsv: Thesaurus) -> None:
    assert tsv.of(("car",)) == (("auto",), ("motor", "car"))
    assert tsv.of(("auto",)) == ()


def test_entries_are_split_as_pages_are(tsv: Thesaurus) -> None:
    assert tsv.of(("e", "mail")) == (("post",),)


def test_lines_may_end_as_on_any_system(tsv: Thesaurus) -> None:
    assert tsv.of(("assistant", "professor")) == (("lecturer",),)


def test_the_words_of_a_synset_are_synonyms_of_one_another(wordnet: Thesaurus) -> None:
    assert wordnet.of(("lecturer",)) == (("assistant", "professor"),)
    assert wordnet.of(("assistant", "professor")) == (("lecturer",),)


def test_a_word_has_the_synonyms_of_all_its_synsets(wordnet: Thesaurus) -> None:
    assert wordnet.of(("prof",)) == (("professor",), ("don",))


def test_marks_of_grammar_are_no_words(wordnet: Thesaurus) -> None:
    assert wordnet.of(("loving",)) == (("fond",), ("attached", "to"))


def test_there_are_only_so_many_synonyms(tmp_path: Path) -> None:
    row = "car\t" + "\t".join(f"car{k}" for k in range(1000))
    assert len(read_thesaurus(written(tmp_path, row)).of(("car",))) == MOST_SYNONYMS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no entry"),
        ("# nothing\n", "has no entry"),
        ("car auto\n", "line 1 of the thesaurus .* expected a word, a tab and a synonym"),
        ("a\tb\ncar\t\n", "line 2"),
        ("&\tb\n", "has no entry"),
        (WORDNET + "00005000 18 n ff prof 0\n", "line 7 .* expected a synset"),
        (WORDNET + "00005000 18 n 00 000 |\n", "line 7"),
        (WORDNET + "and so on\n", "line 7"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ThesaurusError, match=said):
        read_thesaurus(written(tmp_path, text))


def test_what_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "thesaurus"
    path.write_bytes(b"car\tauto\ncaf\xe9\tbar\n")
    with pytest.raises(ThesaurusError, match=r"line 2 .* is not UTF-8"):
        read_thesaurus(path)


@pytest.mark.parametrize("name", ["", "missing"])
def test_a_folder_or_nothing_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ThesaurusError, match="expected a file"):
        read_thesaurus(tmp_path / name)


def test_a_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    with pytest.raises(ThesaurusError, match="is larger than"):
        read_thesaurus(written(tmp_path, TSV))


def test_a_file_of_many_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 2)
    with pytest.raises(ThesaurusError, match="more than 2 entries"):
        read_thesaurus(written(tmp_path, TSV))


@settings(deadline=None)
@given(
    st.one_of(
        st.binary(), st.lists(st.sampled_from([*WORDNET.split(" "), "\t", "\n", " "])).map(" ".join).map(str.encode)
    )
)
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    try:
        assert read_thesaurus(path).longest > 0
    except ThesaurusError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("car", 'car OR auto^0.5 OR "motor car"^0.5'),
        ("title:car^2", 'title:(car OR auto^0.5 OR "motor car"^0.5)^2'),
        ("professor a", "(professor OR prof^0.5) a"),
        ("+professor a", "+(professor OR prof^0.5) a"),
        ("e-mail", '"e mail" OR post^0.5'),
        ('"assistant professor"', '"assistant professor" OR lecturer^0.5'),
        ("young assistant professor", 'young assistant professor ("assistant professor" OR lecturer^0.5)'),
        ("professor assistant", "(professor OR prof^0.5) assistant"),
        ("a -professor", "a -professor"),
        ("=car", "=car"),
        ("car*", "car*"),
        ('"assistant professor"~2', '"assistant professor"~2'),
        ("assistant =professor", "assistant =professor"),
    ],
)
def test_expanded(tsv: Thesaurus, text: str, more: str) -> None:
    assert query_text(expanded(parse_query(text), tsv)) == query_text(parse_query(more))


def test_the_longest_entry_of_a_run_counts() -> None:
    names = Thesaurus({("new", "york"): (("ny",),), ("new", "york", "city"): (("nyc",),)}, 3)
    found = query_text(expanded(parse_query("new york city hall"), names))
    assert found == 'new york city ("new york city" OR nyc^0.5) hall'


def test_an_entry_without_synonyms_is_still_a_phrase() -> None:
    names = Thesaurus({("new", "york"): ()}, 2)
    assert query_text(expanded(parse_query("new york"), names)) == 'new york "new york"'


LETTERS = "abcd"
PAGES = [Page(k, {"body": [word for n, word in enumerate(LETTERS) if k >> n & 1]}) for k in range(16)]


@given(st.lists(st.sampled_from(["a", "b", "c", "=a", "+b", '"a b"', "a AND b", "OR c"]), min_size=1, max_size=5))
def test_a_query_without_negation_loses_no_page(parts: list[str]) -> None:
    synonyms = Thesaurus({("a",): (("d",),), ("a", "b"): (("c", "d"),), ("b", "c"): (("a",),)}, 2)
    node = parse_query("a " + " ".join(parts))
    reference = Reference(PAGES, lambda word: {word})
    assert reference.matches(node) <= reference.matches(expanded(node, synonyms))
