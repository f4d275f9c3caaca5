"""The columns that tell pages apart: the terms of their bags, the pages that link to them, the pages they link to.

A column has a number: terms come first, as they are numbered in bags; then, for each address, "that page links here",
then, for each address, "links to that page". A row of FRAGMENTS holds the columns of a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.concepts.matrix import Sparse
from pagekin.copies import representatives
from pagekin.hashing import hash_step
from pagekin.kernels import kernel, u64
from pagekin.settings import ConceptSettings, Strategy
from pagekin.side_tables import row_numbers, total_rows
from pagekin.tables import FRAGMENTS
from pagekin.weighting import document_weights

Named = tuple[str, pa.RecordBatch]
Numbers = NDArray[np.int64]

UNIT = 1024  # frequencies are counted in units of 1 / UNIT


def bag_features(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """The terms of bags, as they are."""
    for batch in batches:
        yield "features", batch.select(FRAGMENTS.names)


def link_features(
    batches: Iterable[pa.RecordBatch], urls: pa.Table, terms: pa.Table, duplicates: pa.Table, settings: ConceptSettings
) -> Iterator[Named]:
    """What the links of the pages at hand say, both ways; links to a copy lead to the page that stands for it too."""
    if not settings.links:
        return
    known, place, copies = urls["page"].to_numpy(), row_numbers(urls), representatives(duplicates)
    for batch in batches:
        ends = batch["link_page"].offsets.to_numpy()
        source = np.repeat(batch["page"].to_numpy(), np.diff(ends))
        target = batch["link_page"].flatten().to_numpy()
        kept = ~batch["link_nofollow"].flatten().to_numpy(zero_copy_only=False) & (source != target)
        source, target = source[kept], target[kept]
        stands = copies.of(target)
        others = stands != copies.of(source)
        of_copies = (stands != target) & others
        here, there, joined = (np.searchsorted(known, pages) for pages in (source, target, stands))
        linked_by, links_to = total_rows(terms), total_rows(terms) + total_rows(urls)
        yield "features", _rows(known, there, place[here] + linked_by)
        yield "features", _rows(known, joined[of_copies], place[here[of_copies]] + linked_by)
        yield "features", _rows(known, here[others], place[joined[others]] + links_to)


def _rows(known: Numbers, places: Numbers, columns: Numbers) -> pa.RecordBatch:
    """FRAGMENTS of pages, given by their places, that have some columns, each once."""
    pairs = np.sort((places << 32) | columns)  # both have less than 32 bits; one sort of numbers is the fastest
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    places, columns = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32)
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    offsets = pa.array(np.append(starts, len(pairs)).astype(np.int32))
    lists = [
        pa.ListArray.from_arrays(offsets, pa.array(columns), type=FRAGMENTS.field("terms").type),
        pa.ListArray.from_arrays(
            offsets, pa.array(np.full(len(pairs), UNIT)), type=FRAGMENTS.field("frequencies").type
        ),
    ]
    return pa.record_batch([pa.array(known[places[starts]]), *lists], schema=FRAGMENTS)


# --- the pages that teach -----------------------------------------------------------------------------------


@kernel
def _fill_draws(pages: Numbers, seed: int, draws: NDArray[np.uint64]) -> None:
    for i in range(len(pages)):
        draws[i] = hash_step(hash_step(u64(seed), pages[i]), 0)


def _draws(pages: Numbers, seed: int) -> NDArray[np.uint64]:
    """A number for each page that looks like chance and is always the same."""
    draws = np.empty(len(pages), np.uint64)
    _fill_draws(pages, seed, draws)
    return draws


def sampled_features(batches: Iterable[pa.RecordBatch], urls: pa.Table, settings: ConceptSettings) -> Iterator[Named]:
    """The rows of the fetched pages from which the basis is learned, chosen by a seed."""
    fetched = urls["page"].to_numpy()[urls["fetched"].to_numpy()]
    draws = _draws(fetched, settings.seed)
    chosen = fetched
    if len(fetched) > settings.sample:
        chosen = fetched[draws <= np.partition(draws, settings.sample - 1)[settings.sample - 1]]
    for batch in batches:
        yield "sampled", batch.filter(pa.array(np.isin(batch["page"].to_numpy(), chosen)))


# --- what columns weigh -------------------------------------------------------------------------------------


class Columns(NamedTuple):
    """Which columns are used, and what each weighs: by its number, its place among those used (or -1), its weight."""

    place: NDArray[np.int32]
    weight: NDArray[np.float32]
    used: NDArray[np.int32]  # the numbers of those that are used, ascending
    terms: int  # how many numbers are terms


def weighed_columns(
    feature_counts: pa.Table, documents: int, terms: int, settings: ConceptSettings, strategy: Strategy
) -> Columns:
    """The columns that more than one page has, the commonest first if there are too many."""
    number, counts = feature_counts["number"].to_numpy(), feature_counts["documents"].to_numpy()
    kept = np.flatnonzero(counts >= settings.least_pages)
    if len(kept) > settings.columns:
        kept = np.sort(kept[np.argsort(-counts[kept], kind="stable")[: settings.columns]])
    used = number[kept].astype(np.int32)
    place = np.full(int(number.max(initial=-1)) + 1, -1, np.int32)
    place[used] = np.arange(len(used))
    weight = _column_weights(used, counts[kept].astype(np.float64), documents, terms, settings, strategy)
    return Columns(place, weight, used, terms)


def _column_weights(
    used: NDArray[np.int32],
    counts: NDArray[np.float64],
    documents: int,
    terms: int,
    settings: ConceptSettings,
    strategy: Strategy,
) -> NDArray[np.float32]:
    """Terms weigh as `concepts.frequency` says, links by their inverse document frequency."""
    by_term = document_weights(counts, documents, replace(strategy, frequency=settings.frequency))
    by_link = document_weights(counts, documents, replace(strategy, frequency="tf-idf"))
    return np.asarray(np.where(used < terms, by_term, by_link), np.float32)


@kernel
def _fill_values(
    ends: Numbers, numbers: NDArray[np.int32], frequencies: Numbers, columns: Columns, links: float, by_length: bool,
    out_ends: Numbers, out_columns: NDArray[np.int32], values: NDArray[np.float32],
) -> None:  # fmt: skip
    """Weigh rows: terms by the root of how often they are there; then terms have length 1, and links `links`.

    With `by_length`, both are multiplied by the root of how long the terms were: pages that say much teach more.
    """
    used = 0
    for row in range(len(ends) - 1):
        first, terms, others = used, 0.0, 0.0
        for k in range(ends[row], ends[row + 1]):
            number = numbers[k]
            place = columns.place[number] if number < len(columns.place) else -1
            if place < 0:
                continue
            value = columns.weight[place]
            if number < columns.terms:
                value *= np.sqrt(frequencies[k] / 1024.0)
                terms += value * value
            else:
                others += value * value
            out_columns[used], values[used] = place, value
            used += 1
        by_terms = 1.0 / np.sqrt(terms) if terms > 0.0 else 0.0
        by_links = links / np.sqrt(others) if others > 0.0 else 0.0
        if by_length:
            more = np.sqrt(np.sqrt(terms))
            by_terms, by_links = by_terms * more, by_links * more
        for k in range(first, used):
            values[k] *= by_terms if columns.used[out_columns[k]] < columns.terms else by_links
        out_ends[row + 1] = used


def weighed_rows(batch: pa.RecordBatch, columns: Columns, settings: ConceptSettings, by_length: bool = False) -> Sparse:
    """Rows of FRAGMENTS as a sparse matrix; for learning, pages that say much count for more."""
    ends = batch["terms"].offsets.to_numpy().astype(np.int64)
    numbers, frequencies = batch["terms"].flatten().to_numpy(), batch["frequencies"].flatten().to_numpy()
    out_ends = np.zeros(len(ends), np.int64)
    places, values = np.empty(len(numbers), np.int32), np.empty(len(numbers), np.float32)
    _fill_values(ends - ends[0], numbers, frequencies, columns, settings.links, by_length, out_ends, places, values)
    used = int(out_ends[-1])
    return Sparse(out_ends, places[:used], values[:used], len(columns.used))
