"""PAGES and what belongs to it, from an index or straight from crawl files: all that a strategy is made from."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.crawl.inputs import find_splits
from pagekin.engines.parts import read_table, table_parts
from pagekin.engines.protocol import Engine
from pagekin.errors import SettingsError
from pagekin.pipelines import KEPT, SCHEMAS, crawl_to_pages
from pagekin.settings import Settings
from pagekin.stores.manifest import NAME, read_manifest, stored_settings
from pagekin.stores.soundness import check_pages
from pagekin.stores.verified import Verified


@dataclass(frozen=True)
class CrawlTables:
    """The tables of a crawl, each in a folder of its own."""

    name: str
    folder: Path
    settings: Settings
    base_urls: tuple[str, ...]  # of the folders that were read, for paths in them
    stored: Settings | None = None  # with which an index was built

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """A whole table, or some of its columns."""
        return read_table(self.folder / name, SCHEMAS[name], columns)

    @property
    def bytes(self) -> int:
        """How much PAGES takes on disk."""
        return sum(part.stat().st_size for part in table_parts(self.folder / "pages"))


def is_index(inputs: Sequence[str]) -> bool:
    """Whether what was given is one index, and not crawl files; also one that is damaged."""
    indexes = [path for path in map(Path, inputs) if (path / NAME).is_file() or (path / "shards").is_dir()]
    if indexes and len(inputs) > 1:
        raise SettingsError(f"{indexes[0]} is an index; give one index, or any number of crawl files")
    return bool(indexes)


def index_tables(path: Path) -> CrawlTables:
    """The tables that an index keeps."""
    manifest = read_manifest(path)
    bases = tuple(given["base_url"] for given in manifest.inputs if given.get("base_url"))
    settings = stored_settings(path, manifest)
    verified = Verified(path, manifest)
    verified.check(*KEPT)
    verified.sound("pages", lambda: check_pages(path / "pages"))
    return CrawlTables(path.name, path, settings, bases, settings)


def crawl_tables(inputs: Sequence[str], settings: Settings, work: Path, engine: Engine) -> CrawlTables:
    """The tables of crawl files, made in a folder of work."""
    splits, _ = find_splits(inputs, settings.crawl)
    engine.run(crawl_to_pages(settings), splits, SCHEMAS, work)
    bases = tuple(dict.fromkeys(split.base_url for split in splits if split.base_url))
    return CrawlTables(Path(inputs[0]).name, work, settings, bases)


def link_tables(work: Path, folder: Path, names: Iterable[str]) -> None:
    """Have tables of one folder stand in another."""
    for name in names:
        (work / name).symlink_to((folder / name).absolute())


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a URL matches any of some patterns with * and ?.

    >>> matcher(["*/index/*"])("http://site/index/a.html")
    True
    """
    expression = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns) or r"(?!)")
    return lambda url: expression.match(url) is not None


def without_pages(tables: CrawlTables, excluded: Callable[[str], bool], work: Path) -> CrawlTables:
    """The same crawl as if some of its pages had never been fetched: neither their words nor their links count."""
    (work / "pages").mkdir(parents=True)
    for part in table_parts(tables.folder / "pages"):
        with pq.ParquetFile(part) as file, pq.ParquetWriter(work / "pages" / part.name, SCHEMAS["pages"]) as writer:
            for group in range(file.num_row_groups):
                pages = file.read_row_group(group)
                kept = [not excluded(url) for url in pages["url"].to_pylist()]
                writer.write_table(pages.filter(pa.array(kept, pa.bool_())))
    link_tables(work, tables.folder, ("lexicon", "urls", "aliases"))
    return replace(tables, folder=work, stored=None)
