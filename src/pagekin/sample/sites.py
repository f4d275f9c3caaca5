"""The map of the sample web: which sites there are, which pages they have, and what each page is about.

The web is made of neighbourhoods of 400 pages on 25 sites, one topical site for each middle class of the
directory among them. What stands where follows from numbers alone, so nothing needs to be remembered, and a
link to any page of any topic can be drawn without a list of pages.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from pagekin.sample.dice import Dice
from pagekin.sample.language import filled, general_words, patterns, phrases
from pagekin.sample.topics import Topic, directory

TOPICAL = frozenset({"journal", "blog", "shop", "handbook", "club"})
LAYOUT = (
    ("journal", 16), ("hub", 14), ("blog", 12), ("shop", 20), ("odd", 16), ("journal", 24), ("copies", 18),
    ("hub", 14), ("blog", 9), ("handbook", 30), ("spam", 11), ("club", 15), ("mirror", 16), ("shop", 14),
    ("hub", 14), ("blog", 40), ("journal", 8), ("club", 26), ("spam", 11), ("handbook", 11), ("hub", 14),
    ("blog", 18), ("journal", 10), ("shop", 13), ("club", 6),
)  # fmt: skip
MIRRORED_SLOT = 0
NEIGHBOURHOOD_PAGES = sum(size for _, size in LAYOUT)
TOPICAL_SLOTS = tuple(slot for slot, (kind, _) in enumerate(LAYOUT) if kind in TOPICAL)
COPIED_SLOTS = tuple(slot for slot in TOPICAL_SLOTS if LAYOUT[slot][0] != "shop")
OFFSETS = tuple(sum(size for _, size in LAYOUT[:slot]) for slot in range(len(LAYOUT)))
LEAF_OF_PAGE = (0, 1, 0, 2, 0, 3, 0, 1)  # even the smallest site has a page of each leaf
COPYRIGHT_URL = "http://copyright.example.net/"
SPAM_TARGET_URL = "http://win-cheap-deals.example/"
SPECIAL_URLS = {1: COPYRIGHT_URL, 2: SPAM_TARGET_URL}  # where these pages of the first odd site stand
COLLECTIONS = ("Favourite links", "Bookmarks", "Pages worth a visit", "Found on the web", "Link collection")
STEMS = {1: "signpost", 4: "curious", 6: "reprint", 7: "pointers", 10: "cheap-deals", 12: "second",
         14: "webring", 18: "top-bargains", 20: "starting"}  # fmt: skip
NEAR_COPIES = range(1, 11)  # pages of a `copies` site that repeat another page with a sentence changed
FOLDERS = {
    "journal": "articles", "club": "members", "hub": "links", "spam": "cheap", "handbook": "chapters",
    "copies": "reprints",
}  # fmt: skip


@dataclass(frozen=True)
class Web:
    """A sample web of so many pages, drawn from a seed."""

    pages: int
    seed: int

    @property
    def neighbourhoods(self) -> int:
        """How many neighbourhoods it takes; the last one may be fetched in part only."""
        return max(1, -(-self.pages // NEIGHBOURHOOD_PAGES))

    def dice(self, name: str, size: int = 40) -> Dice:
        """The dice of one thing of this web."""
        return Dice(f"{self.seed}/{name}", size)

    def site(self, neighbourhood: int, slot: int) -> Site:
        """The site at a place of the map."""
        return _site(self, neighbourhood, slot)

    def page(self, number: int) -> Page:
        """The page that was fetched at this place in the order."""
        neighbourhood, rest = divmod(number, NEIGHBOURHOOD_PAGES)
        slot = bisect_right(OFFSETS, rest) - 1
        return self.site(neighbourhood, slot).page(rest - OFFSETS[slot])

    def page_about(self, leaf: Topic, near: int, dice: Dice) -> Page:
        """A page of this leaf, mostly from around a neighbourhood; rarely one that was not fetched."""
        assert leaf.above is not None
        for _ in range(4):
            neighbourhood = self._neighbourhood(near, dice)
            site = self.site(neighbourhood, _slot_of_middle(self, neighbourhood, leaf.above.number))
            page = dice.pick(site.pages_by_leaf[leaf.number])
            if page.known:
                return page
        return page

    def _neighbourhood(self, near: int, dice: Dice) -> int:
        if dice.chance(1, 4):
            return dice.below(self.neighbourhoods)
        return min(max(near + dice.below(5) - 2, 0), self.neighbourhoods - 1)


@dataclass(frozen=True)
class Site:
    """A host with pages of one kind."""

    web: Web
    neighbourhood: int
    slot: int
    kind: str
    size: int
    host: str
    leaves: tuple[Topic, ...]

    @property
    def root(self) -> str:
        """The address of the home page."""
        return f"http://{self.host}/"

    @property
    def name(self) -> str:
        """What the site calls itself: its host in words."""
        words = self.host.removeprefix("www.").rsplit(".", 1)[0].replace("-", " ")
        return words[0].upper() + words[1:]

    @property
    def topical(self) -> bool:
        """Whether its pages belong in the directory."""
        return self.kind in TOPICAL

    @property
    def never_fetched(self) -> int:
        """How many more pages others know of than the crawl has."""
        return 1 + self.size // 10 if self.topical else 0

    def dice(self, name: str, size: int = 40) -> Dice:
        """The dice of one thing of this site."""
        return self.web.dice(f"{self.neighbourhood}.{self.slot}/{name}", size)

    def page(self, index: int) -> Page:
        """The page of this number within the site; those from `size` on were never fetched."""
        return self.all_pages[index]

    @cached_property
    def all_pages(self) -> tuple[Page, ...]:
        """Every page of the site, also those never fetched."""
        return tuple(Page(self, index) for index in range(self.size + self.never_fetched))

    @cached_property
    def pages_by_leaf(self) -> dict[int, tuple[Page, ...]]:
        """The pages that a link about a leaf may lead to; the home page and the first ones more often."""
        found: dict[int, list[Page]] = {leaf.number: [] for leaf in self.leaves}
        for page in self.all_pages:
            if page.in_directory:
                found[page.leaf.number].append(page)
        return {leaf: (*pages, *pages[: 1 + len(pages) // 3]) for leaf, pages in found.items()}


class Page:
    """A place for a page: its address, title and topic, without its text."""

    def __init__(self, site: Site, index: int) -> None:
        self.site, self.index = site, index
        self.leaf: Topic = site.leaves[LEAF_OF_PAGE[index % 8]]  # of the directory, what the page is about

    @property
    def number(self) -> int:
        """Its place in the order of fetching; beyond the end of the web if it was never fetched."""
        site = self.site
        if self.index >= site.size:
            return 1 << 60
        return site.neighbourhood * NEIGHBOURHOOD_PAGES + OFFSETS[site.slot] + self.index

    @property
    def known(self) -> bool:
        """Whether it was fetched, or is linked from a home page that was."""
        first = self if self.index < self.site.size else self.site.page(0)
        return first.number < self.site.web.pages

    @property
    def role(self) -> str:
        """What the page is within its site: home, article or one of the special ones."""
        if self.index == 0:
            return "home"
        if self.site.kind == "journal" and self.index == self.site.size - 1:
            return "print"
        if self.site.kind == "handbook" and self.index == 3:
            return "variant"
        return "article"

    @property
    def copied_as(self) -> str | None:
        """How the page repeats its original: a mirror, exact, near or print; None if it is one itself."""
        if self.site.kind == "copies" and self.index:
            return "near" if self.index in NEAR_COPIES else "exact"
        return self.site.kind if self.site.kind == "mirror" else "print" if self.role == "print" else None

    @cached_property
    def original(self) -> Page | None:
        """The page that this one is a copy of."""
        around = partial(self.site.web.site, self.site.neighbourhood)
        match self.copied_as:
            case "mirror":
                return around(MIRRORED_SLOT).page(self.index)
            case "print":
                return self.site.page(1)
            case "near":
                return around(COPIED_SLOTS[self.index - 1]).page(2)
            case "exact":
                return around(COPIED_SLOTS[(self.index - 1) % len(COPIED_SLOTS)]).page(4)
        return None

    @property
    def long(self) -> bool:
        """Whether it must have a long text, because a copy of it changes a sentence or has nothing else."""
        return self.site.topical and self.index in (1, 2)

    @property
    def in_directory(self) -> bool:
        """Whether the directory lists it: honest, topical, and not a copy."""
        return self.site.topical and self.role != "print"

    @cached_property
    def focus(self) -> list[str]:
        """The things that the page talks about most."""
        return self.dice("focus").shuffled(self.leaf.things)[:7]

    @cached_property
    def title(self) -> str:
        """A title made of the words in focus; a page of links promises no topic."""
        dice, leaf = self.dice("title"), self.leaf
        assert leaf.above is not None
        if self.original:
            return self.original.title
        if self.role == "home":
            return f"{leaf.name} and {leaf.above.name.lower()} from {dice.pick(phrases()['towns'])}"
        if self.site.kind == "hub":
            return f"{dice.pick(COLLECTIONS)} {self.index}"
        pools = {**general_words(), "t": self.focus, "a": leaf.acts, "q": leaf.kinds, "c": leaf.above.places}
        return filled(dice.pick(patterns("titles")), pools, dice)

    @cached_property
    def path(self) -> str:
        """The path of its address, in the fashion of its kind of site."""
        kind, number = self.site.kind, self.index
        if number == 0:
            return ""
        if self.site.kind == "mirror" and self.original:
            return self.original.path
        if self.role == "print":
            return f"print/{slug(self.site.page(1).title)}-1.html"
        if kind == "blog":
            return f"{2001 + number % 4}/{1 + number % 12:02}/{1 + number % 28:02}/{slug(self.title)}/"
        if kind == "shop":
            return f"product/{slug(self.title)}-{4000 + 7 * number}.html"
        if kind == "handbook" and self.site.slot % 2:
            return f"index.php?chapter={1 + number % 8}&page={number}"
        return f"{FOLDERS.get(kind, 'pages')}/{slug(self.title)}-{number}.html"

    @property
    def url(self) -> str:
        """The address that others should link to."""
        if self.site.kind == "odd" and self.site.neighbourhood == 0 and self.index in SPECIAL_URLS:
            return SPECIAL_URLS[self.index]
        return self.site.root + self.path

    @property
    def old_url(self) -> str | None:
        """The address from which the page has moved, if it has."""
        moved = self.in_directory and 0 < self.index < self.site.size and self.index % 9 == 5
        return f"{self.site.root}old/{self.index}.htm" if moved else None

    def dice(self, name: str, size: int = 40) -> Dice:
        """The dice of one thing of this page."""
        return self.site.dice(f"{self.index}/{name}", size)


def slug(title: str) -> str:
    """A title as it stands in an address.

    >>> slug("Crème brûlée: a short guide")
    'cr-me-br-l-e-a-short-guide'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


@lru_cache(maxsize=64)
def _site(web: Web, neighbourhood: int, slot: int) -> Site:
    kind, size = LAYOUT[slot]
    dice = web.dice(f"{neighbourhood}.{slot}/site")
    if kind in TOPICAL:
        leaves = tuple(dice.shuffled(directory().middles[_middle_of_slot(web, neighbourhood, slot)].below))
        stem = leaves[0].slug
    else:
        leaves = tuple(dice.shuffled(directory().leaves)[:4])
        stem = STEMS[slot]
    return Site(web, neighbourhood, slot, kind, size, _host(stem, neighbourhood, dice), leaves)


def _host(stem: str, neighbourhood: int, dice: Dice) -> str:
    """A host that no other site has: a stem that is single in its neighbourhood, and the neighbourhood."""
    endings = phrases()["sites"]
    ending = endings[(neighbourhood * 7 + sum(stem.encode())) % len(endings)]
    round_ = neighbourhood // len(endings)
    www = "www." if dice.chance(1, 3) else ""
    number = f"-{round_ + 1}" if round_ else ""
    return f"{www}{stem}-{ending}{number}.{dice.pick(('example', 'example', 'test'))}"


@lru_cache(maxsize=64)
def _middles(web: Web, neighbourhood: int) -> tuple[int, ...]:
    """Which middle class each topical slot of a neighbourhood has."""
    return tuple(web.dice(f"{neighbourhood}/middles").shuffled(range(len(TOPICAL_SLOTS))))


def _middle_of_slot(web: Web, neighbourhood: int, slot: int) -> int:
    return _middles(web, neighbourhood)[TOPICAL_SLOTS.index(slot)]


def _slot_of_middle(web: Web, neighbourhood: int, middle: int) -> int:
    return TOPICAL_SLOTS[_middles(web, neighbourhood).index(middle)]
