"""How fast is a page scanned, next to a parser of HTML in C?

From one run, on the same pages, on one core, warm:

- *pagekin*: the bytes of a capture, their encoding found, to finished rows of PAGES, links resolved;
- *walk*: selectolax (lexbor) parses a tree and Python walks it, for the words and the resolved links in order;
- *parse*: selectolax parses alone. Each tree is freed at once.

The ways take turns, and the best of their rounds counts. Pages come from crawl files that are named, or from the
real pages next to the repository, or from the sample web.

    python benchmarks/scan.py [CRAWL ...] [--pages 500] [--rounds 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

import numpy as np
import pyarrow as pa
from selectolax.lexbor import LexborHTMLParser

from pagekin.crawl.captures import read_captures
from pagekin.crawl.encoding import utf8_html
from pagekin.crawl.inputs import find_splits
from pagekin.sample import write_sample
from pagekin.scan.page import scan_captures
from pagekin.settings import CrawlSettings
from pagekin.tables import CAPTURES

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("schools-wikipedia", "see-also-docs", "uci-crawl", "varied-pages")
MOST_SPLITS = 24  # of a large crawl; enough to choose pages from
BATCH_PAGES = 256

Page = tuple[str, bytes, str]  # URL, HTML as captured, content type
Way = Callable[[list[Page]], object]


# --- the ways -----------------------------------------------------------------------------------------------


def pagekin_rows(pages: list[Page]) -> int:
    """The words that pagekin finds, in finished rows."""
    words = 0
    for _, batch in scan_captures(_captures(pages[k : k + BATCH_PAGES]) for k in range(0, len(pages), BATCH_PAGES)):
        if "words" in batch.schema.names:
            words += len(batch["words"].flatten())
    return words


def _captures(pages: list[Page]) -> pa.RecordBatch:
    bodies = [utf8_html(body, content_type) for _, body, content_type in pages]
    same = [""] * len(pages)
    columns: dict[str, list[Any]] = {
        "source": same,
        "url": [url for url, _, _ in pages],
        "captured_at": [datetime(2020, 1, 1, tzinfo=UTC)] * len(pages),
        "html": [body for body, _ in bodies],
        "encoding": [encoding for _, encoding in bodies],
        "moved_to": same,
        "moved_by": same,
    }
    return pa.record_batch([_array(columns[field.name], field.type) for field in CAPTURES], schema=CAPTURES)


def _array(values: list[Any], type_: pa.DataType) -> pa.Array:
    if type_ != pa.large_binary():
        return pa.array(values, type_)
    # As the reader of captures does it: pages are laid end to end once, not grown.
    offsets = np.cumsum([0, *map(len, values)], dtype=np.int64)
    return pa.Array.from_buffers(type_, len(values), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))])


_WORD = re.compile(r"\w+")
_HIDDEN = frozenset({"script", "style", "template", "iframe", "noembed", "noframes"})


def lexbor_walk(pages: list[Page]) -> int:
    """The words that a walk over the tree finds; it also resolves the links."""
    words = 0
    for url, body, _ in pages:
        found: list[str] = []
        links: list[str] = []
        _walk(LexborHTMLParser(body), url, found, links)
        words += len(found)
    return words


def _walk(tree: LexborHTMLParser, url: str, words: list[str], links: list[str]) -> None:
    split = _WORD.findall
    root: Any = tree.root
    for node in root.traverse(include_text=True):
        tag = node.tag
        if tag == "-text":
            if node.parent.tag not in _HIDDEN:
                words += split(node.text_content.lower())
        elif tag == "a":
            href = node.attributes.get("href")
            if href:
                try:
                    links.append(urljoin(url, href))
                except ValueError:
                    continue


def lexbor_parse(pages: list[Page]) -> None:
    """Trees, each freed as soon as it is there."""
    for _, body, _ in pages:
        LexborHTMLParser(body)


WAYS: dict[str, Way] = {"pagekin": pagekin_rows, "walk": lexbor_walk, "parse": lexbor_parse}


def best_seconds(pages: list[Page], rounds: int) -> dict[str, float]:
    """The best CPU time of each way; they take turns, so that what else the machine does meets all alike."""
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(rounds):
        for name, way in WAYS.items():
            start = time.process_time()
            way(pages)
            best[name] = min(best[name], time.process_time() - start)
    return best


# --- the pages ----------------------------------------------------------------------------------------------


def chosen_pages(path: Path, count: int) -> list[Page]:
    """A seeded sample of the pages of a folder of HTML or of a crawl file."""
    dice = random.Random(1)
    files = [file for file in sorted(path.rglob("*")) if file.suffix in (".html", ".htm")]
    if files:
        chosen = dice.sample(files, min(count, len(files)))
        return [(_address(file.relative_to(path)), file.read_bytes(), "") for file in chosen]
    pages = _captured_pages(path, dice)
    return dice.sample(pages, min(count, len(pages)))


def _address(path: Path) -> str:
    return f"http://pages.test/{quote(path.as_posix())}"


def _captured_pages(path: Path, dice: random.Random) -> list[Page]:
    """The reader gives UTF-8 already, so that is what the content type says here."""
    settings = CrawlSettings(split_bytes=4 << 20)
    splits = find_splits([str(path)], settings)[0]
    splits = dice.sample(splits, min(MOST_SPLITS, len(splits)))
    batches = [batch for split in splits for name, batch in read_captures(split, settings) if name == "captures"]
    pages = [pair for batch in batches for pair in zip(batch["url"], batch["html"], strict=True)]
    return [(url.as_py(), html.as_py(), "text/html; charset=utf-8") for url, html in pages if len(html.as_py())]


def crawls(named: list[Path], folder: Path) -> Iterator[tuple[str, Path]]:
    """What was named, else the real pages, else the sample web."""
    if named:
        yield from ((path.name, path) for path in named)
    elif (SHARED / "unpack").exists():
        subprocess.run([sys.executable, str(SHARED / "unpack"), str(folder), *SETS], check=True)
        yield from ((name, folder / ("uci-crawl.warc.gz" if name == "uci-crawl" else name)) for name in SETS)
    else:
        write_sample(folder, 2000)
        yield "sample web", folder


# --- the report ---------------------------------------------------------------------------------------------


def measured(name: str, pages: list[Page], rounds: int) -> dict[str, str | float]:
    """One line of the report."""
    seconds = best_seconds(pages, rounds)
    size = sum(len(body) for _, body, _ in pages)
    return {
        "set": name,
        "pages": len(pages),
        "bytes_per_page": round(size / len(pages)),
        **{f"{way}_pages_per_second": round(len(pages) / taken) for way, taken in seconds.items()},
        "times_walk": round(seconds["walk"] / seconds["pagekin"], 2),
        "times_parse": round(seconds["parse"] / seconds["pagekin"], 2),
    }


def print_table(lines: list[dict[str, str | float]]) -> None:
    """The report for a person."""
    heads = ("pages", "bytes/page", "pagekin/s", "walk/s", "parse/s", "÷ walk", "÷ parse")
    print(f"{'set':20}" + "".join(f"{head:>11}" for head in heads))
    for line in lines:
        name, *figures = line.values()
        print(f"{name:20}" + "".join(f"{figure:>11}" for figure in figures))


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawl", nargs="*", type=Path, help="a folder of HTML or a crawl file")
    parser.add_argument("--pages", type=int, default=500, help="how many pages of each set")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way takes its turn")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args()
    pagekin_rows([("http://warm.test/", b"<a href=x>warm</a>", "")])
    with tempfile.TemporaryDirectory() as folder:
        sets = crawls(options.crawl, Path(folder))
        lines = [measured(name, chosen_pages(path, options.pages), options.rounds) for name, path in sets]
    print(json.dumps(lines, indent=2)) if options.json else print_table(lines)


if __name__ == "__main__":
    main()
