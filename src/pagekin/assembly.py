"""From tables to the files of an index, as steps that an engine runs: each file is made by one task, many at a time.

Tasks read the tables in the folder of a build and put what they make into `index` there. What is in the way, from an
attempt that was ended early, is replaced; nothing appears there half written.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import compress, pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.cocitation.merging import least_total
from pagekin.cocitation.targets import spelled_pages
from pagekin.concepts.words import centred
from pagekin.copies import Representatives, standing_documents
from pagekin.crawl.hosts import hosts_and_rests, sites_of_hosts
from pagekin.crawl.inputs import Rejection
from pagekin.engines.parts import read_table, table_parts, table_rows
from pagekin.engines.protocol import Write, one_piece
from pagekin.engines.runs import Key, KeyRange, rows_of_range
from pagekin.engines.tasks import results
from pagekin.hashing import hash_texts
from pagekin.pipelines import KEPT, SCHEMAS
from pagekin.settings import Settings
from pagekin.stores.cocited_store import cited_pairs, write_cocited
from pagekin.stores.documents import Documents, write_documents
from pagekin.stores.keyword_index import join_keyword_parts, keyword_rows, write_keyword_part
from pagekin.stores.link_store import write_links
from pagekin.stores.manifest import described_file, index_files
from pagekin.stores.shards import shard_count, shard_name, write_shard
from pagekin.stores.vector_store import CENTRE, write_vectors
from pagekin.stores.vocabulary_store import write_vocabulary
from pagekin.tables import REJECTED

INDEX = "index"  # in the folder of a build: what becomes the index
ATTEMPTS = "attempts"  # what is not whole yet
KEYWORD_PARTS = "keyword_parts"
STORES, SUMMARY, CHECKSUMS = "stores", "summary", "checksums"
FILES_AT_ONCE = 8 << 20  # bytes of files whose checksums are one piece of work

Ints = NDArray[np.int64]
Maker = Callable[[Path, Any], Any]
Pieces = list[tuple[int, Any]]


def tables_to_index(settings: Settings, rejections: Sequence[Rejection]) -> tuple[Write, ...]:
    """The steps that make an index of the tables of a build, in order."""
    makers = _makers(settings, rejections)
    return (
        Write("kept tables", _keep_tables, one_piece, keeps=KEPT),
        Write("documents", _make_documents, one_piece),
        Write(STORES, partial(_make_store, makers=makers), partial(_store_pieces, settings=settings, makers=makers)),
        *((Write("keyword index", _make_keyword_index, one_piece),) if settings.keywords.search else ()),
        Write(SUMMARY, partial(_summary, settings=settings), one_piece),
        Write(CHECKSUMS, _checksums, _lots_of_files),
    )


def _keep_tables(folder: Path, _: None) -> None:
    """Move the tables that stay; an earlier attempt may have moved some of their parts."""
    for table in KEPT:
        (folder / INDEX / table).mkdir(parents=True, exist_ok=True)
        for part in table_parts(folder / table):
            part.rename(folder / INDEX / table / f"part-{part.stem.rpartition('-')[2]}.parquet")


@contextmanager
def _whole(target: Path, folder: Path) -> Iterator[Path]:
    """A path for what is to be made, which then takes its place at once."""
    beside = folder / ATTEMPTS / uuid4().hex / target.name
    beside.parent.mkdir(parents=True)
    yield beside
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        shutil.rmtree(target)
    beside.rename(target)


# --- documents ----------------------------------------------------------------------------------------------


def _make_documents(folder: Path, _: None) -> None:
    index = folder / INDEX
    bagged, clusters = _bagged(index), _clusters(index)
    with _whole(index / "documents", folder) as documents:
        write_documents(documents, _documents(index, bagged, clusters))


def _bagged(index: Path) -> Ints:
    """The ids of all documents, which are the pages that have bags, in their order."""
    pages: Ints = read_table(index / "bags", SCHEMAS["bags"], ["page"])["page"].to_numpy()
    return pages


def _clusters(index: Path) -> Representatives:
    return standing_documents(
        _bagged(index), *(read_table(index / name, SCHEMAS[name]) for name in ("duplicates", "urls"))
    )


def _documents(index: Path, bagged: Ints, clusters: Representatives) -> pa.Table:
    """Who the documents are, in the order of their ids.

    The links to its copies are links to the page that stands for them.
    """
    every = read_table(index / "urls", SCHEMAS["urls"])
    urls = every.take(pa.array(np.searchsorted(every["page"].to_numpy(), bagged)))
    pages = read_table(index / "pages", SCHEMAS["pages"], ["page", "title"])
    order = np.argsort(pages["page"].to_numpy())
    place = np.searchsorted(pages["page"].to_numpy()[order], bagged)
    fetched = pa.array(urls["fetched"].to_numpy())
    rows = pa.array(np.append(order, 0)[place], mask=~urls["fetched"].to_numpy())
    titles = pc.fill_null(pages["title"].take(rows), "")
    sites = sites_of_hosts(hosts_and_rests(urls["url"])[0])
    columns = [
        urls["page"],
        urls["url"],
        titles,
        sites,
        pa.array(hash_texts(sites)),
        fetched,
        pa.array(_joined_links(bagged, clusters, every) if len(bagged) else urls["in_links"].to_numpy()),
        pa.array(clusters.of(bagged)),
    ]
    names = ["page", "url", "title", "site", "site_id", "fetched", "in_links", "representative"]
    return pa.table(columns, names=names)


def _joined_links(documents: Ints, clusters: Representatives, urls: pa.Table) -> Ints:
    """How many links lead to each document and to the pages that it stands for."""
    known, links = urls["page"].to_numpy(), urls["in_links"].to_numpy()
    stands = clusters.of(known)
    joined = np.zeros(len(documents), np.int64)
    place = np.minimum(np.searchsorted(documents, stands), max(len(documents) - 1, 0))
    of_copies = (stands != known) & (documents[place] == stands)
    np.add.at(joined, place[of_copies], links[of_copies])
    joined += links[np.searchsorted(known, documents)]
    return joined


# --- stores -------------------------------------------------------------------------------------------------


def _makers(settings: Settings, rejections: Sequence[Rejection]) -> dict[str, Maker]:
    """What each store is made by, of those that are wanted."""
    wanted: list[tuple[str, Maker, object]] = [
        ("shards", partial(_make_shard, settings=settings), True),
        ("concepts", partial(_make_vectors, table="concepts"), settings.concepts.dimensions),
        ("words", partial(_make_vectors, table="words_of_pages"), settings.words.dimensions),
        ("cocited", _make_cocited, settings.cocitation.pages),
        ("links", partial(_make_links, settings=settings), settings.links.neighbours),
        ("vocabulary", _make_vocabulary, settings.keywords.search),
        ("keywords", _make_keyword_part, settings.keywords.search),
        ("rejected", partial(_make_rejected, rejections=rejections), True),
    ]
    return {name: maker for name, maker, is_wanted in wanted if is_wanted}


def _store_pieces(folder: Path, at_once: int, settings: Settings, makers: dict[str, Maker]) -> Pieces:
    """The stores, those that are made in several pieces once for each; units are about milliseconds."""
    documents, pages = table_rows(folder / INDEX / "bags"), table_rows(folder / INDEX / "pages")
    shards = shard_count(documents, settings.similarity)
    single = [name for name in makers if name not in ("shards", "keywords")]
    pieces: Pieces = [(documents // 10 + 1, (name, None)) for name in single]
    pieces += [(documents // (4 * shards) + 1, ("shards", number)) for number in range(shards)]
    if "keywords" in makers:
        lots = _keyword_lots(folder, at_once)
        pieces += [(2 * pages // len(lots) + 1, ("keywords", lot)) for lot in enumerate(lots)]
    return pieces


def _make_store(folder: Path, piece: tuple[str, Any], makers: dict[str, Maker]) -> Any:
    name, detail = piece
    return makers[name](folder, detail)


def _make_shard(folder: Path, number: int, settings: Settings) -> None:
    index = folder / INDEX
    in_links = Documents(index / "documents").in_links
    with _whole(index / "shards" / shard_name(number), folder) as shard:
        parts = table_parts(index / "bags"), table_parts(folder / "signatures")
        write_shard(shard, number, *parts, in_links >= settings.similarity.least_in_links, settings.similarity)


def _make_vectors(folder: Path, _: None, table: str) -> None:
    """The vectors of all documents, if there are any."""
    index, parts = folder / INDEX, table_parts(folder / table)
    documents = Documents(index / "documents")
    if not parts or not len(documents):
        return
    name = {"words_of_pages": "words"}.get(table, table)
    with _whole(index / name, folder) as vectors:
        write_vectors(vectors, parts, documents.pages)
        if table == "words_of_pages":
            of_terms = read_table(folder / "term_vectors", SCHEMAS["term_vectors"])
            counts = read_table(index / "term_counts", SCHEMAS["term_counts"])
            np.save(vectors / CENTRE, centred(of_terms, counts)[1])


def _make_cocited(folder: Path, _: None) -> None:
    """The co-cited pages of each document; a copy has those of the page that stands for it."""
    index = folder / INDEX
    pages = Documents(index / "documents").pages
    if not len(pages):
        return
    spelled = spelled_pages(pages, read_table(folder / "targets", SCHEMAS["targets"]))
    with _whole(index / "cocited", folder) as cocited:
        write_cocited(cocited, table_parts(folder / "cocited"), pages, spelled, _clusters(index).of)


def _make_links(folder: Path, _: None, settings: Settings) -> None:
    pages = Documents(folder / INDEX / "documents").pages
    if len(pages):
        with _whole(folder / INDEX / "links", folder) as links:
            write_links(links, table_parts(folder / "neighbours"), pages, settings.links)


def _make_vocabulary(folder: Path, _: None) -> None:
    lexicon = read_table(folder / INDEX / "lexicon", SCHEMAS["lexicon"], ["text", "occurrences"])
    with _whole(folder / INDEX / "vocabulary", folder) as vocabulary:
        write_vocabulary(vocabulary, lexicon["text"].combine_chunks(), lexicon["occurrences"].to_numpy())


def _make_rejected(folder: Path, _: None, rejections: Sequence[Rejection]) -> None:
    inputs = pa.Table.from_pylist([rejection._asdict() for rejection in rejections], schema=REJECTED)
    rows = pa.concat_tables([inputs, read_table(folder / "rejected", REJECTED)])
    with _whole(folder / INDEX / "rejected.parquet", folder) as path:
        pq.write_table(rows.sort_by([(name, "ascending") for name in REJECTED.names]), path, compression="zstd")


# --- keywords -----------------------------------------------------------------------------------------------

KEYWORD_KEY = ("site_id", "page")  # the order of both tables
KeywordLot = tuple[KeyRange, tuple[Path, ...], tuple[Path, ...]]  # parts of PAGES, and of ANCHOR_TEXTS, of some keys


def _keyword_lots(folder: Path, at_once: int) -> list[KeywordLot]:
    """The parts of PAGES and of ANCHOR_TEXTS, both in the order of site and page, in lots of the same keys."""
    pages, texts = table_parts(folder / INDEX / "pages"), table_parts(folder / "anchor_texts")
    lots = max(min(at_once, len(pages)), 1)
    cuts = [len(pages) * lot // lots for lot in range(lots + 1)]
    bounds = [None, *(_first_key(pages[cut]) for cut in cuts[1:-1]), None]
    spans = list(pairwise([*map(_first_key, texts), None]))
    return [
        (KeyRange(*keys), tuple(pages[first:last]), tuple(compress(texts, (_meet(span, keys) for span in spans))))
        for keys, (first, last) in zip(pairwise(bounds), pairwise(cuts), strict=True)
    ]


def _first_key(part: Path) -> Key:
    with pq.ParquetFile(part) as file:
        first = next(file.iter_batches(1, columns=KEYWORD_KEY))
    return tuple(column[0].as_py() for column in first.columns)


def _meet(span: tuple[Key | None, Key | None], keys: tuple[Key | None, Key | None]) -> bool:
    """Whether two ranges of keys can have one in common."""
    (begin, end), (low, high) = span, keys
    return (begin is None or high is None or begin < high) and (low is None or end is None or low <= end)


def _make_keyword_part(folder: Path, piece: tuple[int, KeywordLot]) -> dict[str, str]:
    number, (keys, pages, texts) = piece
    texts_of_keys = (rows_of_range(rows, KEYWORD_KEY, keys) for rows in keyword_rows(texts))
    lexicon = table_parts(folder / INDEX / "lexicon")
    with _whole(folder / KEYWORD_PARTS / f"{number:06}", folder) as part:
        write_keyword_part(part, keyword_rows(pages), texts_of_keys, lexicon, _languages(folder))
    return {"keyword_part": part.name}


def _languages(folder: Path) -> tuple[str, ...]:
    return tuple(read_table(folder / "languages", SCHEMAS["languages"])["language"].to_pylist())


def _make_keyword_index(folder: Path, _: None) -> None:
    made = (result["keyword_part"] for result in results(folder, STORES) if result and "keyword_part" in result)
    parts = [folder / KEYWORD_PARTS / name for name in made]
    join_keyword_parts(folder / INDEX / "keywords", parts, table_parts(folder / INDEX / "lexicon"))


# --- what is told of the whole ------------------------------------------------------------------------------


def _summary(folder: Path, _: None, settings: Settings) -> dict[str, Any]:
    """What the manifest says of the index beside its files."""
    index = folder / INDEX
    return {
        "languages": list(_languages(folder)),
        "counts": _counts(index),
        "rejected": _rejected_reasons(index),
        "duplicates": _duplicates(index) if settings.duplicates.super_shingles else {},
        "cocitation": _cocitation(folder, settings) if (index / "cocited").exists() else {},
    }


def _counts(index: Path) -> dict[str, int]:
    in_links = (pq.read_table(part, columns=["in_links"])["in_links"] for part in table_parts(index / "urls"))
    return {
        "pages": table_rows(index / "pages"),
        "urls": table_rows(index / "urls"),
        "links": sum(pc.sum(column).as_py() or 0 for column in in_links),
        "words": table_rows(index / "lexicon"),
        "terms": table_rows(index / "terms"),
        "bags": table_rows(index / "bags"),
        "aliases": table_rows(index / "aliases"),
        "rejected": pq.read_metadata(index / "rejected.parquet").num_rows,
        "rings": _rings(index),
    }


def _rings(index: Path) -> int:
    """How many rings of sites there are, if more than one."""
    lengths = pc.list_value_length(read_table(index / "rings", SCHEMAS["rings"], ["sites"])["sites"])
    return pc.sum(pc.greater(lengths, 1)).as_py() or 0


def _rejected_reasons(index: Path) -> dict[str, int]:
    """How many things were set aside for each reason, the commonest first."""
    counts = pq.read_table(index / "rejected.parquet", columns=["reason"])["reason"].value_counts().to_pylist()
    return {row["values"]: row["counts"] for row in sorted(counts, key=lambda row: -row["counts"])}


def _duplicates(index: Path) -> dict[str, int]:
    """How many pages are copies, of how many others, how many hosts are mirrors, and how many lists were cut."""
    stands = read_table(index / "duplicates", SCHEMAS["duplicates"], ["representative"])["representative"].to_numpy()
    rows = {name: table_rows(index / table) for name, table in (("mirrors", "mirrors"), ("capped", "long_lists"))}
    return {"copies": len(stands), "clusters": len(np.unique(stands)), **rows}


def _cocitation(folder: Path, settings: Settings) -> dict[str, Any]:
    """How many pairs were kept, from which total on, and what filters did to links."""
    index = folder / INDEX
    dropped = read_table(folder / "filtered", SCHEMAS["filtered"]).to_pylist()
    return {
        "pairs": cited_pairs(index / "cocited"),
        "least": least_total(settings.cocitation, table_rows(index / "pages")),
        "filtered": {row["filter"]: row["links"] for row in dropped},
    }


def _lots_of_files(folder: Path, _: int) -> Pieces:
    """The files of the index, small ones together."""
    lots: Pieces = []
    size, lot = 0, list[Path]()
    for path in index_files(folder / INDEX):
        size, lot = size + path.stat().st_size, [*lot, path]
        if size >= FILES_AT_ONCE:
            lots.append((size, tuple(lot)))
            size, lot = 0, []
    return [*lots, (size + 1, tuple(lot))]


def _checksums(folder: Path, paths: Sequence[Path]) -> dict[str, dict[str, Any]]:
    return {path.relative_to(folder / INDEX).as_posix(): described_file(path) for path in paths}
