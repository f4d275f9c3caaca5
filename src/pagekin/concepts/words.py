"""Word vectors from outside: what an English reader knows before reading the crawl (the optional extra `words`).

The vectors are those of the model that ships inside the wheel of wordllama; nothing is fetched when pagekin runs. They
are looked up once for each term of the lexicon, in its commonest form, and added up over bags: that costs a sparse
product, and no page is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.concepts.basis import packed, unpacked
from pagekin.concepts.matrix import Sparse, product, unit
from pagekin.errors import SettingsError
from pagekin.settings import WordSettings
from pagekin.tables import TERM_VECTORS, VECTORS
from pagekin.weighting import counts_by_term

Named = tuple[str, pa.RecordBatch]
Floats = NDArray[np.float32]

_WEIGHTS, _TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
MISSING = "words.dimensions needs word vectors: pip install 'pagekin[words]', or set words.dimensions=0"


class WordModel(NamedTuple):
    """Pieces of words, each with a vector."""

    vectors: Floats
    tokenizer: Any


@cache
def word_model() -> WordModel:
    """The model that wordllama brings; SettingsError if it is not installed.

    Its files are read where they lie: its own loader looks for them on the network first.
    """
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise SettingsError(MISSING)
    folder = Path(found.submodule_search_locations[0])
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    [vectors] = load_file(folder / _WEIGHTS).values()
    return WordModel(vectors.astype(np.float32), Tokenizer.from_file(str(folder / _TOKENIZER)))


def form_vectors(forms: list[str], dimensions: int) -> Floats:
    """The vector of each word form: the average of its pieces, of which the first dimensions say most."""
    model = word_model()
    pieces = [encoded.ids for encoded in model.tokenizer.encode_batch(forms, add_special_tokens=False)]
    ends = np.append(0, np.cumsum([len(ids) for ids in pieces]))
    columns = np.array([piece for ids in pieces for piece in ids], np.int32)
    shares = np.array([1 / len(ids) for ids in pieces for _ in ids], np.float32)
    rows = Sparse(ends.astype(np.int64), columns, shares, len(model.vectors))
    return product(rows, np.ascontiguousarray(model.vectors[:, :dimensions]))


def term_vectors(batches: Iterable[pa.RecordBatch], settings: WordSettings) -> Iterator[Named]:
    """TERM_VECTORS: one row a term, in their order."""
    for batch in batches:
        vectors = form_vectors(batch["form"].to_pylist(), settings.dimensions)
        yield "term_vectors", pa.record_batch([batch["term"], packed(vectors)], schema=TERM_VECTORS)


def centre(vectors: Floats, counts: NDArray[np.float64]) -> Floats:
    """What the terms of all bags have in common, which says nothing of any of them."""
    counts = counts[: len(vectors)]
    total = float(counts.sum()) or 1.0
    return np.asarray((counts @ vectors[: len(counts)]) / total, np.float32)


def centred(term_vectors: pa.Table, term_counts: pa.Table) -> tuple[Floats, Floats]:
    """The vectors of all terms without what they have in common, and that."""
    vectors = unpacked(term_vectors["vector"])
    middle = centre(vectors, counts_by_term(term_counts))
    return vectors - middle, middle


def page_words(batches: Iterable[pa.RecordBatch], term_vectors: pa.Table, term_counts: pa.Table) -> Iterator[Named]:
    """The word vectors of pages: those of their terms, added up by weight."""
    if not term_vectors.num_rows:
        return
    vectors, _ = centred(term_vectors, term_counts)
    for batch in batches:
        ends = batch["terms"].offsets.to_numpy().astype(np.int64)
        terms, weights = batch["terms"].flatten().to_numpy(), batch["weights"].flatten().to_numpy()
        is_word = terms < len(vectors)  # a page that links is a term too, but has no form
        rows = Sparse(ends - ends[0], np.where(is_word, terms, 0), np.where(is_word, weights, 0), len(vectors))
        rows = rows._replace(columns=rows.columns.astype(np.int32), values=rows.values.astype(np.float32))
        yield "words_of_pages", pa.record_batch([batch["page"], packed(unit(product(rows, vectors)))], schema=VECTORS)
