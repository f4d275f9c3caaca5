"""Which strategies are compared: those of the paper's figures, those around them, and those of a file.

Haveliwala et al. (2002, section 5) vary one thing at a time and draw one bar for each value. A `Figure` is such a
row of bars, as data: what each bar is called, which strategy it stands for, and which of two bars the paper found to
be the higher one. The paper does not say what a figure holds constant; here it is windows of 32 words a side, stems,
no weights in figures 3 to 6 but those that a figure is about, and both weights from figure 7 on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from pagekin.errors import SettingsError
from pagekin.settings import (
    CocitationSettings,
    ConceptSettings,
    LinkSettings,
    Settings,
    SimilaritySettings,
    Strategy,
    changed_section,
    read_toml,
)

DEFAULTS = SimilaritySettings()
EVIDENCE = ("concepts", "words", "cocitation", "linked", "authority")  # beside the text, by their shares in the score
SHARES = ("cosine", *EVIDENCE)  # what a contender has beside a strategy, and `similarity` in the settings
OF_CONCEPTS = "concepts."  # what the name of a field of ConceptSettings begins with in a change
OF_COCITATION = "cocitation."  # and one of CocitationSettings
OF_LINKS = "links."  # and one of LinkSettings
CITATIONS = {
    "blocks": "block co-citation",
    "traditional": "traditional co-citation",
    "companion": "Companion",
    "coupling": "bibliographic coupling",
}  # the ways in which links alone relate pages, and how reports call them
NAMES = {"linked": "links"}  # what else reports call by another name


@dataclass(frozen=True)
class Contender:
    """A way of ranking: a strategy, and the shares of other evidence in its score."""

    strategy: Strategy = field(default_factory=Strategy)
    cosine: float = 0.0  # of the score of texts
    concepts: float = 0.0  # of the whole score
    words: float = 0.0  # of the whole score
    cocitation: float = 0.0  # of the whole score
    linked: float = 0.0  # of the whole score
    authority: float = 0.0  # of the whole score
    vectors: ConceptSettings = field(default_factory=ConceptSettings)
    citing: CocitationSettings = field(default_factory=CocitationSettings)
    linking: LinkSettings = field(default_factory=LinkSettings)
    citations: str = "blocks"  # one of CITATIONS

    @property
    def text(self) -> float:
        """The share of the text: what the others leave."""
        others: float = sum(getattr(self, name) for name in EVIDENCE)
        return max(round(1 - others, 12), 0.0)

    @property
    def name(self) -> str:
        """The name in reports.

        >>> Contender(Strategy(), 0.25).name
        'content+0.3*anchor32 stem dist nmdf jaccard +0.25*cosine'
        """
        alone = [name for name in SHARES[1:] if getattr(self, name)]
        if alone == ["cocitation"] and self.cocitation == 1:
            return f"{CITATIONS[self.citations]}{self._unusual}"
        if alone in (["concepts"], ["words"]) and getattr(self, alone[0]) == 1:
            return f"{alone[0]} of {self.strategy.name}{self._unusual}"
        if alone in (["linked"], ["authority"]) and getattr(self, alone[0]) == 1:
            return f"{NAMES.get(alone[0], alone[0])}{self._unusual}"
        shares = [f"{getattr(self, name):g}*{self._evidence(name)}" for name in SHARES if getattr(self, name)]
        return " +".join([self.strategy.name, *shares]) + self._unusual

    def _evidence(self, share: str) -> str:
        if share == "cocitation" and self.citations != "blocks":
            return CITATIONS[self.citations]
        return NAMES.get(share, share)

    @property
    def _unusual(self) -> str:
        """What is not the default of the vectors of concepts and of co-citation, if there are any."""
        cites = self.cocitation if self.citations == "blocks" else 0.0
        used: list[tuple[ConceptSettings | CocitationSettings | LinkSettings, float]]
        used = [(self.vectors, self.concepts), (self.citing, cites), (self.linking, self.linked)]
        unusual = [
            f"{f.name}={getattr(section, f.name)}"
            for section, share in used
            for f in fields(section)
            if share and getattr(section, f.name) != f.default
        ]
        return "".join(f" {each}" for each in unusual)


def changed(contender: Contender, change: dict[str, Any]) -> Contender:
    """A contender with some of its own fields, of its strategy's, or `concepts.FIELD` and the like, changed."""
    own = {name: change[name] for name in change if name in (*SHARES, "citations")}
    vectors = {name.removeprefix(OF_CONCEPTS): change[name] for name in change if name.startswith(OF_CONCEPTS)}
    citing = {name.removeprefix(OF_COCITATION): change[name] for name in change if name.startswith(OF_COCITATION)}
    linking = {name.removeprefix(OF_LINKS): change[name] for name in change if name.startswith(OF_LINKS)}
    strategy = {name: change[name] for name in change if name not in own and "." not in name}
    return replace(
        contender,
        strategy=replace(contender.strategy, **strategy),
        vectors=replace(contender.vectors, **vectors),
        citing=replace(contender.citing, **citing),
        linking=replace(contender.linking, **linking),
        **own,
    )


def settled_contender(settings: Settings) -> Contender:
    """The way of ranking that some settings say."""
    similarity, concepts = settings.similarity, settings.concepts
    share = similarity.concepts if concepts.dimensions else 0.0
    words = similarity.words if settings.words.dimensions else 0.0
    cocitation = similarity.cocitation if settings.cocitation.pages else 0.0
    linked, authority = (
        share if settings.links.neighbours else 0.0 for share in (similarity.linked, similarity.authority)
    )
    return Contender(
        settings.strategy, similarity.cosine, share, words, cocitation, linked, authority, concepts,
        settings.cocitation, settings.links,
    )  # fmt: skip


def own_contenders(settings: Settings) -> list[Contender]:
    """The blend that some settings say, and each of its sources by itself."""
    blend = settled_contender(settings)
    nothing = dict.fromkeys(EVIDENCE, 0.0)
    alone = [changed(blend, nothing)] if blend.text else []
    alone += [changed(blend, nothing | {name: 1.0}) for name in EVIDENCE if getattr(blend, name)]
    return list(dict.fromkeys([blend, *alone]))


@dataclass(frozen=True)
class Bar:
    """One bar of a figure."""

    label: str
    contender: Contender


@dataclass(frozen=True)
class Claim:
    """What the paper says of two bars: the first is the higher one."""

    higher: str
    lower: str


@dataclass(frozen=True)
class Figure:
    """A row of bars that differ in one thing."""

    title: str
    question: str
    bars: tuple[Bar, ...]
    claims: tuple[Claim, ...] = ()
    measure: str = "sibling"  # sibling (the Γ and D of sibling pairs, or nDCG@10) or orthogonality

    def contender(self, label: str) -> Contender:
        """What stands behind a label."""
        return next(bar.contender for bar in self.bars if bar.label == label)


def _bars(base: Strategy, changes: dict[str, dict[str, Any]]) -> tuple[Bar, ...]:
    """Bars, by their labels, that differ from one strategy."""
    return tuple(Bar(label, changed(Contender(base), change)) for label, change in changes.items())


def _claims(*chains: str) -> tuple[Claim, ...]:
    """Claims from chains such as "both > distance > neither", each bar being higher than the next."""
    pairs = []
    for chain in chains:
        labels = [label.strip() for label in chain.split(">")]
        pairs += [Claim(*pair) for pair in pairwise(labels)]
    return tuple(pairs)


# What the figures of the paper hold constant: anchor windows alone, without any weights, and no bag cut short.
PLAIN = Strategy(content=0.0, anchors=1.0, window="32", distance=False, frequency="none", stemming="stem", bag_size=0)
NEAR = replace(PLAIN, distance=True)
WEIGHED = replace(NEAR, frequency="nmdf")
CONTENT = replace(PLAIN, content=1.0, anchors=0.0)

_REPRESENTATIONS = _bars(
    PLAIN,
    {
        "links": {"anchors": 0.0, "links": 1.0},
        "content": {"anchors": 0.0, "content": 1.0},
        "window 0": {"window": "0"},
        "window 4": {"window": "4"},
        "window 8": {"window": "8"},
        "window 16": {"window": "16"},
        "window 32": {"window": "32"},
        "syntactic": {"window": "syntactic"},
        "topical": {"window": "topical"},
    },
)

PAPER = (
    Figure(
        "Figure 3: Document representations",
        "Which terms should stand for a page: its own, those around links to it, or the links themselves?",
        _REPRESENTATIONS,
        _claims(
            "window 32 > window 16 > window 8 > window 4 > window 0",
            "topical > syntactic",
            "window 32 > content",
            "window 32 > links",
        ),
    ),
    Figure(
        "Figure 4: Orthogonality within a class",
        "How often have two pages of one class nothing in common?",
        _REPRESENTATIONS,
        _claims(
            "window 0 > window 4 > window 8 > window 16 > window 32",
            "syntactic > topical",
            "links > window 32",
            "content > window 32",
        ),
        "orthogonality",
    ),
    Figure(
        "Figure 5: Hybrid bags",
        "Do several kinds of terms together say more than one?",
        _bars(
            NEAR,
            {
                "anchors": {},
                "anchors and content": {"content": 1.0},
                "anchors and links": {"links": 1.0},
                "anchors content and links": {"content": 1.0, "links": 1.0},
            },
        ),
        _claims("anchors and content > anchors > anchors and links"),
    ),
    Figure(
        "Figure 6: Term weights",
        "Should words far from the anchor, and words that are in too many or too few bags, count less?",
        _bars(
            PLAIN,
            {
                "neither": {},
                "distance": {"distance": True},
                "frequency": {"frequency": "nmdf"},
                "both": {"distance": True, "frequency": "nmdf"},
            },
        ),
        _claims("both > distance > neither", "both > frequency > neither"),
    ),
    Figure(
        "Figure 7: Kinds of frequency weights",
        "How should the number of bags that have a term change its weight?",
        _bars(
            NEAR,
            {
                "none": {},
                "log": {"frequency": "log"},
                "sqrt": {"frequency": "sqrt"},
                "tf-idf": {"frequency": "tf-idf"},
                "nmdf": {"frequency": "nmdf"},
            },
        ),
        _claims("nmdf > sqrt > log > none"),
    ),
    Figure(
        "Figure 9: Stemming",
        "Are forms of a word one term?",
        _bars(
            WEIGHED,
            {"nostem": {"stemming": "nostem"}, "stopstem": {"stemming": "stopstem"}, "stem": {"stemming": "stem"}},
        ),
        _claims("stem > stopstem > nostem"),
    ),
)  # fmt: skip

_BLEND = {name: getattr(DEFAULTS, name) for name in ("cosine", *EVIDENCE)}
_SHARES = {"cosine": 0.15, "concepts": 0.3}

BEYOND = (
    Figure(
        "Weights and metrics on the page's own words",
        "The same question without links, and the cosine beside the Jaccard coefficient.",
        _bars(
            CONTENT,
            {
                "none": {},
                "log": {"frequency": "log"},
                "sqrt": {"frequency": "sqrt"},
                "tf-idf": {"frequency": "tf-idf"},
                "nmdf": {"frequency": "nmdf"},
                "nmdf(4, 1.5)": {"frequency": "nmdf", "mu": 4.0, "sigma": 1.5},
                "tf-idf cosine": {"frequency": "tf-idf", "metric": "cosine"},
                "nmdf cosine": {"frequency": "nmdf", "metric": "cosine"},
            },
        ),
    ),
    Figure(
        "Links alone",
        "Pages that are linked to by the same pages, by two metrics.",
        _bars(
            replace(PLAIN, anchors=0.0, links=1.0),
            {
                "jaccard": {},
                "cosine": {"metric": "cosine"},
                "tf-idf cosine": {"frequency": "tf-idf", "metric": "cosine"},
            },
        ),
    ),
    Figure(
        "What a site repeats",
        "Does it help to leave out text that stands on many pages of a site?",
        _bars(
            Strategy(),
            {
                "left out": {},
                "left out but for its links": {"template_links": True},
                "kept": {"template_pages": 0, "template_links": True},
            },
        ),
    ),
    Figure(
        "Bags cut short",
        "How many terms does a page need?",
        _bars(
            Strategy(),
            {
                "heaviest 40": {"bag_size": 40},
                "heaviest 80": {"bag_size": 80},
                "heaviest 160": {"bag_size": 160},
                "heaviest 320": {"bag_size": 320},
                "all": {"bag_size": 0},
            },
        ),
    ),
    Figure(
        "Blends",
        "The default strategy with a share of the cosine of tf-idf in the score.",
        _bars(
            Strategy(),
            {
                "none": {},
                "a quarter": {"cosine": 0.25},
                "a half": {"cosine": 0.5},
                "three quarters": {"cosine": 0.75},
                "cosine alone": {"cosine": 1.0},
            },
        ),
    ),
    Figure(
        "Concepts",
        "What the crawl itself teaches: vectors from a singular value decomposition of bags and links.",
        _bars(
            Strategy(),
            {
                "text alone": {"cosine": DEFAULTS.cosine},
                "concepts 0.15": {"cosine": DEFAULTS.cosine, "concepts": 0.15},
                "concepts 0.3": _SHARES,
                "concepts 0.5": {"cosine": DEFAULTS.cosine, "concepts": 0.5},
                "concepts alone": {"concepts": 1.0},
                "concepts alone, without links": {"concepts": 1.0, "concepts.links": 0.0},
                "concepts alone, 30 dimensions": {"concepts": 1.0, "concepts.dimensions": 30},
                "concepts alone, 200 dimensions": {"concepts": 1.0, "concepts.dimensions": 200},
            },
        ),
    ),
    Figure(
        "Links alone, by what they stand beside",
        "Shen et al.: are pages that the same block of links cites more alike than pages that the same page cites?",
        _bars(
            Strategy(),
            {
                "block co-citation": {"cocitation": 1.0},
                "blocks as in the paper": {
                    "cocitation": 1.0,
                    "cocitation.edges": False,
                    "cocitation.dynamic": True,
                    "cocitation.site_pairs": False,
                },
                "whole pages as blocks": {"cocitation": 1.0, "cocitation.whole_pages": True},
                "citing sites by authority": {"cocitation": 1.0, "cocitation.authority": 0.5},
                "mirrors apart": {"cocitation": 1.0, "cocitation.mirrors": False},
                "traditional co-citation": {"cocitation": 1.0, "citations": "traditional"},
                "Companion": {"cocitation": 1.0, "citations": "companion"},
                "bibliographic coupling": {"cocitation": 1.0, "citations": "coupling"},
            },
        ),
        _claims("block co-citation > traditional co-citation"),
    ),
    Figure(
        "Co-citation in the score",
        "Does it help to count what is cited together beside texts and concepts?",
        _bars(
            Strategy(),
            {
                "without": _SHARES,
                "a twentieth": {**_SHARES, "cocitation": 0.05},
                "a tenth": {**_SHARES, "cocitation": 0.1},
                "a fifth": {**_SHARES, "cocitation": 0.2},
                "a tenth of traditional": {**_SHARES, "cocitation": 0.1, "citations": "traditional"},
                "a tenth of coupling": {**_SHARES, "cocitation": 0.1, "citations": "coupling"},
            },
        ),
    ),
    Figure(
        "Links in the score",
        "Do links in the text of pages, to and from the same neighbours, add to texts, concepts and co-citation?",
        _bars(
            Strategy(),
            {
                "links alone": {"linked": 1.0},
                "links alone, without the page itself": {"linked": 1.0, "links.itself": 0.0},
                "without": {**_BLEND, "linked": 0.0},
                "a tenth": {**_BLEND, "linked": 0.1},
                "the default": _BLEND,
                "a quarter": {**_BLEND, "linked": 0.25},
                "and a twentieth of authority": {**_BLEND, "authority": 0.05},
            },
        ),
    ),
)


def swept() -> list[Contender]:
    """Every contender of the figures, once, in their order."""
    return list(dict.fromkeys(bar.contender for figure in (*PAPER, *BEYOND) for bar in figure.bars))


def read_contenders(path: Path) -> list[Contender]:
    """The contenders of a TOML file: tables `[[strategy]]` with fields of Strategy, shares, and tables of settings."""
    document = read_toml(path)
    unknown = sorted(document.keys() - {"strategy"})
    if unknown:
        raise SettingsError(
            f"{path}: there is no section {unknown[0]!r} here; a strategy has its own {', '.join(SHARES)}"
        )
    tables = document.get("strategy")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        names = ", ".join(each.name for each in fields(Strategy))
        raise SettingsError(
            f"{path}: expected tables [[strategy]], each with any of {names}, {', '.join(SHARES)}, "
            "citations, vectors, citing, linking"
        )
    return list(dict.fromkeys(_contender(table, f"{path}, strategy {n}") for n, table in enumerate(tables, 1)))


SECTIONS = {
    "vectors": ConceptSettings,
    "citing": CocitationSettings,
    "linking": LinkSettings,
}  # tables in the table of a contender


def _contender(table: dict[str, Any], where: str) -> Contender:
    shares: dict[str, Any] = {name: _share(name, table.get(name, 0.0), where) for name in SHARES}
    sections: dict[str, Any]
    sections = {name: _section(kind(), name, table.get(name, {}), where) for name, kind in SECTIONS.items()}
    citations = table.get("citations", "blocks")
    if citations not in CITATIONS:
        raise SettingsError(f"{where}: citations cannot be {citations!r}: allowed are {', '.join(CITATIONS)}")
    rest = {key: value for key, value in table.items() if key not in (*SHARES, *SECTIONS, "citations")}
    strategy = changed_section(Strategy(), "strategy", rest, where)
    return Contender(strategy, citations=citations, **shares, **sections)


def _section(defaults: Any, name: str, given: Any, where: str) -> Any:
    if not isinstance(given, dict):
        raise SettingsError(f"{where}: {name} cannot be {given!r}: expected a table of settings")
    return changed_section(defaults, name, given, where)


def _share(name: str, share: Any, where: str) -> float:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise SettingsError(f"{where}: {name} cannot be {share!r}: it must be from 0 to 1")
    return float(share)
