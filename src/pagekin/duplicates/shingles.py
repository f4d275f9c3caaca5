"""The content of a page as a set of shingles (Broder 1997): every run of n words, as a 64-bit hash.

The resemblance of two pages is the share of their shingles that both have, |A ∩ B| / |A ∪ B|; the containment of A in
B is the share of A's that B has, |A ∩ B| / |A|.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from pagekin.bags.chunk import Chunk, Ints, list_ends
from pagekin.bags.templates import segment_end, segment_hash
from pagekin.hashing import SEED, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.number_set import clear, find, room, slots_for
from pagekin.settings import DuplicateSettings

TEXT_COLUMNS = ("page", "site_id", "words", "break_at", "break_kinds")


class Work(NamedTuple):
    """What the kernels write on, with room for the longest page: its content, a set, its shingles."""

    words: Ints
    slots: Ints
    shingles: Ints


def text_chunk(batch: pa.RecordBatch) -> Chunk:
    """The words and breaks of pages as flat arrays; links are left out."""
    none, count = np.empty(0, np.int32), batch.num_rows
    return Chunk(
        batch["page"].to_numpy(), batch["site_id"].to_numpy(), np.zeros(count, np.int64), none, none,
        batch["words"].flatten().to_numpy(), list_ends(batch["words"]),
        np.empty(0, np.int64), none, none, np.empty(0, np.bool_), np.zeros(count + 1, np.int64),
        batch["break_at"].flatten().to_numpy(), batch["break_kinds"].flatten().to_numpy(), list_ends(batch["break_at"]),
    )  # fmt: skip


def work_space(chunk: Chunk) -> Work:
    """Arrays that are large enough for every page of a chunk."""
    longest = int(np.diff(chunk.word_ends).max(initial=0))
    return Work(np.empty(longest, np.int64), slots_for(longest), np.empty(longest, np.int64))


@inlined_kernel
def _copy(words: Ints, first: int, last: int, out: Ints, count: int) -> int:
    for i in range(first, last):
        out[count + i - first] = words[i]
    return count + last - first


@kernel
def content(chunk: Chunk, page: int, boilerplate: Ints, least: int, out: Ints) -> int:
    """Write the words of a page without boilerplate; returns how many.

    A page that has too few left is taken with its boilerplate: it has nothing else, as the hundredth copy of a
    front page has. One that has too few even so says too little, and has no content.
    """
    start, end = chunk.word_ends[page], chunk.word_ends[page + 1]
    if end - start < least:
        return 0
    count, at, number = i64(0), i64(0), chunk.break_ends[page]
    while at < end - start and len(boilerplate) > 0:
        last, number = segment_end(chunk, page, at, number)
        segment = segment_hash(chunk.words, start + at, start + last)
        if boilerplate[find(boilerplate, len(boilerplate), segment)] == 0:
            count = _copy(chunk.words, start + at, start + last, out, count)
        at = last
    return count if count >= least else _copy(chunk.words, start, end, out, 0)


@inlined_kernel
def shingle(words: Ints, first: int, last: int) -> int:
    """The hash of a run of words; never 0."""
    return i64(hash_step(SEED, segment_hash(words, first, last)) | u64(1))


@kernel
def distinct_shingles(words: Ints, count: int, width: int, slots: Ints, out: Ints) -> int:
    """Write the different shingles of the first `count` words, in their order; returns how many.

    A text of fewer words than a shingle has is one shingle.
    """
    size, found = room(count), 0
    clear(slots, size)
    for first in range(max(count - width, 0) + 1 if count > 0 else 0):
        number = shingle(words, first, min(first + width, count))
        slot = find(slots, size, number)
        if slots[slot] == 0:
            slots[slot] = out[found] = number
            found += 1
    return found


@kernel
def _write_shingles(
    chunk: Chunk, chosen: Ints, boilerplate: Ints, least: int, width: int, work: Work, ends: Ints, out: Ints
) -> None:
    used = 0
    for i in range(len(chosen)):
        count = content(chunk, chosen[i], boilerplate, least, work.words)
        found = distinct_shingles(work.words, count, width, work.slots, work.shingles)
        used = _copy(work.shingles, 0, found, out, used)
        ends[i + 1] = used


def shingles_of(chunk: Chunk, chosen: Ints, boilerplate: Ints, settings: DuplicateSettings) -> tuple[Ints, Ints]:
    """The shingles of the chosen pages end to end, and where those of each end, after a 0."""
    ends, work = np.zeros(len(chosen) + 1, np.int64), work_space(chunk)
    out = np.empty(int(np.diff(chunk.word_ends)[chosen].sum()), np.int64)
    _write_shingles(chunk, chosen, boilerplate, settings.least_words, settings.shingle, work, ends, out)
    return out[: ends[-1]], ends


def contents(chunk: Chunk, boilerplate: Ints, settings: DuplicateSettings) -> Iterator[Ints]:
    """The content of each page, as its words."""
    out = work_space(chunk).words
    for page in range(len(chunk.page)):
        yield out[: content(chunk, page, boilerplate, settings.least_words, out)].copy()
