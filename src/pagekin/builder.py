"""From crawl files to an index, whole or not at all.

All work is done in a folder beside the target; the last act is to rename it. An index that stood there before is
untouched until then. The folder of a build that was ended early stays, and `resume` goes on in it.
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

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pagekin.crawl.inputs import Rejection, Split, find_splits
from pagekin.engines.local import LocalEngine, read_table, table_parts
from pagekin.engines.protocol import Engine
from pagekin.errors import IndexUnusable, SettingsError, TargetExists
from pagekin.pipelines import KEPT, SCHEMAS, crawl_to_pages, pages_to_bags
from pagekin.settings import Settings
from pagekin.stores.manifest import FORMAT, NAME, Manifest, described_files, read_manifest, write_manifest
from pagekin.tables import REJECTED
from pagekin.version import VERSION

PLAN = "plan.json"


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
    _check_target(target, force)
    splits, rejected = find_splits(inputs, settings.crawl)
    work = target.with_name(target.name + ".building")
    _prepare(work, _plan(settings, splits), resume)
    (engine or LocalEngine()).run((*crawl_to_pages(settings), *pages_to_bags(settings)), splits, SCHEMAS, work)
    manifest = _assemble(work, settings, splits, rejected)
    _put_in_place(work / "index", target)
    shutil.rmtree(work)
    counts = {name: manifest.counts[name] for name in ("pages", "urls", "links", "terms", "rejected")}
    seconds = round(time.monotonic() - started, 3)
    return BuildSummary(target, **counts, rejected_reasons=manifest.rejected, seconds=seconds, bytes=manifest.bytes)


def _check_target(target: Path, force: bool) -> None:
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        return
    if not target.is_dir() or not ((target / NAME).exists() or not any(target.iterdir())):
        raise TargetExists(f"{target} exists and is not a pagekin index; choose another name with -o")
    if not force:
        raise TargetExists(f"{target} exists; give --force to replace it, or choose another name with -o")


def _plan(settings: Settings, splits: Sequence[Split]) -> dict[str, Any]:
    """What a build is going to do; a build can only be resumed if this is still the same."""
    return {
        "pagekin": VERSION,
        "settings": settings.digest,
        "splits": [[split.path, split.start, split.end, split.bytes, list(split.files)] for split in splits],
    }


def _prepare(work: Path, plan: dict[str, Any], resume: bool) -> None:
    if resume and (work / PLAN).exists():
        if json.loads((work / PLAN).read_text("utf-8")) != plan:
            raise SettingsError(
                f"the build in {work} was begun with other inputs, settings or another version; "
                "leave out --resume to begin anew"
            )
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / PLAN).write_text(json.dumps(plan), "utf-8")


def _assemble(work: Path, settings: Settings, splits: Sequence[Split], rejections: Sequence[Rejection]) -> Manifest:
    """Gather the tables that stay in `work/index`, with their manifest."""
    index = work / "index"
    index.mkdir(exist_ok=True)
    for table in KEPT:
        (index / table).mkdir(exist_ok=True)
        for number, part in enumerate(table_parts(work / table)):
            part.rename(index / table / f"part-{number:05}.parquet")
    rejected = _rejected_table(work, rejections)
    pq.write_table(rejected, index / "rejected.parquet", compression="zstd")
    manifest = Manifest(
        format=FORMAT,
        pagekin=VERSION,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        settings_digest=settings.digest,
        settings=dataclasses.asdict(settings),
        inputs=_inputs(splits),
        counts=_counts(index, rejected),
        rejected=dict(Counter(rejected["reason"].to_pylist()).most_common()),
        files=described_files(index),
    )
    write_manifest(index, manifest)
    return manifest


def _rejected_table(work: Path, rejections: Sequence[Rejection]) -> pa.Table:
    inputs = pa.Table.from_pylist([rejection._asdict() for rejection in rejections], schema=REJECTED)
    pages = read_table(work / "rejected", REJECTED)
    return pa.concat_tables([inputs, pages]).sort_by([(name, "ascending") for name in REJECTED.names])


def _inputs(splits: Sequence[Split]) -> list[dict[str, Any]]:
    sizes: Counter[str] = Counter()
    for split in splits:
        sizes[split.path] += split.bytes
    return [{"path": path, "bytes": size} for path, size in sorted(sizes.items())]


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


def _put_in_place(index: Path, target: Path) -> None:
    """Rename the finished index to its name; one that stood there is removed afterwards."""
    _sync(index)
    old = target.with_name(target.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    index.rename(target)
    _sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


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


def checked_manifest(index: str | Path) -> Manifest:
    """The manifest of an index that may stand under its old name, if a replacement was cut short."""
    path = Path(index)
    old = path.with_name(path.name + ".old")
    if not path.exists() and (old / NAME).exists():
        raise IndexUnusable(f"{path} was being replaced when the machine stopped; the former index is at {old}")
    return read_manifest(path)
