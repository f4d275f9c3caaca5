"""Rows as a crawl may give them, and the index of two small hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

import pagekin
from pagekin.engines.local import LocalEngine
from pagekin.exports.rows import Neighbour, PageRow

WORDS = ("swarm hive comb nectar", "hive comb nectar pollen", "comb nectar pollen brood", "nectar pollen brood queen")


@pytest.fixture
def rows() -> list[PageRow]:
    """Three pages, one without relatives, with texts that would harm a careless reader."""
    near_b = (Neighbour(1, "http://a.test/", "-A", 0.75), Neighbour(2, "http://c.test/?x=1", "", 0.5))
    return [
        PageRow("http://a.test/", '=1+1, "A"', (Neighbour(1, "http://b.test/", "tab\tline\nend \\N", 0.75),)),
        PageRow("http://b.test/", "<b>é\u2028", near_b),
        PageRow("http://c.test/?x=1", "", ()),
    ]


@pytest.fixture
def expected() -> list[tuple[str, str, int, str, str, float]]:
    """The same, one row for each pair."""
    return [
        ("http://a.test/", '=1+1, "A"', 1, "http://b.test/", "tab\tline\nend \\N", 0.75),
        ("http://b.test/", "<b>é\u2028", 1, "http://a.test/", "-A", 0.75),
        ("http://b.test/", "<b>é\u2028", 2, "http://c.test/?x=1", "", 0.5),
    ]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Index:
    """Four pages of one host and two of another; each links to a page that was never fetched."""
    folder = tmp_path_factory.mktemp("hosts")
    for host, count in (("one.test", 4), ("two.test", 2)):
        (folder / host).mkdir()
        for number in range(count):
            _write_page(folder / host / f"{number}.html", number)
    crawl = [folder / host for host in ("one.test", "two.test")]
    pagekin.build(crawl, folder / "hosts.kin", engine=LocalEngine(1))
    return pagekin.open(folder / "hosts.kin")


def _write_page(path: Path, number: int) -> None:
    link = '<a href="http://far.test/keeper">hive comb nectar pollen brood</a>'
    path.write_text(f"<title>Page {number}</title><p>{WORDS[number]} {path.parent.name} {link}", "utf-8")
