"""Sphinx: a data file, and an extension with the directive `related-pages`."""

from __future__ import annotations

from posixpath import commonpath
from typing import Any

from pagekin.exports.site_files import Boxes, SiteMaker


def with_base(boxes: Boxes) -> dict[str, Any]:
    """The boxes, and the folder that all pages have in common: there the documentation stands on its host.

    >>> with_base({"/3/a.html": [], "/3/library/b.html": []})["base"]
    '/3/'
    >>> with_base({"/3": [], "/3/a.html": []})["base"]
    '/3/'
    """
    last_parts = ((address, address.rpartition("/")) for address in boxes)
    folders = [folder or "/" if "." in name else address for address, (folder, _, name) in last_parts]
    base = commonpath(folders).rstrip("/") if folders else ""
    return {"base": f"{base}/", "pages": boxes}


SPHINX = SiteMaker(
    data="related_pages.json",
    template="pagekin_related.py",
    ready="sphinx/pagekin_related.py.txt",
    next_step='put this folder into sys.path in conf.py, and "pagekin_related" into extensions',
    shaped=with_base,
)
