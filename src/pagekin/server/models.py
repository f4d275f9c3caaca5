"""What is asked over HTTP and what is answered, as pydantic models: they check questions and describe both in OpenAPI.

Answers are not checked when they are given, which would take longer than to find them; the tests do that.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

MOST_RESULTS = 1000
LONGEST_QUERY = 2000  # characters
MOST_SOURCES = 16
MOST_TERMS = 10_000

Weights = dict[str, Annotated[float, Field(ge=0, le=1e6)]]
Terms = dict[str, Annotated[float, Field(gt=0, le=1e6)]]
_WEIGHTS_PATTERN = r"^[a-z]{1,20}=[0-9]{1,6}(\.[0-9]{1,6})?(,[a-z]{1,20}=[0-9]{1,6}(\.[0-9]{1,6})?){0,15}$"


def _readable(text: str) -> str:
    if not text.strip():
        raise ValueError("must have something in it but white space")
    return text


Words = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY, pattern=r"\S"), AfterValidator(_readable)]
Url = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_QUERY, description="An address, in any spelling.",
          examples=["http://example.org/bees.html"]),
]  # fmt: skip
K = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="How many.")]
Offset = Annotated[int, Field(ge=0, le=MOST_RESULTS, description="How many of the first to leave out.")]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Choice(_Asked):
    """Which related pages, and how they are told."""

    k: K = 10
    offset: Offset = 0
    about: Words | None = Field(None, description="Words that the pages should have as well, as for search.")
    explain: bool = Field(False, description="Say why.")
    other_sites: bool = Field(False, description="Leave out the page's own site.")
    per_site: int | None = Field(None, ge=1, le=MOST_RESULTS, description="At most so many pages of a site.")
    copies: bool = Field(False, description="Show every copy, not only the page that stands for them.")

    @property
    def wanted(self) -> dict[str, Any]:
        """The arguments of `Index.related` but for the question itself and the weights."""
        names = ("k", "offset", "about", "explain", "other_sites", "per_site", "copies")
        return {name: getattr(self, name) for name in names}


class RelatedQuery(_Choice):
    """The pages related to a page of the index."""

    url: Url
    weights: str | None = Field(
        None, pattern=_WEIGHTS_PATTERN, max_length=500, description="What counts how much.",
        examples=["text=1,cocitation=0.5"],
    )  # fmt: skip

    @property
    def asked(self) -> dict[str, Any]:
        """The question, as arguments of `Index.related`."""
        pairs = [part.split("=") for part in self.weights.split(",")] if self.weights else []
        return {"url": self.url, "weights": {name: float(number) for name, number in pairs} or None}


QUESTIONS = ("url", "html", "text", "terms")
_ONE_QUESTION: list[Any] = [{"required": [name]} for name in QUESTIONS]


class _Question(_Asked):
    """A question of which exactly one of `url`, `html`, `text` and `terms` is given."""

    url: Url = Field(default_factory=str)
    html: str = Field(default_factory=str, min_length=1, description="A page that need not be in the index.")
    text: str = Field(default_factory=str, min_length=1, description="Any text.")
    terms: Terms = Field(
        default_factory=dict, min_length=1, max_length=MOST_TERMS, description="Terms and how often each stands.",
        examples=[{"honey": 3, "bee": 5}],
    )  # fmt: skip
    weights: Weights | None = Field(
        None, max_length=MOST_SOURCES, description="What counts how much.", examples=[{"text": 1, "cocitation": 0.5}]
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_fields_set & set(QUESTIONS)) != 1:
            raise ValueError("give one of url, html, text and terms")
        return self

    @property
    def asked(self) -> dict[str, Any]:
        """The question, as arguments of `Index.related`."""
        given = {"url": self.url, "html": self.html.encode(), "text": self.text, "terms": self.terms}
        return {**{name: value for name, value in given.items() if value}, "weights": self.weights}


class RelatedQuestion(_Choice, _Question):
    """Related pages, for what need not be in the index."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "oneOf": _ONE_QUESTION,
            "examples": [{"text": "honey bees in spring", "k": 5}, {"url": "http://example.org/bees.html"}],
        },
    )


class ScoresQuestion(_Question):
    """How related certain pages are."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "oneOf": _ONE_QUESTION,
            "examples": [{"text": "honey bees", "urls": ["http://example.org/bees.html"]}],
        },
    )

    urls: list[Url] = Field(max_length=MOST_RESULTS, description="The pages to be scored.")
    copies: bool = Field(False, description="Score copies too, and not only pages that stand for them.")
    about: Words | None = Field(None, description="Words that the pages should have as well, as for search.")


class SearchQuery(_Asked):
    """The pages that have certain words."""

    q: Words = Field(description="Words, phrases, wildcards and more.", examples=['honey "queen bee" -wasp*'])
    k: K = 10
    copies: bool = Field(False, description="Show every copy of a page that is found.")
    explain: bool = Field(False, description="Say which words the parts of the query stood for.")


class PageQuery(_Asked):
    """One page."""

    url: Url
    k: K = Field(10, description="How many terms.")


class DuplicatesQuery(_Asked):
    """A part of the clusters."""

    k: K = 10
    offset: int = Field(0, ge=0, le=10**9, description="How many of the first to leave out.")


class SuggestQuery(_Asked):
    """What was typed so far."""

    q: str = Field(max_length=LONGEST_QUERY, description="The beginning of an address, or words.", examples=["hon"])
    k: int = Field(8, ge=1, le=50, description="How many.")


# --- answers ------------------------------------------------------------------------------------------------


class Timed(BaseModel):
    """Every answer says how long it took to find."""

    took_ms: float = Field(description="Milliseconds.", examples=[3.2])


class SharedTerm(BaseModel):
    """A term of both pages."""

    term: str
    share: float = Field(description="Of what they have in common.")


class SharedConcept(BaseModel):
    """What two pages are both about."""

    share: float
    words: list[str]
    pages: list[str]
    titles: list[str]


class Citation(BaseModel):
    """A page that cites both in one block of links."""

    url: str
    title: str
    heading: str
    anchors: list[str]


class CitedTogether(BaseModel):
    """Blocks of links that have both pages."""

    blocks: int
    citations: list[Citation]


class SharedLinks(BaseModel):
    """What ties two pages by links."""

    links_to: bool = Field(description="Whether the page that was asked for links to the other.")
    linked_from: bool = Field(description="Whether the other links to it.")
    neighbours: int = Field(description="Pages that link to both, that both link to, or that lie between the two.")
    pages: list[str] = Field(description="The addresses of some of them, those with the fewest links.")
    titles: list[str] = Field(description="Their titles, in the same order.")


class Reason(BaseModel):
    """Why two pages are related."""

    shared: list[SharedTerm] = Field(description="The terms of both, the heaviest first.")
    quote: str = Field(description="Where on the page they stand.")
    quoted_from: str = Field(description="That page, or one that links to it.")
    concepts: list[SharedConcept] = Field(description="What both are about.")
    cited: CitedTogether | None = Field(description="Where both are cited together, if they are.")
    linked: SharedLinks | None = Field(description="How links tie them, if they do.")


class Related(BaseModel):
    """A related page."""

    rank: int
    url: str
    title: str
    site: str
    score: float
    evidence: dict[str, float] = Field(description="What each source says, from 0 to 1.")
    shares: dict[str, float] = Field(
        description="What each source that counts gives to the score: its weight times what it says. Together they "
        "are the score, but for rounding.",
        examples=[{"text": 0.31, "cocitation": 0.12}],
    )
    copies: int = Field(description="Pages that this one stands for.")
    copied_at: list[str] = Field(description="Their addresses, if it was asked to explain.")
    why: list[Reason] = Field(description="Empty, or one reason if it was asked for.")


class LeftOut(BaseModel):
    """A source that should have counted, and failed."""

    source: str = Field(examples=["cocitation"])
    reason: str


class Accesses(BaseModel):
    """How often a source was asked for a page."""

    source: str = Field(examples=["text"])
    by_order: int = Field(description="For the next best page.")
    at_random: int = Field(description="For what a certain page has.")


class Effort(BaseModel):
    """What it took to know the best pages (a top-k query over several sources)."""

    accesses: list[Accesses] = Field(description="How often each source was asked.")
    cost: float = Field(description="About how many microseconds that takes.")
    least: float = Field(description="The score of the last page that was sought.")
    threshold: float = Field(description="What no page that was left out exceeds.")


class RelatedAnswer(Timed):
    """The related pages, and apart from them near-copies of what was asked."""

    query: str
    results: list[Related]
    copies: list[Related]
    left_out: list[LeftOut] = Field(description="Sources that should have counted, and failed.")
    effort: Effort | None = Field(description="What the answer took, if it was asked to explain.")
    strangers: int = Field(
        description="How many pages could be no answers, being of rings of sites that the page's site does not lead "
        "to; if it was asked to explain."
    )


class ScoresAnswer(Timed):
    """The score of each page, in the order in which they were given."""

    scores: list[float | None] = Field(description="null for a page that can be no answer.")


class Hit(BaseModel):
    """A page that was found by its words."""

    rank: int
    url: str
    title: str
    site: str
    score: float
    snippet: str
    marks: list[tuple[int, int]] = Field(description="Where in the snippet the words begin and end.")
    copies: int


class Expanded(BaseModel):
    """The words that a part of a query stood for."""

    part: str
    words: list[str]
    total: int


class SearchAnswer(Timed):
    """The pages that were found, the best first."""

    query: str
    total: int
    results: list[Hit]
    did_you_mean: str | None = Field(None, description="A query that finds something, if this one does not.")
    expanded: list[Expanded] | None = Field(None, description="If it was asked to explain.")


class Term(BaseModel):
    """A term of a page."""

    term: str
    weight: float


class PageAnswer(Timed):
    """What is known of a page."""

    url: str
    title: str
    site: str
    fetched: bool
    language: str
    captured_at: str | None
    words: int
    links_out: int
    in_links: int
    linked_from: list[str] = Field(description="The first of the pages that link to it.")
    copies: int
    copied_at: list[str] = Field(description="The first of its copies.")
    terms: list[Term] = Field(description="The heaviest terms.")


class Difference(BaseModel):
    """What a copy says in place of what the other says."""

    here: str
    there: str


class Copy(BaseModel):
    """A copy, compared with the page that stands for it."""

    url: str
    resemblance: float
    containment: float | None
    containing: float | None
    differences: list[Difference]


class Cluster(BaseModel):
    """Copies of one page."""

    pages: list[str]
    representative: str
    resemblance: float
    containment: float | None
    copies: list[Copy]


class Part(BaseModel):
    """A page that stands within a larger one."""

    url: str
    whole: str
    containment: float


class Mirror(BaseModel):
    """Two hosts most of whose pages are alike."""

    host: str
    original: str
    alike: int
    pages: int
    original_pages: int
    share: float


class DuplicatesAnswer(Timed):
    """A part of the clusters, the largest first, and of the pages that stand within others."""

    clusters: list[Cluster]
    parts: list[Part]
    mirrors: list[Mirror]
    pages: int
    kept: int
    dropped: int
    capped: int
    total: int = Field(description="How many clusters there are.")
    total_parts: int


class Suggestion(BaseModel):
    """A page that may be meant."""

    url: str
    title: str


class SuggestAnswer(Timed):
    """Pages that may be meant, the likeliest first."""

    query: str
    suggestions: list[Suggestion]


class Health(BaseModel):
    """Whether questions are answered."""

    status: Literal["ready"]
    index: str = Field(description="The digest of the open index.")
    documents: int
    built_at: str


class Reloaded(BaseModel):
    """What a reload did."""

    index: str = Field(description="The digest of the open index.")
    changed: bool


class Fault(BaseModel):
    """Why there is no answer."""

    error: str = Field(examples=["http://example.org/x is not in this index"])
