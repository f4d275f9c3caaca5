"""The text of a page: a title and paragraphs of sentences about its topic, with links in the prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pagekin.sample.dice import Dice
from pagekin.sample.language import filled, general_words, patterns
from pagekin.sample.links import anchor, mention_target
from pagekin.sample.sites import Page
from pagekin.sample.topics import Topic, directory

Pools = Mapping[str, Sequence[str]]
STRENGTHS = ((4, 2, 1), (3, 1, 1), (2, 1, 2), (1, 1, 3))  # of words in focus, of the leaf, of other leaves
NEAR_COPY_SENTENCES = 32  # a near copy changes one sentence out of so many, about three words in a hundred


@dataclass(frozen=True)
class Article:
    """A title and paragraphs of sentences; the sentences may hold links."""

    title: str
    headings: tuple[str, ...]
    paragraphs: tuple[tuple[str, ...], ...]


def voice(page: Page, dice: Dice) -> Pools:
    """The words of a page: of its leaf, of the classes above, of a sibling, and of a topic it has strayed to.

    How strongly it speaks of its own leaf differs from page to page; a weak one hardly does.
    """
    leaf, stray = page.leaf, dice.pick(directory().leaves)
    middle, top = _above(leaf)
    sibling = dice.pick(middle.below)
    focus, own, beside = dice.pick(STRENGTHS)
    return {
        **general_words(),
        "t": [
            *page.focus * focus, *leaf.things * own, *sibling.things * beside,
            *(middle.things + top.things) * 2, *stray.things * beside,
        ],
        "a": [*leaf.acts * own, *sibling.acts * beside, *middle.acts, *top.acts, *stray.acts],
        "q": [*leaf.kinds * own, *sibling.kinds * beside, *middle.kinds, *top.kinds, *stray.kinds],
        "c": middle.places,
    }  # fmt: skip


def _above(leaf: Topic) -> tuple[Topic, Topic]:
    assert leaf.above is not None and leaf.above.above is not None
    return leaf.above, leaf.above.above


def article(page: Page) -> Article:
    """The text of a page, always the same for the same page."""
    dice = page.dice("text", 400)
    pools = voice(page, dice)
    sentences = [filled(dice.pick(patterns("sentences")), pools, dice) for _ in range(_length(page, dice))]
    for _ in range(_mentions(page, dice)):
        sentences.insert(dice.below(len(sentences) + 1), mention(page, pools, dice))
    paragraphs = _paragraphs(sentences, dice)
    headings = tuple(filled(dice.pick(patterns("headings")), pools, dice) for _ in paragraphs)
    return Article(page.title, headings, paragraphs)


def near_copy(page: Page, original: Page) -> Article:
    """The text of the original with one sentence in 32 replaced by another."""
    text, dice = article(original), page.dice("changes")
    paragraphs = [list(paragraph) for paragraph in text.paragraphs]
    pools = voice(original, dice)
    for _ in range(sum(map(len, paragraphs)) // NEAR_COPY_SENTENCES):
        paragraph = dice.pick(paragraphs)
        paragraph[dice.below(len(paragraph))] = filled(dice.pick(patterns("sentences")), pools, dice)
    return replace(text, paragraphs=tuple(map(tuple, paragraphs)))


def mention(page: Page, pools: Pools, dice: Dice) -> str:
    """A sentence that links to a page on a like topic."""
    target = mention_target(page, dice)
    return filled(dice.pick(patterns("mentions")), pools, dice, link=anchor(target, dice))


def _length(page: Page, dice: Dice) -> int:
    if page.long:
        return 30 + dice.below(14)
    if page.site.kind in ("shop", "hub") or page.role == "home":
        return 4 + dice.below(8)
    return dice.pick((6, 9, 13, 16, 20, 24, 30)) + dice.below(4)


def _mentions(page: Page, dice: Dice) -> int:
    return {"blog": 4, "journal": 2, "handbook": 2, "club": 1}.get(page.site.kind, 0) + dice.below(3)


def _paragraphs(sentences: list[str], dice: Dice) -> tuple[tuple[str, ...], ...]:
    paragraphs, start = [], 0
    while start < len(sentences):
        end = start + 3 + dice.below(4)
        paragraphs.append(tuple(sentences[start:end]))
        start = end
    return tuple(paragraphs)
