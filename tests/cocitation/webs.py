"""Small webs made by hand, and the steps of co-citation run on webs by the engine for one machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.cocitation.blocks import Styled, styled
from pagekin.crawl.inputs import find_splits
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table
from pagekin.pipelines import (
    SCHEMAS,
    crawl_to_pages,
    pages_to_cocited,
    pages_to_duplicates,
    pages_to_sites,
    pages_to_terms,
)
from pagekin.scan.page import scan_captures
from pagekin.settings import CocitationSettings, Settings, Strategy
from pagekin.tables import CAPTURES, PAGES

Row = dict[str, Any]

SCANNED = ("pages", "lexicon", "urls", "word_terms", "terms", "languages", "duplicates", "mirrors")


class Tables:
    """The tables in a folder, read when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> pa.Table:
        return read_table(self.folder / name, SCHEMAS[name]).combine_chunks()

    def rows(self, name: str) -> list[Row]:
        rows: list[Row] = self[name].to_pylist()
        return rows


def scanned(crawl: Sequence[str], folder: Path, engine: LocalEngine | None = None) -> Tables:
    """All that co-citation is made from: pages, addresses and terms."""
    settings = Settings()
    splits, _ = find_splits(list(crawl), settings.crawl)
    steps = (*crawl_to_pages(settings), *pages_to_duplicates(settings), *pages_to_terms(settings.strategy))
    (engine or LocalEngine(workers=1)).run(steps, splits, SCHEMAS, folder)
    return Tables(folder)


def cocited(
    tables: Tables, folder: Path, cocitation: CocitationSettings | None = None, engine: LocalEngine | None = None,
    strategy: Strategy | None = None,
) -> Tables:  # fmt: skip
    """The tables of co-citation, made in a folder beside those they are made from."""
    settings = Settings(cocitation=cocitation or CocitationSettings(), strategy=strategy or Strategy())
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCANNED:
        if (tables.folder / name).exists():
            (folder / name).symlink_to(tables.folder / name)
    steps = (*pages_to_sites(settings), *pages_to_cocited(settings))
    (engine or LocalEngine(workers=1)).run(steps, [], SCHEMAS, folder)
    return Tables(folder)


def write_table(folder: Path, name: str, table: pa.Table) -> None:
    """Put a table where the engine looks for it."""
    (folder / name).mkdir(parents=True)
    pq.write_table(table, folder / name / f"{name}-000000.parquet", row_group_size=max(table.num_rows // 5, 1))


def with_pages(tables: Tables, pages: pa.Table, folder: Path) -> Tables:
    """The same crawl with other pages, or the same ones in another order."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder, "pages", pages)
    for name in SCANNED[1:]:
        (folder / name).symlink_to(tables.folder / name)
    return Tables(folder)


def warc(pages: Mapping[str, str]) -> bytes:
    """Pages by their addresses as one WARC file."""
    return b"".join(_record(url, html.encode()) for url, html in pages.items())


def _record(url: str, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:test:{url}>\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def web(pages: Mapping[str, str], folder: Path) -> Tables:
    """The tables of a web made by hand, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "web.warc").write_bytes(warc(pages))
    return scanned([str(folder / "web.warc")], folder / "tables")


# --- pages alone --------------------------------------------------------------------------------------------


def page_rows(pages: Iterable[tuple[str, bytes]]) -> list[Row]:
    """The rows of PAGES for some pages by their addresses."""
    captures = [
        {
            "source": "test", "url": url, "html": html, "encoding": "utf-8", "moved_to": "", "moved_by": "",
            "captured_at": datetime(2020, 1, 1, tzinfo=UTC),
        }
        for url, html in pages
    ]  # fmt: skip
    batches = scan_captures([pa.RecordBatch.from_pylist(captures, schema=CAPTURES)])
    return [row for _, batch in batches if batch.schema.equals(PAGES) for row in batch.to_pylist()]


def page_row(html: str) -> Row:
    """The row of PAGES of one page at http://a.test/."""
    (row,) = page_rows([("http://a.test/", html.encode())])
    return row


def styled_rows(rows: Sequence[Row]) -> Styled:
    """Rows of PAGES as the kernels read them."""
    return styled(pa.Table.from_pylist(list(rows), schema=PAGES), np.zeros(len(rows), np.int64))
