"""From a place on the map to the document that stands there: its bytes, its type and the blocks in it."""

from __future__ import annotations

from dataclasses import dataclass

from pagekin.sample.articles import Article, article, near_copy, voice
from pagekin.sample.damage import damaged
from pagekin.sample.dice import Dice
from pagekin.sample.hubs import hub_page
from pagekin.sample.language import filled, patterns, phrases
from pagekin.sample.layouts import laid_out, link_within
from pagekin.sample.links import anchor, mention_target
from pagekin.sample.oddities import odd_page
from pagekin.sample.responses import CHARSETS, encoded
from pagekin.sample.sites import SPAM_TARGET_URL, Page
from pagekin.sample.spam import spam_page


@dataclass(frozen=True)
class Document:
    """What a server has at an address; the blocks are known for hub pages only."""

    body: bytes
    content_type: str | None
    blocks: tuple[tuple[str, ...], ...] = ()


def document(page: Page) -> Document:
    """The document of a page, always the same for the same page."""
    if page.original and page.copied_as in ("mirror", "exact"):
        return document(page.original)
    if page.site.kind == "odd":
        return Document(*odd_page(page))
    charset = page.dice("charset").pick(CHARSETS)
    if page.site.kind == "hub" and page.role != "home":
        html, blocks = hub_page(page, charset.meta)
        return Document(encoded(html, charset), charset.content_type, tuple(map(tuple, blocks)))
    return Document(encoded(_html(page, charset.meta), charset), charset.content_type)


def _html(page: Page, meta: str) -> str:
    dice = page.dice("page", 80)
    if page.original:
        return copied(page, page.original, meta)
    if page.site.kind == "spam":
        return spam_page(page, meta)
    if page.role == "home":
        return home_page(page, meta, dice)
    if page.site.kind == "shop":
        return product_page(page, meta, dice)
    return article_page(page, meta, dice)


def copied(page: Page, original: Page, meta: str) -> str:
    """A near copy in another template, or the print version without any."""
    if page.copied_as == "near":
        return laid_out(page, page.title, prose(near_copy(page, original)), meta=meta)
    head = f"<head>{meta}<title>{page.title}</title></head>"
    return f"<html>{head}\n<body><h1>{page.title}</h1>\n{prose(article(original))}\n</body></html>\n"


def prose(text: Article, headings: bool = True) -> str:
    """An article as HTML; every third paragraph has a heading."""
    pieces = []
    for place, (heading, paragraph) in enumerate(zip(text.headings, text.paragraphs, strict=True)):
        if headings and place % 3 == 2:
            pieces.append(f"<h3>{heading}</h3>")
        pieces.append(f"<p>{' '.join(paragraph)}</p>")
    return "\n".join(pieces)


def article_page(page: Page, meta: str, dice: Dice) -> str:
    """A text with what its kind of site puts beside it."""
    main = f"<p>By {dice.pick(phrases()['people'])}</p>\n" + prose(article(page))
    html = laid_out(page, page.title, main, beside(page, dice), head(page), meta)
    often = 3 if page.site.kind == "club" else 25
    return damaged(html, dice) if not page.long and dice.chance(1, often) else html


def home_page(page: Page, meta: str, dice: Dice) -> str:
    """A welcome and the list of all pages of the site, also of those that were never fetched."""
    site = page.site
    pages = [other for other in site.all_pages[1:] if other.role != "print"]
    rows = "\n".join(f"<li>{link_within(site, other.path, other.title).html}</li>" for other in pages)
    main = f"{prose(article(page), headings=False)}\n<h3>All pages</h3>\n<ul>\n{rows}\n</ul>"
    return laid_out(page, page.title, main, beside(page, dice), head(page), meta)


def product_page(page: Page, meta: str, dice: Dice) -> str:
    """Something to buy: a price, a table of properties, what customers say."""
    pools = voice(page, dice)
    kinds = page.leaf.kinds
    rows = "".join(f"<tr><td>{dice.pick(kinds)}</td><td>{thing}</td></tr>" for thing in page.focus[:5])
    said = " ".join(filled(dice.pick(patterns("reviews")), pools, dice) for _ in range(5 + dice.below(6)))
    price = f"<p><b>&pound;{3 + dice.below(90)}.{dice.below(100):02}</b> - in stock</p>"
    text = prose(article(page), headings=False)
    main = f"{price}\n{text}\n<table>{rows}</table>\n<h4>Reviews</h4><p>{said}</p>"
    return laid_out(page, page.title, main, beside(page, dice), head(page), meta)


def beside(page: Page, dice: Dice) -> str:
    """What stands beside the text: a blogroll and comments, like products, or links to like pages."""
    match page.site.kind:
        case "blog":
            return blogroll(page) + comments(page, dice)
        case "shop":
            others = page.site.pages_by_leaf[page.leaf.number][:5]
            rows = " ".join(link_within(page.site, other.path, other.title).html for other in others)
            return f"<div><b>You may also like</b> {rows}</div>"
        case "journal" | "club" | "handbook":
            links = [anchor(mention_target(page, dice), dice) for _ in range(3 + dice.below(3))]
            rows = "\n".join(f"<li>{link}</li>" for link in links)
            return f"<h4>Elsewhere</h4>\n<ul>\n{rows}\n</ul>"
    return ""


def blogroll(page: Page) -> str:
    """The same links to other sites on every page of a blog."""
    dice, home = page.site.dice("blogroll", 80), page.site.page(0)
    rows = "\n".join(f"<li>{anchor(mention_target(home, dice).site.page(0), dice)}</li>" for _ in range(7))
    return f"<h4>Friends</h4>\n<ul>\n{rows}\n</ul>\n"


def comments(page: Page, dice: Dice) -> str:
    """What readers wrote, with a link of the spam farm now and then."""
    pools = voice(page, dice)
    said = [filled(dice.pick(patterns("sentences")), pools, dice) for _ in range(dice.below(4))]
    if dice.chance(1, 5):
        said.append(f'Nice blog! <a href="{SPAM_TARGET_URL}" rel="nofollow">cheap {page.focus[0]}</a>')
    return "\n".join(f'<div class="comment"><p>{words}</p></div>' for words in said)


def head(page: Page) -> str:
    """What else stands in the head: the base of relative links, the preferred address."""
    base = f'<base href="{page.site.root}">' if page.site.kind == "handbook" else ""
    preferred = page.role == "variant" or (page.site.kind == "shop" and page.index % 4 == 3)
    canonical = f'<link rel="canonical" href="{page.url.replace("&", "&amp;")}">' if preferred else ""
    return base + canonical
