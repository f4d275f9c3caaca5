"""Link spam: farms of 10 to 10,000 pages beside an honest web, and what becomes of the page that they lift."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from faults import Fault, Outcome

from pagekin.builder import build
from pagekin.crawl.urls import host_of
from pagekin.engines.local import LocalEngine
from pagekin.index import Index
from pagekin.sample import write_sample
from pagekin.sample.captures import fetched_url
from pagekin.sample.sites import SPAM_TARGET_URL, Web
from pagekin.sample.spam import BAIT
from pagekin.sample.topics import directory
from pagekin.sample.warc_writer import Record, WarcWriter

HONEST = 600
SIZES = (10, 100, 1000, 10_000)
PAGES_A_SITE = 25
FIRST = 10
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
TARGET = "http://winner.farm.test/"


def farm_url(number: int) -> str:
    """The address of a page of the farm."""
    return f"http://www.farm{number // PAGES_A_SITE}.test/{number}.html" if number else TARGET


def write_farm(path: Path, size: int, honest: list[str], seed: int) -> None:
    """Pages stuffed with the words of topics, with links among themselves, to the lifted page and to honest ones."""
    dice = random.Random(seed)
    with WarcWriter(path, path.name) as warc:
        for number in range(size):
            page = _page(size, honest, dice).encode()
            warc.write(Record("response", "2020-01-01T00:00:00Z", farm_url(number), head=HEAD, payload=page))


def _page(size: int, honest: list[str], dice: random.Random) -> str:
    words = dice.choice(directory().leaves).things
    targets = [farm_url(dice.randrange(size)) for _ in range(20)] + [TARGET] * 4 + dice.sample(honest, 4)
    links = [f'<a href="{url}">{_stuffing(words, dice, 1)}</a>' for url in dice.sample(targets, len(targets))]
    return f"<title>{_stuffing(words, dice, 2)}</title><p>{_stuffing(words, dice, 90)}</p><p>{' '.join(links)}</p>"


def _stuffing(words: list[str], dice: random.Random, count: int) -> str:
    return " ".join(f"{dice.choice(BAIT)} {dice.choice(words)}" for _ in range(count))


def _asked(folder: Path, sizes: tuple[int, ...], tries: int, seed: int) -> Iterator[tuple[int, str, list[str]]]:
    """With a farm of each size: honest pages, each with its first ten."""
    write_sample(folder / "web", HONEST, seed)
    pages = [Web(HONEST, seed).page(number) for number in range(HONEST)]
    honest = sorted({fetched_url(page) for page in pages if page.site.kind not in ("spam", "odd")})
    asked = honest if tries >= HONEST else random.Random(seed).sample(honest, tries)
    for size in sizes if tries >= HONEST else sizes[:1]:
        write_farm(folder / "farm.warc.gz", size, honest, seed)
        inputs = [folder / "web" / "sample.warc.gz", folder / "farm.warc.gz"]
        build(inputs, folder / "a.kin", engine=LocalEngine(workers=1), force=True)
        index = Index(folder / "a.kin")
        for url in asked:
            yield size, url, [related.url for related in index.related(url, k=FIRST).results]


def lifted(tries: int, folder: Path, seed: int) -> Outcome:
    """Whether the page that a farm links to from all its pages is lifted into the first ten of an honest page."""
    outcome = Outcome()
    for size, url, first in _asked(folder, SIZES[:3], tries, seed):
        seen = {TARGET, SPAM_TARGET_URL} & set(first)
        outcome.add(f"farm of {size}: {seen} in the first {FIRST} of {url}" if seen else "")
    return outcome


def entered(tries: int, folder: Path, seed: int) -> Outcome:
    """Whether any page of a farm, also one of the sample web's own, is in the first ten of an honest page."""
    outcome, by_size = Outcome(), Counter[int]()
    own_farm = {p.site.host for p in map(Web(HONEST, seed).page, range(HONEST)) if p.site.kind == "spam"}
    for size, url, first in _asked(folder, SIZES, tries, seed):
        seen = [each for each in first if ".farm" in each or each == SPAM_TARGET_URL or host_of(each) in own_farm]
        by_size[size] += bool(seen)
        outcome.add(f"farm of {size}: {seen} in the first {FIRST} of {url}" if seen else "")
    asked = outcome.tries // len(by_size)
    told = (f"with a farm of {size:,} pages {lost} of {asked} honest pages" for size, lost in by_size.items())
    outcome.note = ", ".join(told)
    return outcome


# What is known to be lost: the page that a farm lifts is in no ring if it stands on a site of its own that links to
# nobody. It is like honest pages whose bags the farm has filled with its words, by linking to them.
FAULTS = (
    Fault("spam", "a page lifted by a farm of 10 to 1,000 pages", "in no first ten of an honest page", 30, 600, lifted),
    Fault(
        "spam", "a farm of 10 to 10,000 pages", "none is in the first ten of an honest page", 30, 600, entered, 0.002
    ),
)
