"""The nouns: one Arrow schema for each table that passes between steps, a sentence for each column.

Ids are signed 64-bit hashes (`hashing.py`). A list column holds one list a row; columns whose names share
their first word (`link_page`, `link_first`) have lists of one length, whose i-th entries belong together.
Positions count words from 0 in reading order; a span is [first, last), so an empty anchor has first == last.
"""

from __future__ import annotations

from enum import IntFlag

import pyarrow as pa


def _column(name: str, type_: pa.DataType, sentence: str, repeats: bool = False) -> pa.Field:
    metadata = {"what": sentence} | ({"repeats": "yes"} if repeats else {})
    return pa.field(name, type_, nullable=False, metadata=metadata)


def repeating_columns(schema: pa.Schema) -> list[str]:
    """The columns that have few different values in many rows, by their paths in Parquet: they get dictionaries.

    In others the search for values that repeat takes most of the time of writing, and what it finds takes more room.
    """
    repeating = (field for field in schema if b"repeats" in (field.metadata or {}))
    return [f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in repeating]


def _list(item: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("item", item, nullable=False))


INSTANT = pa.timestamp("us", tz="UTC")

CAPTURES = pa.schema(
    [
        _column("source", pa.string(), "The file, and where in it the capture stands, for a person to find it."),
        _column("url", pa.string(), "The URL as the crawl has it, not yet canonical."),
        _column("captured_at", INSTANT, "When it was fetched; for a file in a folder, when it was last changed."),
        _column(
            "html",
            pa.large_binary(),
            "The page in UTF-8, decoded from every transfer and character encoding.",
        ),
        _column("encoding", pa.string(), "The character encoding it had before."),
        _column(
            "moved_to",
            pa.string(),
            "For a redirect or a revisit, the URL it leads to, as written; else empty.",
        ),
        _column("moved_by", pa.string(), "'redirect' or 'revisit' when `moved_to` is set; else empty."),
    ]
)

REJECTED = pa.schema(
    [
        _column("source", pa.string(), "The file, and where in it the thing stands."),
        _column("url", pa.string(), "Its URL, if it got as far as having one."),
        _column("reason", pa.string(), "Why it was set aside, in a few words that can be counted."),
        _column("detail", pa.string(), "What was found there, for a person."),
    ]
)

ALIASES = pa.schema(
    [
        _column("page", pa.int64(), "The page under its other address."),
        _column("url", pa.string(), "That other address, canonical."),
        _column("target", pa.int64(), "The page it stands for."),
        _column("target_url", pa.string(), "The address of the page it stands for, canonical."),
        _column(
            "reason",
            pa.string(),
            "'redirect', 'revisit' or 'canonical'; before aliases are settled also 'page', for itself.",
        ),
    ]
)

URLS = pa.schema(
    [
        _column("page", pa.int64(), "A page that was fetched, or that a page links to."),
        _column("url", pa.string(), "Its canonical URL."),
        _column("fetched", pa.bool_(), "Whether it was fetched."),
        _column("in_links", pa.int64(), "How many links lead to it."),
    ]
)

PAGES = pa.schema(
    [
        _column("site_id", pa.int64(), "The hash of `site`."),
        _column("page", pa.int64(), "The hash of `url` without its scheme: http and https are one page."),
        _column("url", pa.string(), "The canonical URL."),
        _column(
            "site", pa.string(), "The registrable domain by the public-suffix list, or the bare host.", repeats=True
        ),
        _column("title", pa.string(), "The text of the first <title>, white space folded."),
        _column(
            "language",
            pa.string(),
            "The declared language, its first subtag, or else a guess; empty if unknown.",
            repeats=True,
        ),
        _column("captured_at", INSTANT, "When this capture was fetched."),
        _column("captured_as", pa.string(), "The address it was fetched from, if rel=canonical gave it another."),
        _column("noindex", pa.bool_(), "Whether a robots meta asks not to be indexed."),
        _column(
            "words", _list(pa.int64()), "Ids of the word forms in reading order, stop words included.", repeats=True
        ),
        _column("title_first", pa.int32(), "Where the words of the title begin."),
        _column("title_last", pa.int32(), "Where they end."),
        _column("link_page", _list(pa.int64()), "The page each link leads to.", repeats=True),
        _column("link_url", _list(pa.string()), "Its canonical URL.", repeats=True),
        _column("link_first", _list(pa.int32()), "Where the words of its anchor begin."),
        _column("link_last", _list(pa.int32()), "Where they end."),
        _column(
            "link_nofollow",
            _list(pa.bool_()),
            "Whether rel=nofollow (ugc, sponsored) or a robots meta says so.",
        ),
        _column("break_at", _list(pa.int32()), "The word before which each break stands; ascending, no two alike."),
        _column("break_kinds", _list(pa.int32()), "What breaks there, as the bits of `Break`.", repeats=True),
        _column("style_at", _list(pa.int32()), "The word from which each style holds; ascending."),
        _column("style_chars", _list(pa.int32()), "How many characters but white space are set in it.", repeats=True),
        _column("style_bold", _list(pa.bool_()), "Whether it is bold."),
        _column(
            "style_size", _list(pa.int16()), "Its font size in CSS pixels; 16 where nothing is said.", repeats=True
        ),
        _column(
            "style_color", _list(pa.int32()), "Its font colour, 0xRRGGBB; black where nothing is said.", repeats=True
        ),
        _column(
            "style_background",
            _list(pa.int32()),
            "What lies behind it, 0xRRGGBB; white where nothing is said.",
            repeats=True,
        ),
    ]
)

LEXICON = pa.schema(
    [
        _column("word", pa.int64(), "The hash of `text`."),
        _column("text", pa.string(), "The word form in lower case."),
        _column("occurrences", pa.int64(), "How often it was seen."),
    ]
)


LANGUAGES = pa.schema(
    [
        _column(
            "language",
            pa.string(),
            "A language that pages of the crawl are in; empty for all that are not listed.",
        ),
        _column("pages", pa.int64(), "How many are."),
    ]
)

WORD_TERMS = pa.schema(
    [
        _column("language", pa.string(), "The language of the page on which the word stands.", repeats=True),
        _column("word", pa.int64(), "The word form."),
        _column(
            "term",
            pa.int64(),
            "The term that it is there: the hash of its text. Words that are dropped have no row.",
        ),
    ]
)

TERM_FORMS = pa.schema(
    [
        _column("term", pa.int64(), "The hash of `text`."),
        _column("text", pa.string(), "The term: a stem, or the word itself."),
        _column("form", pa.string(), "A word that becomes this term."),
        _column("occurrences", pa.int64(), "How often that word was seen."),
    ]
)

TERMS = pa.schema(
    [
        _column("term", pa.int64(), "The hash of `text`. The number of a term is the number of its row here."),
        _column("text", pa.string(), "The term: a stem, or the word itself."),
        _column("form", pa.string(), "The commonest word that becomes this term, to show to a person."),
    ]
)

SEGMENTS = pa.schema(
    [
        _column("site_id", pa.int64(), "The site."),
        _column("segment", pa.int64(), "The hash of the words between two breaks; 0 stands for the page itself."),
        _column("pages", pa.int64(), "On how many pages of the site it stands."),
    ]
)

CITATIONS = pa.schema(
    [
        _column("citation", pa.int64(), "The hash of linked page, linking site and anchor window."),
        _column("source", pa.int64(), "The linking page; the one with the least id, of several."),
        _column("times", pa.int64(), "How many links are alike in this."),
    ]
)

FRAGMENTS = pa.schema(
    [
        _column("page", pa.int64(), "The page that is represented, fetched or not."),
        _column("terms", _list(pa.int32()), "The numbers of its terms, ascending."),
        _column(
            "frequencies",
            _list(pa.int64()),
            "How often each is there, in units of 1/1024, distance and factors in.",
        ),
    ]
)

TERM_COUNTS = pa.schema(
    [
        _column("number", pa.int32(), "The number of the term."),
        _column("documents", pa.int64(), "How many bags have it."),
    ]
)

BAGS = pa.schema(
    [
        *FRAGMENTS,
        _column("weights", _list(pa.float32()), "What each term weighs; the weights of a bag add up to 1."),
    ]
)

BASIS = pa.schema(
    [
        _column("column", pa.int32(), "The number of a term, or of a link to or from an address, ascending."),
        _column("weight", pa.float32(), "What it weighs in a page."),
        _column("vector", pa.binary(), "Where a page goes that has this column alone, as in VECTORS."),
    ]
)

VECTORS = pa.schema(
    [
        _column("page", pa.int64(), "The page, fetched or not."),
        _column("vector", pa.binary(), "Its vector of length 1: numbers of two bytes (IEEE 754), little-endian."),
    ]
)

TERM_VECTORS = pa.schema(
    [
        _column("term", pa.int64(), "The term, ascending."),
        _column("vector", pa.binary(), "What its commonest form means, as in VECTORS."),
    ]
)

NEIGHBOURS = pa.schema(
    [
        _column(
            "page", pa.int64(), "A page that links to another, or that another links to; links in templates aside."
        ),
        _column("neighbour", pa.int64(), "The other page."),
        _column("ways", pa.int32(), "1: the page links to its neighbour; 2: the neighbour links to it; 3: both."),
    ]
)

TARGETS = pa.schema(
    [
        _column("page", pa.int64(), "A page that was fetched, or that a page links to."),
        _column("target", pa.int64(), "The page that a link to it counts for in co-citation: itself, as a rule."),
        _column("site_id", pa.int64(), "The site of that page."),
        _column(
            "kind",
            pa.int32(),
            "1: a file; 2: with a query; 4: spelled otherwise; 8: not known; 16: a copy.",
        ),
        _column("own_site", pa.int64(), "The site of the page itself, whatever stands for it."),
    ]
)

MIRRORS = pa.schema(
    [
        _column("host", pa.string(), "A host most of whose pages another has too."),
        _column("original", pa.string(), "The host that stands for both."),
    ]
)

SITE_LINKS = pa.schema(
    [
        _column("site_id", pa.int64(), "A site that was fetched."),
        _column("target_site", pa.int64(), "A site that it links to, or itself."),
        _column("pages", pa.int64(), "How many of its pages were fetched, in the row for itself; else 0."),
    ]
)

AUTHORITY = pa.schema(
    [
        _column("site_id", pa.int64(), "A site that was fetched or is linked to, ascending."),
        _column("pages", pa.int64(), "How many of its pages were fetched."),
        _column("authority", pa.float64(), "Its PageRank among the sites, 1 on average."),
    ]
)

FOLLOWED = pa.schema(
    [
        _column("site_id", pa.int64(), "A site that was fetched."),
        _column("target_site", pa.int64(), "Another to which it has a link that is not marked nofollow."),
    ]
)

RINGS = pa.schema(
    [
        _column(
            "sites", _list(pa.int64()), "The sites of a ring, which lead to one another; or one that leads to a ring."
        ),
        _column("leads_to", _list(pa.int64()), "The numbers of the rows, all above this one, that they link to."),
    ]
)

CITED = pa.schema(
    [
        _column("page", pa.int64(), "A page that a block of links cites."),
        _column("site_id", pa.int64(), "The site of the page that the block stands on."),
        _column("anchor", pa.int64(), "The hash of the words of the link."),
        _column("source", pa.int64(), "The page that the block stands on."),
        _column("blocks", pa.int64(), "For how many blocks that are alike in all but the page the row stands."),
        _column("others", _list(pa.int64()), "The pages that the block cites beside it."),
        _column("similarities", _list(pa.float32()), "How near each stands to it, and how alike the anchors are."),
    ]
)

FILTERED = pa.schema(
    [
        _column("filter", pa.string(), "What links in blocks pass before they count, in its order."),
        _column("links", pa.int64(), "How many links it dropped or changed."),
    ]
)

COCITED = pa.schema(
    [
        _column("page", pa.int64(), "A page."),
        _column("other", pa.int64(), "A page that is cited together with it."),
        _column("total", pa.float32(), "The total similarity from the page to the other."),
        _column("citing", pa.int32(), "How many blocks cite both; of those a site repeats, as many as may count."),
        _column("sources", _list(pa.int64()), "The pages, three at most, that put them nearest to each other."),
    ]
)

SIGNATURES = pa.schema(
    [
        _column("page", pa.int64(), "The page."),
        _column("signatures", _list(pa.int32()), "Its weighted min-hash signatures; the bits of unsigned numbers."),
    ]
)

BOILERPLATE = pa.schema(
    [_column("segment", pa.int64(), "The hash of words between two breaks that a host has on most pages; ascending.")]
)

CONTENTS = pa.schema(
    [
        _column("digest", pa.int64(), "The hash of the content of a page, all its words in their order."),
        _column("page", pa.int64(), "The page."),
    ]
)

EXACT_COPIES = pa.schema(
    [
        _column("page", pa.int64(), "A page."),
        _column("first", pa.int64(), "The page of the least id that has the same content, word for word."),
    ]
)

SIZES = pa.schema(
    [
        _column("page", pa.int64(), "A page that has content."),
        _column("size", pa.int32(), "How many different shingles it has."),
        _column("samples", pa.int32(), "How many of them are sampled."),
    ]
)

LISTED = pa.schema(
    [
        _column("number", pa.int64(), "A super-shingle of a page or, if it is odd, a sampled shingle."),
        _column("page", pa.int64(), "The page."),
        _column("size", pa.int32(), "How many different shingles it has."),
    ]
)

LONG_LISTS = pa.schema(
    [
        _column("number", pa.int64(), "A super-shingle, or a shingle if it is odd."),
        _column("pages", pa.int64(), "How many pages have it; they were paired with one of them alone."),
    ]
)

PAIRS = pa.schema(
    [
        _column("page", pa.int64(), "A page."),
        _column("other", pa.int64(), "A page of a greater id that may be a copy of it."),
        _column("super_shingles", pa.int32(), "How many super-shingles they share."),
        _column("shingles", pa.int32(), "How many sampled shingles they share."),
    ]
)

CANDIDATES = pa.schema(
    [
        _column("page", pa.int64(), "A page."),
        _column("other", pa.int64(), "A page of a greater id that is to be compared with it."),
        _column("size", pa.int32(), "How many different shingles the page has."),
        _column("other_size", pa.int32(), "How many the other has."),
    ]
)

MEMBERS = pa.schema(
    [
        _column("page", pa.int64(), "A page that is to be compared, ascending."),
        _column("lot", pa.int64(), "A lot of pages that are compared together."),
    ]
)

COMPARED = pa.schema(
    [
        _column("lot", pa.int64(), "The lot."),
        _column("page", pa.int64(), "A page."),
        _column("other", pa.int64(), "The page that it is compared with; itself in the row that has its shingles."),
        _column("shingles", _list(pa.int64()), "Its different shingles; none in the rows of pairs."),
    ]
)

RESEMBLANCES = pa.schema(
    [
        _column("page", pa.int64(), "A page."),
        _column("other", pa.int64(), "A page of a greater id."),
        _column("resemblance", pa.float64(), "The share of the shingles of both that both have."),
        _column("containment", pa.float64(), "The share of the page's shingles that the other has."),
        _column("other_containment", pa.float64(), "The share of the other's shingles that the page has."),
        _column("shared", pa.int64(), "How many shingles both have."),
        _column("shingles", pa.int64(), "How many the page has."),
        _column("other_shingles", pa.int64(), "How many the other has."),
    ]
)

DUPLICATES = pa.schema(
    [
        _column("page", pa.int64(), "A page that another stands for, ascending."),
        _column("representative", pa.int64(), "The page that stands for all its copies."),
        _column(
            "resemblance",
            pa.float64(),
            "Of the two; if they were not compared, the least it can be by a page that both were.",
        ),
    ]
)

MIRRORED_HOSTS = pa.schema(
    [
        _column("host", pa.string(), "A host most of whose pages another has too, or which has most of another's."),
        _column("original", pa.string(), "The other, to which more links lead."),
        _column("alike", pa.int64(), "How many pages of both have the same path and are copies."),
        _column("pages", pa.int64(), "How many pages the host has."),
        _column("original_pages", pa.int64(), "How many the other has."),
    ]
)


LINK_TEXTS = pa.schema(
    [
        _column("site_id", pa.int64(), "The site of the page that a link leads to."),
        _column("page", pa.int64(), "That page."),
        _column("text", pa.int64(), "The hash of the words of the link and of their language."),
        _column("draw", pa.int64(), "The hash of `text` and of the page that links: whose turn it is among links."),
        _column("language", pa.string(), "The language of the page that links."),
        _column("words", _list(pa.int64()), "The word forms of the link in their order."),
    ]
)

ANCHOR_TEXTS = pa.schema(
    [
        _column("site_id", pa.int64(), "The site of a page that links lead to."),
        _column("page", pa.int64(), "The page."),
        _column("url", pa.string(), "Its canonical URL."),
        _column("words", _list(pa.int64()), "The word forms of the different texts of those links, one after another."),
        _column("text_last", _list(pa.int32()), "Where in `words` each text ends; the commonest text comes first."),
        _column("text_language", _list(pa.string()), "The language of the pages that link in this way."),
    ]
)


class Break(IntFlag):
    """What can stand between two words; the bits of `break_kinds`."""

    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 4
    BLOCK = 8
    ITEM = 16
    CELL = 32
    ROW = 64
    HEADING = 128
    HEADING_END = 256
    LIST = 512
    LIST_END = 1024
    TABLE = 2048
    TABLE_END = 4096
    RULE = 8192
    TITLE = 16384
