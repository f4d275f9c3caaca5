"""All settings: one frozen dataclass a step, read from one TOML file and from `--set KEY=VALUE`.

A field's metadata holds what a person may want to know (`what`) and, where not every value is allowed, a
function that raises ValueError with the allowed ones (`check`).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

from pagekin.errors import SettingsError

MIB = 1 << 20
FREQUENCIES = ("none", "log", "sqrt", "tf-idf", "nmdf")
WIDEST_WINDOW = 1000  # words a side; far wider than any that helped


def setting(default: Any, what: str, check: Callable[[Any], None] | None = None) -> Any:
    """A field of a settings class, with a sentence for the person who sets it."""
    return field(default=default, metadata={"what": what, "check": check})


def one_of(*allowed: str) -> Callable[[Any], None]:
    """A check that refuses all but these values."""

    def check(value: Any) -> None:
        if value not in allowed:
            raise ValueError(f"allowed are {', '.join(allowed)}")

    return check


def at_least(least: float) -> Callable[[Any], None]:
    """A check that refuses what is smaller."""

    def check(value: Any) -> None:
        if not value >= least:
            raise ValueError(f"it must be {least} or more")

    return check


def up_to(most: int) -> Callable[[Any], None]:
    """A check that refuses what is larger, or negative."""

    def check(value: Any) -> None:
        if not 0 <= value <= most:
            raise ValueError(f"it must be from 0 to {most}")

    return check


def a_selector(value: Any) -> None:
    """A check that refuses what is no CSS selector; nothing at all is fine."""
    from resiliparse.parse.html import HTMLTree  # takes time that those who cut nothing need not spend

    try:
        if value:
            HTMLTree.parse("").document.query_selector(value)
    except ValueError:
        raise ValueError("it is no CSS selector, such as ul.related or div[role=note], p.ad") from None


@dataclass(frozen=True)
class CrawlSettings:
    """How crawl files are read."""

    base_url: str = setting("", "the URL of a folder of HTML; by default http://FOLDER-NAME/")
    cut: str = setting("", "parts of pages that match this CSS selector are left out", a_selector)
    max_page_bytes: int = setting(16 * MIB, "larger pages are set aside", at_least(1))
    max_inflation: int = setting(1024 * MIB, "a record that inflates to more is left unread", at_least(1))
    split_bytes: int = setting(32 * MIB, "how much of an input one task reads", at_least(1))


def a_share(value: Any) -> None:
    """A check that refuses what is no part of a whole."""
    if not 0 <= value <= 1:
        raise ValueError("it must be from 0 to 1")


def window(value: Any) -> None:
    """A check for anchor windows."""
    if value not in ("syntactic", "topical") and not (str(value).isdecimal() and int(value) <= WIDEST_WINDOW):
        raise ValueError(f"allowed are 0 to {WIDEST_WINDOW} words a side, syntactic, topical")


@dataclass(frozen=True)
class Strategy:
    """How a page is represented as a bag of weighted terms (Haveliwala et al. 2002, section 3)."""

    content: float = setting(1.0, "how much the page's own words count", at_least(0))
    anchors: float = setting(0.3, "how much the words in and around links to it count", at_least(0))
    links: float = setting(0.0, "how much a page that links to it counts, as a term of its own", at_least(0))
    window: str = setting("32", "words a side of an anchor, or where to cut: syntactic, topical", window)
    reach: int = setting(32, "the most words a side for syntactic and topical windows", at_least(2))
    distance: bool = setting(True, "whether words count less the farther they stand from the anchor")
    template_pages: int = setting(3, "text that more pages of a site have is left out; 0: never", at_least(0))
    template_site: int = setting(10, "but not on sites with fewer pages than this", at_least(1))
    template_links: bool = setting(False, "whether links in such text are evidence")
    nofollow: bool = setting(False, "whether links marked nofollow are evidence")
    repeats: int = setting(9, "how often the same window of a site counts for a page; 0: always", at_least(0))
    stop_words: str = setting("auto", "auto (by the page's language), none, a language's code, or a file")
    stemming: str = setting("stem", "nostem, stem or stopstem", one_of("nostem", "stem", "stopstem"))
    numbers: bool = setting(False, "whether words without a letter are terms")
    frequency: str = setting("nmdf", "none, log, sqrt, tf-idf or nmdf", one_of(*FREQUENCIES))
    mu: float = setting(0.0, "nmdf: the ln of the best document frequency; 0: from the size of the crawl", at_least(0))
    sigma: float = setting(0.0, "nmdf: how fast weights fall on both sides; 0: from the size of the crawl", at_least(0))
    metric: str = setting("jaccard", "jaccard or cosine", one_of("jaccard", "cosine"))
    bag_size: int = setting(160, "how many terms, the heaviest, a bag keeps; 0: all", at_least(0))

    @property
    def name(self) -> str:
        """The name in reports.

        >>> Strategy().name
        'content+0.3*anchor32 stem dist nmdf jaccard'
        """
        anchor = f"anchor{self.window}" if self.window.isdecimal() else f"anchor-{self.window}"
        sources = [("content", self.content), (anchor, self.anchors), ("links", self.links)]
        parts = [name if factor == 1 else f"{factor:g}*{name}" for name, factor in sources if factor]
        distance = ["dist"] if self.distance and self.anchors else []
        words = ["+".join(parts) or "nothing", self.stemming, *distance, self._frequency_name, self.metric]
        return " ".join([*words, *self._unusual])

    @property
    def _frequency_name(self) -> str:
        is_set = self.frequency == "nmdf" and (self.mu or self.sigma)
        return f"nmdf({self.mu:g},{self.sigma:g})" if is_set else self.frequency

    @property
    def _unusual(self) -> list[str]:
        """What the usual words leave out, where it is not the default."""
        told = {"content", "anchors", "links", "window", "stemming", "distance", "frequency", "mu", "sigma", "metric"}
        rest = [f for f in dataclasses.fields(self) if f.name not in told and getattr(self, f.name) != f.default]
        return [f"{f.name}={getattr(self, f.name)}" for f in rest]


@dataclass(frozen=True)
class SimilaritySettings:
    """How bags are signed, indexed and compared (Haveliwala et al. 2002, section 6.2)."""

    signatures: int = setting(80, "how many signatures of 4 bytes a page has", at_least(1))
    seed: int = setting(1, "another seed, other signatures", at_least(0))
    least_in_links: int = setting(0, "pages with fewer in-links are asked for, but never an answer", at_least(0))
    alpha: float = setting(0.025, "the share of signatures that a candidate has in common with the page", at_least(0))
    cosine: float = setting(
        0.15, "the share of the cosine of tf-idf in the score of texts, the rest being the Jaccard", a_share
    )
    concepts: float = setting(
        0.3, "the share of concepts in the whole score, the rest being the score of texts", a_share
    )
    words: float = setting(0.0, "the share of word vectors in the whole score, if the index has them", a_share)
    keywords: float = setting(0.5, "share of the score that words have which pages should be about", a_share)
    cocitation: float = setting(0.05, "the share of block co-citation in the whole score", a_share)
    linked: float = setting(0.15, "the share of links, those in templates aside, in the whole score", a_share)
    authority: float = setting(0.0, "the share of the PageRank of a page in the whole score", a_share)
    rings: bool = setting(
        True, "whether sites that link to one another are left out, if no link leads there from the page's own site"
    )
    trusted: str = setting(
        "", "sites, with spaces between, whose links decide it for texts and for sites that link to few others"
    )
    copy: float = setting(0.9, "pages at least this much alike are copies and listed apart", at_least(0))
    candidates: int = setting(400, "how many candidates are compared exactly", at_least(1))
    shard_documents: int = setting(1 << 20, "how many pages a shard of the index holds", at_least(1))
    prune_epsilon: float = setting(
        0.0, "entries of term lists below this share of the k-th best are dropped for exact answers; 0: none", a_share
    )
    prune_k: int = setting(10, "the k of that: so many entries of each list always stay", at_least(1))


@dataclass(frozen=True)
class ConceptSettings:
    """How pages become vectors of concepts (a truncated singular value decomposition of bags and links)."""

    dimensions: int = setting(100, "how many numbers a vector has; 0: no concepts", at_least(0))
    frequency: str = setting("nmdf", "what terms weigh: none, log, sqrt, tf-idf or nmdf", one_of(*FREQUENCIES))
    links: float = setting(0.25, "how much links count beside the terms of a page", at_least(0))
    exponent: float = setting(1.0, "how much large concepts count more: the power of the singular values", at_least(0))
    sample: int = setting(50_000, "from how many pages, at most, the concepts are learned", at_least(1))
    least_pages: int = setting(2, "terms and links that fewer pages have are left out", at_least(1))
    columns: int = setting(400_000, "how many different terms and links are used, at most", at_least(1))
    rounds: int = setting(3, "how often the decomposition is refined", at_least(1))
    seed: int = setting(1, "chooses the pages, and where the decomposition begins", at_least(0))


@dataclass(frozen=True)
class WordSettings:
    """Word vectors from outside the crawl (the extra `words`; English)."""

    dimensions: int = setting(0, "how many numbers a vector has, 256 at most; 0: no word vectors", up_to(256))


@dataclass(frozen=True)
class CocitationSettings:
    """How links are put into blocks, and how pages that are cited together in them add up (Shen et al.)."""

    anchor_share: float = setting(0.8, "a section is one of links if more of its words are in anchors", a_share)
    section_links: int = setting(3, "and if it has more links than this", at_least(0))
    edges: bool = setting(True, "whether headings, rules and the edges of lists and tables always end a block")
    whole_pages: bool = setting(False, "whether all links of a page are one block, for comparison")
    block_links: int = setting(80, "blocks of more links are left out", at_least(2))
    dynamic: bool = setting(False, "whether a link with a query counts for the front page of its host")
    own_site: str = setting("auto", "whether links within a site count: yes, no, auto", one_of("yes", "no", "auto"))
    site_pairs: bool = setting(True, "whether two pages of one site, cited by another, are a pair")
    near: int = setting(8, "links that stand no farther apart in a block count in full", at_least(0))
    repeats: int = setting(9, "how often an anchor of one site counts for a pair", at_least(1))
    site_most: float = setting(10.0, "the most that one site adds to a pair; 0: no limit", at_least(0))
    authority: float = setting(0.0, "what citations of a site count: its PageRank to this power", at_least(0))
    mirrors: bool = setting(True, "whether copies, and hosts with most of their pages alike, count as one")
    least: float = setting(0.0, "pairs below this total are left out; 0: from the size of the crawl", at_least(0))
    pages: int = setting(15, "how many pages, the best, are kept for each; 0: no co-citation", at_least(0))


@dataclass(frozen=True)
class LinkSettings:
    """How near pages are by the links between them, templates aside."""

    neighbours: int = setting(
        1000, "pages with more say nothing of those that link to them, or that they link to; 0: no links", at_least(0)
    )
    itself: float = setting(
        2.0, "how much a page counts among its neighbours: a link of its own beside shared ones", at_least(0)
    )


@dataclass(frozen=True)
class DuplicateSettings:
    """Which pages are copies of one another (Broder 1997; the shares are of shingles, runs of words)."""

    threshold: float = setting(0.9, "pages of at least this resemblance are copies", a_share)
    contained: float = setting(0.9, "a page is a part of another that has this share of it; or the threshold", a_share)
    main_part: float = setting(0.5, "a part is a copy if the resemblance is at least this", a_share)
    chains: bool = setting(False, "whether copies of copies are copies, however unlike the first and the last are")
    shingle: int = setting(5, "how many words a shingle has", at_least(1))
    least_words: int = setting(10, "pages of fewer words are never copies", at_least(1))
    boilerplate: float = setting(0.5, "text on a larger share of the pages of a host is left out; 0: never", a_share)
    boilerplate_host: int = setting(10, "but what hosts with fewer pages repeat is kept", at_least(2))
    super_shingles: int = setting(16, "how many super-shingles a page has; 0: copies are not looked for", at_least(0))
    values: int = setting(8, "of how many min-wise values each is made", at_least(1))
    sample: int = setting(8, "one shingle of so many is looked up to find parts; 0: none", at_least(0))
    longest_list: int = setting(100, "of more pages that share one super-shingle not all are compared", at_least(2))
    longest_shingle_list: int = setting(16, "of more that share one sampled shingle not all are", at_least(2))


@dataclass(frozen=True)
class KeywordSettings:
    """How pages are searched by their words."""

    search: bool = setting(True, "whether they can be: takes as much room as the pages, and a third of the time")


@dataclass(frozen=True)
class Settings:
    """All sections, as they stand in a settings file."""

    crawl: CrawlSettings = CrawlSettings()
    strategy: Strategy = Strategy()
    similarity: SimilaritySettings = SimilaritySettings()
    concepts: ConceptSettings = ConceptSettings()
    words: WordSettings = WordSettings()
    cocitation: CocitationSettings = CocitationSettings()
    links: LinkSettings = LinkSettings()
    duplicates: DuplicateSettings = DuplicateSettings()
    keywords: KeywordSettings = KeywordSettings()

    @property
    def digest(self) -> str:
        """A short name for these settings: equal settings, equal digest."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def settings_of(sections: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Settings as they were written down; sections that did not exist then have their defaults."""
    return _changed(Settings(), sections, "the manifest")


def read_settings(path: Path | None = None, assignments: Iterable[str] = (), base: Settings | None = None) -> Settings:
    """The defaults, or other settings, changed by a TOML file and then by `section.key=value` assignments."""
    settings = base or Settings()
    if path is not None:
        settings = _changed(settings, read_toml(path), str(path))
    for assignment in assignments:
        settings = _changed(settings, _assigned(assignment), "--set")
    return settings


def read_toml(path: Path) -> Mapping[str, Any]:
    """What a TOML file holds."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not a TOML file: {error}") from None


def _assigned(assignment: str) -> Mapping[str, Any]:
    name, equals, text = assignment.partition("=")
    section, dot, key = name.strip().partition(".")
    if not equals or not dot:
        raise SettingsError(f"--set {assignment}: expected SECTION.KEY=VALUE, such as crawl.split_bytes=1000000")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    return {section: {key: value}}


def _changed(settings: Settings, sections: Mapping[str, Any], where: str) -> Settings:
    changes = {}
    for name, values in sections.items():
        section = getattr(settings, name, None)
        if not dataclasses.is_dataclass(section) or not isinstance(values, Mapping):
            known = ", ".join(f.name for f in dataclasses.fields(settings))
            raise SettingsError(f"{where}: there is no section {name!r}; there are {known}")
        changes[name] = changed_section(section, name, values, where)
    return dataclasses.replace(settings, **changes)


def changed_section(section: Any, name: str, values: Mapping[str, Any], where: str) -> Any:
    """One section with some of its settings changed, if they exist and may have such values."""
    fields = {f.name: f for f in dataclasses.fields(section)}
    types = get_type_hints(type(section))
    for key, value in values.items():
        if key not in fields:
            raise SettingsError(f"{where}: there is no {name}.{key}; there are {', '.join(fields)}")
        value = _typed(value, types[key], f"{where}: {name}.{key}")
        check = fields[key].metadata.get("check")
        try:
            if check is not None:
                check(value)
        except ValueError as error:
            raise SettingsError(f"{where}: {name}.{key} cannot be {value!r}: {error}") from None
        section = dataclasses.replace(section, **{key: value})
    return section


def _typed(value: Any, type_: Any, what: str) -> Any:
    if type_ is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type_ is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if type(value) is not type_:
        raise SettingsError(f"{what} cannot be {value!r}: expected {type_.__name__}")
    return value
