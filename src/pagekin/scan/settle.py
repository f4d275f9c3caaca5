"""From what each worker saw to what is so: one row a page, one address a page, one spelling a word.

The newest capture of a page counts; a page that moved is known by its new address, and links to the old one
lead to the new. Which worker saw what, and in which order, makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pagekin.grouping import grouped
from pagekin.tables import ALIASES, LEXICON, PAGES, URLS

Named = tuple[str, pa.RecordBatch]

PAGE_ITSELF = "page"  # the reason of an alias that only says: there is such a page
_TRUST = {"redirect": 0, "revisit": 1, "canonical": 2}
_LINK_COLUMNS = [name for name in PAGES.names if name.startswith("link_")]


def add_occurrences(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """LEXICON rows of one word become one."""
    for batch in batches:
        table = grouped(batch, ["word"], [("text", "min"), ("occurrences", "sum")])
        yield "lexicon", _as_batch(table, LEXICON)


def _as_batch(table: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
    columns = [column.combine_chunks() if column.num_chunks != 1 else column.chunk(0) for column in table.columns]
    return pa.record_batch([column.cast(f.type) for column, f in zip(columns, schema, strict=True)], schema=schema)


# --- aliases ------------------------------------------------------------------------------------------------


def settled_aliases(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """At most one alias for an address, and none for one that has a page of its own."""
    for batch in batches:
        best: dict[int, dict[str, str | int]] = {}
        captured = set(batch.filter(pc.equal(batch["reason"], PAGE_ITSELF))["page"].to_pylist())
        for row in batch.filter(pc.not_equal(batch["reason"], PAGE_ITSELF)).to_pylist():
            known = best.get(row["page"])
            if row["page"] not in captured and (known is None or _alias_order(row) < _alias_order(known)):
                best[row["page"]] = row
        if best:
            yield "moves", pa.RecordBatch.from_pylist(list(best.values()), schema=ALIASES)


def _alias_order(row: dict[str, str | int]) -> tuple[int, str, str]:
    return _TRUST[str(row["reason"])], str(row["target_url"]), str(row["url"])


def followed_aliases(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """Aliases of aliases lead to the end of their chain; those that run in a circle are dropped."""
    rows = {row["page"]: row for batch in batches for row in batch.to_pylist()}
    settled = [rows[page] | end for page, end in sorted(_chain_ends(rows).items()) if end is not None]
    if settled:
        yield "aliases", pa.RecordBatch.from_pylist(settled, schema=ALIASES)


def _chain_ends(rows: Mapping[int, dict[str, Any]]) -> dict[int, dict[str, Any] | None]:
    """Where each alias leads in the end, None for a circle; each is followed once, however long the chains."""
    ends: dict[int, dict[str, Any] | None] = {}
    for page in rows:
        path: dict[int, None] = {}
        at = page
        while at in rows and at not in ends and at not in path:
            path[at] = None
            at = rows[at]["target"]
        end = ends.get(at)  # None also if the path has bitten its own tail
        if at not in rows:
            last = rows[next(reversed(path))]
            end = {"target": last["target"], "target_url": last["target_url"]}
        ends.update(dict.fromkeys(path, end))
    return ends


# --- pages --------------------------------------------------------------------------------------------------


def settled_pages(batches: Iterable[pa.RecordBatch], aliases: pa.Table) -> Iterator[Named]:
    """One row a page, its links led on by the aliases; rows come sorted by site and page."""
    for batch in batches:
        rows = _newest_rows(batch)
        newest = batch.take(pa.array(rows)) if len(rows) < batch.num_rows else batch
        yield "pages", _led_on(newest, aliases) if aliases.num_rows else newest


def _newest_rows(batch: pa.RecordBatch) -> NDArray[np.int64]:
    """The number of the row that counts, for each page.

    A page fetched from its own address comes before one that another address says it is; then the later, then
    the one with more on it. Between those that are still alike anything may decide that is the same in any order.
    """
    page = batch["page"].to_numpy()
    first = np.flatnonzero(np.diff(page, prepend=page[:1] - 1) != 0)
    last = np.append(first[1:], len(page))
    chosen = first.copy()
    for group in np.flatnonzero(last - first > 1):
        chosen[group] = _newest_row(batch, range(first[group], last[group]))
    return chosen


def _newest_row(batch: pa.RecordBatch, rows: Sequence[int]) -> int:
    order = [_precedence(batch, row) for row in rows]
    highest = max(order)
    best = [row for row, precedence in zip(rows, order, strict=True) if precedence == highest]
    return best[0] if len(best) == 1 else max(best, key=lambda row: repr(batch.slice(row, 1).to_pylist()))


def _precedence(batch: pa.RecordBatch, row: int) -> tuple[bool, int, int]:
    return (
        batch["captured_as"][row].as_py() == "",
        batch["captured_at"][row].value,
        len(batch["words"][row]),
    )


def _led_on(batch: pa.RecordBatch, aliases: pa.Table) -> pa.RecordBatch:
    """The same pages with every link to an old address leading to the new one."""
    order = np.argsort(aliases["page"].to_numpy())
    old = aliases["page"].to_numpy()[order]
    targets = batch["link_page"].flatten().to_numpy()
    place = np.minimum(np.searchsorted(old, targets), len(old) - 1)
    moved = old[place] == targets
    if not moved.any():
        return batch
    alias = pa.array(order[place[moved]])
    new_targets = targets.copy()
    new_targets[moved] = aliases["target"].take(alias).to_numpy()
    new_urls = pc.replace_with_mask(
        batch["link_url"].flatten(), pa.array(moved), aliases["target_url"].take(alias).combine_chunks()
    )
    columns = {name: batch[name].flatten() for name in _LINK_COLUMNS}
    columns |= {"link_page": pa.array(new_targets), "link_url": new_urls}
    return _without_own(batch, columns)


def _without_own(batch: pa.RecordBatch, links: dict[str, pa.Array]) -> pa.RecordBatch:
    """A batch with other links, less those of a page to itself."""
    counts = batch["link_page"].value_lengths().to_numpy()
    source = np.repeat(np.arange(len(counts)), counts)
    kept = links["link_page"].to_numpy() != batch["page"].to_numpy()[source]
    offsets = np.zeros(len(counts) + 1, np.int32)
    offsets[1:] = np.cumsum(np.bincount(source[kept], minlength=len(counts)))
    columns = {name: batch[name] for name in PAGES.names}
    for name, items in links.items():
        type_ = PAGES.field(name).type
        columns[name] = pa.ListArray.from_arrays(pa.array(offsets), items.filter(pa.array(kept)), type=type_)
    return pa.record_batch([columns[name] for name in PAGES.names], schema=PAGES)


# --- addresses ----------------------------------------------------------------------------------------------


def addresses(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """URLS rows for every page and for everything that a page links to."""
    for batch in batches:
        own = [batch["page"], batch["url"], pa.array(np.ones(batch.num_rows, np.bool_))]
        yield "addresses", pa.record_batch([*own, pa.array(np.zeros(batch.num_rows, np.int64))], schema=URLS)
        links = pa.table({"page": batch["link_page"].flatten(), "url": batch["link_url"].flatten()})
        if links.num_rows:
            linked = grouped(links, ["page"], [("url", "min"), ("url", "count")])
            targets = [linked["page"], linked["url_min"], pa.array(np.zeros(linked.num_rows, np.bool_))]
            yield "addresses", _as_batch(pa.table([*targets, linked["url_count"]], names=URLS.names), URLS)


def settled_addresses(batches: Iterable[pa.RecordBatch]) -> Iterator[Named]:
    """One row an address; a page that was fetched keeps the spelling of its own URL."""
    for batch in batches:
        own = pc.if_else(batch["fetched"], batch["url"], "")
        rows = pa.table(batch).append_column("own", own)
        sums = [("url", "min"), ("fetched", "max"), ("in_links", "sum"), ("own", "max")]
        table = grouped(rows, ["page"], sums)
        url = pc.if_else(pc.equal(table["own_max"], ""), table["url_min"], table["own_max"])
        columns = [table["page"], url, table["fetched_max"], table["in_links_sum"]]
        yield "urls", _as_batch(pa.table(columns, names=URLS.names), URLS)
