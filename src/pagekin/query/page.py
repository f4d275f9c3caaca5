"""One HTML page, read as those of a crawl are."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa

from pagekin.crawl.encoding import utf8_html
from pagekin.scan.page import scan_captures
from pagekin.tables import CAPTURES, PAGES

NOWHERE = "http://question.invalid/"


def scanned_page(body: bytes, url: str = NOWHERE) -> tuple[pa.RecordBatch, dict[int, str]]:
    """The row of PAGES that a page becomes, and its words by their ids; no row for what has no web address."""
    html, encoding = utf8_html(body, "")
    row = {"source": "", "url": url, "captured_at": datetime(1970, 1, 1, tzinfo=UTC), "html": html}
    row |= {"encoding": encoding, "moved_to": "", "moved_by": ""}
    tables = dict(scan_captures([pa.RecordBatch.from_pylist([row], schema=CAPTURES)]))
    lexicon = tables.get("words")
    words = dict(zip(lexicon["word"].to_pylist(), lexicon["text"].to_pylist(), strict=True)) if lexicon else {}
    return tables.get("captured", pa.RecordBatch.from_pylist([], schema=PAGES)), words
