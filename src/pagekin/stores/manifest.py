"""manifest.json: what an index is, what it was made from, and how to tell that nothing of it is damaged."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagekin.errors import IndexUnusable, SettingsError
from pagekin.settings import Settings, Strategy, settings_of

FORMAT = 6
READABLE = (1, 2, 3, 4, 5, 6)
NAME = "manifest.json"
_READ_BYTES = 1 << 20
_MOST_NAMED = 5  # inputs that a command names
_NAMES = re.compile(r"[\w.-]+(/[\w.-]+)*")  # of files in an index


@dataclass(frozen=True)
class Manifest:
    """What stands in manifest.json."""

    format: int
    pagekin: str
    built_at: str
    settings_digest: str
    settings: dict[str, Any]
    languages: list[str]
    inputs: list[dict[str, Any]]
    counts: dict[str, int]
    rejected: dict[str, int]
    duplicates: dict[str, int]  # how many pages are copies, of how many others, and how many hosts are mirrors
    cocitation: dict[str, Any]  # how many pairs were kept, from which total on, and what filters did to links
    files: dict[str, dict[str, Any]]

    @property
    def strategy_name(self) -> str:
        """The strategy of the bags, as reports name it."""
        return Strategy(**self.settings["strategy"]).name

    @property
    def bytes(self) -> int:
        """The size of the whole index but for the manifest."""
        return sum(int(file["bytes"]) for file in self.files.values())


def checksum(path: Path) -> str:
    """The checksum of a file, as a manifest has it."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def index_files(folder: Path) -> list[Path]:
    """Every file of an index but its manifest."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != NAME]


def described_file(path: Path) -> dict[str, Any]:
    """Size and checksum of a file."""
    return {"bytes": path.stat().st_size, "blake2b": checksum(path)}


def described_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and checksum of every file of an index."""
    return {path.relative_to(folder).as_posix(): described_file(path) for path in index_files(folder)}


def _fields_checksum(fields: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(fields, sort_keys=True).encode(), digest_size=16).hexdigest()


def manifest_digest(manifest: Manifest) -> str:
    """What tells an index from all others: the manifest has the checksums of all files."""
    return _fields_checksum(dataclasses.asdict(manifest))


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write manifest.json, with a checksum of itself; it is the last file of an index to be written."""
    fields = dataclasses.asdict(manifest)
    document = fields | {"blake2b": _fields_checksum(fields)}
    (folder / NAME).write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index whose files all have their right sizes; IndexUnusable says what is wrong."""
    path = folder / NAME
    if not path.is_file():
        kind = "is not a pagekin index (it has no manifest.json)" if folder.exists() else "does not exist"
        raise IndexUnusable(f"{folder} {kind}; make one with: pagekin build CRAWL -o {folder}")
    try:
        fields = json.loads(path.read_text("utf-8"))
        found = fields.get("format")
        if found not in READABLE:
            reads = f"has format {found!r}, this pagekin reads {_readable()}"
            raise IndexUnusable(f"{folder} {reads}; build it again: {_rebuilding(fields, folder)}")
        if fields.pop("blake2b") != _fields_checksum(fields):
            raise ValueError("not as it was written")
        manifest = Manifest(**(fields if found == FORMAT else _as_now(fields)))
        _check_shape(manifest)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise IndexUnusable(f"{path} is damaged; build the index again") from None
    for problem in _wrong_sizes(folder, manifest):
        raise IndexUnusable(f"{problem}; build the index again")
    return manifest


def _check_shape(manifest: Manifest) -> None:
    """ValueError unless all is of its kind and no file lies outside; who has the checksum right may be a stranger."""
    for field in dataclasses.fields(manifest):
        kind = {"int": int, "str": str, "list": list, "dict": dict}[str(field.type).partition("[")[0]]
        if not isinstance(getattr(manifest, field.name), kind):
            raise ValueError(f"{field.name} is no {kind.__name__}")
    for name, file in manifest.files.items():
        if not _NAMES.fullmatch(name) or ".." in name.split("/"):
            raise ValueError(f"{name!r} is no file of an index")
        if not isinstance(file["bytes"], int) or not isinstance(file["blake2b"], str):
            raise ValueError(f"{name} is not described")


def stored_settings(folder: Path, manifest: Manifest) -> Settings:
    """The settings with which an index was built."""
    try:
        return settings_of(manifest.settings)
    except SettingsError as error:
        raise IndexUnusable(f"{folder / NAME} is damaged: {error}; build the index again") from None


def _readable() -> str:
    return f"formats {READABLE[0]} to {READABLE[-1]}"


def _rebuilding(fields: dict[str, Any], folder: Path) -> str:
    """The command that makes an index anew, from what it was made from if that can be known."""
    given = fields.get("inputs")
    paths = [each.get("path") for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    crawl = [shlex.quote(path) for path in paths[:_MOST_NAMED] if isinstance(path, str) and path.isprintable()]
    return f"pagekin build {' '.join(crawl) or 'CRAWL'} -o {shlex.quote(str(folder))} --force"


def _as_now(fields: dict[str, Any]) -> dict[str, Any]:
    """A manifest of an earlier format as one of today: what did not exist then is not in the index."""
    if fields["format"] == 1:
        fields = _with_spread(fields)
    if fields["format"] < 3:
        fields |= {"settings": fields["settings"] | {"cocitation": {"pages": 0}}, "cocitation": {}}
    if fields["format"] < 4:
        fields |= {"settings": fields["settings"] | {"duplicates": {"super_shingles": 0}}, "duplicates": {}}
    return fields


def _with_spread(fields: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had no concepts, and its nmdf another σ where none was set."""
    settings = fields["settings"]
    third = math.log(max(fields["counts"]["urls"], 3)) / 6
    strategy = settings["strategy"] | {"sigma": settings["strategy"]["sigma"] or round(third, 3)}
    return fields | {"settings": settings | {"strategy": strategy, "concepts": {"dimensions": 0}}}


def _wrong_sizes(folder: Path, manifest: Manifest) -> Iterator[str]:
    for name, expected in manifest.files.items():
        path = folder / name
        if not path.is_file():
            yield f"{path} is missing"
        elif path.stat().st_size != expected["bytes"]:
            yield f"{path} is damaged: {path.stat().st_size} bytes, expected {expected['bytes']}"


def damaged_files(folder: Path, manifest: Manifest) -> list[str]:
    """The files whose content is not what was written."""
    return [
        name
        for name, expected in manifest.files.items()
        if not (folder / name).is_file() or checksum(folder / name) != expected["blake2b"]
    ]
