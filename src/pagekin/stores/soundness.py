"""Whether the lists of an index point to where they may: what kernels read without looking.

numba checks no bounds, and an index may come from a stranger. Each function here raises ValueError with the name of
what is wrong. A list by its ends is sound if they begin at 0, never fall, and the last is its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.kernels import i64, kernel
from pagekin.stores.cocited_store import CocitedStore
from pagekin.stores.documents import Documents
from pagekin.stores.link_store import LinkStore
from pagekin.stores.ring_store import RingStore
from pagekin.stores.shards import Shard
from pagekin.stores.vector_store import VectorStore
from pagekin.tables import PAGES

Numbers = NDArray[np.int64]
Bytes = NDArray[np.uint8]

MOST_BITS = 35  # of a number that is written in groups of seven
LONGEST_WORD = 255
MOST_SIGNATURES = 1 << 16
LEAST_ITSELF, MOST_ITSELF = 1e-6, 1e6  # beyond which sums of links vanish in 32 bits


def _require(is_so: Any, said: str) -> None:
    if not is_so:
        raise ValueError(said)


def _check_ends(name: str, ends: NDArray[Any], size: int, lists: int) -> None:
    """Ends of so many lists, of which the first begins at 0."""
    _require(len(ends) == lists + 1, f"{name} has {len(ends)} ends for {lists} lists")
    _require(ends[0] == 0 and ends[-1] == size and (ends[1:] >= ends[:-1]).all(), f"{name} points outside")


# --- documents, links, rings --------------------------------------------------------------------------------


def check_documents(documents: Documents) -> None:
    """The ids ascend, each is represented by one of them, and all texts are texts."""
    documents.check_texts()
    pages, stands = documents.pages, documents.representatives
    _require((pages[1:] > pages[:-1]).all(), "the ids of documents do not ascend")
    _require((stands < len(documents)).all(), "a document is represented by none")


def check_cocited(cocited: CocitedStore, documents: int) -> None:
    """What is cited together is a document."""
    ends, others = cocited.lists
    _check_ends("cocited/ends.i64", ends, len(others), documents)
    _require((others < documents).all(), "cocited/others.u32 names what is no document")


def check_links(links: LinkStore, documents: int) -> None:
    """Neighbours are documents, and each list belongs to one."""
    hoods = links.hoods
    _check_ends("links/ends.i64", hoods.ends, len(hoods.neighbours), documents)
    _require((hoods.neighbours < documents).all(), "links/neighbours.u32 names what is no document")
    _require(len(links.ways) == len(hoods.neighbours), "links/ways.u8 has another size than its neighbours")
    _require(len(hoods.lengths) == len(links.authority) == documents, "links/ has other numbers of documents")
    _require(hoods.itself == 0 or LEAST_ITSELF <= hoods.itself <= MOST_ITSELF, f"links.itself cannot be {hoods.itself}")


def check_vectors(name: str, vectors: VectorStore) -> None:
    """Cells, if there are any, hold documents."""
    if vectors.cells is None:
        return
    middles, ends, documents, codes = vectors.cells
    _check_ends(f"{name}/cell_ends.i64", ends, len(documents), len(middles))
    _require((documents < len(vectors.vectors)).all(), f"{name}/cell_documents.u32 names what is no document")
    _require(len(codes) == len(documents), f"{name}/cell_codes.i8 is of other documents")


def check_rings(rings: RingStore) -> None:
    """Each row links to rows above it."""
    rows = np.repeat(np.arange(len(rings.ends) - 1), np.diff(rings.ends))
    _require(((rings.leads_to >= 0) & (rings.leads_to < rows)).all(), "leads_to of RINGS names a row that is not above")


# --- shards -------------------------------------------------------------------------------------------------


@kernel
def _bags_are_sound(ends: Numbers, data: Bytes, terms: int) -> bool:
    at = i64(0)
    for bag in range(len(ends)):
        term, gap, shift = i64(-1), i64(0), 0
        while at < ends[bag]:
            is_last = data[at] >= 128
            gap |= i64(data[at] & 127) << shift
            shift += 7
            at += 1
            if is_last:
                term += gap + 1
                if term >= terms or at >= ends[bag]:  # a code follows each term
                    return False
                gap, shift = i64(0), 0
                at += 1
            elif shift > MOST_BITS:
                return False
        if shift > 0:
            return False
    return True


@kernel
def _rows_are_sets(lists: NDArray[np.uint32], documents: int, seen: NDArray[np.uint32]) -> bool:
    for row in range(lists.shape[0]):
        for k in range(lists.shape[1]):
            document = lists[row, k]
            if document >= documents or seen[document] == row + 1:
                return False
            seen[document] = row + 1
    return True


def check_shards(shards: Sequence[Shard], documents: int, terms: int, m: int) -> None:
    """Every bag, list and signature is of a document, and every term of a bag has a number below `terms`."""
    _require(0 < m < MOST_SIGNATURES, f"{m} signatures a document")
    _require(sum(len(shard.bags) for shard in shards) == documents, "shards/ has another number of documents")
    for number, shard in enumerate(shards):
        _check_shard(f"shards/shard-{number:05}", shard, terms, m)


def _check_shard(name: str, shard: Shard, terms: int, m: int) -> None:
    documents, offsets, lists = len(shard.bags), shard.index.offsets, shard.index.lists
    _check_ends(f"{name}/bag_ends.i64", np.append(0, shard.bags.ends), len(shard.bags.data), documents)
    _require(_bags_are_sound(shard.bags.ends, shard.bags.data, terms), f"{name}/bags.u8 has a bag that has no end")
    _require(shard.index.signatures.shape == (documents, m), f"{name}/signatures.u32 is of other documents")
    _require(offsets.shape[0] == m and offsets.shape[1] > 1, f"{name}/buckets.u32 has another number of rows")
    _require((offsets[:, 0] == 0).all() and (offsets[:, 1:] >= offsets[:, :-1]).all(), f"{name}/buckets.u32 is unsound")
    width = lists.shape[1] if len(lists) else 0
    _require((offsets[:, -1] <= width).all(), f"{name}/buckets.u32 points outside")
    seen = np.zeros(documents, np.uint32)
    _require(_rows_are_sets(lists, documents, seen), f"{name}/lists.u32 names what is no document")


# --- vocabulary ---------------------------------------------------------------------------------------------


@kernel
def _gaps_are_sound(ends: Numbers, data: Bytes, numbers: int) -> bool:
    for k in range(len(ends) - 1):
        number, gap, shift = i64(-1), i64(0), 0
        for at in range(ends[k], ends[k + 1]):
            gap |= i64(data[at] & 127) << shift
            shift += 7
            if data[at] >= 128:
                number += gap + 1
                gap, shift = i64(0), 0
            if shift > MOST_BITS or number >= numbers:
                return False
        if shift > 0:
            return False
    return True


def check_vocabulary(words: Any, grams: Any, sounds: Any, codes: int) -> None:
    """Words are texts of as many letters as they say, and lists hold numbers of words."""
    count = len(words.lengths)
    _check_ends("vocabulary/word_ends.i32", words.ends, len(words.data), count)
    _require(len(words.letters) == len(words.occurrences) == count, "vocabulary/ has other numbers of words")
    buffers = [None, pa.py_buffer(words.ends), pa.py_buffer(words.data)]
    texts = pa.Array.from_buffers(pa.string(), count, buffers)
    texts.validate(full=True)
    lengths = pc.utf8_length(texts).to_numpy()
    _require((lengths == words.lengths).all(), "vocabulary/lengths.u8 is of other words")
    for name, lists, number in (("trigram", grams.lists, len(grams.keys)), ("soundex", sounds.lists, codes)):
        _check_ends(f"vocabulary/{name}_ends.i64", lists.ends, len(lists.data), number)
        _require(_gaps_are_sound(lists.ends, lists.data, count), f"vocabulary/{name}_lists.u8 is unsound")


# --- pages --------------------------------------------------------------------------------------------------

_LISTS = {
    "link_page": ("link_url", "link_first", "link_last", "link_nofollow"),
    "break_at": ("break_kinds",),
    "style_at": ("style_chars", "style_bold", "style_size", "style_color", "style_background"),
}
_PLACES = ("link_first", "link_last", "break_at", "style_at")  # of words
PLACED = ("words", "title_first", "title_last", *_LISTS, *(name for names in _LISTS.values() for name in names))


def check_page_rows(pages: pa.Table) -> None:
    """Rows of PAGES whose lists belong together, and whose places are places of words."""
    for name in pages.schema.names:
        _require(pages.schema.field(name).type == PAGES.field(name).type, f"{name} of PAGES is of another type")
    for name, others in _LISTS.items():
        for other in others:
            same = pc.equal(pc.list_value_length(pages[name]), pc.list_value_length(pages[other]))
            _require(pc.all(same).as_py() is not False, f"{other} of PAGES is not as long as {name}")
    words = pc.list_value_length(pages["words"]).to_numpy()
    for name in _PLACES:
        most = np.repeat(words, pc.list_value_length(pages[name]).to_numpy())
        _check_places(name, pc.list_flatten(pages[name]).to_numpy(), most)
    for name in ("title_first", "title_last"):
        _check_places(name, pages[name].to_numpy(), words)


def _check_places(name: str, places: NDArray[Any], most: NDArray[Any]) -> None:
    _require(((places >= 0) & (places <= most)).all(), f"{name} of PAGES points behind the last word")


def check_pages(folder: Path) -> None:
    """The same for all of PAGES."""
    for part in sorted(folder.glob("part-*.parquet")):
        with pq.ParquetFile(part) as file:
            for group in range(file.num_row_groups):
                check_page_rows(file.read_row_group(group, columns=list(PLACED)))
