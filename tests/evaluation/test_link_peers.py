"""Relatedness by links, against dicts and sets in plain Python, and by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from random import Random

import numpy as np
import pytest

from pagekin.evaluation.link_peers import (
    ROUNDS,
    SMALL_CHANGE,
    Floats,
    LinkGraph,
    companion,
    coupling,
    traditional_cocitation,
)

CLOSE = 1e-5

Links = list[list[int]]  # by page
Method = Callable[[LinkGraph], Callable[[int], Floats]]


def packed(links: Links, hosts: list[int] | None = None) -> LinkGraph:
    """Lists of links as arrays; without hosts, all pages are on one."""
    target = np.array([page for row in links for page in row], np.int32)
    ends = np.append(0, np.cumsum([len(row) for row in links])).astype(np.int64)
    return LinkGraph(target, ends, np.array(hosts or [7] * len(links), np.int64))


def with_links(pages: int, links: dict[int, list[int]]) -> Links:
    return [links.get(page, []) for page in range(pages)]


def some_links(seed: int, pages: int = 40) -> Links:
    """Links at random: some pages have none, some link twice to a page or to themselves, some have nearly the same."""
    random = Random(seed)
    links = [random.choices(range(pages), k=random.choice([0, 1, 3, 8, 14, 30])) for _ in range(pages)]
    for _ in range(8):
        model, copy = random.sample([page for page in range(pages) if len(links[page]) > 10], 2)
        links[copy] = [*links[model], *random.choices(range(pages), k=random.randrange(2))]
        random.shuffle(links[copy])
    return links


def some_hosts(seed: int, hosts: int, pages: int = 40) -> list[int]:
    return Random(seed).choices([10 * host + 3 for host in range(hosts)], k=pages)


def slow_cocitation(links: Links, source: int, near: int) -> list[int]:
    parents: dict[int, set[int]] = {page: set() for page in range(len(links))}
    for parent, row in enumerate(links):
        for place, page in enumerate(row):
            if page == source and parent != source:
                around = row[max(0, place - near // 2) : place] + row[place + 1 : place + 1 + near // 2]
                for sibling in {*around} - {source, parent}:
                    parents[sibling].add(parent)
    return [len(parents[page]) for page in range(len(links))]


def slow_coupling(links: Links, source: int) -> list[float]:
    own = {*links[source]}
    cosines = [len(own & {*row}) / math.sqrt(len(own) * len({*row})) if own and row else 0.0 for row in links]
    return [0.0 if page == source else cosine for page, cosine in enumerate(cosines)]


def slow_siblings(lists: Links, source: int, parents: int, near: int) -> set[int]:
    found = set()
    for parent in [page for page, row in enumerate(lists) if source in row and page != source][:parents]:
        row, place = lists[parent], lists[parent].index(source)
        around = row if len(row) <= near + 1 else row[max(0, place - near // 2) : place + near // 2 + 1]
        found |= {parent, *around}
    return found


def slow_fellows(lists: Links, source: int, children: int, fellows: int) -> set[int]:
    fame = [sum(page in row for row in lists) for page in range(len(lists))]
    found = set()
    for child in [page for page in lists[source] if page != source][:children]:
        others = [page for page, row in enumerate(lists) if child in row and page not in (source, child)]
        found |= {child, *sorted(others, key=lambda page: (-fame[page], page))[:fellows]}
    return found


def slow_nodes(lists: Links, pages: set[int]) -> dict[int, int]:
    """By page, the first of those that it is joined with."""
    node = {page: page for page in pages}
    for a, b in combinations(sorted(pages), 2):
        few, most = sorted([len(lists[a]), len(lists[b])])
        if few > 10 and len({*lists[a]} & {*lists[b]}) / most >= 0.95:
            old, new = max(node[a], node[b]), min(node[a], node[b])
            node = {page: new if first == old else first for page, first in node.items()}
    return node


def slow_authorities(edges: set[tuple[int, int]], hosts: list[int], pages: int) -> list[float]:
    def best_is_1(scores: list[float]) -> list[float]:
        return [score / (max(scores) or 1.0) for score in scores]

    into = {(a, b): sum(y == b and hosts[x] == hosts[a] for x, y in edges) for a, b in edges}
    out = {(a, b): sum(x == a and hosts[y] == hosts[b] for x, y in edges) for a, b in edges}
    hub, authority = [1.0] * pages, [1.0] * pages
    for _ in range(ROUNDS):
        before = authority
        authority, new_hub = [0.0] * pages, [0.0] * pages
        for a, b in edges:
            authority[b] += hub[a] / into[a, b]
        authority = best_is_1(authority)
        for a, b in edges:
            new_hub[a] += authority[b] / out[a, b]
        hub = best_is_1(new_hub)
        if max(abs(x - y) for x, y in zip(before, authority, strict=True)) < SMALL_CHANGE:
            break
    return authority


def slow_companion(
    links: Links, hosts: list[int], source: int, parents: int, near: int, children: int, fellows: int
) -> list[float]:
    lists = [list(dict.fromkeys(row)) for row in links]
    vicinity = {source} | slow_siblings(lists, source, parents, near) | slow_fellows(lists, source, children, fellows)
    node = slow_nodes(lists, vicinity)
    edges = {(node[a], node[b]) for a in vicinity for b in lists[a] if b in vicinity}
    authority = slow_authorities({(a, b) for a, b in edges if hosts[a] != hosts[b]}, hosts, len(links))
    scores = [authority[node[page]] if page in node and page != source else 0.0 for page in range(len(links))]
    return [score / (max(scores) or 1.0) for score in scores]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("near", [2, 5, 8])
def test_cocitation_counts_the_parents_that_link_to_both_near_each_other(seed: int, near: int) -> None:
    links = some_links(seed)
    scores = traditional_cocitation(packed(links), near)
    for source in range(len(links)):
        assert scores(source).tolist() == slow_cocitation(links, source, near)


@pytest.mark.parametrize("seed", range(8))
def test_coupling_is_the_cosine_of_sets_of_links(seed: int) -> None:
    links = some_links(seed)
    scores = coupling(packed(links))
    for source in range(len(links)):
        assert scores(source).tolist() == pytest.approx(slow_coupling(links, source), abs=CLOSE)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("hosts", [2, 5, 25])
@pytest.mark.parametrize("limits", [(2000, 8, 2000, 2000), (3, 4, 2, 3), (0, 8, 4, 1), (4, 2, 0, 0)])
def test_companion_follows_its_four_steps(seed: int, hosts: int, limits: tuple[int, int, int, int]) -> None:
    links, host = some_links(seed), some_hosts(seed, hosts)
    scores = companion(packed(links, host), *limits)
    for source in range(0, len(links), 3):
        expected = slow_companion(links, host, source, *limits)
        assert scores(source).tolist() == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("seed", range(6))
def test_companion_with_a_host_for_each_page(seed: int) -> None:
    links = some_links(seed)
    scores = companion(packed(links), own_hosts=True)
    for source in range(0, len(links), 3):
        expected = slow_companion(links, list(range(len(links))), source, 2000, 8, 2000, 2000)
        assert scores(source).tolist() == pytest.approx(expected, abs=CLOSE)


def test_random_graphs_have_pages_to_join() -> None:
    lists = [[list(dict.fromkeys(row)) for row in some_links(seed)] for seed in range(6)]
    assert all(any(page != first for page, first in slow_nodes(row, set(range(40))).items()) for row in lists)


def test_cocitation_looks_as_far_as_half_the_number_of_links_on_each_side() -> None:
    links = with_links(14, {13: list(range(12))})
    assert np.flatnonzero(traditional_cocitation(packed(links))(6)).tolist() == [2, 3, 4, 5, 7, 8, 9, 10]
    assert np.flatnonzero(traditional_cocitation(packed(links))(0)).tolist() == [1, 2, 3, 4]


def test_a_parent_counts_once_however_often_it_links() -> None:
    links = with_links(5, {3: [0, 1, 0, 1, 1], 4: [1, 0]})
    assert traditional_cocitation(packed(links))(0).tolist() == [0, 2, 0, 0, 0]


def test_each_link_to_a_page_has_its_own_surroundings() -> None:
    links = with_links(6, {5: [0, 1, 4, 4, 2, 0, 3]})
    assert np.flatnonzero(traditional_cocitation(packed(links), near=2)(0)).tolist() == [1, 2, 3]


def test_a_page_is_not_its_own_parent() -> None:
    links = with_links(3, {0: [0, 1], 2: [2, 1, 0]})
    assert traditional_cocitation(packed(links))(0).tolist() == [0, 1, 0]


def test_coupling_by_hand() -> None:
    links = with_links(7, {0: [3, 4, 4, 5, 6], 1: [4], 2: [3, 4, 5, 6]})
    assert coupling(packed(links))(0).tolist() == [0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_two_parents_on_one_host_have_one_vote() -> None:
    links = with_links(6, {0: [3, 4], 1: [3, 4], 2: [3, 5]})
    graph = packed(links, [0, 0, 1, 2, 3, 4])
    assert companion(graph)(3).tolist() == pytest.approx([0, 0, 0, 0, 1, 1])
    # hubs 0 and 1 are 1 each and 2 is r: page 3 has 2 + r, 4 has 2, 5 has r, so that r = (2 + 2r) / (4 + r)
    r = math.sqrt(3) - 1
    assert companion(graph, own_hosts=True)(3).tolist() == pytest.approx([0, 0, 0, 0, 1, r / 2], abs=CLOSE)


def test_two_links_to_one_host_make_no_better_hub() -> None:
    links = with_links(6, {0: [2, 3, 4], 1: [2, 5]})
    graph = packed(links, [0, 1, 2, 3, 3, 4])
    assert companion(graph)(2).tolist() == pytest.approx([0, 0, 0, 1, 1, 1])
    apart = companion(graph, own_hosts=True)(2)
    assert apart[3] == apart[4] == 1.0
    assert apart[5] < 0.9


def test_links_within_a_host_do_not_count() -> None:
    links = with_links(4, {0: [2, 3], 1: [2, 3]})
    assert companion(packed(links))(2).tolist() == [0, 0, 0, 0]
    assert companion(packed(links), own_hosts=True)(2).tolist() == [0, 0, 0, 1]
    assert companion(packed(links, [0, 0, 1, 0]))(2).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(("length", "joined"), [(11, True), (10, False)])
def test_copies_of_a_page_with_more_than_ten_links_are_one_hub(length: int, joined: bool) -> None:
    first, second = [0, *range(4, 3 + length)], [0, *range(20, 19 + length)]
    links = with_links(40, {1: first, 2: first[::-1], 3: second})
    scores = companion(packed(links), near=40, own_hosts=True)(0)
    assert scores[first[1:]].tolist() == pytest.approx([1.0] * (length - 1))
    assert (scores[second[1:]] > 0.99).all() == joined


@pytest.mark.parametrize(("common", "joined"), [(19, True), (18, False)])
def test_pages_are_joined_by_95_percent_of_their_links(common: int, joined: bool) -> None:
    """Page 1 is linked to, its like is not: only as a part of the same node has it a score."""
    links = with_links(
        60, {1: list(range(5, 25)), 2: [*range(5, 5 + common), *range(30, 50 - common)], 3: [0, 1], 0: [5]}
    )
    scores = companion(packed(links), own_hosts=True)(0)
    assert scores[1] > 0
    assert scores[2] == (scores[1] if joined else 0)


def test_pages_are_joined_through_others_that_are_like_both() -> None:
    chain = {page: [*range(10 + step, 30 + step)] for step, page in enumerate([1, 4, 3, 2])}
    links = with_links(60, {**chain, 0: [20], 5: [0, 1]})
    scores = companion(packed(links), own_hosts=True)(0)
    assert scores[1] > 0
    assert scores[1] == scores[2] == scores[3] == scores[4]


def test_a_copy_of_the_page_itself_is_related_to_it() -> None:
    own = list(range(3, 14))
    links = with_links(40, {0: own, 1: own, 2: [0, *range(15, 36)]})
    scores = companion(packed(links), near=40, own_hosts=True)(0)
    assert scores[:3].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("length", "siblings"), [(9, 8), (10, 4)])
def test_all_links_of_a_parent_with_few_are_in_the_vicinity(length: int, siblings: int) -> None:
    links = with_links(12, {11: list(range(length))})
    assert np.count_nonzero(companion(packed(links), own_hosts=True)(0)) == siblings


def test_repeated_links_take_no_room_around_a_link() -> None:
    links = with_links(14, {13: [0, 1, 1, 1, 1, *range(2, 13)]})
    assert np.flatnonzero(companion(packed(links), own_hosts=True)(0)).tolist() == [1, 2, 3, 4]


def test_the_first_parents_and_children_are_taken() -> None:
    links = with_links(9, {0: [6, 5], 1: [0, 3], 2: [0, 4], 7: [5, 6], 8: [5, 6]})
    graph = packed(links)
    assert np.flatnonzero(companion(graph, parents=1, children=0, own_hosts=True)(0)).tolist() == [3]
    assert np.flatnonzero(companion(graph, parents=0, children=1, own_hosts=True)(0)).tolist() == [6]


def test_the_best_known_of_the_other_parents_of_a_child_are_taken() -> None:
    links = with_links(6, {0: [1], 1: [2, 3], 2: [1], 3: [1], 4: [3], 5: [3]})
    scores = companion(packed(links), fellows=1, own_hosts=True)(0)
    assert scores[3] > 0
    assert scores[2] == 0


@pytest.mark.parametrize("method", [traditional_cocitation, coupling, companion])
def test_a_page_without_links_is_related_to_none(method: Method) -> None:
    assert method(packed(with_links(3, {1: [2]})))(0).tolist() == [0, 0, 0]
    assert method(packed([[]]))(0).tolist() == [0]


@pytest.mark.parametrize("method", [traditional_cocitation, coupling, companion])
def test_several_threads_may_ask_at_once(method: Method) -> None:
    scores = method(packed(some_links(1), some_hosts(1, 20)))
    pages = list(range(40)) * 5
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(scores, pages))
    assert all(np.array_equal(row, scores(page)) for page, row in zip(pages, found, strict=True))
    assert {row.dtype for row in found} == {np.dtype(np.float32)}
