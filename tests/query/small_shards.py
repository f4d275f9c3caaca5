"""Shards made from bags as dictionaries, and the obvious way to compare such bags."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from pagekin.query.similar import TermWeights, WeighedBag, weighed_bag
from pagekin.settings import SimilaritySettings
from pagekin.signatures.weighted_minhash import signatures
from pagekin.stores.shards import Shard, open_shards, write_shards
from pagekin.tables import BAGS, SIGNATURES

Bag = dict[int, int]  # the frequency of each term, in units of 1/1024
TERMS = 24
EXACT = [32 << octave for octave in range(6)]  # frequencies that the store keeps as they are

bags = st.dictionaries(st.integers(0, TERMS - 1), st.sampled_from(EXACT), max_size=8)
some_bags = st.lists(bags, min_size=1, max_size=30)
factors = st.lists(st.sampled_from([0.01, 0.3, 1.0]), min_size=TERMS, max_size=TERMS).map(np.array)
term_weights = st.builds(TermWeights, factors, factors, st.sampled_from([0.0, 0.5, 1.0]))


def small_shards(documents: Sequence[Bag], shard_documents: int = 1000, m: int = 16) -> list[Shard]:
    """The bags as documents 0, 1, 2 … of an index, signed by their frequencies."""
    settings = SimilaritySettings(signatures=m, shard_documents=shard_documents)
    shares = [[f / sum(bag.values()) for _, f in sorted(bag.items())] for bag in documents]
    rows = [
        {"page": i, "terms": sorted(bag), "frequencies": [bag[t] for t in sorted(bag)], "weights": shares[i]}
        for i, bag in enumerate(documents)
    ]
    signed = [
        {"page": i, "signatures": signature_of(bag, m).view(np.int32).tolist()} for i, bag in enumerate(documents)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(pa.Table.from_pylist(rows, BAGS), folder / "bags.parquet")
        pq.write_table(pa.Table.from_pylist(signed, SIGNATURES), folder / "signed.parquet")
        kept = np.ones(len(documents), np.bool_)
        write_shards(folder / "shards", [folder / "bags.parquet"], [folder / "signed.parquet"], kept, settings)
        return open_shards(folder / "shards", m)


def signature_of(bag: Bag, m: int) -> np.ndarray:
    """The signature of a bag by its frequencies."""
    terms = np.array(sorted(bag), np.int64)
    shares = np.array([bag[t] for t in sorted(bag)], np.float32) / max(sum(bag.values()), 1)
    return signatures(terms, shares, np.array([0, len(terms)]), m, seed=1)[0]


def question(bag: Bag, weights: TermWeights) -> WeighedBag:
    """A bag as a question."""
    terms = np.array(sorted(bag), np.int32)
    return weighed_bag(terms, np.array([bag[t] for t in sorted(bag)], np.float64), weights)


def alike(one: Bag, other: Bag, weights: TermWeights) -> float:
    """How alike two bags are: the sum of minima over that of maxima, mixed with the cosine."""
    a, b = ({t: f * weights.jaccard[t] for t, f in bag.items()} for bag in (one, other))
    a, b = ({t: w / sum(bag.values()) for t, w in bag.items()} for bag in (a, b))
    every = a.keys() | b.keys()
    smaller = sum(min(a.get(t, 0), b.get(t, 0)) for t in every)
    larger = sum(max(a.get(t, 0), b.get(t, 0)) for t in every)
    a, b = ({t: f * weights.cosine[t] for t, f in bag.items()} for bag in (one, other))
    dot = sum(a[t] * b[t] for t in a.keys() & b.keys())
    lengths = float(np.sqrt(sum(w * w for w in a.values()) * sum(w * w for w in b.values())))
    cosine = dot / lengths if lengths else 0.0
    return (1 - weights.share) * (smaller / larger if larger else 0.0) + weights.share * cosine
