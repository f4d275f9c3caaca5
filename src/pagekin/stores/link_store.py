"""The neighbours of every document by links, and its authority, in files that are mapped into memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.cocitation.authority import page_rank
from pagekin.links.evidence import TO
from pagekin.links.likeness import Neighbourhoods, neighbourhoods
from pagekin.settings import LinkSettings
from pagekin.stores.arrays import mapped_array, write_array

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]

_ENDS, _NEIGHBOURS, _WAYS, _LENGTHS, _AUTHORITY = (
    "ends.i64", "neighbours.u32", "ways.u8", "lengths.f32", "authority.f32",
)  # fmt: skip


class LinkStore(NamedTuple):
    """NEIGHBOURS by the numbers of documents."""

    hoods: Neighbourhoods
    ways: NDArray[np.uint8]  # beside each neighbour
    authority: Floats  # of each document, from 0 to 1


def open_links(folder: Path, settings: LinkSettings) -> LinkStore:
    """The links of an index."""
    ends = mapped_array(folder / _ENDS, np.int64)
    lengths, ranks = mapped_array(folder / _LENGTHS, np.float32), mapped_array(folder / _AUTHORITY, np.float32)
    neighbours, ways = mapped_array(folder / _NEIGHBOURS, np.uint32), mapped_array(folder / _WAYS, np.uint8)
    return LinkStore(Neighbourhoods(ends, neighbours, lengths, settings.neighbours, settings.itself), ways, ranks)


def write_links(folder: Path, parts: Sequence[Path], pages: Numbers, settings: LinkSettings) -> None:
    """Write NEIGHBOURS, whose parts come in the order of its pages, for documents given by their ids in order."""
    folder.mkdir(parents=True)
    sizes = np.zeros(len(pages), np.int64)
    with (folder / _NEIGHBOURS).open("wb") as neighbours, (folder / _WAYS).open("wb") as all_ways:
        for part in parts:
            document, numbers, bits = _known(part, pages)
            sizes += np.bincount(document, minlength=len(pages))
            neighbours.write(numbers.astype(np.uint32).tobytes())
            all_ways.write(bits.astype(np.uint8).tobytes())
    ends = np.append(0, np.cumsum(sizes))
    neighbour, ways = np.fromfile(folder / _NEIGHBOURS, np.uint32), np.fromfile(folder / _WAYS, np.uint8)
    write_array(folder / _ENDS, ends)
    write_array(folder / _LENGTHS, neighbourhoods(ends, neighbour, settings).lengths)
    links = (ways & TO) > 0
    source = np.repeat(np.arange(len(pages)), sizes)[links]
    ranks = page_rank(source, neighbour[links].astype(np.int64), len(pages))
    write_array(folder / _AUTHORITY, authority(ranks))


def authority(rank: NDArray[np.float64]) -> Floats:
    """PageRanks on a scale from 0 to 1 on which each factor counts the same: the least has 0, the highest 1.

    >>> authority(np.array([0.1, 0.2, 0.4])).tolist()
    [0.0, 0.5, 1.0]
    """
    logarithm = np.log(rank)
    span = float(np.ptp(logarithm)) or 1.0
    return np.asarray((logarithm - logarithm.min()) / span, np.float32)


def _known(part: Path, pages: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The rows of a part whose pages are both documents."""
    page, neighbour, ways = (column.to_numpy() for column in pq.read_table(part).columns)
    numbers = [np.minimum(np.searchsorted(pages, ids), len(pages) - 1) for ids in (page, neighbour)]
    kept = (pages[numbers[0]] == page) & (pages[numbers[1]] == neighbour)
    return numbers[0][kept], numbers[1][kept], ways[kept]
