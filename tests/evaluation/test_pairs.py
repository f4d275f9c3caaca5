"""Lists of related pages: how they are read, and which pairs are used."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.crawl.folder import file_url
from pagekin.crawl.urls import canonical_url, page_id
from pagekin.errors import TruthError
from pagekin.evaluation.addresses import Addresses
from pagekin.evaluation.pairs import Pair, paired, read_pairs


def read(path: Path, content: str | bytes) -> list[Pair]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_pairs(path))


def known(paths: Iterable[str]) -> Addresses:
    """The addresses of a folder of files."""
    rows = sorted((page_id(url), url) for url in {canonical_url(file_url("http://site/", path)) for path in paths})
    table = pa.table(
        {"page": [page for page, _ in rows], "url": [url for _, url in rows], "fetched": [True] * len(rows)}
    )
    empty = pa.array([], pa.int64())
    return Addresses(table, pa.table({"page": empty, "target": empty}), ["http://site/"])


def never(url: str) -> bool:
    return False


# --- reading ------------------------------------------------------------------------------------------------


def test_a_row_of_two_columns_is_a_pair(tmp_path: Path) -> None:
    assert read(tmp_path / "p", "# see also\n\na b.html\tc d.html\r\n") == [("a b.html", "c d.html", 1.0)]


def test_a_third_column_is_the_grade(tmp_path: Path) -> None:
    assert read(tmp_path / "p", "a\tb\t2.5\na\tc\n") == [("a", "b", 2.5), ("a", "c", 1.0)]


@pytest.mark.parametrize("separator", [" ", "\t", "   "])
def test_qrels_have_four_columns_and_grade_unrelated_pages_too(tmp_path: Path, separator: str) -> None:
    rows = [separator.join(row) for row in (("a", "0", "b", "2"), ("a", "0", "c", "0"), ("a", "Q0", "d", "-1"))]
    assert read(tmp_path / "p", "\n".join(rows)) == [("a", "b", 2.0)]


def test_a_packed_list_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "p.gz", gzip.compress(b"\xef\xbb\xbfa\tb\n", mtime=0)) == [("a", "b", 1.0)]


@pytest.mark.parametrize(
    "row", ["a b", "a", "a\t", "\tb", "a\tb\tc\td\te", "a\tb\t", "a\tb\tmuch", "a\tb\tnan", "a\tb\t0"]
)
def test_a_row_that_is_no_pair_is_told_with_its_place(tmp_path: Path, row: str) -> None:
    with pytest.raises(TruthError, match=r"p:2: found .*expected"):
        read(tmp_path / "p", f"a\tb\n{row}\n")


@pytest.mark.parametrize("rows", ["a\tb\na 0 b 1\n", "a 0 b 1\na\tb\n"])
def test_the_two_formats_are_not_mixed(tmp_path: Path, rows: str) -> None:
    with pytest.raises(TruthError, match=r"p:2: a row of .* after rows of"):
        read(tmp_path / "p", rows)


@pytest.mark.parametrize("content", [b"", b"# only this\n", b"a\tb\n\xff\tc\n", gzip.compress(b"a\tb", mtime=0)[:-4]])
def test_what_is_no_list_is_told(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(TruthError, match="p"):
        read(tmp_path / "p", content)


# --- the pairs of a crawl -----------------------------------------------------------------------------------


def test_the_facts_add_up_to_the_rows() -> None:
    rows = ["ab", "ab", "ac", "ba", "aa", "ax", "xa", "ah", "ha"]
    pairs = paired([Pair(*row, 1.0) for row in rows], known("abch"), lambda url: url.endswith("h"))
    assert pairs.facts == {
        "rows": 9,
        "sources": 2,
        "pairs": 3,
        "not_in_crawl": 2,
        "excluded": 2,
        "self_pairs": 1,
        "duplicates": 1,
    }


def test_of_a_pair_that_is_there_twice_the_higher_grade_counts() -> None:
    pairs = paired([Pair("a", "b", 1.0), Pair("http://site/a", "b", 3.0), Pair("a", "b", 2.0)], known("ab"), never)
    assert (pairs.sources.tolist(), pairs.grades.tolist()) == ([page_id("http://site/a")], [3.0])


def test_a_list_of_other_pages_is_told_by_examples() -> None:
    with pytest.raises(TruthError, match=r"none of the 1 rows .* x is not in it, while http://site/a is"):
        paired([Pair("a", "x", 1.0)], known("a"), never)


@pytest.mark.parametrize("rows", ["aa", "ab"])
def test_a_list_of_which_nothing_is_left_is_told(rows: str) -> None:
    with pytest.raises(TruthError, match="no pair of related pages is left of 1 rows"):
        paired([Pair(*rows, 1.0)], known("ab"), lambda url: url.endswith("b"))


LETTERS = st.sampled_from("abcd")


@given(st.lists(st.builds(Pair, LETTERS, LETTERS, st.sampled_from([1.0, 2.0, 3.0])), max_size=20))
def test_the_pairs_are_those_of_a_dictionary(rows: list[Pair]) -> None:
    wanted: dict[tuple[int, int], float] = {}
    for row in [row for row in rows if row.page != row.related]:
        key = (page_id(f"http://site/{row.page}"), page_id(f"http://site/{row.related}"))
        wanted[key] = max(row.grade, wanted.get(key, 0.0))
    if wanted:
        pairs = paired(rows, known("abcd"), never)
        sources = np.repeat(pairs.sources, np.diff(pairs.ends)).tolist()
        found = list(zip(sources, pairs.related.tolist(), strict=True))
        assert (found, pairs.grades.tolist()) == (sorted(wanted), [wanted[key] for key in sorted(wanted)])


@pytest.mark.parametrize(("name", "rows"), [("scipy-docs", 2247), ("sklearn-docs", 880)])
def test_what_editors_call_related_is_in_the_documentation(
    real_data: Callable[[str], Path], name: str, rows: int
) -> None:
    folder = real_data("see-also-docs") / name
    addresses = known(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
    facts = paired(read_pairs(folder / "related.tsv"), addresses, never).facts
    assert (facts["rows"], facts["pairs"], facts["not_in_crawl"]) == (rows, rows, 0)
