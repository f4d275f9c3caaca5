"""Writes the sample web and its truth page by page, so that only the disk bounds its size."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from pagekin.sample.captures import captures, crawler, fetched_url
from pagekin.sample.documents import document
from pagekin.sample.sites import Web
from pagekin.sample.truth import TRUTH_FILES, TruthWriter
from pagekin.sample.warc_writer import WarcWriter

PAGES_PER_FILE = 50_000

Progress = Callable[[int], None]


@dataclass(frozen=True)
class SampleSummary:
    """What was written: a page may have several records, and a record need not be a page."""

    pages: int
    records: int
    never_fetched: int
    files: tuple[Path, ...]


def write_sample(directory: Path, pages: int = 2000, seed: int = 1, progress: Progress | None = None) -> SampleSummary:
    """Write a web of `pages` pages with the truth about it; `progress` is told how many pages are done.

    The same pages and seed give the same bytes. An earlier sample in the directory is replaced at the end.
    """
    if pages < 1:
        raise ValueError(f"a sample web has at least one page, not {pages}")
    web = Web(pages, seed)
    directory.mkdir(parents=True, exist_ok=True)
    with _written_beside(directory) as beside, TruthWriter(beside) as truth:
        records = sum(_write_file(beside, web, part, truth, progress) for part in range(_file_count(web)))
    return SampleSummary(pages, records, truth.never_fetched, _files(directory))


def _file_count(web: Web) -> int:
    return -(-web.pages // PAGES_PER_FILE)


def _write_file(directory: Path, web: Web, part: int, truth: TruthWriter, progress: Progress | None) -> int:
    """Write one WARC file and return the number of its records."""
    name = f"sample-{part:05}.warc.gz" if _file_count(web) > 1 else "sample.warc.gz"
    with WarcWriter(directory / name, f"pagekin:sample/{web.seed}/{web.pages}/{part}") as warc:
        warc.write(crawler(web, name))
        for number in range(part * PAGES_PER_FILE, min((part + 1) * PAGES_PER_FILE, web.pages)):
            page = web.page(number)
            made = document(page)
            for record in captures(page, made):
                warc.write(record)
            truth.write(page, made, fetched_url(page))
            if progress and (number + 1) % 50 == 0:
                progress(number + 1)
    if progress:
        progress(number + 1)
    return warc.records


@contextmanager
def _written_beside(directory: Path) -> Iterator[Path]:
    """A directory to write in; its files take their places at the end, or are removed after a fault."""
    beside = Path(mkdtemp(prefix=".sample-", dir=directory))
    try:
        yield beside
        for old in _files(directory):
            old.unlink()
        for new in sorted(beside.iterdir()):
            new.rename(directory / new.name)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _files(directory: Path) -> tuple[Path, ...]:
    """The files of a sample in a directory, and nothing else that may be there."""
    warcs = sorted([*directory.glob("sample.warc.gz"), *directory.glob("sample-[0-9]*.warc.gz")])
    return (*warcs, *(directory / name for name in TRUTH_FILES if (directory / name).exists()))
