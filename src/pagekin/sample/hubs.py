"""Hub pages: links in blocks, each block on one topic, in the many fashions in which people write them.

The blocks are a truth of the sample web. As a person would, they count every link of the page: the
navigation is a block, each list of links is one, and the footer is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape

from pagekin.sample.articles import voice
from pagekin.sample.dice import Dice
from pagekin.sample.language import filled, general_words, patterns
from pagekin.sample.layouts import footer, laid_out, navigation
from pagekin.sample.links import anchor_text, href, topical_target
from pagekin.sample.sites import Page
from pagekin.sample.topics import Topic, directory


@dataclass(frozen=True)
class Entry:
    """One link of a block with what is said about it."""

    href: str
    text: str
    about: str

    @property
    def html(self) -> str:
        """The link as HTML."""
        return f'<a href="{self.href}">{self.text}</a>'


def hub_page(page: Page, meta: str = "") -> tuple[str, list[list[str]]]:
    """The HTML of a hub page and the addresses of its links, block by block."""
    dice = page.dice("hub", 400)
    blocks = [(leaf, _entries(page, leaf, dice)) for leaf in _leaves(page, dice)]
    fashions = _fashions(dice)
    main = "\n".join(dice.pick(fashions)(_heading(leaf, dice), entries, dice) for leaf, entries in blocks)
    intro = f"<p>{filled(dice.pick(patterns('sentences')), voice(page, dice), dice)}</p>\n"
    first, last = ([link.url for link in links] for links in (navigation(page.site), footer(page.site)))
    between = [[unescape(entry.href) for entry in entries] for _, entries in blocks]
    return laid_out(page, page.title, intro + main, meta=meta), [first, *between, last]


def _leaves(page: Page, dice: Dice) -> list[Topic]:
    """The topics of the blocks: from all over the directory, or siblings and one stranger."""
    count = 3 + dice.below(4)
    if dice.chance(3, 5):
        return dice.shuffled(directory().leaves)[:count]
    assert page.leaf.above is not None
    return [*dice.shuffled(page.leaf.above.below), dice.pick(directory().leaves)]


def _entries(page: Page, leaf: Topic, dice: Dice) -> list[Entry]:
    """Links about one leaf, no page twice."""
    targets = {}
    for _ in range(4 + dice.below(7)):
        target = topical_target(page.site, leaf, dice)
        targets[target.url] = target
    return [_entry(target, dice) for target in targets.values()]


def _entry(target: Page, dice: Dice) -> Entry:
    return Entry(href(target, dice), anchor_text(target, dice), _about(target, dice))


def _about(target: Page, dice: Dice) -> str:
    assert target.leaf.above is not None
    pools = {
        **general_words(), "t": target.focus + target.leaf.things, "a": target.leaf.acts,
        "q": target.leaf.kinds, "c": target.leaf.above.places,
    }  # fmt: skip
    return filled(dice.pick(patterns("descriptions")), pools, dice)


def _heading(leaf: Topic, dice: Dice) -> str:
    return dice.pick(("{}", "{} links", "More on {}", "{}: our favourites", "All about {}")).format(leaf.name)


Fashion = Callable[[str, Sequence[Entry], Dice], str]


def bullet_list(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A heading and a list, each link with a word about it."""
    items = "".join(f"<li>{e.html} - {e.about}</li>\n" for e in entries)
    return f"<h2>{heading}</h2>\n<ul>\n{items}</ul>"


def open_list(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A list whose items are never closed."""
    return f"<H3>{heading}</H3>\n<UL>\n" + "".join(f"<LI>{e.html}\n" for e in entries) + "</UL>"


def definitions(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A definition list."""
    rows = "".join(f"<dt>{e.html}</dt><dd>{e.about}.</dd>\n" for e in entries)
    return f"<h2>{heading}</h2>\n<dl>\n{rows}</dl>"


def rows_of_table(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A table with the heading on a coloured row."""
    colour = dice.pick(("#ffcc99", "#ccffcc", "#dddddd"))
    rows = "".join(f"<tr><td>{e.html}</td><td>{e.about}</td></tr>\n" for e in entries)
    return f'<table border="1"><tr><th colspan="2" bgcolor="{colour}">{heading}</th></tr>\n{rows}</table>'


def bold_and_breaks(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A bold line and links on lines of their own, as in 1997."""
    lines = "".join(f"{e.html} {e.about}<br>\n" for e in entries)
    return f'<p><font size="4" color="#003399"><b>{heading}</b></font><br>\n{lines}</p>'


def commas(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A line of links between commas after a bold word."""
    return f"<p><b>{heading}:</b> " + ", ".join(e.html for e in entries) + ".</p>"


def cards(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A coloured box with a paragraph for each link."""
    boxes = "".join(f'<div class="card"><p>{e.html}</p><p>{e.about}</p></div>\n' for e in entries)
    return f'<div style="background-color: #eef6ee; padding: 1em"><h3>{heading}</h3>\n{boxes}</div>'


def prose(heading: str, entries: Sequence[Entry], dice: Dice) -> str:
    """A heading and a paragraph that talks its way from link to link."""
    joints = ("Begin with", "Then see", "Do not miss", "There is also", "Others like")
    text = " ".join(f"{dice.pick(joints)} {e.html}: {e.about[0].lower()}{e.about[1:]}." for e in entries)
    return f"<h4>{heading}</h4>\n<p>{text}</p>"


FASHIONS: tuple[Fashion, ...] = (
    bullet_list, open_list, definitions, rows_of_table, bold_and_breaks, commas, cards, prose,
)  # fmt: skip


def _fashions(dice: Dice) -> Sequence[Fashion]:
    """Half of the pages keep to one fashion for all blocks; the others mix two."""
    return dice.shuffled(FASHIONS)[: 1 + dice.below(2)]
