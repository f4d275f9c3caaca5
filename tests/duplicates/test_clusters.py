"""Which pages are copies, and which page stands for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.duplicates.clusters import clustered
from pagekin.settings import DuplicateSettings
from pagekin.tables import EXACT_COPIES

from .chain import copies, found, text, web, words

A, B, C = "http://a.test/x", "http://b.test/x", "http://c.test/longer"


def test_exact_copies_are_one_cluster_for_which_the_most_linked_stands(tmp_path: Path) -> None:
    tables = web({A: text(1), B: text(1), C: text(1)}, {C: 2, A: 1})
    assert copies(tables, found(tables, tmp_path)) == {A: C, B: C}


def test_of_equally_linked_pages_the_shortest_address_stands_then_the_first(tmp_path: Path) -> None:
    tables = web({C: text(1), B: text(1), A: text(1)})
    assert copies(tables, found(tables, tmp_path)) == {B: A, C: A}


def test_a_changed_word_makes_a_near_copy(tmp_path: Path) -> None:
    tables = web({A: text(1), B: text(1).replace(words(1, 200)[100], "other")})
    results = found(tables, tmp_path)
    assert copies(tables, results) == {B: A}
    assert 0.9 < results["duplicates"]["resemblance"][0].as_py() < 1


def test_other_texts_are_no_copies(tmp_path: Path) -> None:
    results = found(web({A: text(1), B: text(2)}), tmp_path)
    assert results["duplicates"].num_rows == results["resemblances"].num_rows == 0


def test_a_page_that_is_most_of_another_is_a_copy(tmp_path: Path) -> None:
    tables = web({A: text(1, 300), B: text(1, 300) + " " + text(2, 150)})
    assert copies(tables, found(tables, tmp_path)) == {B: A}


def test_pages_that_contain_the_same_page_are_no_copies_of_one_another(tmp_path: Path) -> None:
    menu = text(1, 100)
    pages = {f"http://a.test/{number}": f"{menu} {text(2 + number, 60)}" for number in range(30)}
    tables = web({"http://a.test/menu": menu, **pages}, {"http://a.test/menu": 50})
    found_copies = copies(tables, found(tables, tmp_path, DuplicateSettings(boilerplate=0.0)))
    assert len(found_copies) == 1 and "http://a.test/menu" in {*found_copies, *found_copies.values()}


def test_articles_are_parts_of_a_collection_and_no_copies(tmp_path: Path) -> None:
    tables = web({A: text(1), B: text(2), C: " ".join(text(seed) for seed in range(1, 6))})
    results = found(tables, tmp_path)
    assert copies(tables, results) == {}
    assert results["resemblances"].num_rows == 2
    assert all(max(row["containment"], row["other_containment"]) == 1 for row in results["resemblances"].to_pylist())


def chain_web() -> dict[str, str]:
    """Versions of a page of which each is like the next, and the first and the last are not alike."""
    old, new = words(1, 200), words(2, 200)
    return {
        f"http://wiki.test/{version:02}": " ".join(new[: version * 5] + old[version * 5 :]) for version in range(21)
    }


@pytest.mark.parametrize("chains", [False, True])
def test_the_ends_of_a_chain_are_copies_only_if_chains_are_asked_for(chains: bool, tmp_path: Path) -> None:
    tables = web(chain_web())
    pairs = copies(tables, found(tables, tmp_path, DuplicateSettings(chains=chains)))
    assert ("http://wiki.test/20" in pairs and pairs["http://wiki.test/20"] == "http://wiki.test/00") == chains


def test_every_copy_is_like_the_page_that_stands_for_it(tmp_path: Path) -> None:
    results = found(web(chain_web()), tmp_path, DuplicateSettings(contained=1.0))
    assert results["duplicates"].num_rows > 5
    assert min(results["duplicates"]["resemblance"].to_pylist()) >= 0.9


def test_nothing_compared_gives_empty_tables() -> None:
    tables = clustered([], EXACT_COPIES.empty_table(), web({A: text(1)})["urls"], DuplicateSettings())
    assert {name: batch.num_rows for name, batch in tables} == {
        "resemblances": 0, "duplicates": 0, "mirrored_hosts": 0, "mirrors": 0,
    }  # fmt: skip


# --- boilerplate and mirrors --------------------------------------------------------------------------------

NAVIGATION = text(99, 150)


def site(host: str, pages: int, seed: int, navigation: str = NAVIGATION) -> dict[str, str]:
    return {f"http://{host}/{page}": f"{navigation}|{text(seed + page, 30)}" for page in range(pages)}


@pytest.mark.parametrize(("boilerplate", "clusters"), [(0.5, 0), (0.0, 1)])
def test_navigation_makes_no_copies(boilerplate: float, clusters: int, tmp_path: Path) -> None:
    tables = web(site("a.test", 12, 100, NAVIGATION * 4))
    settings = DuplicateSettings(boilerplate=boilerplate, threshold=0.6)
    assert len(set(copies(tables, found(tables, tmp_path, settings)).values())) == clusters


def test_a_copy_with_the_navigation_of_its_original_is_a_copy(tmp_path: Path) -> None:
    pages = site("a.test", 12, 100)
    tables = web({**pages, **site("b.test", 12, 300, text(98, 150)), "http://b.test/copy": pages["http://a.test/5"]})
    results = found(tables, tmp_path)
    assert copies(tables, results) == {"http://b.test/copy": "http://a.test/5"}


def test_the_pages_of_a_host_that_has_but_one_page_are_copies(tmp_path: Path) -> None:
    tables = web({f"http://a.test/?session={page}": text(1) + f"|visit {page}" for page in range(30)})
    assert len(copies(tables, found(tables, tmp_path))) == 29


def test_a_mirror_has_most_pages_at_the_same_paths(tmp_path: Path) -> None:
    pages = {
        **site("a.test", 12, 100),
        **site("b.test", 9, 100),
        "http://b.test/own": text(7),
        "http://c.test/0": text(8),
    }
    (mirror,) = found(web(pages, {"http://b.test/own": 5}), tmp_path)["mirrored_hosts"].to_pylist()
    assert mirror == {"host": "a.test", "original": "b.test", "alike": 9, "pages": 12, "original_pages": 10}
