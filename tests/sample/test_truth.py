from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from pagekin.sample.topics import directory

Pages = dict[str, Any]
Rows = Callable[[str], list[list[str]]]


def readable(pages: Pages) -> list[Any]:
    """The pages that are text."""
    return [page for page in pages.values() if page.body and not page.body.startswith((b"\x89", b"\x1f"))]


def test_every_page_of_the_directory_is_captured_or_linked(rows: Rows, pages: Pages) -> None:
    known = {link for page in readable(pages) for link in page.links} | set(pages)
    assert {url for url, _ in rows("directory.tsv")} <= known


def test_the_directory_has_pages_never_fetched(rows: Rows, pages: Pages) -> None:
    unseen = {url for url, _ in rows("directory.tsv")} - set(pages)
    assert 30 < len(unseen) < 100


def test_the_directory_has_every_leaf(rows: Rows) -> None:
    assert {path for _, path in rows("directory.tsv")} == {leaf.path for leaf in directory().leaves}


def test_the_directory_lists_a_page_once(rows: Rows) -> None:
    urls = [url for url, _ in rows("directory.tsv")]
    assert len(urls) == len(set(urls))


def test_the_directory_lists_neither_spam_nor_copies(rows: Rows) -> None:
    urls = {url for url, _ in rows("directory.tsv")}
    assert not any("deals" in url or "bargains" in url for url in urls)
    assert not urls & {copy for _, copy, _ in rows("duplicates.tsv")}


def test_links_lead_mostly_to_the_same_leaf(rows: Rows, pages: Pages) -> None:
    leaf = dict(rows("directory.tsv"))
    pairs = [(url, link) for url, page in pages.items() if url in leaf for link in page.links if link in leaf]
    abroad = [(leaf[a], leaf[b]) for a, b in pairs if a.split("/")[2] != b.split("/")[2]]
    same = sum(a == b for a, b in abroad) / len(abroad)
    assert 0.5 < same < 0.9


def test_duplicates_are_captured(rows: Rows, pages: Pages) -> None:
    found = rows("duplicates.tsv")
    assert {kind for _, _, kind in found} == {"exact", "near", "mirror", "print"}
    assert all(original in pages and copy in pages for original, copy, _ in found)


def test_mirrors_and_exact_copies_have_the_same_bytes(rows: Rows, pages: Pages) -> None:
    for original, copy, kind in rows("duplicates.tsv"):
        if kind in ("exact", "mirror"):
            assert pages[original].body == pages[copy].body


def test_near_copies_differ_in_a_few_words(rows: Rows, pages: Pages) -> None:
    near = [(original, copy) for original, copy, kind in rows("duplicates.tsv") if kind == "near"]
    alike = [_resemblance(prose(pages[original]), prose(pages[copy])) for original, copy in near]
    assert len(near) >= 10
    assert all(0.85 < share < 1 for share in alike)


def test_print_versions_are_contained_in_the_page(rows: Rows, pages: Pages) -> None:
    for original, copy, kind in rows("duplicates.tsv"):
        if kind == "print":
            assert _shingles(prose(pages[copy])) <= _shingles(prose(pages[original]))


def prose(page: Any) -> list[str]:
    """The words of the paragraphs that are sentences."""
    paragraphs = re.findall(r"<p>(.*?)</p>", page.text)
    return re.sub(r"<[^>]*>", "", " ".join(text for text in paragraphs if ". " in text)).split()


def _shingles(words: list[str]) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(5)), strict=False))


def _resemblance(one: list[str], other: list[str]) -> float:
    a, b = _shingles(one), _shingles(other)
    return len(a & b) / len(a | b)


def test_blocks_hold_all_links_of_their_page_in_order(rows: Rows, pages: Pages) -> None:
    blocks = defaultdict(list)
    for url, _, link in rows("blocks.tsv"):
        blocks[url].append(link)
    assert len(blocks) > 60
    assert all(pages[url].links == links for url, links in blocks.items())


def test_blocks_are_numbered_from_nought(rows: Rows) -> None:
    numbers = defaultdict(list)
    for url, number, _ in rows("blocks.tsv"):
        numbers[url].append(int(number))
    assert all(sorted(set(found)) == list(range(found[-1] + 1)) for found in numbers.values())
    assert all(found == sorted(found) for found in numbers.values())
