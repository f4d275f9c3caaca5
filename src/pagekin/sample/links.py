"""Where links lead and what their anchors say.

Most links lead to a page of the same leaf, so that links are evidence; the rest is noise, as are old
addresses, tracking parameters and fragments.
"""

from __future__ import annotations

from pagekin.sample.dice import Dice
from pagekin.sample.sites import Page, Site
from pagekin.sample.topics import Topic, directory

EMPTY_WORDS = ("here", "this page", "read more", "a site we like", "more")
CAMPAIGNS = ("utm_source=newsletter&utm_medium=email", "utm_source=feed", "fbclid=IwAR0x9", "gclid=Cj0KCQ")


def mention_target(page: Page, dice: Dice) -> Page:
    """A page that this one would mention: on a like topic, on another site if possible."""
    leaf = directory().leaf_near(page.leaf, dice)
    for _ in range(4):
        target = page.site.web.page_about(leaf, page.site.neighbourhood, dice)
        if target.site.host != page.site.host:
            break
    return target


def topical_target(site: Site, leaf: Topic, dice: Dice) -> Page:
    """A page of this leaf or, less often, of one near it, as a page of this site would find it."""
    return site.web.page_about(directory().leaf_near(leaf, dice), site.neighbourhood, dice)


def anchor(target: Page, dice: Dice, attributes: str = "") -> str:
    """A link to a page of another site, as HTML."""
    return f'<a href="{href(target, dice)}"{attributes}>{anchor_text(target, dice)}</a>'


def anchor_text(target: Page, dice: Dice) -> str:
    """What others call a page: its title, its subject, or nothing that helps."""
    draw = dice.below(20)
    if target.role == "home" and draw < 12:
        return target.site.name
    if draw < 10:
        return target.title
    if draw < 18:
        first, second = target.focus[dice.below(3)], target.focus[3 + dice.below(3)]
        return f"{first} and {second}" if draw < 15 else f"{dice.pick(target.leaf.kinds)} {first}"
    return dice.pick(EMPTY_WORDS)


def href(target: Page, dice: Dice) -> str:
    """The address of a page as others write it, `&` escaped."""
    draw = dice.below(40)
    url = target.old_url if target.old_url and draw % 2 else target.url
    if draw == 0:
        url += ("&" if "?" in url else "?") + dice.pick(CAMPAIGNS)
    elif draw == 2:
        url += "#" + dice.pick(("top", "content", "comments"))
    elif draw < 8 and not target.path:
        url += "index.html"
    return url.replace("&", "&amp;")
