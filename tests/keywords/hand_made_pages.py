"""Pages that tests write by hand, as the tables of a crawl and as a keyword index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pagekin.crawl.urls import page_id, site_of
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import read_table, table_parts
from pagekin.engines.protocol import Fold, Map
from pagekin.hashing import hash_text
from pagekin.keywords.anchors import LINK_COLUMNS, anchor_texts, fewer_link_texts, link_texts
from pagekin.stores.keyword_index import write_keywords
from pagekin.stores.vocabulary_store import write_vocabulary
from pagekin.tables import ANCHOR_TEXTS, LEXICON, LINK_TEXTS, PAGES, URLS

STEPS = (
    Map("link texts", reads="pages", writes=("link_texts",), columns=LINK_COLUMNS, step=link_texts),
    Fold(
        "anchor texts", reads="link_texts", writes=("anchor_texts",), key=("site_id", "page"), uses=("urls",),
        combine=fewer_link_texts, step=anchor_texts,
    ),
)  # fmt: skip
SCHEMAS = {"pages": PAGES, "urls": URLS, "link_texts": LINK_TEXTS, "anchor_texts": ANCHOR_TEXTS}
MARCH = datetime(2020, 3, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Link:
    """A link with its text, which stands at the end of a page."""

    url: str
    text: str
    nofollow: bool = False


@dataclass(frozen=True)
class HandMade:
    """A page: its words with blanks between them, before its title (as a rule none) and behind it."""

    url: str
    body: str = ""
    title: str = ""
    language: str = "en"
    links: tuple[Link, ...] = ()
    captured_at: datetime = MARCH
    before: str = ""

    @property
    def words(self) -> list[str]:
        """All words in their order."""
        return " ".join((self.before, self.title, self.body, *(link.text for link in self.links))).split()

    @property
    def row(self) -> dict[str, Any]:
        """The row of PAGES."""
        first = len(self.before.split())
        last = first + len(self.title.split())
        at, spans = last + len(self.body.split()), []
        for link in self.links:
            spans.append((at, at + len(link.text.split())))
            at = spans[-1][1]
        lists: dict[str, Any] = {field.name: [] for field in PAGES if pa.types.is_list(field.type)}
        return lists | {
            "site_id": hash_text(site_of(self.url)),
            "page": page_id(self.url),
            "url": self.url,
            "site": site_of(self.url),
            "title": self.title,
            "language": self.language,
            "captured_at": self.captured_at,
            "captured_as": "",
            "noindex": False,
            "words": [hash_text(word) for word in self.words],
            "title_first": first,
            "title_last": last,
            "link_page": [page_id(link.url) for link in self.links],
            "link_url": [link.url for link in self.links],
            "link_first": [span[0] for span in spans],
            "link_last": [span[1] for span in spans],
            "link_nofollow": [link.nofollow for link in self.links],
        }


def pages_table(pages: Iterable[HandMade]) -> pa.Table:
    """PAGES in its order."""
    rows = sorted((page.row for page in pages), key=lambda row: (row["site_id"], row["page"]))
    return pa.Table.from_pylist(rows, PAGES)


def lexicon_table(pages: Iterable[HandMade]) -> pa.Table:
    """LEXICON of these pages."""
    counts = Counter(word for page in pages for word in page.words)
    rows = [{"word": hash_text(word), "text": word, "occurrences": count} for word, count in counts.items()]
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["word"]), LEXICON)


def urls_table(pages: Sequence[HandMade]) -> pa.Table:
    """URLS of these pages and of what they link to."""
    fetched = {page.url for page in pages}
    known = fetched | {link.url for page in pages for link in page.links}
    rows = [{"page": page_id(url), "url": url, "fetched": url in fetched, "in_links": 1} for url in known]
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["page"]), URLS)


def rows_of_anchors(pages: Sequence[HandMade]) -> pa.Table:
    """ANCHOR_TEXTS of these pages."""
    with TemporaryDirectory() as folder:
        write_tables(Path(folder), pages)
        return read_table(Path(folder) / "anchor_texts", ANCHOR_TEXTS)


def write_tables(folder: Path, pages: Sequence[HandMade]) -> None:
    """Write the tables of a crawl of these pages, ANCHOR_TEXTS among them."""
    tables = {"pages": pages_table(pages), "lexicon": lexicon_table(pages), "urls": urls_table(pages)}
    for name, table in tables.items():
        (folder / name).mkdir(parents=True)
        pq.write_table(table, folder / name / "part-0.parquet")
    LocalEngine(workers=1).run(STEPS, [], SCHEMAS, folder)


def write_keyword_index(folder: Path, pages: Sequence[HandMade], languages: Sequence[str] = ("en", "")) -> Path:
    """The folder of an index of these pages that has keywords and vocabulary."""
    write_tables(folder, pages)
    parts = [table_parts(folder / name) for name in ("pages", "anchor_texts", "lexicon")]
    write_keywords(folder / "keywords", *parts, languages)
    lexicon = lexicon_table(pages)
    write_vocabulary(folder / "vocabulary", lexicon["text"].combine_chunks(), lexicon["occurrences"].to_numpy())
    return folder
