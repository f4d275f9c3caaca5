"""What a term weighs in a bag (Haveliwala et al. 2002, section 5.2, figures 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.bags.chunk import group_starts
from pagekin.kernels import i64, inlined_kernel, kernel
from pagekin.settings import Strategy
from pagekin.side_tables import total_rows
from pagekin.tables import BAGS, TERM_COUNTS
from pagekin.weighting import counts_by_term, document_weights

Named = tuple[str, pa.RecordBatch]
Floats = NDArray[np.float64]

CLASSES = 512


@kernel
def _count(terms: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    for k in range(len(terms)):
        counts[terms[k]] += 1


def count_documents(batches: Iterable[pa.RecordBatch], table: str = "bag_terms") -> Iterator[Named]:
    """In how many of the bags at hand each term is."""
    counts = np.zeros(0, np.int64)
    for batch in batches:
        terms = batch["terms"].flatten().to_numpy()
        most = int(terms.max(initial=-1)) + 1
        if most > len(counts):
            counts = np.append(counts, np.zeros(most - len(counts), np.int64))
        _count(terms, counts)
    numbers = np.flatnonzero(counts)
    columns = [pa.array(numbers.astype(np.int32)), pa.array(counts[numbers])]
    yield table, pa.record_batch(columns, schema=TERM_COUNTS)


def add_documents(batches: Iterable[pa.RecordBatch], table: str = "term_counts") -> Iterator[Named]:
    """TERM_COUNTS, one row a term; rows come sorted."""
    for batch in batches:
        number, documents = batch["number"].to_numpy(), batch["documents"].to_numpy()
        starts = group_starts(number)
        columns = [number[starts], np.add.reduceat(documents, starts)]
        yield table, pa.record_batch([pa.array(column) for column in columns], schema=TERM_COUNTS)


@kernel
def _nth_largest(values: Floats, count: int, n: int) -> float:
    """The n-th largest of the first values, which change their places (Hoare's selection)."""
    low, high, wanted = 0, count - 1, n - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, k = low, high
        while i <= k:
            while values[i] > pivot:
                i += 1
            while values[k] < pivot:
                k -= 1
            if i <= k:
                values[i], values[k] = values[k], values[i]
                i += 1
                k -= 1
        if wanted <= k:
            high = k
        elif wanted >= i:
            low = i
        else:
            break
    return float(values[wanted])


class Scratch(NamedTuple):
    """The weights of one bag, the same memory as whole numbers, and room to find the n-th largest."""

    weights: Floats
    bits: NDArray[np.int64]
    ordered: Floats
    classes: NDArray[np.int64]


def _scratch(room: int) -> Scratch:
    weights = np.empty(room)
    return Scratch(weights, weights.view(np.int64), np.empty(room), np.empty(CLASSES, np.int64))


@inlined_kernel
def _class(scratch: Scratch, k: int, most: int) -> int:
    """Eight classes for each halving of the largest weight: weights are not negative, so their bits order them."""
    return i64(min((most - scratch.bits[k]) >> 49, CLASSES - 1))


@kernel
def _nth_weight(scratch: Scratch, count: int, n: int) -> float:
    """The n-th largest weight of a bag: count by classes, then look into one class only."""
    most = scratch.bits[0]
    for k in range(count):
        most = max(most, scratch.bits[k])
    scratch.classes[:] = 0
    for k in range(count):
        scratch.classes[_class(scratch, k, most)] += 1
    chosen, before = 0, 0
    while before + scratch.classes[chosen] < n:
        before += scratch.classes[chosen]
        chosen += 1
    inside = 0
    for k in range(count):
        scratch.ordered[inside] = scratch.weights[k]
        inside += _class(scratch, k, most) == chosen
    return _nth_largest(scratch.ordered, inside, n - before)


class Weighed(NamedTuple):
    """Bags as they come out: the i-th is [ends[i], ends[i + 1]) of the other arrays."""

    ends: NDArray[np.int32]
    terms: NDArray[np.int32]
    frequencies: NDArray[np.int64]
    weights: NDArray[np.float32]


@kernel
def _weigh(
    ends: NDArray[np.int32], terms: NDArray[np.int32], frequencies: NDArray[np.int64], by_term: Floats,
    size: int, scratch: Scratch, out: Weighed,
) -> None:  # fmt: skip
    """Weigh each bag, keep its `size` heaviest terms (of equal ones the least numbers), make the sum 1."""
    used, base, weights = 0, ends[0], scratch.weights
    for bag in range(len(ends) - 1):
        first, count = ends[bag] - base, ends[bag + 1] - ends[bag]
        for k in range(count):
            weights[k] = frequencies[first + k] * by_term[terms[first + k]]
        least, more = -1.0, count
        if 0 < size < count:
            least = _nth_weight(scratch, count, size)
            more = size
            for k in range(count):
                more -= weights[k] > least
        total, begin = 0.0, used
        for k in range(count):
            if weights[k] > least or (weights[k] == least and more > 0):
                more -= weights[k] == least
                total += weights[k]
                out.terms[used], out.frequencies[used] = terms[first + k], frequencies[first + k]
                weights[used - begin] = weights[k]
                used += 1
        for k in range(begin, used):
            out.weights[k] = weights[k - begin] / total if total > 0 else 0.0
        out.ends[bag + 1] = used


def weighed_bags(
    batches: Iterable[pa.RecordBatch], term_counts: pa.Table, urls: pa.Table, strategy: Strategy
) -> Iterator[Named]:
    """BAGS: weighed, cut to their heaviest terms, normalised."""
    by_term = document_weights(counts_by_term(term_counts), total_rows(urls), strategy)
    for batch in batches:
        yield "bags", weighed(batch, by_term, strategy.bag_size)


def weighed(batch: pa.RecordBatch, by_term: Floats, size: int) -> pa.RecordBatch:
    """The bags of a batch of FRAGMENTS under these weights."""
    terms, frequencies = batch["terms"].flatten().to_numpy(), batch["frequencies"].flatten().to_numpy()
    ends = batch["terms"].offsets.to_numpy()
    out = Weighed(
        np.zeros(len(ends), np.int32), np.empty(len(terms), np.int32), np.empty(len(terms), np.int64),
        np.empty(len(terms), np.float32),
    )  # fmt: skip
    scratch = _scratch(int(np.diff(ends).max(initial=0)) + 1)
    _weigh(ends, terms, frequencies, by_term, size, scratch, out)
    used, offsets = int(out.ends[-1]), pa.array(out.ends)
    columns: dict[str, NDArray[Any]] = {"terms": out.terms, "frequencies": out.frequencies, "weights": out.weights}
    lists = [
        pa.ListArray.from_arrays(offsets, pa.array(values[:used]), type=BAGS.field(name).type)
        for name, values in columns.items()
    ]
    return pa.record_batch([batch["page"], *lists], schema=BAGS)
