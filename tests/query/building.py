"""How these tests build an index."""

from __future__ import annotations

from pathlib import Path

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.index import Index
from pagekin.settings import Settings


def built_index(crawl: Path, settings: Settings | None = None, name: str = "web.kin") -> Index:
    """The index of a crawl, written beside it."""
    out = crawl.with_name(name)
    pagekin.build(crawl, out, settings, engine=LocalEngine(workers=1))
    return pagekin.open(out)
