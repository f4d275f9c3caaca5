"""What is suggested while typing, against a search through every address and title."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.query.suggest import Suggestions
from pagekin.stores.documents import Documents, write_documents

# address, title, whether it was fetched, links to it
PAGES = [
    ("http://www.bees.org/", "Bees and honey", True, 5),
    ("https://bees.org/honey.html", "Honey, and how it is made", True, 9),
    ("http://beer.org/", "Beer", False, 30),
    ("http://a.org/bees", "Ärger über Bienen", True, 1),
    ("http://a.org/Honey", "", True, 0),
    ("http://b.org/honey-badger", "The honey badger's honey", True, 2),
    ("http://c.org/x_y", "bees bees bees", False, 0),
]
TYPED = st.one_of(
    st.text("behonyra.:/w ", max_size=6),
    st.sampled_from(["honey", "honey b", "bees.org", "http://www.be", "ärger ü", "HONEY and", "honey badger's", "x_"]),
)


def documents(folder: Path) -> Documents:
    """Documents as an index has them; their ids are of no account here."""
    urls, titles, fetched, in_links = zip(*PAGES, strict=True)
    texts = {"url": urls, "title": titles, "site": [url.split("/")[2] for url in urls]}
    columns = {"page": range(len(PAGES)), **texts, "fetched": fetched, "in_links": in_links}
    write_documents(folder, pa.table({name: pa.array(list(values)) for name, values in columns.items()}))
    return Documents(folder)


def plainly_suggested(typed: str, k: int) -> list[str]:
    """The slow twin: looks at every page."""
    typed = typed.strip().lower()
    if not typed:
        return []
    ranked = sorted(PAGES, key=lambda page: (not page[2], -page[3]))
    *whole, begun = re.findall(r"[^\W_]+", typed) or [""]
    by_words = []
    for url, title, *_ in ranked:
        words = re.findall(r"[^\W_]+", title.lower())
        if begun and set(whole) <= set(words) and any(word.startswith(begun) for word in words):
            by_words.append(url)
    prefix = re.sub(r"^(https?://)?(www\.)?", "", typed)
    addresses = [(url, re.sub(r"^(https?://)?(www\.)?", "", url.lower())) for url, *_ in ranked]
    by_address = [url for url, address in addresses if address.startswith(prefix)]
    ways = [by_address, by_words] if re.search("[./:]", typed) else [by_words, by_address]
    return list(dict.fromkeys([*ways[0][:k], *ways[1][:k]]))[:k]


@pytest.fixture(scope="module")
def suggestions(tmp_path_factory: pytest.TempPathFactory) -> Suggestions:
    """Those of the pages above."""
    return Suggestions(documents(tmp_path_factory.mktemp("documents")))


@given(TYPED, st.integers(1, 8))
def test_suggestions_are_those_of_a_look_at_every_page(suggestions: Suggestions, typed: str, k: int) -> None:
    assert [each.url for each in suggestions.of(typed, k)] == plainly_suggested(typed, k)


def test_pages_that_were_fetched_come_before_others(suggestions: Suggestions) -> None:
    assert [each.title for each in suggestions.of("bee", 3)] == ["Bees and honey", "Beer", "bees bees bees"]


def test_the_likeliest_page_was_fetched_and_is_linked_to_most(suggestions: Suggestions) -> None:
    assert suggestions.likeliest == "https://bees.org/honey.html"


def test_an_index_without_documents_suggests_nothing(tmp_path: Path) -> None:
    empty = {
        "page": pa.int64(),
        "url": pa.string(),
        "title": pa.string(),
        "site": pa.string(),
        "fetched": pa.bool_(),
        "in_links": pa.int64(),
    }
    write_documents(tmp_path, pa.schema(empty.items()).empty_table())
    suggestions = Suggestions(Documents(tmp_path))
    assert (suggestions.of("a"), suggestions.likeliest) == ([], None)
