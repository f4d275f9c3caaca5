"""The strategies of Haveliwala et al. 2002, figures 3 to 9, and what pagekin adds to them, by name."""

from __future__ import annotations

from dataclasses import replace

from pagekin.settings import Strategy

ANCHORS = Strategy(content=0, anchors=1, frequency="none", distance=False)
WINDOWS = ("0", "4", "8", "16", "32", "syntactic", "topical")
FREQUENCIES = ("none", "log", "sqrt", "tf-idf", "nmdf")
STEMMING = ("nostem", "stem", "stopstem")

FIGURES_3_AND_4 = {f"window {window}": replace(ANCHORS, window=window) for window in WINDOWS} | {
    "links only": replace(ANCHORS, anchors=0, links=1),
    "content only": replace(ANCHORS, anchors=0, content=1),
}
FIGURE_5 = {
    "content and anchors": Strategy(anchors=1),
    "anchors and links": Strategy(content=0, anchors=1, links=1),
    "content and links": Strategy(anchors=0, links=1),
    "content, anchors and links": Strategy(anchors=1, links=1),
    "unequal parts": Strategy(content=0.3, anchors=2, links=0.1),
}
FIGURE_6 = {
    f"window {window}, {'near words heavier' if distance else 'all words alike'}, {frequency}": replace(
        ANCHORS, window=window, distance=distance, frequency=frequency
    )
    for window in ("32", "topical")
    for distance in (False, True)
    for frequency in ("none", "sqrt")
}
FIGURES_7_AND_8 = {f"frequency {name}": Strategy(frequency=name) for name in FREQUENCIES} | {
    "nmdf as it is set": Strategy(mu=2.0, sigma=0.8)
}
FIGURE_9 = {name: Strategy(stemming=name) for name in STEMMING}
PAPER = FIGURES_3_AND_4 | FIGURE_5 | FIGURE_6 | FIGURES_7_AND_8 | FIGURE_9

OURS = {
    "templates counted": Strategy(template_pages=0),
    "templates on two pages": Strategy(template_pages=1, template_site=4),
    "links in templates": Strategy(template_links=True),
    "links in templates, topical": Strategy(template_links=True, window="topical", links=1),
    "nofollow": Strategy(nofollow=True, links=0.5),
    "repeats without end": Strategy(repeats=0),
    "two repeats": Strategy(repeats=2, window="4"),
    "one repeat, links in templates": Strategy(repeats=1, template_links=True, links=1, window="0"),
    "no stop words": Strategy(stop_words="none", stemming="nostem"),
    "German stop words": Strategy(stop_words="de"),
    "numbers": Strategy(numbers=True, bag_size=0),
    "window of one word": Strategy(window="1"),
    "small bags": Strategy(bag_size=5, frequency="none"),
    "narrow topics": Strategy(window="topical", reach=3),
}
