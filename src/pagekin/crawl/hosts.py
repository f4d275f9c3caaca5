"""The hosts and sites of many canonical URLs at once.

By a regular expression of Arrow this took as long as to resolve the links that the URLs come from.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.crawl.urls import site_of
from pagekin.kernels import kernel

Ints = NDArray[np.int64]
Offsets = NDArray[np.int32]
Bytes = NDArray[np.uint8]

COLON, SLASH, QUESTION = ord(":"), ord("/"), ord("?")
_NO_ENDS = np.zeros(1, np.int32)  # an array of no text may have no buffer


@kernel
def _find_hosts(text: Bytes, ends: Offsets, first: Ints, last: Ints) -> None:
    """Where the host of each URL, with its port, begins and ends."""
    for k in range(len(first)):
        at, end = ends[k], ends[k + 1]
        while at < end and text[at] != COLON:
            at += 1
        first[k] = min(at + 3, end)
        at = first[k]
        while at < end and text[at] != SLASH and text[at] != QUESTION:
            at += 1
        last[k] = at


@kernel
def _copy_spans(text: Bytes, first: Ints, ends: Offsets, out: Bytes) -> None:
    """Write what begins at `first` to where `ends` says."""
    for k in range(len(first)):
        for place in range(ends[k + 1] - ends[k]):
            out[ends[k] + place] = text[first[k] + place]


def hosts_and_rests(canonical: pa.StringArray | pa.ChunkedArray) -> tuple[pa.StringArray, pa.StringArray]:
    """The hosts of many canonical URLs, with their ports, and what follows each.

    >>> [part.to_pylist() for part in hosts_and_rests(pa.array(["http://a.test/b?c", "https://d.test/"]))]
    [['a.test', 'd.test'], ['/b?c', '/']]
    """
    urls = canonical.combine_chunks() if isinstance(canonical, pa.ChunkedArray) else canonical
    _, ends_of, data = urls.buffers()
    ends = np.frombuffer(ends_of, np.int32)[urls.offset : urls.offset + len(urls) + 1] if ends_of else _NO_ENDS
    text = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
    first, last = np.empty((2, len(urls)), np.int64)
    _find_hosts(text, ends, first, last)
    return _spans(text, first, last), _spans(text, last, ends[1:])


def _spans(text: Bytes, first: Ints, last: Ints | Offsets) -> pa.StringArray:
    ends = np.zeros(len(first) + 1, np.int32)
    np.cumsum(last - first, out=ends[1:])
    out = np.empty(ends[-1], np.uint8)
    _copy_spans(text, first, ends, out)
    return pa.StringArray.from_buffers(len(first), pa.py_buffer(ends), pa.py_buffer(out))


def sites_of_hosts(hosts: pa.StringArray) -> pa.StringArray:
    """The sites of many hosts, with or without their ports.

    >>> sites_of_hosts(pa.array(["news.bbc.co.uk:81", "bbc.co.uk"])).to_pylist()
    ['bbc.co.uk', 'bbc.co.uk']
    """
    encoded = hosts.dictionary_encode()
    sites = [site_of(f"http://{host}/") for host in encoded.dictionary.to_pylist()]
    return pa.array(sites, pa.string()).take(encoded.indices)
