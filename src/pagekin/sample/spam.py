"""The spam farm: sites that link to one another, to one target, and to honest pages to look like hubs."""

from __future__ import annotations

from pagekin.sample.dice import Dice
from pagekin.sample.layouts import laid_out
from pagekin.sample.links import href
from pagekin.sample.sites import LAYOUT, SPAM_TARGET_URL, Page, Site
from pagekin.sample.topics import directory

BAIT = ("cheap", "best", "free", "buy now", "discount", "top rated", "lowest price", "online", "win", "deal")
SPAM_SLOTS = tuple(slot for slot, (kind, _) in enumerate(LAYOUT) if kind == "spam")


def spam_page(page: Page, meta: str = "") -> str:
    """A page stuffed with the words of a topic, with links to the farm, to its target and to honest pages."""
    dice = page.dice("spam", 400)
    words = dice.pick(directory().leaves).things
    links = [_farm_link(page.site, words, dice) for _ in range(20)]
    links += [_target_link(words, dice) for _ in range(4)]
    links += [_honest_link(page, words, dice) for _ in range(4)]
    main = f"<p>{_stuffing(words, dice, 90)}</p>\n<p>{' '.join(dice.shuffled(links))}</p>"
    return laid_out(page, f"Cheap {page.title.lower()} best price", main, meta=meta)


def spam_target(page: Page, meta: str = "") -> str:
    """The page that the farm wants to lift."""
    dice = page.dice("spam", 400)
    words = [word for leaf in dice.shuffled(directory().leaves)[:12] for word in leaf.things]
    return laid_out(page, "Win cheap deals online", f"<p>{_stuffing(words, dice, 150)}</p>", meta=meta)


def _stuffing(words: list[str], dice: Dice, count: int) -> str:
    return " ".join(f"{dice.pick(BAIT)} {dice.pick(words)}" for _ in range(count))


def _farm_link(site: Site, words: list[str], dice: Dice) -> str:
    other = site.web.site(dice.below(site.web.neighbourhoods), dice.pick(SPAM_SLOTS))
    return f'<a href="{other.page(dice.below(other.size)).url}">{dice.pick(BAIT)} {dice.pick(words)}</a>'


def _target_link(words: list[str], dice: Dice) -> str:
    return f'<a href="{SPAM_TARGET_URL}">{dice.pick(BAIT)} {dice.pick(words)}</a>'


def _honest_link(page: Page, words: list[str], dice: Dice) -> str:
    target = page.site.web.page_about(dice.pick(directory().leaves), page.site.neighbourhood, dice)
    return f'<a href="{href(target, dice)}">{dice.pick(BAIT)} {dice.pick(words)}</a>'
