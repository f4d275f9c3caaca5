"""Whether two indexes hold the same: tables row for row, stores byte for byte, keywords by what is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pagekin
from pagekin.engines.parts import read_table
from pagekin.pipelines import KEPT, SCHEMAS
from pagekin.stores.manifest import NAME, read_manifest

TOLD = ("format", "settings_digest", "languages", "counts", "rejected", "duplicates", "cocitation")


def differences(one: Path, other: Path) -> list[str]:
    """What is not the same in two indexes of one crawl."""
    return [*_manifests(one, other), *_tables(one, other), *_files(one, other)]


def _manifests(one: Path, other: Path) -> Iterator[str]:
    first, second = read_manifest(one), read_manifest(other)
    for name in TOLD:
        if getattr(first, name) != getattr(second, name):
            yield f"{name} of the manifest"


def _tables(one: Path, other: Path) -> Iterator[str]:
    for name in KEPT:
        tables = [read_table(index / name, SCHEMAS[name]).combine_chunks() for index in (one, other)]
        if not tables[0].equals(tables[1]):
            yield f"table {name}"


def _files(one: Path, other: Path) -> Iterator[str]:
    """Files of stores; those of the keyword index have random names."""
    names = {path.relative_to(index) for index in (one, other) for path in index.rglob("*") if path.is_file()}
    for name in sorted(names):
        if name.parts[0] not in (*KEPT, "keywords", NAME):
            files = [index / name for index in (one, other)]
            if not all(file.is_file() for file in files) or files[0].read_bytes() != files[1].read_bytes():
                yield str(name)


def answers(index: Path, urls: list[str], queries: list[str]) -> list[object]:
    """What an index answers to some questions."""
    opened = pagekin.open(index)
    related = [[(found.url, found.score) for found in opened.related(url).results] for url in urls]
    searched = [[(found.url, round(found.score, 5)) for found in opened.search(query).results] for query in queries]
    return [*related, *searched]
