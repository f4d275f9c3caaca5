"""JSON lines: one object a page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator

from pagekin.exports.rows import PageRow

# JSON leaves these as they are, but some readers take them for the end of a line.
_LINE_ENDS = str.maketrans({"\u0085": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def json_lines(rows: Iterable[PageRow]) -> Iterator[str]:
    """A line for each page, `{"url", "title", "related": [{"rank", "url", "title", "score"}]}`."""
    for row in rows:
        yield json.dumps(dataclasses.asdict(row), ensure_ascii=False).translate(_LINE_ENDS) + "\n"
