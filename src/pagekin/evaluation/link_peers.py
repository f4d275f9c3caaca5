"""How related pages are by their links alone: the methods that block co-citation is compared with.

Shen et al. (*Finding Related Web Pages in Parallel by Using Grouped Link Structures*) compare theirs with the
Cocitation algorithm of Dean and Henzinger (*Finding Related Pages in the World Wide Web*, 1999). The Companion
algorithm of the same paper was the better of the two there, so it is measured as well, and so is bibliographic
coupling (Kessler 1963), which looks at the links of two pages where co-citation looks at the links to them.

A page that links to itself is neither its own parent nor its own child, but the link keeps its place among the others.
Each method is made ready for a graph once, and may then be asked by several threads: a question has arrays of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.kernels import kernel

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Pages = NDArray[np.int32]
Weights = NDArray[np.float64]
Scores = Callable[[int], Floats]

NONE = -1  # in place of the number of a page
NEAR = 8  # links around the one to a page, Dean and Henzinger's BF
MANY = 2000  # their B
FEW_LINKS = 10  # pages with no more links than this are alike too easily to be joined
ROUNDS = 100  # fewer than ten are usual: these are for graphs of two parts that are equally strong
SMALL_CHANGE = 1e-6  # of a score, where the best is 1


class LinkGraph(NamedTuple):
    """Who links to whom: the links of page p, in reading order, are [ends[p], ends[p + 1]) of `target`."""

    target: Pages  # numbers of the linked pages
    ends: Numbers  # one more than there are pages; those that were not fetched have no links
    host: Numbers  # an id of the host of each page


class Citations(NamedTuple):
    """The same, turned around: [ends[p], ends[p + 1]) are the links to page p."""

    ends: Numbers
    parent: Pages  # the page that the link is on
    place: Numbers  # where it stands in `target` of the graph


def _owners(graph: LinkGraph) -> Numbers:
    """The page that each link is on."""
    return np.repeat(np.arange(len(graph.ends) - 1), np.diff(graph.ends))


def _turned(graph: LinkGraph, order: Numbers) -> Citations:
    """The links to each page, given an order of all links that has those to one page together."""
    ends = np.searchsorted(graph.target[order], np.arange(len(graph.ends)))
    return Citations(ends, _owners(graph)[order].astype(np.int32), order)


def _citations(graph: LinkGraph) -> Citations:
    """The links to each page, in order of the numbers of its parents."""
    return _turned(graph, np.argsort(graph.target, kind="stable"))


def _best_known_first(graph: LinkGraph) -> Citations:
    """The links to each page, those of the parents that most pages link to first."""
    pages, owners = len(graph.ends) - 1, _owners(graph)
    fame = np.bincount(graph.target, minlength=pages)
    return _turned(graph, np.lexsort((owners, -fame[owners], graph.target)))


def _distinct(graph: LinkGraph) -> LinkGraph:
    """The graph with each link of a page once, where it stands first."""
    pages, owners = len(graph.ends) - 1, _owners(graph)
    _, firsts = np.unique(owners * pages + graph.target, return_index=True)
    firsts.sort()
    ends = np.searchsorted(owners[firsts], np.arange(pages + 1))
    return LinkGraph(graph.target[firsts], ends, graph.host)


@kernel
def _count_siblings(graph: LinkGraph, cited: Citations, page: int, half: int, counted: Pages, counts: Floats) -> None:
    """Add up by how many parents each page is cited near `page`; `counted` has the last parent that was."""
    for k in range(cited.ends[page], cited.ends[page + 1]):
        parent, place = cited.parent[k], cited.place[k]
        if parent == page:
            continue
        first, last = max(graph.ends[parent], place - half), min(graph.ends[parent + 1], place + half + 1)
        for i in range(first, last):
            sibling = graph.target[i]
            if sibling != page and sibling != parent and counted[sibling] != parent:
                counted[sibling] = parent
                counts[sibling] += np.float32(1.0)


def traditional_cocitation(graph: LinkGraph, near: int = NEAR) -> Scores:
    """How many pages link to a page and, among the `near` links around that link, to each other page.

    This is the Cocitation algorithm as Shen et al. ran it: with all parents. Links are counted by their places,
    repeated ones too, and where a parent links to the page more than once, each of these links has its own
    surroundings. The page itself scores 0.

    >>> graph = LinkGraph(np.array([1, 2, 3, 2, 1], np.int32), np.array([0, 3, 3, 3, 3, 5]), np.zeros(5, np.int64))
    >>> traditional_cocitation(graph, near=2)(1).tolist()
    [0.0, 0.0, 2.0, 0.0, 0.0]
    """
    cited, pages = _citations(graph), len(graph.ends) - 1

    def scores(page: int) -> Floats:
        counts = np.zeros(pages, np.float32)
        _count_siblings(graph, cited, page, near // 2, np.full(pages, NONE, np.int32), counts)
        return counts

    return scores


@kernel
def _add_shared(graph: LinkGraph, cited: Citations, page: int, shared: Pages) -> None:
    """Add up how many links of `page` each page has."""
    for k in range(graph.ends[page], graph.ends[page + 1]):
        target = graph.target[k]
        for i in range(cited.ends[target], cited.ends[target + 1]):
            shared[cited.parent[i]] += 1


def coupling(graph: LinkGraph) -> Scores:
    """The cosine of the sets of links of two pages, |A ∩ B| / √(|A| |B|).

    It is 0 where one of them has no links, and for the page itself. A link of a page to itself is in its set.

    >>> graph = LinkGraph(np.array([1, 2, 3, 4, 3, 3], np.int32), np.array([0, 4, 6, 6, 6, 6]), np.zeros(5, np.int64))
    >>> coupling(graph)(0).tolist()
    [0.0, 0.5, 0.0, 0.0, 0.0]
    """
    links = _distinct(graph)
    cited, sizes = _citations(links), np.diff(links.ends)

    def scores(page: int) -> Floats:
        shared = np.zeros(len(sizes), np.int32)
        _add_shared(links, cited, page, shared)
        shared[page] = 0
        return np.asarray(shared / np.sqrt(np.maximum(sizes[page] * sizes, 1)), np.float32)

    return scores


class Limits(NamedTuple):
    """How many pages the surroundings of a page are made of."""

    parents: int  # B
    near: int  # BF: links of a parent around the one to the page
    children: int  # F
    fellows: int  # FB: other parents of a child


class Edges(NamedTuple):
    """The links that count between pages of a vicinity, those of one hub together."""

    hub: Pages
    authority: Pages
    hub_weight: Weights  # of the authority's score in the hub's
    authority_weight: Weights  # of the hub's score in the authority's


class Web(NamedTuple):
    """What Companion keeps of a graph."""

    links: LinkGraph  # each once, and hosts numbered from 0
    cited: Citations
    best_known: Citations  # best known parents first
    duplicates: Pages  # pairs of pages with nearly the same links
    limits: Limits


@kernel
def _near_duplicates(links: LinkGraph, cited: Citations, shared: Pages, pairs: Pages) -> int:
    """Write down, as far as there is room, the pairs of pages that have 95 % of their links in common.

    Returns how many there are. `shared` is 0 before and after.
    """
    found = 0
    for page in range(len(links.ends) - 1):
        size = links.ends[page + 1] - links.ends[page]
        if size <= FEW_LINKS:
            continue
        _add_shared(links, cited, page, shared)
        for k in range(links.ends[page], links.ends[page + 1]):
            for i in range(cited.ends[links.target[k]], cited.ends[links.target[k] + 1]):
                other = cited.parent[i]
                other_size = links.ends[other + 1] - links.ends[other]
                if other > page and other_size > FEW_LINKS and 20 * shared[other] >= 19 * max(size, other_size):
                    if found < len(pairs):
                        pairs[found, 0], pairs[found, 1] = page, other
                    found += 1
                shared[other] = 0
    return found


def _duplicates(links: LinkGraph, cited: Citations) -> Pages:
    """The pairs of near-duplicates: counted first, so that there is room for them."""
    shared = np.zeros(len(links.ends) - 1, np.int32)
    pairs = np.empty((_near_duplicates(links, cited, shared, np.empty((0, 2), np.int32)), 2), np.int32)
    _near_duplicates(links, cited, shared, pairs)
    return pairs


@kernel
def _mark_siblings(links: LinkGraph, cited: Citations, limits: Limits, page: int, node: Pages) -> None:
    """Back and forward: the parents of a page, and what they link to around it, or all if that is little."""
    left, half = limits.parents, limits.near // 2
    for k in range(cited.ends[page], cited.ends[page + 1]):
        parent, place = cited.parent[k], cited.place[k]
        if parent == page or left <= 0:
            continue
        left -= 1
        node[parent] = parent
        first, last = links.ends[parent], links.ends[parent + 1]
        if last - first > limits.near + 1:
            first, last = max(first, place - half), min(last, place + half + 1)
        for i in range(first, last):
            node[links.target[i]] = links.target[i]


@kernel
def _mark_fellows(links: LinkGraph, cited: Citations, limits: Limits, page: int, node: Pages) -> None:
    """Forward and back: the children of a page, and the best known of the pages that also link to them."""
    children_left = limits.children
    for k in range(links.ends[page], links.ends[page + 1]):
        child = links.target[k]
        if child == page or children_left <= 0:
            continue
        children_left -= 1
        node[child] = child
        left = limits.fellows
        for i in range(cited.ends[child], cited.ends[child + 1]):
            fellow = cited.parent[i]
            if fellow != page and fellow != child and left > 0:
                left -= 1
                node[fellow] = fellow


@kernel
def _root(node: Pages, page: int) -> int:
    while node[page] != page:
        page = node[page]
    return page


@kernel
def _join(pairs: Pages, node: Pages, following: Pages) -> None:
    """Make one node of pages with nearly the same links: it has the least number of these.

    `following` then leads from each node through all its pages.
    """
    for k in range(len(pairs)):
        if node[pairs[k, 0]] != NONE and node[pairs[k, 1]] != NONE:
            a, b = _root(node, pairs[k, 0]), _root(node, pairs[k, 1])
            node[max(a, b)] = min(a, b)
    for page in range(len(node)):
        following[page] = NONE
        if node[page] != NONE and node[page] != page:
            node[page] = node[node[page]]
            following[page], following[node[page]] = following[node[page]], page


@kernel
def _fill_edges(links: LinkGraph, node: Pages, following: Pages, seen: Pages, hubs: Pages, authorities: Pages) -> int:
    """Write down the links between nodes on different hosts, each once; `seen` has the last hub of an authority."""
    found = 0
    for hub in range(len(node)):
        page = hub if node[hub] == hub else NONE
        while page != NONE:
            for k in range(links.ends[page], links.ends[page + 1]):
                authority = node[links.target[k]]
                if authority != NONE and links.host[authority] != links.host[hub] and seen[authority] != hub:
                    seen[authority] = hub
                    hubs[found], authorities[found] = hub, authority
                    found += 1
            page = following[page]
    return found


@kernel
def _fill_order(numbers: Pages, places: Numbers, order: Numbers) -> None:
    """The order of the numbers; `places` is 0, and has room for one more than the largest."""
    for i in range(len(numbers)):
        places[numbers[i] + 1] += 1
    for number in range(1, len(places)):
        places[number] += places[number - 1]
    for i in range(len(numbers)):
        order[places[numbers[i]]] = i
        places[numbers[i]] += 1


@kernel
def _fill_weights(near: Pages, far: Pages, order: Numbers, host: Numbers, counts: Numbers, weights: Weights) -> None:
    """1 by the number of edges between the near page and the host of the far one, so that no host has more than 1 vote.

    `order` has the edges of one near page together; `counts`, by host, is 0 before and after.
    """
    first = 0
    while first < len(order):
        last = first
        while last < len(order) and near[order[last]] == near[order[first]]:
            counts[host[far[order[last]]]] += 1
            last += 1
        for i in range(first, last):
            weights[order[i]] = 1.0 / counts[host[far[order[i]]]]
        for i in range(first, last):
            counts[host[far[order[i]]]] = 0
        first = last


@kernel
def _pass_on(givers: Pages, takers: Pages, weights: Weights, given: Weights, taken: Weights) -> None:
    """Each taker gets the weighted sum of its givers' scores; then all are scaled so that the best is 1."""
    for page in range(len(taken)):
        taken[page] = 0.0
    for i in range(len(givers)):
        taken[takers[i]] += weights[i] * given[givers[i]]
    best = 0.0
    for page in range(len(taken)):
        best = max(best, taken[page])
    for page in range(len(taken)):
        taken[page] /= max(best, 1e-300)


@kernel
def _settle(edges: Edges, hubs: Weights, authorities: Weights, before: Weights) -> None:
    """Good authorities are what good hubs link to, good hubs link to good authorities: repeat until that holds."""
    for page in range(len(hubs)):
        hubs[page], authorities[page] = 1.0, 1.0
    for _ in range(ROUNDS):
        for page in range(len(before)):
            before[page] = authorities[page]
        _pass_on(edges.hub, edges.authority, edges.authority_weight, hubs, authorities)
        _pass_on(edges.authority, edges.hub, edges.hub_weight, authorities, hubs)
        change = 0.0
        for page in range(len(before)):
            change = max(change, abs(authorities[page] - before[page]))
        if change < SMALL_CHANGE:
            break


def _vicinity(web: Web, page: int) -> tuple[Pages, Pages]:
    """The node of each page near one, NONE for all others, and the pages of each node."""
    node, following = np.full((2, len(web.links.host)), NONE, np.int32)
    node[page] = page
    _mark_siblings(web.links, web.cited, web.limits, page, node)
    _mark_fellows(web.links, web.best_known, web.limits, page, node)
    _join(web.duplicates, node, following)
    return node, following


def _edges(web: Web, node: Pages, following: Pages) -> Edges:
    """The edges between nodes of a vicinity, with their weights."""
    hubs, authorities = np.empty((2, len(web.links.target)), np.int32)
    found = _fill_edges(web.links, node, following, np.full(len(node), NONE, np.int32), hubs, authorities)
    edges, host = Edges(hubs[:found], authorities[:found], np.empty(found), np.empty(found)), web.links.host
    order, counts = np.empty(found, np.int64), np.zeros(len(host), np.int64)
    _fill_weights(edges.hub, edges.authority, np.arange(found), host, counts, edges.hub_weight)
    _fill_order(edges.authority, np.zeros(len(node) + 1, np.int64), order)
    _fill_weights(edges.authority, edges.hub, order, host, counts, edges.authority_weight)
    return edges


def _web(graph: LinkGraph, limits: Limits, own_hosts: bool) -> Web:
    distinct = _distinct(graph)
    host = np.arange(len(graph.host)) if own_hosts else np.unique(graph.host, return_inverse=True)[1]
    links = distinct._replace(host=host.astype(np.int64))
    cited = _citations(links)
    return Web(links, cited, _best_known_first(links), _duplicates(links, cited), limits)


def companion(
    graph: LinkGraph,
    parents: int = MANY,
    near: int = NEAR,
    children: int = MANY,
    fellows: int = MANY,
    own_hosts: bool = False,
) -> Scores:
    """How much of an authority each page is in the surroundings of a page: Dean and Henzinger's Companion algorithm.

    The surroundings, or *vicinity*, are the page, up to `parents` that link to it and the `near` links around these
    links, up to `children` that it links to and for each up to `fellows` that link there too. Near-duplicates become
    one node, on the host of the first of them; each of their pages has its score. Of the edges between nodes on
    different hosts, k from one host to one node pass on 1/k of a hub's score, and l from one node to one host 1/l of an
    authority's. The best score is 1; the page itself has 0.

    The paper takes parents by chance where they are too many: here it is those with the least numbers. It does not say
    how many children and fellows there may be. Within one host no edge counts, so that a crawl of one host needs
    `own_hosts`: every page is then a host by itself.

    >>> graph = LinkGraph(np.array([2, 3, 2, 3, 3], np.int32), np.array([0, 2, 4, 4, 4, 5]), np.zeros(5, np.int64))
    >>> companion(graph, own_hosts=True)(2).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0]
    """
    web = _web(graph, Limits(parents, near, children, fellows), own_hosts)

    def scores(page: int) -> Floats:
        node, following = _vicinity(web, page)
        hubs, authorities, before = np.empty((3, len(node)))
        _settle(_edges(web, node, following), hubs, authorities, before)
        found = np.where(node == NONE, 0.0, authorities[node])
        found[page] = 0.0
        return np.asarray(found / (found.max(initial=0.0) or 1.0), np.float32)

    return scores
