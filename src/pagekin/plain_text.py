"""Text from a crawl as it may be shown to a person: nothing in it is obeyed by what shows it."""

from __future__ import annotations

import re

# What a terminal or a browser would obey, and what XML has no place for.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]+")


def shown(text: str) -> str:
    """A text from a crawl without what would be obeyed: control characters, and changes of direction.

    >>> shown("evil\\u202etxt.exe\\n")
    'evil txt.exe'
    """
    return _OBEYED.sub(" ", text).strip()
