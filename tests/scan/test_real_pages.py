"""The scanner against lexbor on real pages.

What differs, of 5,332 pages with 5.9 million words and 305,000 links:

- *Copies of links* (234 links, 38 pages). Where `<a>` is not closed before its block ends, a browser opens it anew in
  each block that follows, and the tree has a copy for each. The scanner counts the link once and lets it go on.
- *Framesets* (7 words, 3 links, 3 pages). A browser drops the text that stands behind a frameset; the scanner reads it.

On made-up pages, not on these, there also differ: text inside a table but outside its cells, which a browser moves
before the table; words on both sides of an end tag that ends nothing, which the scanner parts; markup inside of
<style> or <script> in SVG; `<template>` in SVG, which hides nothing there.

Both sides read the same UTF-8, with line ends made one, as the standard does before its tokenizer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

import numpy as np

from pagekin.crawl.captures import page_html, read_captures
from pagekin.crawl.inputs import find_splits
from pagekin.scan import html as columns
from pagekin.scan.page import _scanned
from pagekin.scan.vocabulary import Vocabulary
from pagekin.settings import CrawlSettings

from .oracle import Seen, seen

SAMPLES = {"varied-pages": 1032, "schools-wikipedia": 1000, "see-also-docs": 300, "uci-crawl": 3000}
AGREEMENT = 0.999


def test_words_and_links_agree_with_lexbor(real_data: Callable[[str], Path]) -> None:
    words, links, distinct = Tally(), Tally(), Tally()
    for name, size in SAMPLES.items():
        pages = _sample(real_data(name), size)
        for mine, theirs in zip(_scan(pages), map(seen, pages), strict=True):
            words.add(mine.words, theirs.words)
            links.add(mine.links, theirs.links)
            distinct.add(_without_copies(mine.links), _without_copies(theirs.links))
    print(f"words {words.agreement:.6f} of {words.all}, links {links.agreement:.6f} of {links.all}")
    assert words.agreement >= AGREEMENT
    assert links.agreement >= AGREEMENT
    assert distinct.agreement >= 0.9999


def _without_copies(links: list[str]) -> list[str]:
    """Links of one address that follow one another taken as one."""
    return [link for link, _ in groupby(links)]


class Tally:
    """How many of all items stand in both lists in the same order."""

    def __init__(self) -> None:
        self.all = self.same = 0

    def add(self, mine: Sequence[str], theirs: Sequence[str]) -> None:
        self.all += max(len(mine), len(theirs))
        self.same += len(mine) if mine == theirs else _common(mine, theirs)

    @property
    def agreement(self) -> float:
        return self.same / self.all


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of a common subsequence; what is alike at both ends is taken off first, for speed."""
    shorter = min(len(a), len(b))
    start = next((k for k in range(shorter) if a[k] != b[k]), shorter)
    end = next((k for k in range(shorter - start) if a[-1 - k] != b[-1 - k]), shorter - start)
    matcher = SequenceMatcher(None, a[start : len(a) - end], b[start : len(b) - end], autojunk=False)
    return start + end + sum(block.size for block in matcher.get_matching_blocks())


def test_common_counts_what_is_in_both() -> None:
    assert _common("abcxdef", "abcdyef") == 6
    assert _common("aaa", "aa") == 2
    assert _common("", "a") == 0


def _sample(path: Path, size: int) -> list[bytes]:
    pages = _warc_pages(path) if path.name.endswith(".warc.gz") else _folder_pages(path)
    return [page.replace(b"\r\n", b"\n").replace(b"\r", b"\n") for page in pages(size)]


def _folder_pages(folder: Path) -> Callable[[int], list[bytes]]:
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".htm", ".html"))

    def pages(size: int) -> list[bytes]:
        chosen = random.Random(7).sample(paths, min(size, len(paths)))
        return [page_html(path.read_bytes(), "")[0] for path in chosen]

    return pages


def _warc_pages(path: Path) -> Callable[[int], list[bytes]]:
    settings = CrawlSettings(split_bytes=2 << 20)
    splits = random.Random(7).sample(find_splits([str(path)], settings)[0], 40)

    def captured() -> Iterator[bytes]:
        for split in splits:
            for name, batch in read_captures(split, settings):
                yield from batch["html"].to_pylist() if name == "captures" else []

    def pages(size: int) -> list[bytes]:
        found = list(captured())
        return random.Random(7).sample(found, min(size, len(found)))

    return pages


def _scan(pages: list[bytes]) -> Iterator[Seen]:
    """What the kernel makes of the pages; links as they are written, before they are resolved."""
    vocabulary = Vocabulary()
    ends = np.cumsum([0, *map(len, pages)])
    stream, words = _scanned(np.frombuffer(b"".join(pages), np.uint8), ends, vocabulary)
    lexicon = vocabulary.lexicon()
    spelling = dict(zip(lexicon["word"].to_pylist(), lexicon["text"].to_pylist(), strict=True))
    word, link = 0, 0
    for row in stream.page:
        last_word, last_link = row[columns.WORD_END], row[columns.LINK_END]
        hrefs = [stream.strings[a:b].tobytes().decode("utf-8", "replace") for a, b in stream.hrefs[link:last_link]]
        yield Seen([spelling[id_] for id_ in words[word:last_word].tolist()], hrefs)
        word, link = last_word, last_link
