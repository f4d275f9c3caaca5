"""One way for all tests of the scanner to read a page, and to read it aloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from pagekin.scan.page import scan_captures
from pagekin.tables import CAPTURES, LEXICON, PAGES, Break

Row = dict[str, Any]
ADDRESS = "http://site.test/folder/page"


def captures(pages: Sequence[bytes]) -> pa.RecordBatch:
    """A batch of CAPTURES with these pages; the first is at ADDRESS."""
    rows = [
        {
            "source": f"test@{number}", "url": ADDRESS + str(number or ""), "html": html, "encoding": "utf-8",
            "captured_at": datetime(2020, 1, 1, tzinfo=UTC), "moved_to": "", "moved_by": "",
        }
        for number, html in enumerate(pages)
    ]  # fmt: skip
    return pa.RecordBatch.from_pylist(rows, schema=CAPTURES)


def tables(*batches: Sequence[bytes]) -> tuple[list[Row], list[Row]]:
    """The rows of PAGES and of LEXICON that the step gives for these batches of pages."""
    pages: list[Row] = []
    lexicon: list[Row] = []
    for _, batch in scan_captures(captures(batch) for batch in batches):
        batch.validate(full=True)
        if batch.schema.equals(PAGES):
            pages += batch.to_pylist()
        elif batch.schema.equals(LEXICON):
            lexicon += batch.to_pylist()
    return pages, lexicon


@dataclass
class Page:
    """A row of PAGES with its words spelt."""

    row: Row
    spelling: dict[int, str]

    @property
    def word_list(self) -> list[str]:
        return [self.spelling[word] for word in self.row["words"]]

    @property
    def words(self) -> str:
        return " ".join(self.word_list)

    @property
    def links(self) -> list[tuple[str, str]]:
        """The address of each link as seen from the folder of the page, and its anchor text."""
        spans = zip(self.row["link_url"], self.row["link_first"], self.row["link_last"], strict=True)
        folder = ADDRESS.rpartition("/")[0] + "/"
        return [(url.removeprefix(folder), " ".join(self.word_list[first:last])) for url, first, last in spans]

    @property
    def breaks(self) -> dict[int, Break]:
        return dict(zip(self.row["break_at"], map(Break, self.row["break_kinds"]), strict=True))

    @property
    def styles(self) -> list[tuple[str, int, bool, int, str, str]]:
        """Each run: its words, characters, bold, size, colour, background."""
        starts = self.row["style_at"]
        ends = [*starts[1:], len(self.word_list)]
        columns = [self.row[f"style_{name}"] for name in ("chars", "bold", "size", "color", "background")]
        runs = [" ".join(self.word_list[start:end]) for start, end in zip(starts, ends, strict=True)]
        return [
            (run, chars, bold, size, f"{color:06x}", f"{background:06x}")
            for run, chars, bold, size, color, background in zip(runs, *columns, strict=True)
        ]

    @property
    def bold(self) -> str:
        return " ".join(run[0] for run in self.styles if run[2])


def scan(html: str | bytes) -> Page:
    """One page as the step gives it."""
    pages, lexicon = tables([html.encode() if isinstance(html, str) else html])
    return Page(pages[0], {row["word"]: row["text"] for row in lexicon})


@pytest.fixture(scope="session", autouse=True)
def _kernels_compiled() -> None:
    """So that no one test is slow because it was the first."""
    scan("")
