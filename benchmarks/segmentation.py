"""Are the blocks that links are put into those that a person sees, and how fast are they found?

    python benchmarks/segmentation.py --data DIR

Compares blocks with blocks that are known, as Shen et al. do (Equations 2 to 4): *E-precision* is the share of the
blocks found that are a known block, *I-precision* the share that lie inside one. Both speak of what was found; `exact`
is how many of the known blocks of two links or more were found as they are. A block has two links or more.

- *Sample web*: its own `blocks.tsv`. A link is known by the id of its page there, so blocks are sets of pages.
- *Varied pages*: real pages of all kinds, in DIR/varied-pages, cut into blocks by hand (`labels/blocks.tsv`). The
  thresholds were chosen on some of them; the others, `judges`, were looked at by no one who chose. DIR is `--data`, or
  else what PAGEKIN_DATA says. Without it they are left out.

Three ways: the sections *before adjusting*; the *paper's rules*; and *pagekin*, for which headings, rules and the edges
of lists and tables always end a block. Each once for the links with a text and once for all. A link without words has
no certain place between two breaks of the stream, since both stand before the same word; so it may be counted to the
block behind it. That does no harm: the filter of empty anchors drops it before there are pairs.

The paper's own figures (Table 1) stand beside; they are of 56 other pages, cut by other people, so they tell no more
than what may be expected. Speed is that of one core in processor time, the best of five runs, beside the scan of the
same pages.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.cocitation.blocks import Styled, link_blocks, sections_of, styled
from pagekin.crawl.captures import read_captures
from pagekin.crawl.encoding import utf8_html
from pagekin.crawl.inputs import find_splits
from pagekin.crawl.urls import canonical_url, page_id
from pagekin.sample import write_sample
from pagekin.scan.page import scan_captures
from pagekin.settings import CocitationSettings, CrawlSettings
from pagekin.tables import CAPTURES

LABELS = Path(__file__).parent / "labels" / "blocks.tsv"
CHOSE, JUDGES = "chose", "judges"
TIMES = 5
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DEFAULT = CocitationSettings()
WAYS = {"before adjusting": None, "paper's rules": CocitationSettings(edges=False), "pagekin": DEFAULT}
PAPER = {
    "by human": (1194, 1.0, 1.0),
    "before adjusting": (6628, 0.096, 0.989),
    "after adjusting": (3317, 0.297, 0.933),
}

Block = frozenset[int]
Captures = list[pa.RecordBatch]


# --- pages and their known blocks ---------------------------------------------------------------------------


class Page(NamedTuple):
    """A page of a chunk: what each of its links is called, which of them have a text, and its known blocks."""

    number: int
    names: NDArray[np.int64]
    has_text: NDArray[np.bool_]
    known: list[Block]


def scanned(captures: Captures) -> Styled:
    """Captures as the segmentation wants them."""
    pages = pa.Table.from_batches([batch for name, batch in scan_captures(captures) if name == "captured"])
    return styled(pages, np.zeros(pages.num_rows, np.int64))


def _page(pages: Styled, number: int, known: Iterable[Block], by_target: bool) -> Page:
    chunk = pages.chunk
    links = slice(chunk.link_ends[number], chunk.link_ends[number + 1])
    has_text = chunk.link_first[links] < chunk.link_last[links]
    names = chunk.link_page[links] if by_target else np.arange(len(has_text))
    return Page(number, names, has_text, list(known))


def sample_captures(folder: Path, pages: int) -> Captures:
    """A sample web as captures; its truth is in the folder, too."""
    write_sample(folder, pages, seed=1)
    splits, _ = find_splits([str(folder)], CrawlSettings())
    rows = (read_captures(split, CrawlSettings()) for split in splits)
    return [batch for split in rows for name, batch in split if name == "captures"]


def sample_pages(folder: Path, pages: Styled) -> list[Page]:
    """The pages of the sample web whose blocks are known; of one that was fetched twice, the first capture."""
    blocks: dict[int, dict[str, set[int]]] = {}
    for line in (folder / "blocks.tsv").read_text("utf-8").splitlines():
        url, block, link = line.split("\t")
        of_page = blocks.setdefault(page_id(canonical_url(url)), {})
        of_page.setdefault(block, set()).add(page_id(canonical_url(link, url)))
    _, firsts = np.unique(pages.chunk.page, return_index=True)
    there = ((number, blocks.get(int(pages.chunk.page[number]))) for number in np.sort(firsts).tolist())
    return [_page(pages, number, map(frozenset, known.values()), True) for number, known in there if known]


class Label(NamedTuple):
    """What is known of a page that was cut by hand."""

    part: str  # chose or judges
    links: int
    blocks: list[Block]


def read_labels() -> dict[str, Label]:
    """The pages that were cut by hand, by the names of their files."""
    labels: dict[str, Label] = {}
    for line in LABELS.read_text("utf-8").splitlines():
        name, part, links, ranges = line.split("\t")
        labels.setdefault(name, Label(part, int(links), [])).blocks.append(_numbers(ranges))
    return labels


def _numbers(ranges: str) -> Block:
    """The numbers of links that are written as 0-3,7."""
    ends = [part.partition("-") for part in ranges.split(",")]
    return frozenset(number for first, _, last in ends for number in range(int(first), int(last or first) + 1))


def varied_captures(folder: Path, names: Iterable[str]) -> Captures:
    """Real pages as captures, in one batch."""
    rows = []
    for name in names:
        html, encoding = utf8_html((folder / name).read_bytes(), "")
        row = {"source": "", "url": f"http://varied.invalid/dir/{name}", "captured_at": EPOCH}
        rows.append({**row, "html": html, "encoding": encoding, "moved_to": "", "moved_by": ""})
    return [pa.RecordBatch.from_pylist(rows, schema=CAPTURES)]


def varied_pages(labels: dict[str, Label], pages: Styled) -> dict[str, list[Page]]:
    """The pages that were cut by hand, in two parts."""
    parts: dict[str, list[Page]] = {CHOSE: [], JUDGES: []}
    for number, (name, label) in enumerate(labels.items()):
        page = _page(pages, number, label.blocks, False)
        if len(page.names) != label.links:
            raise SystemExit(f"{name} has {len(page.names)} links, not {label.links} as when it was cut by hand")
        parts[label.part].append(page)
    return parts


# --- precision ----------------------------------------------------------------------------------------------


def found_blocks(pages: Styled, page: Page, settings: CocitationSettings | None) -> Iterator[range]:
    """The blocks of a page as ranges of its links; without settings, those of the sections as they were scanned."""
    before, after = sections_of(pages, page.number, settings or DEFAULT)
    for section in after if settings else before:
        yield range(section["first_link"], section["last_link"])


def precision(pages: Styled, chosen: list[Page], settings: CocitationSettings | None, text: bool) -> dict[str, Any]:
    """Equations 2 to 4, and how many of the known blocks were found as they are."""
    blocks = equal = inside = known_blocks = exact = 0
    for page in chosen:
        counts = page.has_text | (not text)
        left_out = set(page.names.tolist()) - set(page.names[counts].tolist())
        known = {block - left_out for block in page.known}
        ranges = ([k for k in links if counts[k]] for links in found_blocks(pages, page, settings))
        found = [frozenset(page.names[links].tolist()) for links in ranges if len(links) > 1]
        blocks += len(found)
        equal += sum(block in known for block in found)
        inside += sum(any(block <= other for other in known) for block in found)
        large = {block for block in known if len(block) > 1}
        known_blocks += len(large)
        exact += len(large.intersection(found))
    shares = {"e_precision": round(equal / max(blocks, 1), 3), "i_precision": round(inside / max(blocks, 1), 3)}
    return {"blocks": blocks, **shares, "known": known_blocks, "exact": exact}


def precisions(pages: Styled, chosen: list[Page]) -> dict[str, Any]:
    """Every way, for links with a text and for all."""
    links = {"links with text": True, "all links": False}
    ways = {
        name: {way: precision(pages, chosen, settings, text) for way, settings in WAYS.items()}
        for name, text in links.items()
    }
    return {"pages": len(chosen), **ways}


# --- speed --------------------------------------------------------------------------------------------------


def _best_seconds(act: Callable[[], Any]) -> float:
    """The least processor time of some runs, the first of which is not counted."""
    act()
    spent = []
    for _ in range(TIMES):
        started = time.process_time()
        act()
        spent.append(time.process_time() - started)
    return min(spent)


def speed(captures: Captures, pages: Styled) -> dict[str, float]:
    """Pages a second of the segmentation, and of the scan that makes what it reads."""
    number = len(pages.chunk.page)
    blocks = _best_seconds(lambda: link_blocks(pages, DEFAULT))
    scan = _best_seconds(lambda: list(scan_captures(captures)))
    return {
        "pages": number,
        "links_per_page": round(len(pages.chunk.link_page) / number, 1),
        "pages_per_second": round(number / blocks),
        "scan_pages_per_second": round(number / scan),
        "share_of_scan": round(blocks / scan, 4),
    }


# --- all of it ----------------------------------------------------------------------------------------------


def figures_of(pages: int, data: Path | None) -> dict[str, Any]:
    """All that is measured."""
    with tempfile.TemporaryDirectory(prefix="pagekin-segmentation-") as name:
        captures = sample_captures(Path(name), pages)
        chunk = scanned(captures)
        precise = {"sample web": precisions(chunk, sample_pages(Path(name), chunk))}
        fast = {"sample web": speed(captures, chunk)}
    if data is not None:
        labels = read_labels()
        captures = varied_captures(data / "varied-pages", labels)
        chunk = scanned(captures)
        parts = varied_pages(labels, chunk)
        precise |= {f"varied pages, {part}": precisions(chunk, chosen) for part, chosen in parts.items()}
        fast["varied pages"] = speed(captures, chunk)
    return {"precision": precise, "speed": fast}


def print_figures(figures: dict[str, Any]) -> None:
    """Tables for a person."""
    print(f"{'Shen et al., Table 1':<28}{'blocks':>8}{'E':>9}{'I':>9}")
    for name, (blocks, equal, inside) in PAPER.items():
        print(f"  {name:<26}{blocks:>8,}{equal:>9.1%}{inside:>9.1%}")
    for name, part in figures["precision"].items():
        print(f"\n{name}, {part['pages']:,} pages")
        for links in ("links with text", "all links"):
            print(f"{links:<28}{'blocks':>8}{'E':>9}{'I':>9}{'known':>9}{'exact':>9}")
            for way, row in part[links].items():
                shares = f"{row['e_precision']:>9.1%}{row['i_precision']:>9.1%}"
                print(f"  {way:<26}{row['blocks']:>8,}{shares}{row['known']:>9,}{row['exact']:>9,}")
    print(f"\n{'speed':<20}{'pages':>8}{'links a page':>14}{'pages/s':>12}{'scan pages/s':>14}{'of scan':>10}")
    for name, row in figures["speed"].items():
        rates = f"{row['pages_per_second']:>12,}{row['scan_pages_per_second']:>14,}{row['share_of_scan']:>10.1%}"
        print(f"{name:<20}{row['pages']:>8,}{row['links_per_page']:>14}{rates}")


def data_folder(given: Path | None) -> Path | None:
    """Where the varied pages are, if anywhere."""
    named = os.environ.get("PAGEKIN_DATA")
    folder = given or (Path(named) if named else None)
    if folder is not None and (folder / "varied-pages").is_dir():
        return folder
    if given is not None:
        raise SystemExit(f"{given} has no folder varied-pages; give --data the folder that has it")
    return None


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder that has varied-pages; or PAGEKIN_DATA")
    parser.add_argument("--pages", type=int, default=2000, help="of the sample web")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    options = parser.parse_args()
    data = data_folder(options.data)
    figures = figures_of(options.pages, data)
    if options.json:
        print(json.dumps(figures))
        return
    print_figures(figures)
    if data is None:
        print("\nThe varied pages were left out: --data or PAGEKIN_DATA must name the folder that has varied-pages.")


if __name__ == "__main__":
    main()
