"""The steps in order, as data: what each reads, writes, and looks up beside it."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from pagekin.crawl.captures import read_captures
from pagekin.engines.protocol import Fold, Map, Read, Step
from pagekin.scan.page import scan_captures
from pagekin.scan.settle import (
    add_occurrences,
    addresses,
    followed_aliases,
    settled_addresses,
    settled_aliases,
    settled_pages,
)
from pagekin.settings import Settings
from pagekin.tables import ALIASES, LEXICON, PAGES, REJECTED, URLS

SCHEMAS: dict[str, pa.Schema] = {
    "captured": PAGES,
    "words": LEXICON,
    "found_aliases": ALIASES,
    "moves": ALIASES,
    "addresses": URLS,
    "rejected": REJECTED,
    "aliases": ALIASES,
    "pages": PAGES,
    "lexicon": LEXICON,
    "urls": URLS,
}

KEPT = ("pages", "lexicon", "aliases", "urls")  # the tables that stay in an index


def crawl_to_pages(settings: Settings) -> tuple[Step, ...]:
    """From crawl files to PAGES, LEXICON and URLS: HTML is read here and never again."""
    read = partial(read_captures, settings=settings.crawl)
    scanned = ("captured", "words", "found_aliases", "rejected")
    return (
        Read("captures", writes=("captures", "rejected"), step=read),
        Map("scan", reads="captures", writes=scanned, step=scan_captures),
        Fold("lexicon", reads="words", writes=("lexicon",), key=("word",), step=add_occurrences),
        Fold("moves", reads="found_aliases", writes=("moves",), key=("page",), step=settled_aliases),
        Fold("aliases", reads="moves", writes=("aliases",), key=(), step=followed_aliases),
        Fold(
            "pages", reads="captured", writes=("pages",), key=("site_id", "page"), step=settled_pages, uses=("aliases",)
        ),
        Map("addresses", reads="pages", writes=("addresses",), step=addresses),
        Fold("urls", reads="addresses", writes=("urls",), key=("page",), step=settled_addresses),
    )
