"""Ready files for makers of static sites: the data of one host, and a template that shows the box.

A page is known by its address within the host, so that the files serve the live site and a copy on the desk alike.
The template is written once and is then the owner's to change; the data are written anew each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pagekin.exports.rows import PageRow, address_within_host
from pagekin.exports.targets import check_free, whole_file

Boxes = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class SiteMaker:
    """A program that makes sites, and where in the folder of a site it looks for files."""

    data: str
    template: str
    ready: str  # the template as this package has it
    next_step: str  # what the owner has to do, as an order
    shaped: Callable[[Boxes], Any] = lambda boxes: boxes  # what the data file holds


def boxes_of(rows: Iterable[PageRow]) -> Boxes:
    """The related pages of each page that has any, by its address within the host."""
    return {
        address_within_host(row.url): [
            {"url": address_within_host(near.url), "title": near.title or near.url, "score": near.score}
            for near in row.related
        ]
        for row in rows
        if row.related
    }


def check_site(maker: SiteMaker, folder: Path, force: bool) -> None:
    """Complain of data that may not be written, before work begins; folders that are missing are made."""
    path = folder / maker.data
    path.parent.mkdir(parents=True, exist_ok=True)
    check_free(path, force)


def write_site(rows: Iterable[PageRow], maker: SiteMaker, folder: Path, force: bool) -> None:
    """Write the data, and the template if there is none; all pages are of one host."""
    data = maker.shaped(boxes_of(rows))
    check_site(maker, folder, force)
    _write_template(maker.ready, folder / maker.template)
    with whole_file(folder / maker.data, force) as beside:
        beside.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8", newline="\n")


def _write_template(name: str, path: Path) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    text = resources.files("pagekin.exports").joinpath("ready", name).read_text("utf-8")
    with whole_file(path, force=False) as beside:
        beside.write_text(text, "utf-8", newline="\n")
