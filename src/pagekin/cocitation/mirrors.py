"""Hosts that are mirrors of others: most of their pages have the same words at the same paths.

Without that, a page and its mirror would share the citations of both, and one would be the best answer for the
other; and what a mirrored page cites would be cited twice (Shen et al., conclusions).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from pagekin.bags.chunk import Ints, group_starts, list_ends
from pagekin.bags.templates import segment_hash
from pagekin.crawl.urls import hosts_and_rests
from pagekin.hashing import hash_texts
from pagekin.kernels import kernel
from pagekin.settings import CocitationSettings
from pagekin.tables import COPIES, HOST_COPIES, MIRRORS

Named = tuple[str, pa.RecordBatch]

FEWEST = 3  # pages that must be alike
MOST = 0.5  # the share of the pages of the smaller host that must be


@kernel
def _hash_pages(words: Ints, ends: Ints, hashes: Ints) -> None:
    for page in range(len(hashes)):
        hashes[page] = segment_hash(words, ends[page], ends[page + 1])


def page_copies(batches: Iterable[pa.RecordBatch], settings: CocitationSettings) -> Iterator[Named]:
    """COPIES: for each page with words what it shares with its mirrors, and the host that it is on."""
    if not settings.mirrors:
        return
    for batch in batches:
        ends = list_ends(batch["words"])
        said = np.empty(batch.num_rows, np.int64)
        _hash_pages(batch["words"].flatten().to_numpy(), ends, said)
        host, rest = hosts_and_rests(batch["url"])
        rows = pa.record_batch([pa.array(said ^ hash_texts(rest)), host], schema=COPIES)
        yield "copies", rows.filter(pa.array(np.diff(ends) > 0))


def shared_copies(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """HOST_COPIES: how many pages two hosts share, and how many each has; rows come sorted by copy.

    Of several hosts that share a page, the first in the alphabet is paired with each of the others.
    """
    for batch in batches:
        shared: Counter[tuple[str, str]] = Counter()
        hosts = batch["host"].to_pylist()
        for host in hosts:
            shared[host, host] += 1
        starts = group_starts(batch["copy"].to_numpy())
        for first, last in zip(starts, np.append(starts[1:], len(hosts)), strict=True):
            if last - first > 1:
                original, *others = sorted(set(hosts[first:last]))
                shared.update((original, other) for other in others)
        yield "host_copies", _pairs_batch(shared)


def _pairs_batch(shared: Counter[tuple[str, str]]) -> pa.RecordBatch:
    rows = sorted(shared.items())
    columns = [[pair[0] for pair, _ in rows], [pair[1] for pair, _ in rows], [count for _, count in rows]]
    return pa.record_batch(columns, schema=HOST_COPIES)


def settled_mirrors(batches: Iterable[pa.RecordBatch], urls: pa.Table) -> Iterator[Named]:
    """MIRRORS: for each host that mirrors others the one that stands for all: that to which most links lead."""
    shared: Counter[tuple[str, str]] = Counter()
    for batch in batches:
        for row in batch.to_pylist():
            shared[row["host"], row["other"]] += row["pages"]
    pages = {host: count for (host, other), count in shared.items() if host == other}
    alike = [
        (host, other)
        for (host, other), count in sorted(shared.items())
        if host != other and count >= max(FEWEST, MOST * min(pages[host], pages[other]))
    ]
    links = _links_to({host for pair in alike for host in pair}, urls)
    root = {host: host for host in links}

    def found(host: str) -> str:
        while root[host] != host:
            root[host] = host = root[root[host]]
        return host

    for pair in alike:
        original, mirror = sorted(map(found, pair), key=lambda host: (-links[host], len(host), host))
        root[mirror] = original
    rows = [(host, found(host)) for host in sorted(root) if found(host) != host]
    yield "mirrors", pa.record_batch([[row[0] for row in rows], [row[1] for row in rows]], schema=MIRRORS)


def _links_to(hosts: set[str], urls: pa.Table) -> dict[str, int]:
    """How many links lead to the pages of each of some hosts."""
    links = dict.fromkeys(hosts, 0)
    if hosts:
        named, _ = hosts_and_rests(urls["url"])
        total = pa.table([named, urls["in_links"]], ["host", "links"]).group_by("host").aggregate([("links", "sum")])
        links |= {row["host"]: row["links_sum"] for row in total.to_pylist() if row["host"] in hosts}
    return links


def originals(hosts: pa.StringArray, mirrors: pa.Table) -> pa.StringArray:
    """Each host, or the one that stands for it."""
    if not mirrors.num_rows:
        return hosts
    original = dict(zip(mirrors["host"].to_pylist(), mirrors["original"].to_pylist(), strict=True))
    encoded = hosts.dictionary_encode()
    named = [original.get(host, host) for host in encoded.dictionary.to_pylist()]
    return pa.array(named, pa.string()).take(encoded.indices)
