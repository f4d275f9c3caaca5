"""Pages in a few numbers: super-shingles, which near-copies share, and a sample of the shingles themselves.

*Min-wise values*: the hashes of a page fall into as many bins as there are values; the least of each bin is a value
(one permutation hashing, Li, Owen and Zhang 2012). Two pages agree in a value with the probability of their
resemblance. An empty bin takes the value of another that a hash of its own number leads to (Shrivastava 2017), which
keeps that so. A *super-shingle* is the hash of several values: pages of resemblance r share at least one of b
super-shingles of v values with probability 1 - (1 - r^v)^b, which is a steep curve.

*Sampled shingles*: those whose hashes are small, the same for all pages. A page that is a part of another has
its samples among those of the other, however long that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import Chunk, Ints
from pagekin.bags.templates import segment_hash
from pagekin.duplicates.shingles import Work, content, distinct_shingles, text_chunk, work_space
from pagekin.hashing import SEED, hash_step
from pagekin.kernels import i64, inlined_kernel, kernel, u64
from pagekin.number_set import number_set
from pagekin.settings import DuplicateSettings
from pagekin.tables import CONTENTS, LISTED, SIZES

Named = tuple[str, pa.RecordBatch]
Values = NDArray[np.uint64]

EMPTY: int = u64((1 << 64) - 1)
MOST_SAMPLES = 1024  # of a page, about; from one that is longer every second, fourth … is taken
HALF: int = u64(32)


class Shape(NamedTuple):
    """How sketches are made."""

    shingle: int
    least: int
    bands: int
    values: int
    sample: int


class Sketches(NamedTuple):
    """Sketches of pages as they are written: the samples of page p end at `ends[p + 1]`."""

    digest: Ints
    size: NDArray[np.int32]
    super_shingles: NDArray[np.int64]
    ends: Ints
    samples: Ints


@inlined_kernel
def sample_rate(size: int, sample: int) -> int:
    """One shingle of how many is in the sample of a page of so many."""
    while size > sample * MOST_SAMPLES:
        sample *= 2
    return sample


def sample_rates(sizes: Ints, sample: int) -> NDArray[np.float64]:
    """The sample rates of many pages."""
    rates: NDArray[np.float64] = sample * 2.0 ** np.ceil(np.log2(np.maximum(sizes / (sample * MOST_SAMPLES), 1.0)))
    return rates


@kernel
def least_values(shingles: Ints, count: int, filled: Values, values: Values) -> None:
    """Write the min-wise values of a set of shingles that is not empty."""
    bins = len(values)
    for k in range(bins):
        filled[k] = EMPTY
    for i in range(count):
        number = u64(shingles[i])
        place = i64(((number >> HALF) * u64(bins)) >> HALF)
        filled[place] = min(filled[place], number)
    for k in range(bins):
        place, attempt = k, hash_step(SEED, u64(k))
        while filled[place] == EMPTY:
            attempt = hash_step(attempt, u64(k))
            place = i64(((attempt >> HALF) * u64(bins)) >> HALF)
        values[k] = hash_step(filled[place], u64(k))


@inlined_kernel
def _write_bands(values: Values, shape: Shape, out: NDArray[np.int64]) -> None:
    for band in range(shape.bands):
        state = hash_step(SEED, u64(band))
        for k in range(band * shape.values, (band + 1) * shape.values):
            state = hash_step(state, values[k])
        out[band] = i64(state) & ~1


@inlined_kernel
def _write_samples(shingles: Ints, count: int, sample: int, out: Ints, used: int) -> int:
    """Write the shingles whose lower hashes are small; returns the place behind them."""
    highest, most = (u64(1) << HALF) // u64(sample_rate(count, sample)), used + 2 * MOST_SAMPLES
    for i in range(count):
        if (u64(shingles[i]) >> u64(16)) & u64(0xFFFFFFFF) < highest and used < most:
            out[used] = shingles[i]
            used += 1
    return used


@kernel
def _sketch(
    chunk: Chunk, boilerplate: Ints, shape: Shape, work: Work, filled: Values, values: Values, out: Sketches
) -> None:
    used = i64(0)
    for page in range(len(chunk.page)):
        count = content(chunk, page, boilerplate, shape.least, work.words)
        found = distinct_shingles(work.words, count, shape.shingle, work.slots, work.shingles)
        out.size[page], out.digest[page] = found, 0
        if found > 0:
            out.digest[page] = i64(hash_step(u64(count), segment_hash(work.words, 0, count)))
            least_values(work.shingles, found, filled, values)
            _write_bands(values, shape, out.super_shingles[page])
            if shape.sample > 0:
                used = _write_samples(work.shingles, found, shape.sample, out.samples, used)
        out.ends[page + 1] = used


def sketches(chunk: Chunk, boilerplate: Ints, settings: DuplicateSettings) -> Sketches:
    """The sketches of the pages of a chunk; a page without content has size 0."""
    shape = Shape(settings.shingle, settings.least_words, settings.super_shingles, settings.values, settings.sample)
    pages, bins = len(chunk.page), settings.super_shingles * settings.values
    lengths = np.diff(chunk.word_ends)
    out = Sketches(
        np.empty(pages, np.int64), np.empty(pages, np.int32), np.empty((pages, shape.bands), np.int64),
        np.zeros(pages + 1, np.int64), np.empty(int(np.minimum(lengths, 2 * MOST_SAMPLES).sum()), np.int64),
    )  # fmt: skip
    filled, values = np.empty((2, bins), np.uint64)
    _sketch(chunk, boilerplate, shape, work_space(chunk), filled, values, out)
    return out


def sketched_pages(
    batches: Iterable[pa.RecordBatch], boilerplate: pa.Table, settings: DuplicateSettings
) -> Iterator[Named]:
    """CONTENTS, SIZES and LISTED of the pages that have content."""
    known = number_set(boilerplate["segment"].to_numpy())
    for batch in batches:
        found = sketches(text_chunk(batch), known, settings)
        has_content = found.size > 0
        page, size, samples = batch["page"].to_numpy()[has_content], found.size[has_content], np.diff(found.ends)
        samples = samples[has_content].astype(np.int32)
        yield "contents", _batch(CONTENTS, found.digest[has_content], page)
        yield "sizes", _batch(SIZES, page, size, samples)
        supers = np.full(len(page), settings.super_shingles, np.int32)
        listed = (found.super_shingles[has_content].ravel(), supers), (found.samples[: found.ends[-1]], samples)
        for numbers, times in listed:
            yield "listed", _batch(LISTED, numbers, np.repeat(page, times), np.repeat(size, times))


def _batch(schema: pa.Schema, *columns: NDArray[Any]) -> pa.RecordBatch:
    return pa.record_batch([pa.array(column) for column in columns], schema=schema)
