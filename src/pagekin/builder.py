"""From crawl files to an index, whole or not at all.

All work is done in a folder beside the target, `TARGET.building`; the last act is to rename what was made there.
An index that stood at the target is untouched until then. The folder of a build that was ended early stays, and
`resume` goes on in it. Nothing is ever removed that pagekin has not made.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pagekin.cocitation.merging import least_total
from pagekin.cocitation.targets import spelled_pages
from pagekin.concepts.words import centred
from pagekin.copies import Representatives, standing_documents
from pagekin.crawl.inputs import Rejection, Split, find_splits
from pagekin.crawl.urls import site_of
from pagekin.engines.local import LocalEngine, read_table, table_parts
from pagekin.engines.protocol import Engine, Observer
from pagekin.errors import SettingsError, TargetExists
from pagekin.hashing import hash_texts
from pagekin.pipelines import KEPT, SCHEMAS, whole_build
from pagekin.settings import Settings
from pagekin.stores.cocited_store import write_cocited
from pagekin.stores.documents import write_documents
from pagekin.stores.keyword_index import write_keywords
from pagekin.stores.link_store import write_links
from pagekin.stores.manifest import FORMAT, NAME, Manifest, described_files, write_manifest
from pagekin.stores.shards import write_shards
from pagekin.stores.vector_store import CENTRE, write_vectors
from pagekin.stores.vocabulary_store import write_vocabulary
from pagekin.tables import REJECTED
from pagekin.version import VERSION

PLAN = "plan.json"
FINISHED = "finished.json"  # what the plan is called once there is nothing left to resume
REPLACED = "replaced"  # in the folder of a build, for a moment: the index that stood at the target


@dataclass(frozen=True)
class BuildSummary:
    """What a build made."""

    index: Path
    pages: int
    urls: int
    links: int
    terms: int
    rejected: int
    rejected_reasons: dict[str, int]
    duplicates: dict[str, int]
    cocitation: dict[str, Any]
    seconds: float
    bytes: int


def build(
    crawl: str | Path | Sequence[str | Path],
    out: str | Path,
    settings: Settings | None = None,
    *,
    engine: Engine | None = None,
    resume: bool = False,
    force: bool = False,
) -> BuildSummary:
    """Build an index of crawl files; an index that stands at `out` is replaced only with `force`."""
    started = time.monotonic()
    settings, target = settings or Settings(), Path(out)
    inputs = [str(path) for path in ([crawl] if isinstance(crawl, str | Path) else crawl)]
    work = _work_folder(target)
    _check_target(target, work, force)
    splits, rejected = find_splits(inputs, settings.crawl)
    _prepare(work, _plan(settings, splits), resume)
    engine = engine or LocalEngine()
    engine.run(whole_build(settings), splits, SCHEMAS, work)
    manifest = _assemble(work, settings, splits, rejected, engine.observer)
    _put_in_place(work, target)
    counts = {name: manifest.counts[name] for name in ("pages", "urls", "links", "terms", "rejected")}
    seconds = round(time.monotonic() - started, 3)
    return BuildSummary(
        target,
        **counts,
        rejected_reasons=manifest.rejected,
        duplicates=manifest.duplicates,
        cocitation=manifest.cocitation,
        seconds=seconds,
        bytes=manifest.bytes,
    )


def _work_folder(target: Path) -> Path:
    if not target.name:
        raise TargetExists(f"{target} cannot be an index; choose another name with -o")
    if str(target) != str(target).encode("utf-8", "replace").decode("utf-8"):
        raise TargetExists(f"the name {str(target)!a} is not valid UTF-8; choose another name with -o")
    return target.with_name(target.name + ".building")


def _check_target(target: Path, work: Path, force: bool) -> None:
    if (work / REPLACED).exists() and not target.exists():
        (work / REPLACED).rename(target)  # the machine stopped between two renames
    if os.path.lexists(target):
        if not _is_index(target):
            raise TargetExists(f"{target} exists and is not a pagekin index; choose another name with -o")
        if not force:
            raise TargetExists(f"{target} exists; give --force to replace it, or choose another name with -o")
    if os.path.lexists(work) and not _is_ours(work):
        raise TargetExists(f"{work} is needed for the work but holds something else; move it away")


def _is_index(target: Path) -> bool:
    """Whether it is an index, whole or damaged, or an empty folder; many a site has a manifest.json too."""
    try:
        return "settings_digest" in (target / NAME).read_text("utf-8", "replace")
    except OSError:
        return _is_empty(target)


def _is_ours(work: Path) -> bool:
    return (work / PLAN).exists() or (work / FINISHED).exists() or _is_empty(work)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _plan(settings: Settings, splits: Sequence[Split]) -> dict[str, Any]:
    """What a build is going to do; a build can only be resumed if this is still the same."""
    return {
        "pagekin": VERSION,
        "settings": settings.digest,
        "splits": [
            [split.path, split.start, split.end, split.bytes, list(split.files), _changed_at(split)] for split in splits
        ],
    }


def _changed_at(split: Split) -> int:
    """When the files of a split were last changed, so far as it can be known."""
    paths = [os.path.join(split.path, name) for name in split.files] if split.kind == "html" else [split.path]
    return max((os.stat(path).st_mtime_ns for path in paths if os.path.exists(path)), default=0)


def _prepare(work: Path, plan: dict[str, Any], resume: bool) -> None:
    if resume and (work / PLAN).exists():
        if json.loads((work / PLAN).read_text("utf-8")) != plan:
            raise SettingsError(
                f"the build in {work} was begun with other inputs, settings or another version; "
                "leave out --resume to begin anew"
            )
        return
    try:
        if work.exists():
            shutil.rmtree(work)
        work.mkdir(parents=True)
        (work / PLAN).write_text(json.dumps(plan), "utf-8")
    except OSError as error:
        raise TargetExists(f"{work} cannot be written: {error.strerror}; choose another name with -o") from None


def _assemble(
    work: Path, settings: Settings, splits: Sequence[Split], rejections: Sequence[Rejection], observer: Observer
) -> Manifest:
    """Gather the tables that stay in `work/index`, with their manifest."""
    index = work / "index"
    index.mkdir(exist_ok=True)
    for table in KEPT:
        (index / table).mkdir(exist_ok=True)
        for part in table_parts(work / table):  # a resumed build may find some of them moved already
            part.rename(index / table / f"part-{part.stem.rpartition('-')[2]}.parquet")
    bagged = read_table(index / "bags", SCHEMAS["bags"], ["page"])["page"].to_numpy()
    clusters = standing_documents(bagged, *(read_table(index / name, SCHEMAS[name]) for name in ("duplicates", "urls")))
    documents = _documents(index, bagged, clusters)
    write_documents(index / "documents", documents)
    may_answer = documents["in_links"].to_numpy() >= settings.similarity.least_in_links
    shutil.rmtree(index / "shards", ignore_errors=True)  # of a build that was ended while it wrote them
    signed = table_parts(work / "signatures")
    write_shards(index / "shards", table_parts(index / "bags"), signed, may_answer, settings.similarity)
    for name, table in (("concepts", "concepts"), ("words", "words_of_pages")):
        shutil.rmtree(index / name, ignore_errors=True)
        vectors = table_parts(work / table)
        if vectors and documents.num_rows:
            write_vectors(index / name, vectors, documents["page"].to_numpy())
    if (index / "words").exists():
        vectors = read_table(work / "term_vectors", SCHEMAS["term_vectors"])
        counts = read_table(index / "term_counts", SCHEMAS["term_counts"])
        np.save(index / "words" / CENTRE, centred(vectors, counts)[1])
    cocitation = _write_cocited(index, work, bagged, clusters, settings)
    shutil.rmtree(index / "links", ignore_errors=True)
    if settings.links.neighbours and len(bagged):
        write_links(index / "links", table_parts(work / "neighbours"), bagged, settings.links)
    languages = read_table(work / "languages", SCHEMAS["languages"])["language"].to_pylist()
    _write_keywords(index, work, languages, settings, observer)
    rejected = _rejected_table(work, rejections)
    pq.write_table(rejected, index / "rejected.parquet", compression="zstd")
    manifest = Manifest(
        format=FORMAT,
        pagekin=VERSION,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        settings_digest=settings.digest,
        settings=dataclasses.asdict(settings),
        languages=languages,
        inputs=_inputs(splits),
        counts=_counts(index, rejected),
        rejected=dict(Counter(rejected["reason"].to_pylist()).most_common()),
        duplicates=_duplicates(index) if settings.duplicates.super_shingles else {},
        cocitation=cocitation,
        files=described_files(index),
    )
    write_manifest(index, manifest)
    return manifest


def _write_cocited(
    index: Path, work: Path, pages: NDArray[np.int64], clusters: Representatives, settings: Settings
) -> dict[str, Any]:
    """The co-cited pages of each document, if they are wanted; a copy has those of the page that stands for it."""
    shutil.rmtree(index / "cocited", ignore_errors=True)
    if not settings.cocitation.pages or not len(pages):
        return {}
    spelled = spelled_pages(pages, read_table(work / "targets", SCHEMAS["targets"]))
    pairs = write_cocited(index / "cocited", table_parts(work / "cocited"), pages, spelled, clusters.of)
    dropped = read_table(work / "filtered", SCHEMAS["filtered"]).to_pylist()
    return {
        "pairs": pairs,
        "least": least_total(settings.cocitation, _rows(index, "pages")),
        "filtered": {row["filter"]: row["links"] for row in dropped},
    }


def _write_keywords(index: Path, work: Path, languages: list[str], settings: Settings, observer: Observer) -> None:
    """The keyword index and its vocabulary, if they are wanted."""
    for folder in ("keywords", "vocabulary"):
        shutil.rmtree(index / folder, ignore_errors=True)
    if not settings.keywords.search:
        return
    observer.begin("keywords", max(_rows(index, "pages") + _rows(work, "anchor_texts"), 1))
    pages, texts, words = (table_parts(path) for path in (index / "pages", work / "anchor_texts", index / "lexicon"))
    write_keywords(index / "keywords", pages, texts, words, languages, advance=observer.advance)
    lexicon = read_table(index / "lexicon", SCHEMAS["lexicon"], ["text", "occurrences"])
    write_vocabulary(index / "vocabulary", lexicon["text"].combine_chunks(), lexicon["occurrences"].to_numpy())
    observer.end()


def _documents(index: Path, bagged: NDArray[np.int64], clusters: Representatives) -> pa.Table:
    """Who the documents are, which are the pages that have bags, in the order of their ids.

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
    sites = pa.array([site_of(url) for url in urls["url"].to_pylist()], pa.string())
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


def _joined_links(documents: NDArray[np.int64], clusters: Representatives, urls: pa.Table) -> NDArray[np.int64]:
    """How many links lead to each document and to the pages that it stands for."""
    known, links = urls["page"].to_numpy(), urls["in_links"].to_numpy()
    stands = clusters.of(known)
    joined = np.zeros(len(documents), np.int64)
    place = np.minimum(np.searchsorted(documents, stands), max(len(documents) - 1, 0))
    of_copies = (stands != known) & (documents[place] == stands)
    np.add.at(joined, place[of_copies], links[of_copies])
    joined += links[np.searchsorted(known, documents)]
    return joined


def _duplicates(index: Path) -> dict[str, int]:
    """How many pages are copies, of how many others, how many hosts are mirrors, and how many lists were cut."""
    stands = read_table(index / "duplicates", SCHEMAS["duplicates"], ["representative"])["representative"].to_numpy()
    rows = {name: _rows(index, table) for name, table in (("mirrors", "mirrors"), ("capped", "long_lists"))}
    return {"copies": len(stands), "clusters": len(np.unique(stands)), **rows}


def _rejected_table(work: Path, rejections: Sequence[Rejection]) -> pa.Table:
    inputs = pa.Table.from_pylist([rejection._asdict() for rejection in rejections], schema=REJECTED)
    pages = read_table(work / "rejected", REJECTED)
    return pa.concat_tables([inputs, pages]).sort_by([(name, "ascending") for name in REJECTED.names])


def _inputs(splits: Sequence[Split]) -> list[dict[str, Any]]:
    sizes: Counter[tuple[str, str]] = Counter()
    for split in splits:
        sizes[split.path, split.base_url] += split.bytes
    return [{"path": path, "base_url": base, "bytes": size} for (path, base), size in sorted(sizes.items())]


def _rows(index: Path, table: str) -> int:
    return sum(pq.read_metadata(part).num_rows for part in table_parts(index / table))


def _counts(index: Path, rejected: pa.Table) -> dict[str, int]:
    in_links = (pq.read_table(part, columns=["in_links"])["in_links"] for part in table_parts(index / "urls"))
    return {
        "pages": _rows(index, "pages"),
        "urls": _rows(index, "urls"),
        "links": sum(pc.sum(column).as_py() or 0 for column in in_links),
        "words": _rows(index, "lexicon"),
        "terms": _rows(index, "terms"),
        "bags": _rows(index, "bags"),
        "aliases": _rows(index, "aliases"),
        "rejected": rejected.num_rows,
    }


def _put_in_place(work: Path, target: Path) -> None:
    """Rename the finished index to its name; one that stood there is removed afterwards."""
    _sync(work / "index")
    (work / PLAN).rename(work / FINISHED)
    if target.exists():
        target.rename(work / REPLACED)
    (work / "index").rename(target)
    _sync_folder(target.parent)
    for folder in work.iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)
    shutil.rmtree(work)


def _sync(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        else:
            _sync_folder(path)
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
