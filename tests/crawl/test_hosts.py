"""What is found of many addresses at once is what is found of each."""

from __future__ import annotations

import doctest

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from pagekin.crawl import hosts
from pagekin.crawl.hosts import hosts_and_rests, sites_of_hosts
from pagekin.crawl.urls import canonical_url, host_of, site_of

LABELS = st.sampled_from(["www", "a", "example", "co.uk", "com", "github.io", "10.0.0.1", "xn--bcher-kva", "[::1]"])
RESTS = st.sampled_from(["", "/", "/a/b", "?q=1", "/a:b?c=http://d.test/", ":8080/x", "/é", "/%20"])
ADDRESSES = st.builds(
    lambda scheme, labels, rest: canonical_url(f"{scheme}://{'.'.join(labels)}{rest}"),
    st.sampled_from(["http", "https"]),
    st.lists(LABELS, min_size=1, max_size=3),
    RESTS,
).filter(bool)


def test_examples() -> None:
    assert doctest.testmod(hosts).failed == 0


@given(st.lists(ADDRESSES))
def test_many_addresses_as_each_by_itself(urls: list[str]) -> None:
    host, rest = hosts_and_rests(pa.array(urls, pa.string()))
    pairs = zip(host.to_pylist(), rest.to_pylist(), strict=True)
    assert ["".join(pair) for pair in pairs] == [url.partition("://")[2] for url in urls]
    assert [host_of(f"http://{each}/") for each in host.to_pylist()] == [host_of(url) for url in urls]
    assert sites_of_hosts(host).to_pylist() == [site_of(url) for url in urls]


@given(st.lists(ADDRESSES, min_size=4), st.data())
def test_a_part_of_an_array_and_an_array_in_chunks(urls: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(urls)))
    column = pa.array(urls, pa.string())
    whole = [part.to_pylist() for part in hosts_and_rests(column)]
    assert [part.to_pylist() for part in hosts_and_rests(column.slice(first))] == [part[first:] for part in whole]
    chunks = pa.chunked_array([column.slice(0, first), column.slice(first)])
    assert [part.to_pylist() for part in hosts_and_rests(chunks)] == whole
