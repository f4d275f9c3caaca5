"""Directories: how they are read, which of their pages are used, and how far apart two pages are."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.crawl.folder import file_url
from pagekin.crawl.urls import canonical_url, page_id
from pagekin.errors import TruthError
from pagekin.evaluation.addresses import Addresses
from pagekin.evaluation.directory import (
    Directory,
    Entry,
    familial_distance,
    familial_distances,
    placed,
    read_entries,
    url_entries,
)
from pagekin.kernels import python_twin


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, content: str | bytes) -> list[Entry]:
    return list(read_entries(written(path, content)))


def known(paths: Iterable[str], linked: Iterable[str] = (), folder: str = "http://site/") -> Addresses:
    """The addresses of a folder of files."""
    fetched = {canonical_url(file_url(folder, path)): True for path in paths}
    rows = sorted((page_id(url), url, was) for url, was in {**fetched, **dict.fromkeys(linked, False)}.items())
    pages, urls, was_fetched = ([row[i] for row in rows] for i in range(3))
    empty = pa.array([], pa.int64())
    table = pa.table({"page": pa.array(pages, pa.int64()), "url": pa.array(urls, pa.string()), "fetched": was_fetched})
    return Addresses(table, pa.table({"page": empty, "target": empty}), [folder])


def entries(*rows: str) -> list[Entry]:
    """Entries from such as "a.html Science/Biology"."""
    return [Entry(row.split()[0], tuple(row.split()[1].split("/"))) for row in rows]


def never(url: str) -> bool:
    return False


# --- tables -------------------------------------------------------------------------------------------------


def test_a_row_is_an_address_and_a_path(tmp_path: Path) -> None:
    rows = read(tmp_path / "d", "# a comment\na.html\tTop/Arts\n\na.html\t/Science/Bees/\n")
    assert rows == [("a.html", ("Top", "Arts")), ("a.html", ("Science", "Bees"))]


@pytest.mark.parametrize("row", ["a.html Arts", "a.html\tArts\tmore", "\tArts"])
def test_a_row_of_other_columns_is_told_with_its_place(tmp_path: Path, row: str) -> None:
    with pytest.raises(TruthError, match=r"d:2: found .* expected an address, a tab and a category"):
        read(tmp_path / "d", f"a.html\tArts\n{row}\n")


def test_an_empty_file_is_no_directory(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match="no rows"):
        read(tmp_path / "d", "")


# --- dumps of the Open Directory ----------------------------------------------------------------------------

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns="http://dmoz.org/rdf/">\n'
)
BEES = '<ExternalPage about="http://bees/?a=1&amp;b=2"><d:Title>B</d:Title><topic>Top/Sci/Bees</topic></ExternalPage>\n'
TOPIC = '<Topic r:id="Top/Sci/Bees"><catid>2</catid><link r:resource="http://bees/?a=1&amp;b=2"></link></Topic>\n'
BEES_ENTRY = Entry("http://bees/?a=1&b=2", ("Sci", "Bees"))


def dump(*parts: str) -> str:
    return HEAD + "".join(parts) + "</RDF>\n"


@pytest.mark.parametrize("parts", [(BEES,), (TOPIC,), (TOPIC, BEES), (BEES, TOPIC), (TOPIC, TOPIC)])
def test_a_page_of_a_dump_is_given_once(tmp_path: Path, parts: tuple[str, ...]) -> None:
    assert read(tmp_path / "d", dump(*parts)) == [BEES_ENTRY]


def test_a_page_in_two_topics_is_given_twice(tmp_path: Path) -> None:
    rows = read(tmp_path / "d", dump(BEES, BEES.replace("Sci", "Arts")))
    assert [row.category for row in rows] == [("Sci", "Bees"), ("Arts", "Bees")]


@pytest.mark.parametrize("element", ["link", "link1", "pdf", "rss"])
def test_all_kinds_of_links_of_a_topic_are_pages(tmp_path: Path, element: str) -> None:
    assert read(tmp_path / "d", dump(TOPIC.replace("link", element))) == [BEES_ENTRY]


@pytest.mark.parametrize(
    "soft", [BEES.replace("Sci/Bees", "Sci/Bees@"), TOPIC.replace("link", "symbolic"), TOPIC.replace("Bees", "Bees@")]
)
def test_soft_links_are_ignored(tmp_path: Path, soft: str) -> None:
    assert len(read(tmp_path / "d", dump(soft, BEES))) == 1


def test_a_packed_dump_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "d.gz", gzip.compress(dump(TOPIC, BEES).encode())) == [BEES_ENTRY]


def test_a_byte_order_mark_before_a_dump_does_not_matter(tmp_path: Path) -> None:
    assert read(tmp_path / "d", "\ufeff" + dump(BEES)) == [BEES_ENTRY]


@pytest.mark.parametrize("dirt", [b"\x00", b"\x0b\x1f", b"\xef\xbf\xbf", b"\xe9", b"\xed\xa0\x80"])
def test_characters_that_xml_forbids_are_dropped(tmp_path: Path, dirt: bytes) -> None:
    content = dump(BEES).encode().replace(b"<d:Title>", b"<d:Title>" + dirt)
    assert read(tmp_path / "d", content) == [BEES_ENTRY]


def test_a_control_character_within_a_topic_is_dropped(tmp_path: Path) -> None:
    assert read(tmp_path / "d", dump(BEES.replace("Bees<", "Be\x02es<"))) == [BEES_ENTRY]


@pytest.mark.parametrize("left", [len(HEAD), len(HEAD) + 40, len(HEAD + BEES), len(HEAD + BEES) + 5])
def test_a_dump_that_is_cut_off_is_told_with_its_place(tmp_path: Path, left: int) -> None:
    with pytest.raises(TruthError, match=r"d:[34]: the file ends too early"):
        read(tmp_path / "d", dump(BEES)[:left])


def test_what_is_before_the_cut_has_been_given(tmp_path: Path) -> None:
    pages = (BEES.replace("a=1", f"a={i}") for i in range(10_000))
    rows = read_entries(written(tmp_path / "d", HEAD + "".join(pages)))
    assert sum(1 for _, _ in zip(range(5000), rows, strict=False)) == 5000
    with pytest.raises(TruthError, match=r"d:10003: "):
        list(rows)


def test_a_packed_dump_that_is_cut_off_is_told(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match="cannot be read"):
        read(tmp_path / "d.gz", gzip.compress(dump(BEES).encode())[:-12])


@pytest.mark.parametrize("content", [dump(), "<html><body></body></html>", dump('<Topic r:id="Top/A"/>')])
def test_xml_without_pages_is_no_directory(tmp_path: Path, content: str) -> None:
    with pytest.raises(TruthError, match=r"expected the content\.rdf\.u8"):
        read(tmp_path / "d", content)


def test_what_is_no_xml_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match=r"d:3: this is not XML \(mismatched tag"):
        read(tmp_path / "d", dump("<a></b>"))


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">',
        '<!ENTITY b SYSTEM "file:///etc/passwd">',
        '<!ENTITY % b SYSTEM "http://127.0.0.1:9/x.dtd"> %b;',
    ],
)
def test_entities_are_refused(tmp_path: Path, declared: str) -> None:
    content = dump(BEES.replace("Bees<", "&b;<")).replace("<RDF", f"<!DOCTYPE RDF [{declared}]><RDF", 1)
    with pytest.raises(TruthError, match="declares an entity"):
        read(tmp_path / "d", content)


@pytest.mark.parametrize(
    ("start", "more"), [("<!--", "x"), ('<Topic r:id="', "x"), ("", "<a>"), ("<ExternalPage><topic>", "x")]
)
def test_what_never_ends_does_not_fill_the_memory(tmp_path: Path, start: str, more: str) -> None:
    path = written(tmp_path / "d.gz", gzip.compress((HEAD + start).encode() + more.encode() * 40_000_000, 1))
    assert peak_bytes(path) < 40_000_000


def peak_bytes(path: Path) -> int:
    """The most memory that is held while a directory is read; it need not be readable."""
    tracemalloc.start()
    try:
        for _ in read_entries(path):
            pass
    except TruthError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def test_a_large_dump_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "content.rdf.u8"
    page = BEES.replace("<topic>", f"<d:Description>{'honey ' * 80}</d:Description><topic>")
    with path.open("w") as file:
        file.write(HEAD)
        for topic in range(100):
            pages = (page.replace("a=1", f"a={i}").replace("Sci", f"Sci{topic}") for i in range(400))
            file.write(TOPIC.replace("Sci", f"Sci{topic}") + "".join(pages))
        file.write("</RDF>")
    assert path.stat().st_size > 20_000_000
    assert peak_bytes(path) < 5_000_000


# --- URLs ---------------------------------------------------------------------------------------------------


def test_the_folders_of_a_url_are_its_class() -> None:
    urls = ["http://site/reference/generated/x.html", "http://site/a?q=b/c", "http://site/"]
    assert [row.category for row in url_entries(urls)] == [("reference", "generated"), (), ()]


def test_of_several_hosts_the_host_comes_first() -> None:
    assert list(url_entries(iter(["http://a/b/c", "http://d:80/"]))) == [
        ("http://a/b/c", ("a", "b")),
        ("http://d:80/", ("d:80",)),
    ]


# --- the directory of a crawl -------------------------------------------------------------------------------


def classes_by_url(directory: Directory, addresses: Addresses) -> dict[str, str]:
    return {addresses.url(int(page)): directory.category(i) for i, page in enumerate(directory.pages)}


def test_deep_classes_are_folded_and_shallow_ones_left_out() -> None:
    addresses = known("abc")
    rows = entries("a A/B/C/D", "a A/B/X", "a A/Y", "b A/B", "b Z", "c Z")
    directory = placed(rows, addresses, 2, never)
    assert classes_by_url(directory, addresses) == {"http://site/a": "A/B; A/Y", "http://site/b": "A/B"}


def test_the_facts_count_every_address_once() -> None:
    addresses = known(["a", "b", "c", "hub", "new"], linked=["http://else/x"])
    rows = entries("a A/B", "a A/C", "a A", "b A", "hub A/B", "gone A/B", "gone A/C", "else/x A/C", "gone2 A")
    assert placed(rows, addresses, 2, lambda url: "hub" in url).facts == {
        "depth": 2,
        "rows": 9,
        "pages": 6,
        "classes": 2,
        "used": 2,
        "not_in_crawl": 2,
        "too_shallow": 1,
        "excluded": 1,
        "not_in_directory": 2,
        "only_linked": 1,
    }


def test_two_addresses_of_a_page_are_one_page() -> None:
    directory = placed(entries("a A", "http://site/a A", "https://site/a B"), known("a"), 1, never)
    assert (len(directory.pages), directory.category(0)) == (1, "A; B")


def test_equal_numbers_are_equal_categories_below_equal_ancestors() -> None:
    directory = placed(entries("a A/X", "b B/X", "c B/Y", "d C/X"), known("abcd"), 2, never)
    assert directory.names == ("A/X", "B/X", "B/Y", "C/X")
    assert directory.paths.tolist() == [[0, 0], [1, 1], [1, 2], [2, 3]]


def test_a_directory_of_other_pages_is_told_by_examples() -> None:
    with pytest.raises(TruthError, match=r"none of the 2 rows .* wp/a\.htm is not in it, while http://site/a is"):
        placed(entries("wp/a.htm A/B", "wp/b.htm A/C"), known("a"), 2, never)


def test_a_directory_that_is_not_deep_enough_is_told() -> None:
    with pytest.raises(TruthError, match=r"depth 3: of its 2 rows .* 2 are not that deep.*a smaller --depth"):
        placed(entries("a A/B", "b A/C"), known("ab"), 3, never)


def test_one_class_is_too_few() -> None:
    with pytest.raises(TruthError, match=r"1 are not in the crawl \(such as x\).* are: A\. .*another --depth"):
        placed(entries("a A/B", "b A/C", "x B/C"), known("ab"), 1, never)


@pytest.mark.parametrize("depth", [0, 101])
def test_a_depth_that_cannot_be_is_told(depth: int) -> None:
    with pytest.raises(TruthError, match="from 1 to 100"):
        placed(entries("a A/B"), known("a"), depth, never)


def test_an_empty_directory_has_nothing_in_common() -> None:
    with pytest.raises(TruthError, match="none of the 0 rows"):
        placed([], known("a"), 1, never)


# --- distances ----------------------------------------------------------------------------------------------

NAMES = st.sampled_from("XYZ")
ROWS = st.lists(st.tuples(st.sampled_from("abcdef"), st.tuples(NAMES, NAMES, NAMES)), min_size=2, max_size=20)


def slow_distance(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    return next(len(a) - shared for shared in range(len(a), -1, -1) if a[:shared] == b[:shared])


def slow_distances(rows: list[Entry], source: str, depth: int) -> dict[str, int]:
    """The least distance from the classes of one address to those of each."""
    found: dict[str, int] = {}
    for own in rows:
        for other in rows:
            if own.address == source:
                distance = slow_distance(own.category[:depth], other.category[:depth])
                found[other.address] = min(distance, found.get(other.address, depth))
    return found


@settings(deadline=None)  # the first call compiles the kernels
@given(ROWS, st.integers(1, 3))
def test_distances_are_those_of_the_twin(rows: list[tuple[str, tuple[str, ...]]], depth: int) -> None:
    addresses, listed = known("abcdef"), [Entry(*row) for row in rows]
    if len({entry.category[:depth] for entry in listed}) < 2:
        return
    directory = placed(listed, addresses, depth, never)
    names = [addresses.url(int(page))[-1] for page in directory.pages]
    for source, name in enumerate(names):
        found = familial_distances(directory, source)
        assert dict(zip(names, found.tolist(), strict=True)) == slow_distances(listed, name, depth)


@given(ROWS)
def test_the_order_of_rows_changes_nothing(rows: list[tuple[str, tuple[str, ...]]]) -> None:
    listed = [Entry(*row) for row in rows]
    if len({entry.category for entry in listed}) < 2:
        return
    first = placed(listed, known("abcdef"), 3, never)
    second = placed(sorted(listed), known("abcdef"), 3, never)
    assert (first.names, first.facts) == (second.names, second.facts)
    for name in ("pages", "class_ends", "classes", "paths"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


PATHS = st.lists(st.integers(0, 2), min_size=4, max_size=4)


@settings(deadline=None)
@given(PATHS, PATHS)
def test_the_distance_of_two_classes_is_the_same_both_ways(a: list[int], b: list[int]) -> None:
    one, other = np.array(a, np.int32), np.array(b, np.int32)
    assert familial_distance(one, other) == familial_distance(other, one) == python_twin(familial_distance)(one, other)
    assert familial_distance(one, other) == slow_distance(tuple(a), tuple(b))  # type: ignore[arg-type]


# --- a real directory ---------------------------------------------------------------------------------------


def test_the_directory_of_a_school_encyclopedia(real_data: Callable[[str], Path]) -> None:
    folder = real_data("schools-wikipedia")
    files = [str(path.relative_to(folder)) for path in folder.rglob("*.htm")]
    rows = list(read_entries(folder / "directory.tsv"))
    facts = placed(rows, known(files), 2, never).facts
    assert (len(files), facts["rows"], facts["pages"], facts["not_in_crawl"]) == (5232, 5203, 4597, 0)
    assert facts["used"] == len({row.address for row in rows if len(row.category) >= 2})
    assert facts["not_in_directory"] == 5232 - 4597


def test_the_urls_of_documentation_are_a_directory(real_data: Callable[[str], Path]) -> None:
    folder = real_data("see-also-docs") / "sklearn-docs"
    addresses = known(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
    urls = (addresses.url(int(page)) for page in addresses.pages)
    directory = placed(url_entries(urls), addresses, 1, never)
    assert {"modules", "developers"} <= set(directory.names)
    assert directory.facts["not_in_crawl"] == directory.facts["not_in_directory"] == 0
