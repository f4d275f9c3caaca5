"""Hosts that are mirrors: most pages of one stand on the other too, at the same paths and alike in content.

A page may be any copy, so that a mirror with a line of its own on every page, or one that is a few changes behind, is
a mirror still.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import numpy as np
import pyarrow as pa

from pagekin.bags.chunk import Ints
from pagekin.crawl.hosts import hosts_and_rests
from pagekin.tables import MIRRORED_HOSTS, MIRRORS

FEWEST = 3  # pages that must be alike
MOST = 0.5  # the share of the pages of the smaller host that must be


def mirrored_hosts(pages: Ints, clusters: Ints, urls: pa.Table) -> pa.RecordBatch:
    """MIRRORED_HOSTS, by pages and the clusters that they are in.

    Of several hosts that share a page, the first in the alphabet is paired with each of the others.
    """
    rows = pa.array(np.searchsorted(urls["page"].to_numpy(), pages))
    hosts, rests = (part.to_pylist() for part in hosts_and_rests(urls["url"].take(rows)))
    shared: Counter[tuple[str, str]] = Counter()
    found = sorted(zip(clusters.tolist(), rests, hosts, strict=True))
    for _, group in groupby(found, key=lambda row: row[:2]):
        first, *others = sorted({host for _, _, host in group})
        shared.update((first, other) for other in others)
    return _settled(shared, _hosts(urls.filter(urls["fetched"]))) if shared else _rows([])


def _hosts(urls: pa.Table) -> dict[str, tuple[int, int]]:
    """How many pages each host has, and how many links lead to them."""
    host, _ = hosts_and_rests(urls["url"])
    table = pa.table([host, urls["in_links"]], ["host", "links"]).group_by("host")
    rows = table.aggregate([("links", "count"), ("links", "sum")]).to_pylist()
    return {row["host"]: (row["links_count"], row["links_sum"]) for row in rows}


def _settled(shared: Counter[tuple[str, str]], hosts: dict[str, tuple[int, int]]) -> pa.RecordBatch:
    rows = []
    for pair, alike in sorted(shared.items()):
        if alike >= max(FEWEST, MOST * min(hosts[host][0] for host in pair)):
            original, mirror = sorted(pair, key=lambda host: (-hosts[host][1], len(host), host))
            rows.append((mirror, original, alike, hosts[mirror][0], hosts[original][0]))
    return _rows(rows)


def _rows(rows: list[tuple[str, str, int, int, int]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [dict(zip(MIRRORED_HOSTS.names, row, strict=True)) for row in rows], MIRRORED_HOSTS
    )


def originals(mirrored: pa.RecordBatch) -> pa.RecordBatch:
    """MIRRORS: for each host that mirrors others the one that stands for all: the original that mirrors no other."""
    root = {host: host for row in mirrored.to_pylist() for host in (row["host"], row["original"])}

    def found(host: str) -> str:
        while root[host] != host:
            root[host] = host = root[root[host]]
        return host

    for row in mirrored.to_pylist():
        root[found(row["host"])] = found(row["original"])
    rows = [{"host": host, "original": found(host)} for host in sorted(root) if found(host) != host]
    return pa.RecordBatch.from_pylist(rows, MIRRORS)
