"""The steps of a pipeline on tables in memory, and small webs made by hand to run them on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from pagekin.crawl.urls import page_id
from pagekin.engines.protocol import Fold, Map, Step, batches_of
from pagekin.pipelines import SCHEMAS, crawl_to_pages, pages_to_bags
from pagekin.settings import Settings, Strategy
from pagekin.tables import CAPTURES

Tables = dict[str, pa.Table]


def run_steps(steps: Sequence[Step], tables: Tables, lots: int = 1) -> Tables:
    """All tables after these steps; a Map gets its rows in so many lots, each apart from the others."""
    tables = dict(tables)
    for step in steps:
        if isinstance(step, Map | Fold):
            tables |= _outputs(step, tables, lots)
    return tables


def _outputs(step: Map | Fold, tables: Tables, lots: int) -> Tables:
    sides = {name: tables.get(name, SCHEMAS[name].empty_table()) for name in step.uses}
    found: dict[str, list[pa.RecordBatch]] = {name: [] for name in step.writes}
    for lot in _lots(step, tables[step.reads], lots):
        for name, batch in step.step(lot, **sides):
            found[name].append(batch)
    return {name: pa.Table.from_batches(batches, SCHEMAS[name]) for name, batches in found.items()}


def _lots(step: Map | Fold, table: pa.Table, lots: int) -> Iterator[Iterable[pa.RecordBatch]]:
    if isinstance(step, Fold):
        order = [table[name].to_numpy() for name in reversed(step.key)]
        yield batches_of(table.take(pa.array(np.lexsort(order))) if order and table.num_rows else table)
        return
    rows = table.select(list(step.columns)) if step.columns else table
    size = max(-(-rows.num_rows // lots), 1)
    for start in range(0, max(rows.num_rows, 1), size):
        yield batches_of(rows.slice(start, size))


def web(pages: Mapping[str, str]) -> Tables:
    """PAGES, LEXICON and URLS of pages by their addresses."""
    rows = [
        {
            "source": "test", "url": url, "html": html.encode(), "encoding": "utf-8", "moved_to": "", "moved_by": "",
            "captured_at": datetime(2020, 1, 1, tzinfo=UTC),
        }
        for url, html in pages.items()
    ]  # fmt: skip
    captures = pa.Table.from_pylist(rows, schema=CAPTURES)
    nothing = {name: schema.empty_table() for name, schema in SCHEMAS.items()}
    return run_steps(crawl_to_pages(Settings()), {**nothing, "captures": captures})


def bags_of(tables: Tables, strategy: Strategy, lots: int = 1) -> Tables:
    """All tables from PAGES to BAGS under a strategy."""
    return run_steps(pages_to_bags(Settings(strategy=strategy)), tables, lots)


@dataclass(frozen=True)
class Bag:
    """A bag for a person to read: frequencies and weights by the text of the term."""

    frequencies: dict[str, float]
    weights: dict[str, float]


def bag(tables: Tables, url: str) -> Bag | None:
    """The bag of a page by its address; a page that links is the term `<its address>`."""
    words = tables["terms"]["text"].to_pylist()
    links = tables["urls"]["url"].to_pylist()
    for row in tables["bags"].to_pylist():
        if row["page"] == page_id(url):
            terms = [words[n] if n < len(words) else f"<{links[n - len(words)]}>" for n in row["terms"]]
            frequencies = [frequency / 1024 for frequency in row["frequencies"]]
            pairs = (zip(terms, values, strict=True) for values in (frequencies, row["weights"]))
            return Bag(*(dict(pair) for pair in pairs))
    return None


PLAIN = Strategy(
    content=0, anchors=1, distance=False, frequency="none", stop_words="none", stemming="nostem", repeats=0,
    template_pages=0,
)  # fmt: skip
"""A strategy under which a bag is the words of the windows, each as often as it is there."""


def frequencies(pages: Mapping[str, str] | str, url: str, strategy: Strategy = PLAIN) -> dict[str, float]:
    """The frequencies in the bag of `url`; one page alone stands at http://a.test/."""
    pages = {"http://a.test/": pages} if isinstance(pages, str) else pages
    found = bag(bags_of(web(pages), strategy), url)
    return found.frequencies if found else {}


TARGET = "http://t.test/"


def around(html: str, strategy: Strategy = PLAIN) -> str:
    """The words that a page gives to TARGET, in their order; `[…]` in the page is the link to it."""
    linked = re.sub(r"\[(.*?)\]", rf"<a href={TARGET}>\1</a>", html, flags=re.DOTALL)
    found = frequencies(linked, TARGET, strategy)
    words = re.findall(r"\w+", re.sub(r"<[^>]*>", " ", linked))
    return " ".join(word for word in words if word.lower() in found)
