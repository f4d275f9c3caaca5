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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pagekin.assembly import CHECKSUMS, INDEX, SUMMARY, tables_to_index
from pagekin.crawl.files import is_remote
from pagekin.crawl.inputs import Split, find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.protocol import Engine
from pagekin.engines.tasks import results
from pagekin.errors import SettingsError, StepFailed, TargetExists
from pagekin.pipelines import SCHEMAS, whole_build
from pagekin.settings import Settings
from pagekin.stores.manifest import FORMAT, NAME, Manifest, write_manifest
from pagekin.stores.verified import Verified
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
    steps = (*whole_build(settings), *tables_to_index(settings, rejected))
    with _disk_faults_told(work):
        engine.run(steps, [_found_from_anywhere(split) for split in splits], SCHEMAS, work)
        manifest = _write_manifest(work, settings, splits)
        _put_in_place(work, target)
    Verified(target, manifest).believe()
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


def _found_from_anywhere(split: Split) -> Split:
    """The same piece by its whole path: workers on other machines stand in other folders."""
    return split if is_remote(split.path) else dataclasses.replace(split, path=os.path.abspath(split.path))


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


@contextmanager
def _disk_faults_told(work: Path) -> Iterator[None]:
    """What cannot be written is told in a sentence."""
    try:
        yield
    except OSError as error:
        raise StepFailed(f"{work} cannot be written: {error.strerror or error}; --resume goes on from here") from error


def _write_manifest(work: Path, settings: Settings, splits: Sequence[Split]) -> Manifest:
    """Write what the index is, from what the tasks have told; it is the last file."""
    [summary] = results(work, SUMMARY)
    manifest = Manifest(
        format=FORMAT,
        pagekin=VERSION,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        settings_digest=settings.digest,
        settings=dataclasses.asdict(settings),
        inputs=_inputs(splits),
        files={name: file for lot in results(work, CHECKSUMS) for name, file in sorted(lot.items())},
        **summary,
    )
    write_manifest(work / INDEX, manifest)
    return manifest


def _inputs(splits: Sequence[Split]) -> list[dict[str, Any]]:
    sizes: Counter[tuple[str, str]] = Counter()
    for split in splits:
        sizes[split.path, split.base_url] += split.bytes
    return [{"path": path, "base_url": base, "bytes": size} for (path, base), size in sorted(sizes.items())]


def _put_in_place(work: Path, target: Path) -> None:
    """Rename the finished index to its name; one that stood there is removed afterwards."""
    _sync(work / INDEX)
    (work / PLAN).rename(work / FINISHED)
    if target.exists():
        target.rename(work / REPLACED)
    (work / INDEX).rename(target)
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
