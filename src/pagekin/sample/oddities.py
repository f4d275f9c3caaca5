"""The odd sites: pages that a crawler meets and a reader must survive.

Other scripts in other encodings, nothing at all, images that claim to be HTML, and a page of too many links.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagekin.sample.articles import article, voice
from pagekin.sample.dice import Dice
from pagekin.sample.language import filled, patterns
from pagekin.sample.layouts import laid_out
from pagekin.sample.links import anchor
from pagekin.sample.responses import Charset, encoded, png
from pagekin.sample.sites import Page
from pagekin.sample.spam import spam_target
from pagekin.sample.topics import directory
from pagekin.sample.warc_writer import gzip_member

JAPANESE_THINGS = (
    "庭", "料理", "星", "山", "鉄道", "写真", "音楽", "自転車", "茶", "木工", "鳥", "船", "布", "石", "冬",
    "友人", "地図", "歴史", "台所", "市場",
)  # fmt: skip
JAPANESE_SENTENCES = (
    "{}と{}について書きました。", "今年の{}はとても{}に似ています。", "{}が好きな人は{}も好きでしょう。",
    "昨日、{}のために{}を買いました。", "{}の写真を{}の隣に置いてください。", "{}を学ぶには{}が必要です。",
)  # fmt: skip
RUSSIAN_THINGS = (
    "хлеб", "чай", "сад", "птицы", "горы", "звёзды", "музыка", "дерево", "поезд", "лодка", "фотография",
    "камень", "зима", "дорога", "книга", "друзья",
)  # fmt: skip
RUSSIAN_SENTENCES = (
    "Сегодня мы пишем про {} и {}.", "Где {}, там всегда и {}.", "Наш {} начинается там, где кончается {}.",
    "Старые письма про {} лежат рядом с заметками про {}.", "Не забудьте {} и {}.",
    "В январе {} важнее, чем {}.",
)  # fmt: skip
FOREIGN = {
    3: ("ja", Charset("shift_jis", "header")), 4: ("ja", Charset("euc-jp", "meta")),
    5: ("ru", Charset("koi8-r", "header")), 6: ("ru", Charset("windows-1251", "meta")),
}  # fmt: skip
UTF_8 = Charset("utf-8", "both")
MANY_LINKS = 120


def odd_page(page: Page) -> tuple[bytes, str | None]:
    """The body of a page of an odd site and the type that its server claims."""
    if page.index in FOREIGN:
        language, charset = FOREIGN[page.index]
        return encoded(foreign_page(page, language, charset), charset), charset.content_type
    match page.index:
        case 1 if page.site.neighbourhood == 0:
            return encoded(copyright_page(page), UTF_8), UTF_8.content_type
        case 2 if page.site.neighbourhood == 0:
            return encoded(spam_target(page, UTF_8.meta), UTF_8), UTF_8.content_type
        case 7:
            return encoded(plain_page(page), Charset("utf-16", "bom")), "text/html"
        case 8:
            return b"", "text/html"
        case 9:
            return b"<html>\n <body>\n\n </body>\n</html>\n", "text/html; charset=utf-8"
        case 10:
            return png(page.dice("png", 300)), "text/html"
        case 11:
            return gzip_member(png(page.dice("png", 300))), "text/html; charset=iso-8859-1"
        case 12:
            return encoded(moved_page(page), UTF_8), UTF_8.content_type
        case 13:
            return encoded(plain_page(page), UTF_8), None
        case 14:
            robots = '<meta name="robots" content="noindex, nofollow">'
            return encoded(plain_page(page, robots), UTF_8), UTF_8.content_type
        case 15:
            return encoded(link_list(page), UTF_8), UTF_8.content_type
    return encoded(plain_page(page), UTF_8), UTF_8.content_type


def plain_page(page: Page, head: str = "") -> str:
    """An ordinary text in an odd place."""
    text = "\n".join(f"<p>{' '.join(paragraph)}</p>" for paragraph in article(page).paragraphs)
    return laid_out(page, page.title, text, head=head)


def copyright_page(page: Page) -> str:
    """The page that all footers of the web link to."""
    text = "All rights in these pages belong to their authors. Ask before you copy, and name the author."
    return laid_out(page, "Copyright notice", f"<p>{text}</p>", meta=UTF_8.meta)


def moved_page(page: Page) -> str:
    """A page that sends its readers on by a meta element."""
    target = page.site.web.page_about(page.leaf, page.site.neighbourhood, page.dice("moved"))
    refresh = f'<meta http-equiv="refresh" content="0; url={target.url.replace("&", "&amp;")}">'
    return f"<html><head>{refresh}<title>Moved</title></head><body>This page has moved.</body></html>"


def link_list(page: Page) -> str:
    """A page with more links than a block of use would have."""
    dice = page.dice("list", 400)
    web, near = page.site.web, page.site.neighbourhood
    targets = (web.page_about(dice.pick(directory().leaves), near, dice) for _ in range(MANY_LINKS))
    rows = "\n".join(f"<li>{anchor(target, dice)}</li>" for target in targets)
    intro = filled(dice.pick(patterns("sentences")), voice(page, dice), dice)
    return laid_out(page, "Everything we ever liked", f"<p>{intro}</p><ul>\n{rows}\n</ul>")


def foreign_page(page: Page, language: str, charset: Charset) -> str:
    """A page in Japanese or Russian."""
    dice = page.dice("foreign", 120)
    things, sentences = {
        "ja": (JAPANESE_THINGS, JAPANESE_SENTENCES), "ru": (RUSSIAN_THINGS, RUSSIAN_SENTENCES),
    }[language]  # fmt: skip
    text = "\n".join(f"<p>{_foreign_paragraph(things, sentences, dice)}</p>" for _ in range(5))
    title = f"{dice.pick(things)} - {dice.pick(things)}"
    head = f"<head>{charset.meta}<title>{title}</title></head>"
    return f'<html lang="{language}">{head}\n<body><h1>{title}</h1>\n{text}\n</body></html>\n'


def _foreign_paragraph(things: Sequence[str], sentences: Sequence[str], dice: Dice) -> str:
    return " ".join(dice.pick(sentences).format(dice.pick(things), dice.pick(things)) for _ in range(4))
