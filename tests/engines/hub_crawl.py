"""A crawl in which every page links to one, the *hub*: what is said of it, made of numbers, and the folds of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.engines.protocol import Fold, Map, Named, Read, Step
from pagekin.hashing import hash_text
from pagekin.pipelines import SCHEMAS, whole_build
from pagekin.settings import Settings
from pagekin.tables import CITED, FRAGMENTS, LINK_TEXTS, NEIGHBOURS, URLS

HUB = hash_text("hub.example/")
URL = "http://hub.example/"
NUMBERS = pa.schema([pa.field("number", pa.int64(), nullable=False)])
HUB_SCHEMAS = {**SCHEMAS, "captures": NUMBERS}
FOLDS = ("urls", "bags", "co-citations", "neighbours", "anchor texts")
SAID = ("addresses", "fragments", "cited", "linked", "link_texts")  # what they read
ROWS = 1 << 14  # of a batch
TERMS = 5000
SITES = 10_000

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Numbered:
    """A piece of the crawl: the pages of some numbers."""

    first: int
    last: int

    @property
    def bytes(self) -> int:
        return self.last - self.first


def pieces(pages: int, count: int) -> list[Numbered]:
    """The whole crawl."""
    cuts = np.linspace(0, pages, count + 1).astype(int).tolist()
    return [Numbered(first, last) for first, last in pairwise(cuts)]


def hub_pipeline(folds: Sequence[str] = FOLDS) -> tuple[Step, ...]:
    """From such a crawl to what folds of a build make of the hub."""
    read = Read("captures", writes=("captures",), step=page_numbers)
    said = Map("said", reads="captures", writes=SAID, step=said_of_the_hub)
    real = [step for step in whole_build(Settings()) if isinstance(step, Fold) and step.name in folds]
    return (read, said, *real)


def page_numbers(piece: Numbered) -> Iterator[Named]:
    for first in range(piece.first, piece.last, ROWS):
        yield "captures", pa.record_batch([pa.array(np.arange(first, min(first + ROWS, piece.last)))], schema=NUMBERS)


def said_of_the_hub(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """What one link of each page says of the hub: a text of one of some words, beside a link to another page."""
    for batch in batches:
        number = batch["number"].to_numpy()
        page, word, rows = _mixed(number), number * 7919 % TERMS, len(number)
        hub, one = np.full(rows, HUB), np.ones(rows, np.int64)
        yield "addresses", _rows(URLS, hub[:1], [URL], [False], one[:1] * rows)
        terms = _sorted_pairs(word)
        yield "fragments", _rows(FRAGMENTS, hub, _lists(terms), _lists(np.full((rows, 2), 1024)))
        yield "linked", _rows(NEIGHBOURS, hub, page, 2 * one)
        yield "link_texts", _rows(LINK_TEXTS, hub, hub, word, _mixed(page), ["en"] * rows, _lists(word[:, None]))
        others, near = _lists(_mixed(number % TERMS)[:, None]), _lists(np.full((rows, 1), 0.5, np.float32))
        yield "cited", _rows(CITED, hub, number % SITES, word, page, one, others, near)


def _mixed(numbers: Ints) -> Ints:
    """Numbers that look like hashes."""
    return (numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)).view(np.int64)


def _sorted_pairs(word: Ints) -> NDArray[np.int32]:
    return np.sort(np.column_stack([word, (word + 1) % TERMS]), axis=1).astype(np.int32)


def _lists(values: NDArray[np.generic]) -> pa.ListArray:
    """The rows of a matrix as lists."""
    rows, width = values.shape
    return pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32) * width), pa.array(values.ravel()))


def _rows(schema: pa.Schema, *columns: object) -> pa.RecordBatch:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column) for column in columns]
    return pa.record_batch([a.cast(field.type) for a, field in zip(arrays, schema, strict=True)], schema=schema)
