"""Which page an address of a truth file means, and what is said of files that cannot be read."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.crawl.folder import file_url
from pagekin.crawl.urls import canonical_url, page_id
from pagekin.errors import TruthError
from pagekin.evaluation.addresses import MAX_LINE_BYTES, Addresses, nothing_in_common, open_truth, read_rows

URL = "http://www.example.org/bees"


def known(
    urls: Sequence[str], moves: Sequence[tuple[str, str]] = (), folders: Sequence[str] = (), linked: Sequence[str] = ()
) -> Addresses:
    rows = sorted((page_id(url), url, url not in linked) for url in urls)
    pages, texts, fetched = zip(*rows, strict=True) if rows else ((), (), ())
    table = pa.table(
        {
            "page": pa.array(pages, pa.int64()),
            "url": pa.array(texts, pa.string()),
            "fetched": pa.array(fetched, pa.bool_()),
        }
    )
    aliases = {"page": [page_id(old) for old, _ in moves], "target": [page_id(new) for _, new in moves]}
    return Addresses(table, pa.table({name: pa.array(ids, pa.int64()) for name, ids in aliases.items()}), folders)


@pytest.mark.parametrize(
    "spelling", [URL, "https://www.example.org/bees/", "www.example.org/bees", "HTTP://WWW.example.org:80/./bees#top"]
)
def test_any_spelling_of_a_url_is_the_page(spelling: str) -> None:
    assert known([URL, "http://www.example.org/ants"]).page(spelling) == page_id(URL)


@pytest.mark.parametrize("address", ["http://www.example.org/wasps", "wasps.html", "", "://", "mailto:jo@example.org"])
def test_an_address_that_the_crawl_has_not_heard_of_is_no_page(address: str) -> None:
    assert known([URL], folders=["http://docs/"]).page(address) is None


def test_an_old_address_is_the_page_that_it_moved_to() -> None:
    moves = [(f"http://old{i}.example/", URL) for i in range(9)]
    assert {known([URL], moves).page(old) for old, _ in moves} == {page_id(URL)}


def test_a_move_to_a_page_that_is_not_known_leads_nowhere() -> None:
    assert known([URL], [("http://old.example/", "http://gone.example/")]).page("http://old.example/") is None


def test_a_page_that_is_only_linked_to_is_known() -> None:
    addresses = known([URL], linked=[URL])
    assert addresses.page(URL) == page_id(URL)
    assert not addresses.is_fetched(np.array([page_id(URL)])).any()


@pytest.mark.parametrize(
    "path", ["a b/c.html", "wp/b/Bass_%28fish%29.htm", "ä/50%.html", "index.html", "view.php?id=3"]
)
def test_a_path_is_the_file_in_the_folder(path: str) -> None:
    url = canonical_url(file_url("http://docs/", path))
    addresses = known([url, URL], folders=["http://other/", "http://docs/"])
    assert addresses.page(path) == addresses.page(f"/{path}") == page_id(url)


def test_a_percent_sign_in_the_name_of_a_file_is_encoded() -> None:
    assert known(["http://docs/a%2528b%2529.htm"], folders=["http://docs/"]).page("a%28b%29.htm") is not None


def test_each_page_has_its_url() -> None:
    urls = [f"http://site/{i}" for i in range(20)]
    addresses = known(urls)
    assert sorted(addresses.url(int(page)) for page in addresses.pages) == sorted(urls)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_whatever_is_asked_for_is_known_or_not(address: str) -> None:
    assert known([URL], folders=["http://docs/"]).page(address) is None


def test_a_truth_of_other_pages_is_told_by_an_example_of_each() -> None:
    said = str(nothing_in_common("directory", 5203, "wp/a.htm", known([URL])))
    assert all(part in said for part in ("5,203 rows", "wp/a.htm", URL, "--base-url"))


def test_a_crawl_without_pages_is_called_so() -> None:
    assert "no pages" in str(nothing_in_common("directory", 2, "a", known([])))


def rows_of(path: Path, content: bytes) -> list[tuple[int, str]]:
    path.write_bytes(content)
    with open_truth(path) as file:
        return list(read_rows(file, path))


def test_blank_lines_comments_and_line_ends_are_no_part_of_the_rows(tmp_path: Path) -> None:
    assert rows_of(tmp_path / "t", b"\xef\xbb\xbf# c\r\n\r\n  \na\tb\r\nc\td") == [(4, "a\tb"), (5, "c\td")]


def test_a_packed_file_is_read_like_a_plain_one(tmp_path: Path) -> None:
    assert rows_of(tmp_path / "t", gzip.compress(b"a\tb\n")) == [(1, "a\tb")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no rows"),
        (b"# nothing\n\n", "has no rows"),
        (b"a\tb\n\xe9t\xe9\tc\n", "t:2: byte 0xe9 at column 1 is not UTF-8"),
        (gzip.compress(b"a\tb\n" * 1000, mtime=0)[:-9], "cannot be read"),
        (b"\x1f\x8b is no gzip", "cannot be read"),
        (b"x" * (MAX_LINE_BYTES + 1), "t:1: a line of more than"),
    ],
)
def test_what_is_no_text_is_told_with_its_place(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(TruthError, match=said):
        rows_of(tmp_path / "t", content)


@pytest.mark.parametrize("name", ["", "missing.tsv"])
def test_what_is_no_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(TruthError, match="cannot be read"), open_truth(tmp_path / name):
        pass
