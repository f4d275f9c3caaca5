"""How fast is the similarity index, how right, how large, and how do others do on the same signatures?

    python benchmarks/index.py --documents 1000000
    python benchmarks/index.py --quick --index REAL.kin --index OTHER.kin

The documents are made up, since nobody has a million real ones at hand. Each stands in nested groups of 1, 8, 60, 500,
4,000 and 50,000 documents and in the whole; a group has words of its own, picked from a pool that other groups of its
size pick from as well, and each word of a document is one of those, drawn by rank (Zipf). So there are words of
every document frequency, and neighbours near and far: bags of 70 terms on average, 160 at most, and Jaccards at ranks
1, 10 and 50 like those of an encyclopedia. They are weighed, signed and written by the functions that a build uses,
into a folder that `pagekin.index` opens, and asked for through `related`.

Beside it, if they can be imported: datasketch (signing; LSH and LSH Forest), faiss (binary HNSW) and usearch (HNSW).
All search the same 80 signatures of each document; faiss sees them as 2,560 bits, spread so that two different
signatures differ in about 16 of their 32 bits, which blurs the count; usearch is given these bits, and then a compiled
metric that counts unequal signatures exactly. What each finds is compared exactly by the same function, pagekin's, and
recall is that of the true ten by exact bag Jaccard. Of each peer the cheapest setting that finds as much as pagekin is
reported, or the one that finds most. One core throughout; times are processor time, so that a busy machine does not
count, and files are warm.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numba import cfunc, njit, types
from numpy.typing import NDArray

from pagekin.crawl.urls import page_id
from pagekin.hashing import hash_text
from pagekin.index import Index, open_index
from pagekin.query.similar import (
    TermWeights,
    WeighedBag,
    all_candidates,
    all_similarities,
    candidates,
    ranked,
    similarities,
    weighed_bag,
)
from pagekin.settings import Settings, Strategy
from pagekin.signatures.weighted_minhash import signatures
from pagekin.stores.bag_store import append_bags
from pagekin.stores.documents import write_documents
from pagekin.stores.manifest import FORMAT, Manifest, described_files, read_manifest, write_manifest
from pagekin.stores.shards import Shard, open_shards
from pagekin.stores.signature_index import append_signatures, write_inverted
from pagekin.tables import ALIASES, TERM_COUNTS, TERMS, URLS
from pagekin.version import VERSION
from pagekin.weighting import document_weights

SETTINGS = Settings()
M = SETTINGS.similarity.signatures
BATCH = 20_000
Numbers = NDArray[np.int64]
Search = Callable[[int], Numbers]  # the number of a document -> the candidates


# --- documents ----------------------------------------------------------------------------------------------


class Level(NamedTuple):
    """Groups of one size: of how many documents, with how many words; how many groups know a word."""

    documents: int
    words: int
    groups_a_word: int
    share: float


LEVELS = (
    Level(1, 30, 10, 0.05),
    Level(8, 40, 120, 0.26),
    Level(60, 80, 30, 0.14),
    Level(500, 200, 8, 0.12),
    Level(4_000, 400, 4, 0.10),
    Level(50_000, 1_000, 2, 0.10),
    Level(1 << 40, 60_000, 1, 0.23),
)
MOST_TERMS = 160


class Web(NamedTuple):
    """What documents are drawn from."""

    places: Numbers  # of each document in the order of groups
    sizes: Numbers
    words: Numbers
    shares: NDArray[np.float64]  # added up
    pools: Numbers  # where the words of each level begin


def made_web(documents: int) -> Web:
    """The groups for so many documents."""
    pools = [
        max(-(-documents // level.documents) * level.words // level.groups_a_word, level.words) for level in LEVELS
    ]
    return Web(
        np.random.default_rng(1).permutation(documents),
        np.array([level.documents for level in LEVELS]),
        np.array([level.words for level in LEVELS]),
        np.cumsum([level.share for level in LEVELS]),
        np.concatenate([[0], np.cumsum(pools)]),
    )


@njit(cache=True)
def _random(state: np.uint64) -> np.uint64:
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(cache=True)
def _draw_documents(
    first: int, last: int, web: Web, terms: NDArray[np.int32], frequencies: Numbers, ends: Numbers
) -> int:
    """The terms of documents, ascending, and how often each occurs, in units of 1/1024."""
    used = 0
    drawn = np.empty(4096, np.int64)
    for document in range(first, last):
        state = _random(np.uint64(document + 1) * np.uint64(0x9E3779B97F4A7C15))
        normal = -6.0
        for _ in range(12):
            state = _random(state + np.uint64(1))
            normal += np.float64(state >> np.uint64(11)) / 9007199254740992.0
        tokens = min(max(int(np.exp(4.4 + 0.75 * normal)), 5), len(drawn))
        for i in range(tokens):
            state = _random(state + np.uint64(1))
            level, pick = 0, np.float64(state >> np.uint64(40)) / 16777216.0
            while level < len(web.sizes) - 1 and pick >= web.shares[level]:
                level += 1
            uniform = np.float64(state & np.uint64(0xFFFFFFFF)) / 4294967296.0
            rank = int(np.exp(uniform * np.log(web.words[level] + 1.0))) - 1
            group = web.places[document] // web.sizes[level]
            word = _random(np.uint64(group * 1_000_003 + rank) ^ (np.uint64(level) << np.uint64(56)))
            drawn[i] = web.pools[level] + word % np.uint64(web.pools[level + 1] - web.pools[level])
        ordered = np.sort(drawn[:tokens])
        begin = used
        for i in range(tokens):
            if i > 0 and ordered[i] == ordered[i - 1]:
                frequencies[used - 1] += 1024
            elif used - begin < MOST_TERMS:
                terms[used], frequencies[used] = ordered[i], 1024
                used += 1
        ends[document - first + 1] = used
    return used


class Bags(NamedTuple):
    """Bag i holds [ends[i], ends[i + 1]) of the other arrays."""

    terms: NDArray[np.int32]
    frequencies: Numbers
    ends: Numbers


def drawn_bags(web: Web) -> Iterator[tuple[int, Bags]]:
    """All bags in batches, each with the number of its first document."""
    documents = len(web.places)
    for first in range(0, documents, BATCH):
        last = min(first + BATCH, documents)
        terms = np.empty((last - first) * MOST_TERMS, np.int32)
        frequencies, ends = np.empty(len(terms), np.int64), np.zeros(last - first + 1, np.int64)
        used = _draw_documents(first, last, web, terms, frequencies, ends)
        yield first, Bags(terms[:used], frequencies[:used], ends)


@njit(cache=True)
def _weigh(bags: Bags, by_term: NDArray[np.float64], weights: NDArray[np.float32]) -> None:
    for bag in range(len(bags.ends) - 1):
        total = 0.0
        for i in range(bags.ends[bag], bags.ends[bag + 1]):
            total += bags.frequencies[i] * by_term[bags.terms[i]]
        for i in range(bags.ends[bag], bags.ends[bag + 1]):
            weights[i] = bags.frequencies[i] * by_term[bags.terms[i]] / total


def weights_of(bags: Bags, by_term: NDArray[np.float64]) -> NDArray[np.float32]:
    """What each term weighs; the weights of a bag add up to 1."""
    weights = np.empty(len(bags.terms), np.float32)
    _weigh(bags, by_term, weights)
    return weights


# --- an index of them ---------------------------------------------------------------------------------------


class Written(NamedTuple):
    """A folder that is an index, and what it took to write what the index is made of."""

    folder: Path
    seconds: dict[str, float]
    terms_a_bag: float


def term_ids(terms: int) -> Numbers:
    """The hash of each term, ascending, as terms are numbered."""
    return np.sort(np.random.default_rng(2).integers(-(1 << 63), (1 << 63) - 1, terms))


def written_index(folder: Path, documents: int) -> Written:
    """Draw documents and write an index of them; only what a build does from BAGS on is timed."""
    web = made_web(documents)
    counts = np.zeros(int(web.pools[-1]), np.int64)
    total = 0
    for _, bags in drawn_bags(web):
        counts += np.bincount(bags.terms, minlength=len(counts))
        total += len(bags.terms)
    by_term = document_weights(counts.astype(np.float64), documents, SETTINGS.strategy)
    ids, shard = term_ids(len(counts)), folder / "shards" / "shard-00000"
    shard.mkdir(parents=True)
    spent = {"sign": 0.0, "signatures": 0.0, "bags": 0.0, "inverted": 0.0}
    for _, bags in drawn_bags(web):
        weights = weights_of(bags, by_term)
        with _Timed(spent, "sign"):
            signed = signatures(ids[bags.terms], weights, bags.ends, M, SETTINGS.similarity.seed)
        with _Timed(spent, "signatures"):
            append_signatures(shard, signed)
        with _Timed(spent, "bags"):
            append_bags(shard, *bags)
    with _Timed(spent, "inverted"):
        write_inverted(shard, M, np.ones(documents, np.bool_))
    _write_beside(folder, documents, ids, counts)
    return Written(folder, spent, total / documents)


class _Timed:
    """Adds the seconds that a block takes to an entry."""

    def __init__(self, spent: dict[str, float], name: str) -> None:
        self.spent, self.name = spent, name

    def __enter__(self) -> None:
        self.started = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.spent[self.name] += time.process_time() - self.started


def url_of(document: int) -> str:
    """The address of a document, before the addresses are put in the order of their ids."""
    return f"http://site{document % 5000}.example/page{document}"


def _write_beside(folder: Path, documents: int, ids: Numbers, counts: Numbers) -> None:
    """The tables and the manifest that an index has beside its shards."""
    urls = [url_of(number) for number in range(documents)]
    pages = np.array([page_id(url) for url in urls])
    order = np.argsort(pages)
    urls, pages = [urls[number] for number in order], pages[order]
    sites = [url.split("/")[2] for url in urls]
    nothing, fetched = np.zeros(documents, np.int64), np.ones(documents, np.bool_)
    titles = [f"A page about subject {number} and some others" for number in order]
    columns = (pages, urls, titles, sites, np.array([hash_text(site) for site in sites]), fetched, nothing, pages)
    names = ("page", "url", "title", "site", "site_id", "fetched", "in_links", "representative")
    write_documents(folder / "documents", pa.table(dict(zip(names, map(pa.array, columns), strict=True))))
    words = pa.array(np.char.add("w", np.arange(len(ids)).astype(str)))
    tables = {
        "urls": pa.table([pages, urls, fetched, nothing], schema=URLS),
        "terms": pa.table([ids, words, words], schema=TERMS),
        "term_counts": pa.table([np.arange(len(ids)), counts], schema=TERM_COUNTS),
        "aliases": ALIASES.empty_table(),
    }
    for name, table in tables.items():
        (folder / name).mkdir()
        pq.write_table(table, folder / name / "part-00000.parquet", row_group_size=1 << 16)
    for name in ("bags", "pages", "lexicon"):
        (folder / name).mkdir()
    write_manifest(folder, _manifest(documents, len(ids)))
    describe_files(folder)


def describe_files(folder: Path) -> None:
    """Have the manifest of a made-up index name all files that are there, as one of a build does."""
    write_manifest(folder, dataclasses.replace(read_manifest(folder), files=described_files(folder)))


def _manifest(documents: int, terms: int) -> Manifest:
    counts = dict.fromkeys(("pages", "urls", "bags"), documents) | {"terms": terms, "links": 0, "aliases": 0}
    settings = dataclasses.asdict(SETTINGS)
    return Manifest(FORMAT, VERSION, "", SETTINGS.digest, settings, ["en"], [], counts, {}, {}, {}, {})


# --- signing ------------------------------------------------------------------------------------------------


SIGNED = 20_000
FEW_BAGS = 50


def signing_figures() -> dict[str, Any]:
    """Documents a second of pagekin and datasketch on the same bags, and how right both are."""
    web = made_web(SIGNED)
    _, bags = next(drawn_bags(web))
    counts = np.bincount(bags.terms, minlength=int(web.pools[-1])).astype(np.float64)
    weights = weights_of(bags, document_weights(counts, SIGNED, SETTINGS.strategy))
    ids = term_ids(len(counts))[bags.terms]
    best = min(_seconds(lambda: signatures(ids, weights, bags.ends, M, 1)) for _ in range(4))
    figures: dict[str, Any] = {
        "terms_a_bag": len(bags.terms) / SIGNED,
        "theory_rmse": _theory(),
        "pagekin": {"documents_per_second": round(SIGNED / best), **_errors(_pagekin_agreement, 200, 40)},
    }
    if _has("datasketch"):
        errors = _errors(_datasketch_agreement, 10, 40)
        for name, rate in _datasketch_rates(bags, weights, len(counts)).items():
            ratio = round(figures["pagekin"]["documents_per_second"] / rate, 1)
            figures[name] = {"documents_per_second": round(rate), **errors, "pagekin_times_as_fast": ratio}
    return figures


def _datasketch_rates(bags: Bags, weights: NDArray[np.float32], vocabulary: int) -> dict[str, float]:
    """Documents a second of its fastest way, sparse rows signed together.

    Its cost grows with the vocabulary, which must be the same for all bags that are to be compared. Told only the
    terms of a few bags it is fastest, though such signatures are of no use for others.
    """
    from datasketch import WeightedMinHashGenerator
    from scipy.sparse import csr_matrix

    rates = {}
    last = int(bags.ends[FEW_BAGS])
    few, renumbered = np.unique(bags.terms[:last], return_inverse=True)
    cases = (
        ("datasketch, all terms", 300, bags.terms, vocabulary),
        ("datasketch, terms of 50 bags", FEW_BAGS, renumbered, len(few)),
    )
    for name, rows, columns, terms in cases:
        end = int(bags.ends[rows])
        matrix = csr_matrix((weights[:end], columns[:end], bags.ends[: rows + 1]), shape=(rows, terms))
        generator = WeightedMinHashGenerator(terms, M, seed=1)
        rates[name] = rows / min(_seconds(lambda g=generator, x=matrix: g.minhash_many(x)) for _ in range(4))  # type: ignore[misc]
    return rates


def _seconds(act: Callable[[], object]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


JACCARDS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
PAIR_TERMS = 40  # in both bags of a pair, and in each alone


def _theory() -> float:
    return round(float(np.sqrt(np.mean([j * (1 - j) / M for j in JACCARDS]))), 5)


def _pairs(pairs: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pairs of bags, each of weights that add up to 1, and their true Jaccards."""
    rng = np.random.default_rng(seed)
    wanted = np.repeat(JACCARDS, pairs)
    common, own, other = (rng.lognormal(0, 1, (len(wanted), PAIR_TERMS)) for _ in range(3))
    common, own, other = (part / part.sum(1, keepdims=True) for part in (common, own, other))
    shared = (2 * wanted / (1 + wanted))[:, None]
    nothing = np.zeros_like(own)
    left = np.hstack([shared * common, (1 - shared) * own, nothing])
    right = np.hstack([shared * common, nothing, (1 - shared) * other])
    return np.stack([left, right], 1), np.minimum(left, right).sum(1) / np.maximum(left, right).sum(1)


def _pagekin_agreement(pairs: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    # No pair has terms of another: their errors are independent.
    terms = np.random.default_rng(seed).integers(-(1 << 63), (1 << 63) - 1, (len(pairs), 1, pairs.shape[2]))
    ids = np.broadcast_to(terms, pairs.shape).ravel()
    ends = np.arange(0, pairs.size + 1, pairs.shape[2])
    signed = signatures(ids, pairs.ravel().astype(np.float32), ends, M, seed).reshape(len(pairs), 2, M)
    return np.asarray((signed[:, 0] == signed[:, 1]).mean(1))


def _datasketch_agreement(pairs: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    from datasketch import WeightedMinHashGenerator

    count, _, terms = pairs.shape
    generator = WeightedMinHashGenerator(count * terms, M, seed=seed + 1)
    estimates = []
    for number, pair in enumerate(pairs):
        rows = np.zeros((2, count * terms))
        rows[:, number * terms : (number + 1) * terms] = pair
        left, right = (generator.minhash(row) for row in rows)
        estimates.append(left.jaccard(right))
    return np.array(estimates)


def _errors(agreement: Callable[..., NDArray[np.float64]], pairs: int, seeds: int) -> dict[str, float]:
    """Bias and root mean square error of the estimated Jaccard, over seeds."""
    errors = []
    for seed in range(seeds):
        bags, truth = _pairs(pairs, seed)
        errors.append(agreement(bags, seed) - truth)
    every = np.concatenate(errors)
    return {"bias": round(float(every.mean()), 5), "rmse": round(float(np.sqrt((every**2).mean())), 5)}


# --- asking -------------------------------------------------------------------------------------------------


def _spread(seconds: list[float]) -> dict[str, float]:
    milliseconds = 1000 * np.array(seconds)
    named = {"median_ms": np.median(milliseconds), "p99_ms": np.percentile(milliseconds, 99)}
    return {name: round(float(value), 4) for name, value in named.items()}


def _each_seconds(ask: Callable[[int], object], documents: Numbers) -> list[float]:
    return [_seconds(lambda document=document: ask(document)) for document in documents.tolist()]  # type: ignore[misc]


def _touch(shard: Shard) -> None:
    """Map every page of the files, so that what is measured is warm."""
    for array in (shard.index.signatures, shard.index.offsets, shard.index.lists, shard.bags.data, shard.bags.ends):
        int(array.reshape(-1).view(np.uint8)[::4096].sum())


def query_figures(written: Written, documents: int, questions: int) -> dict[str, Any]:
    """Milliseconds of the count, of the whole answer, and of opening; bytes a document."""
    asked = np.random.default_rng(3).choice(documents, questions, replace=False)
    settings = SETTINGS.similarity
    open_index(written.folder)  # whatever the system has to read is read
    opened = [_seconds(lambda: open_index(written.folder)) for _ in range(5)]
    index = open_index(written.folder)
    urls = [url_of(int(number)) for number in asked]
    first_answer = _seconds(lambda: index.related(urls[0]))
    unmapped = _spread([_seconds(lambda url=url: index.related(url)) for url in urls[1:]])  # type: ignore[misc]
    (shard,) = open_shards(written.folder / "shards", M)
    for each in (shard, *index._shards):
        _touch(each)
    counted = [candidates(shard, shard.index.signatures[d], settings.alpha, settings.candidates) for d in asked]
    count = _spread(
        _each_seconds(
            lambda d: candidates(shard, shard.index.signatures[d], settings.alpha, settings.candidates), asked
        )
    )
    whole = _spread([_seconds(lambda url=url: index.related(url)) for url in urls])  # type: ignore[misc]
    return {
        "terms_a_bag": round(written.terms_a_bag, 1),
        "agreements": _agreements(shard, asked[:50]),
        "candidates": float(np.median([len(found) for found in counted])),
        "jaccard_at": _ranked_jaccards(written, shard, asked[:20]),
        "count": count,
        "related": whole,
        "related_unmapped": unmapped,
        "first_answer_ms": round(1000 * first_answer, 1),
        "open_seconds": round(float(np.median(opened)), 4),
        "bytes": _sizes(written.folder, documents),
    }


def _agreements(shard: Shard, asked: Numbers) -> int:
    """How many entries of I are counted for a question, in the median."""
    rows = [shard.index.signatures[document] for document in asked]
    return int(np.median([int((shard.index.signatures == row).sum()) for row in rows]))


def _ranked_jaccards(written: Written, shard: Shard, asked: Numbers) -> dict[int, float]:
    weights = stored_weights(written.folder)
    every = np.arange(len(shard.bags))
    found = []
    for document in asked.tolist():
        bag = weighed_bag(*shard.bags.bag(document), weights)
        found.append(np.sort(similarities(shard, every, bag, weights))[::-1])
    return {rank: round(float(np.median([row[rank] for row in found])), 3) for rank in (1, 10, 50)}


def stored_weights(folder: Path) -> TermWeights:
    """What an index of these documents multiplies frequencies by."""
    counts = pq.read_table(folder / "term_counts")["documents"].to_numpy().astype(np.float64)
    documents = pq.read_metadata(folder / "urls" / "part-00000.parquet").num_rows
    cosine = document_weights(counts, documents, dataclasses.replace(Strategy(), frequency="tf-idf"))
    return TermWeights(document_weights(counts, documents, SETTINGS.strategy), cosine, SETTINGS.similarity.cosine)


def _sizes(folder: Path, documents: int) -> dict[str, float]:
    kinds = {"H": ("signatures.u32",), "I": ("buckets.u32", "lists.u32")}
    files = {path.name: path.stat().st_size for path in folder.glob("shards/*/*")}
    sizes = {name: sum(files.pop(file) for file in group) for name, group in kinds.items()}
    sizes["bags"] = sum(files.values())
    sizes["together"] = sum(sizes.values())
    return {name: round(size / documents, 1) for name, size in sizes.items()}


# --- peers --------------------------------------------------------------------------------------------------


def _has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


class Compared(NamedTuple):
    """Documents that all who are compared search in, the questions, and the true answers."""

    shard: Shard
    weights: TermWeights
    bags: list[WeighedBag]
    asked: Numbers
    truth: list[set[int]]


def compared(written: Written, questions: int) -> Compared:
    """The true ten most alike of each question, from all bags."""
    (shard,) = open_shards(written.folder / "shards", M)
    _touch(shard)
    weights, every = stored_weights(written.folder), np.arange(len(shard.bags))
    asked = np.random.default_rng(4).choice(len(every), questions, replace=False)
    bags = [weighed_bag(*shard.bags.bag(document), weights) for document in asked.tolist()]
    truth = [
        _best(every, similarities(shard, every, bag, weights), document)
        for bag, document in zip(bags, asked.tolist(), strict=True)
    ]
    return Compared(shard, weights, bags, asked, truth)


def _best(documents: Numbers, scores: NDArray[np.float64], but: int) -> set[int]:
    order = np.lexsort([documents, -scores])[:11]
    return set([number for number in documents[order].tolist() if number != but][:10])


def searched(given: Compared, search: Search) -> dict[str, float]:
    """Recall of the true ten and milliseconds, of finding candidates alone and with the exact comparison."""
    for document in given.asked[:20].tolist():
        search(document)  # whatever is done once is done
    finding, whole, hits = [], [], 0
    for bag, document, truth in zip(given.bags, given.asked.tolist(), given.truth, strict=True):
        started = time.process_time()
        found = search(document)
        between = time.process_time()
        best = _best(found, similarities(given.shard, found, bag, given.weights), document)
        ended = time.process_time()
        finding.append(between - started)
        whole.append(ended - started)
        hits += len(best & truth)
    return {
        "recall": round(hits / (10 * len(given.truth)), 4),
        "find_ms": _spread(finding)["median_ms"],
        "whole_ms": _spread(whole)["median_ms"],
        "whole_p99_ms": _spread(whole)["p99_ms"],
    }


def _pagekin_searches(given: Compared) -> Iterator[tuple[str, Search]]:
    settings, rows = SETTINGS.similarity, given.shard.index.signatures
    yield (
        f"alpha {settings.alpha}, {settings.candidates} compared",
        lambda document: candidates(given.shard, rows[document], settings.alpha, settings.candidates),
    )


def _minhashes(given: Compared) -> list[Any]:
    from datasketch import MinHash

    rows = np.array(given.shard.index.signatures)
    return [MinHash(num_perm=M, hashvalues=row, scheme="affine32") for row in rows]


def _lsh_searches(given: Compared) -> Iterator[tuple[str, Search]]:
    from datasketch import MinHashLSH

    hashed = _minhashes(given)
    for rows in (2, 1):
        lsh = MinHashLSH(num_perm=M, params=(M // rows, rows))
        with lsh.insertion_session() as session:
            for number, minhash in enumerate(hashed):
                session.insert(number, minhash, check_duplication=False)
        yield (
            f"{M // rows} bands of {rows}",
            lambda document, lsh=lsh: np.array(lsh.query(hashed[document]), np.int64),  # type: ignore[misc]
        )


def _forest_searches(given: Compared) -> Iterator[tuple[str, Search]]:
    from datasketch import MinHashLSHForest

    hashed = _minhashes(given)
    for trees in (M // 4, M):
        forest = MinHashLSHForest(num_perm=M, l=trees)
        for number, minhash in enumerate(hashed):
            forest.add(number, minhash)
        forest.index()
        for most in (100, 400, 1600):
            yield (
                f"{trees} trees, {most} compared",
                lambda document, forest=forest, most=most: np.array(  # type: ignore[misc]
                    forest.query(hashed[document], most), np.int64
                ),
            )


def _bits(given: Compared) -> NDArray[np.uint8]:
    """Signatures as bits; each is multiplied and folded, so that unequal ones differ in half of their bits."""
    spread = given.shard.index.signatures.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((spread ^ (spread >> np.uint64(29))) >> np.uint64(16)).astype(np.uint32).view(np.uint8)


GRAPH_LINKS, GRAPH_BREADTH = 32, 100
BREADTHS = ((100, 100), (200, 200), (400, 400), (800, 800), (1600, 1600))


def _faiss_searches(given: Compared) -> Iterator[tuple[str, Search]]:
    import faiss

    faiss.omp_set_num_threads(1)
    bits = _bits(given)
    index = faiss.IndexBinaryHNSW(32 * M, GRAPH_LINKS)
    index.hnsw.efConstruction = GRAPH_BREADTH
    index.add(bits)
    for breadth, most in BREADTHS:

        def search(document: int, breadth: int = breadth, most: int = most) -> Numbers:
            index.hnsw.efSearch = breadth
            found = index.search(bits[document : document + 1], most)[1][0]
            return np.asarray(found[found >= 0], np.int64)

        yield f"breadth {breadth}, {most} compared", search


def _usearch_searches(given: Compared) -> Iterator[tuple[str, Search]]:
    yield from _graph_searches("hamming", _bits(given))


@cfunc(types.float32(types.CPointer(types.uint32), types.CPointer(types.uint32)))
def _unequal(one: Any, other: Any) -> Any:
    unequal = 0
    for j in range(M):
        unequal += one[j] != other[j]
    return np.float32(unequal)


def _counting_searches(given: Compared) -> Iterator[tuple[str, Search]]:
    """usearch with a compiled metric of its own: how many signatures are unequal, as pagekin counts."""
    from usearch.index import CompiledMetric, MetricKind, MetricSignature

    metric = CompiledMetric(_unequal.address, MetricKind.Hamming, MetricSignature.ArrayArray)
    yield from _graph_searches(metric, np.array(given.shard.index.signatures).view(np.uint8))


def _graph_searches(metric: Any, rows: NDArray[np.uint8]) -> Iterator[tuple[str, Search]]:
    from usearch.index import Index as Graph

    graph = Graph(ndim=32 * M, metric=metric, dtype="b1", connectivity=GRAPH_LINKS, expansion_add=GRAPH_BREADTH)
    graph.add(np.arange(len(rows)), rows, threads=1)
    for breadth, most in BREADTHS:

        def search(document: int, breadth: int = breadth, most: int = most) -> Numbers:
            graph.expansion_search = breadth
            return np.asarray(graph.search(rows[document], most, threads=1).keys, np.int64)

        yield f"breadth {breadth}, {most} compared", search


PEERS: dict[str, tuple[str, Callable[[Compared], Iterator[tuple[str, Search]]]]] = {
    "datasketch MinHashLSH": ("datasketch", _lsh_searches),
    "datasketch LSH Forest": ("datasketch", _forest_searches),
    "faiss binary HNSW, bits": ("faiss", _faiss_searches),
    "usearch HNSW, bits": ("usearch", _usearch_searches),
    "usearch HNSW, counting": ("usearch", _counting_searches),
}


def peer_figures(given: Compared) -> dict[str, Any]:
    """For each the setting that finds as much as pagekin at the least cost, or that finds most."""
    ((setting, search),) = _pagekin_searches(given)
    own = {"setting": setting, **searched(given, search)}
    figures: dict[str, Any] = {"pagekin": own}
    for name, (module, searches) in PEERS.items():
        if not _has(module):
            figures[name] = None
            continue
        started = time.process_time()
        tried: list[dict[str, Any]] = []
        prepared = 0.0
        for setting, search in searches(given):
            prepared = prepared or time.process_time() - started
            tried.append({"setting": setting, **searched(given, search)})
            if tried[-1]["recall"] >= own["recall"] and tried[-1]["whole_ms"] > own["whole_ms"]:
                break
        enough = [row for row in tried if row["recall"] >= own["recall"]]
        best = min(enough, key=lambda row: row["whole_ms"]) if enough else max(tried, key=lambda row: row["recall"])
        figures[name] = {**best, "build_seconds": round(prepared, 1), "tried": tried}
    return figures


# --- real pages ---------------------------------------------------------------------------------------------


def real_figures(path: Path, questions: int) -> dict[str, Any]:
    """Recall of the ten most alike by exact score, and milliseconds, on an index that was built."""
    index: Index = open_index(path)
    settings, weights = index.similarity_settings, index._weights
    asked = np.random.default_rng(5).choice(len(index), min(questions, len(index)), replace=False)
    hits, possible, seconds = 0, 0, []
    for document in asked.tolist():
        question = index._asked_document(document)
        scores = np.concatenate([similarities(s, np.arange(len(s.bags)), question.bag, weights) for s in index._shards])
        started = time.process_time()
        documents = all_candidates(index._shards, question.signature, settings.alpha, settings.candidates)
        found = ranked(documents, all_similarities(index._shards, documents, question.bag, weights))
        seconds.append(time.process_time() - started)
        # Documents as alike as the tenth are as good as the tenth.
        others = np.delete(scores, document)
        tenth = np.partition(others, -10)[-10] if len(others) >= 10 else 0.0
        wanted = min(10, int((others > 0).sum()))
        near = [s for d, s in zip(found.documents, found.scores, strict=True) if d != document][:10]
        hits += sum(score >= max(tenth, 1e-12) - 1e-9 for score in near)
        possible += wanted
    return {
        "index": path.name, "documents": len(index), "recall": round(hits / max(possible, 1), 4),
        **_spread(seconds),
    }  # fmt: skip


# --- all of it ----------------------------------------------------------------------------------------------


def _build_row(written: Written, documents: int) -> dict[str, Any]:
    micro = {name: round(1e6 * spent / documents, 2) for name, spent in written.seconds.items()}
    return {"documents": documents, "microseconds": micro, "together": round(sum(micro.values()), 2)}


def figures_of(options: argparse.Namespace) -> dict[str, Any]:
    """All that is measured."""
    figures: dict[str, Any] = {"documents": options.documents, "signing": signing_figures()}
    with tempfile.TemporaryDirectory(prefix="pagekin-index-") as name:
        written_index(Path(name) / "first", 1000)  # kernels are compiled
        sizes = sorted({options.documents // 100, options.documents // 10, options.documents, options.peers})
        made = {size: written_index(Path(name) / str(size), size) for size in sizes if size >= 1000}
        figures["building"] = [_build_row(made[size], size) for size in made]
        figures["queries"] = query_figures(made[options.documents], options.documents, options.questions)
        figures["peers"] = peer_figures(compared(made[options.peers], options.peer_questions))
        figures["peers"]["documents"] = options.peers
    figures["real"] = [real_figures(path, options.questions) for path in options.index]
    return figures


def print_figures(figures: dict[str, Any]) -> None:
    """Tables for a person."""
    signing = figures["signing"]
    print(f"Signing, {M} signatures, {signing['terms_a_bag']:.0f} terms a bag, one core")
    print(f"{'':<32}{'documents/s':>14}{'bias':>12}{'RMSE':>12}{'theory':>12}{'pagekin is':>12}")
    for name, row in signing.items():
        if isinstance(row, dict):
            times = f"{row['pagekin_times_as_fast']:>11} x" if "pagekin_times_as_fast" in row else ""
            print(
                f"{name:<32}{row['documents_per_second']:>14,}{row['bias']:>12.5f}{row['rmse']:>12.5f}"
                f"{signing['theory_rmse']:>12.5f}{times}"
            )
    if not _has("datasketch"):
        print("datasketch is not installed")
    print(f"\n{'Building, µs a document':<24}" + "".join(f"{row['documents']:>14,}" for row in figures["building"]))
    for step in (*figures["building"][0]["microseconds"], "together"):
        cells = [row["microseconds"].get(step, row["together"]) for row in figures["building"]]
        print(f"{step:<24}" + "".join(f"{cell:>14.2f}" for cell in cells))
    _print_queries(figures["queries"], figures["documents"])
    _print_peers(figures["peers"])
    for row in figures["real"]:
        print(
            f"{row['index']:<24}{row['documents']:>10,} documents, recall@10 {row['recall']:.4f}, "
            f"median {row['median_ms']:.3f} ms"
        )


def _print_queries(row: dict[str, Any], documents: int) -> None:
    print(
        f"\nAsking {documents:,} documents: {row['terms_a_bag']} terms a bag, {row['agreements']:,} agreements and "
        f"{row['candidates']:.0f} candidates a question, Jaccard at rank 1, 10, 50: "
        + ", ".join(f"{value:.3f}" for value in row["jaccard_at"].values())
    )
    print(f"{'':<36}{'median ms':>12}{'p99 ms':>12}")
    named = {
        "count": "candidates", "related": "related, all of it", "related_unmapped": "related, first touch of files",
    }  # fmt: skip
    for key, name in named.items():
        print(f"{name:<36}{row[key]['median_ms']:>12.3f}{row[key]['p99_ms']:>12.3f}")
    print(f"opening {1000 * row['open_seconds']:.1f} ms, first answer {row['first_answer_ms']} ms")
    sizes = ", ".join(f"{name} {size:,.0f}" for name, size in row["bytes"].items())
    print(f"bytes a document: {sizes}")


def _print_peers(figures: dict[str, Any]) -> None:
    print(f"\nThe true ten by exact Jaccard among {figures['documents']:,} documents, the same signatures, one core")
    print(f"{'':<24}{'recall':>8}{'find ms':>10}{'whole ms':>10}{'p99 ms':>10}{'build s':>10}  setting")
    for name, row in figures.items():
        if name == "documents":
            continue
        if row is None:
            print(f"{name:<24}{'not installed':>8}")
            continue
        print(
            f"{name:<24}{row['recall']:>8.4f}{row['find_ms']:>10.3f}{row['whole_ms']:>10.3f}"
            f"{row['whole_p99_ms']:>10.3f}{row.get('build_seconds', ''):>10}  {row['setting']}"
        )
    print()


def write_plot(figures: dict[str, Any], path: Path) -> None:
    """How the cost of building grows, if matplotlib is there."""
    if not _has("matplotlib"):
        print("no plot: matplotlib is not installed", file=sys.stderr)
        return
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    rows = figures["building"]
    documents = [row["documents"] for row in rows]
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    seconds = [row["together"] * row["documents"] / 1e6 for row in rows]
    axes.loglog(documents, seconds, "o-", label="measured")
    axes.loglog(documents, [seconds[-1] * d / documents[-1] for d in documents], ":", label="linear")
    axes.set_xlabel("documents")
    axes.set_ylabel("seconds, one core")
    axes.set_title("From bags to index")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def read_options() -> argparse.Namespace:
    """The options; --quick lowers what was not given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, help="how many to make up (1,000,000; quick: 100,000)")
    parser.add_argument("--peers", type=int, help="how many to compare peers on (100,000; quick: 10,000)")
    parser.add_argument("--questions", type=int, help="how many to ask (1,000; quick: 300)")
    parser.add_argument("--index", type=Path, action="append", default=[], help="an index of real pages; repeatable")
    parser.add_argument("--quick", action="store_true", help="in about a minute, with larger errors")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="draw how the cost of building grows")
    options = parser.parse_args()
    quick = options.quick
    options.documents = options.documents or (100_000 if quick else 1_000_000)
    options.peers = options.peers or min(options.documents, 10_000 if quick else 100_000)
    options.questions = options.questions or (300 if quick else 1000)
    options.peer_questions = min(options.questions, 200)
    return options


def main() -> None:
    """Read the options, measure, print."""
    options = read_options()
    figures = figures_of(options)
    if options.json:
        print(json.dumps(figures))
    else:
        print_figures(figures)
    if options.plot:
        write_plot(figures, options.plot)


if __name__ == "__main__":
    main()
