"""The steps in order, as data: what each reads, writes, and looks up beside it."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from pagekin.bags.chunk import COLUMNS
from pagekin.bags.gather import add_fragments, bag_fragments, count_citations, repeated_citations
from pagekin.bags.templates import add_pages, count_segments
from pagekin.bags.terms import commonest_languages, count_languages, settled_terms, word_terms
from pagekin.bags.weights import add_documents, count_documents, weighed_bags
from pagekin.cocitation.authority import add_site_links, site_authority, site_links
from pagekin.cocitation.blocks import BLOCK_COLUMNS
from pagekin.cocitation.merging import best_cocited, fewer_citations, fewer_totals, total_similarities
from pagekin.cocitation.pairs import add_filtered, block_citations
from pagekin.cocitation.targets import link_targets
from pagekin.concepts.basis import learned_basis, projected
from pagekin.concepts.features import bag_features, link_features, sampled_features
from pagekin.concepts.words import page_words, term_vectors
from pagekin.crawl.captures import read_captures
from pagekin.duplicates.boilerplate import SEGMENT_COLUMNS, boilerplate, host_segments, page_segments
from pagekin.duplicates.candidates import candidate_pairs, fewer_pairs, first_copies, listed_pairs
from pagekin.duplicates.clusters import clustered
from pagekin.duplicates.comparison import compared_lots, resemblances, shingled_pages
from pagekin.duplicates.shingles import TEXT_COLUMNS
from pagekin.duplicates.sketches import sketched_pages
from pagekin.engines.protocol import Fold, Lookup, Map, Read, Step
from pagekin.keywords.anchors import LINK_COLUMNS, anchor_texts, fewer_link_texts, link_texts
from pagekin.links.evidence import join_links, page_links
from pagekin.links.rings import FOLLOWED_COLUMNS, followed_links, followed_sites, site_rings
from pagekin.scan.page import scan_captures
from pagekin.scan.settle import (
    add_occurrences,
    addresses,
    followed_aliases,
    settled_addresses,
    settled_aliases,
    settled_pages,
)
from pagekin.settings import Settings, Strategy
from pagekin.side_tables import ROW
from pagekin.signatures.weighted_minhash import sign_bags
from pagekin.tables import (
    ALIASES,
    ANCHOR_TEXTS,
    AUTHORITY,
    BAGS,
    BASIS,
    BOILERPLATE,
    CANDIDATES,
    CITATIONS,
    CITED,
    COCITED,
    COMPARED,
    CONTENTS,
    DUPLICATES,
    EXACT_COPIES,
    FILTERED,
    FOLLOWED,
    FRAGMENTS,
    LANGUAGES,
    LEXICON,
    LINK_TEXTS,
    LISTED,
    LONG_LISTS,
    MEMBERS,
    MIRRORED_HOSTS,
    MIRRORS,
    NEIGHBOURS,
    PAGES,
    PAIRS,
    REJECTED,
    RESEMBLANCES,
    RINGS,
    SEGMENTS,
    SIGNATURES,
    SITE_LINKS,
    SIZES,
    TARGETS,
    TERM_COUNTS,
    TERM_FORMS,
    TERM_VECTORS,
    TERMS,
    URLS,
    VECTORS,
    WORD_TERMS,
)

SCHEMAS: dict[str, pa.Schema] = {
    "captured": PAGES,
    "words": LEXICON,
    "found_aliases": ALIASES,
    "moves": ALIASES,
    "addresses": URLS,
    "rejected": REJECTED,
    "aliases": ALIASES,
    "pages": PAGES,
    "lexicon": LEXICON,
    "urls": URLS,
    "page_languages": LANGUAGES,
    "languages": LANGUAGES,
    "word_terms": WORD_TERMS,
    "term_forms": TERM_FORMS,
    "terms": TERMS,
    "segments": SEGMENTS,
    "templates": SEGMENTS,
    "citations": CITATIONS,
    "repeated": CITATIONS,
    "fragments": FRAGMENTS,
    "counted": FRAGMENTS,
    "bag_terms": TERM_COUNTS,
    "term_counts": TERM_COUNTS,
    "bags": BAGS,
    "signatures": SIGNATURES,
    "features": FRAGMENTS,
    "featured": FRAGMENTS,
    "feature_terms": TERM_COUNTS,
    "feature_counts": TERM_COUNTS,
    "sampled": FRAGMENTS,
    "basis": BASIS,
    "concepts": VECTORS,
    "term_vectors": TERM_VECTORS,
    "words_of_pages": VECTORS,
    "mirrors": MIRRORS,
    "targets": TARGETS,
    "site_links": SITE_LINKS,
    "linked_sites": SITE_LINKS,
    "authority": AUTHORITY,
    "followed": FOLLOWED,
    "followed_sites": FOLLOWED,
    "rings": RINGS,
    "linked": NEIGHBOURS,
    "neighbours": NEIGHBOURS,
    "dropped": FILTERED,
    "filtered": FILTERED,
    "cited": CITED,
    "totals": COCITED,
    "cocited": COCITED,
    "page_segments": SEGMENTS,
    "host_segments": SEGMENTS,
    "boilerplate": BOILERPLATE,
    "contents": CONTENTS,
    "exact_copies": EXACT_COPIES,
    "sizes": SIZES,
    "listed": LISTED,
    "long_lists": LONG_LISTS,
    "pairs": PAIRS,
    "candidates": CANDIDATES,
    "members": MEMBERS,
    "compared": COMPARED,
    "compared_pairs": RESEMBLANCES,
    "resemblances": RESEMBLANCES,
    "duplicates": DUPLICATES,
    "mirrored_hosts": MIRRORED_HOSTS,
    "link_texts": LINK_TEXTS,
    "anchor_texts": ANCHOR_TEXTS,
}

# What tasks look up in tables that grow with the crawl.
WORD_TERMS_AT_HAND = Lookup("word_terms", "word", ("words",))
TERMS_AT_HAND = Lookup("terms", "term", ("word_terms.term",))
TEMPLATES_AT_HAND = Lookup("templates", "site_id", ("site_id",))
COPIES_AT_HAND = Lookup("duplicates", "page", ("page", "link_page"))
TARGETS_AT_HAND = Lookup("targets", "page", ("page", "link_page"))

KEPT = (
    "pages",
    "lexicon",
    "aliases",
    "urls",
    "terms",
    "term_counts",
    "bags",
    "basis",
    "authority",
    "rings",
    "boilerplate",
    "exact_copies",
    "resemblances",
    "duplicates",
    "mirrored_hosts",
    "mirrors",
    "long_lists",
)  # the tables that stay in an index


def crawl_to_pages(settings: Settings) -> tuple[Step, ...]:
    """From crawl files to PAGES, LEXICON and URLS: HTML is read here and never again."""
    read = partial(read_captures, settings=settings.crawl)
    scanned = ("captured", "words", "found_aliases", "rejected")
    return (
        Read("captures", writes=("captures", "rejected"), step=read),
        Map("scan", reads="captures", writes=scanned, step=scan_captures),
        Fold("lexicon", reads="words", writes=("lexicon",), key=("word",), step=add_occurrences),
        Fold("moves", reads="found_aliases", writes=("moves",), key=("page",), step=settled_aliases),
        Fold("aliases", reads="moves", writes=("aliases",), key=(), step=followed_aliases),
        Fold(
            "pages",
            reads="captured",
            writes=("pages",),
            key=("site_id", "page"),
            step=settled_pages,
            uses=("aliases",),
        ),
        Map(
            "addresses",
            reads="pages",
            writes=("addresses",),
            step=addresses,
            columns=("page", "url", "link_page", "link_url"),
        ),
        Fold("urls", reads="addresses", writes=("urls",), key=("page",), step=settled_addresses),
    )


def pages_to_terms(strategy: Strategy) -> tuple[Step, ...]:
    """What each word form is as a term."""
    return (
        Map(
            "page languages", reads="pages", writes=("page_languages",), step=count_languages, columns=("language",)
        ),
        Fold("languages", reads="page_languages", writes=("languages",), key=(), step=commonest_languages),
        Map(
            "word terms", reads="lexicon", writes=("word_terms", "term_forms"), uses=("languages",),
            step=partial(word_terms, strategy=strategy),
        ),
        Fold("terms", reads="term_forms", writes=("terms",), key=("term",), step=settled_terms),
    )  # fmt: skip


def pages_to_templates(strategy: Strategy) -> tuple[Step, ...]:
    """What each site repeats."""
    return (
        Map(
            "segments", reads="pages", writes=("segments",), columns=COLUMNS,
            step=partial(count_segments, strategy=strategy),
        ),
        Fold(
            "templates", reads="segments", writes=("templates",), key=("site_id", "segment"),
            step=partial(add_pages, strategy=strategy),
        ),
    )  # fmt: skip


def pages_to_counts(strategy: Strategy) -> tuple[Step, ...]:
    """Bags in which terms are counted but not yet weighed; needs the tables of terms and templates."""
    beside = ("word_terms", "terms", "languages", "templates")
    return (
        Map(
            "citations", reads="pages", writes=("citations",), uses=beside, columns=COLUMNS,
            lookups=(WORD_TERMS_AT_HAND, TERMS_AT_HAND, TEMPLATES_AT_HAND),
            step=partial(count_citations, strategy=strategy),
        ),
        Fold(
            "repeated", reads="citations", writes=("repeated",), key=("citation",),
            step=partial(repeated_citations, strategy=strategy),
        ),
        Map(
            "fragments", reads="pages", writes=("fragments",), uses=(*beside, "repeated", "urls", "duplicates"),
            columns=COLUMNS,
            lookups=(
                WORD_TERMS_AT_HAND, TERMS_AT_HAND, TEMPLATES_AT_HAND, COPIES_AT_HAND, Lookup("urls", "page", ("page",)),
            ),
            step=partial(bag_fragments, strategy=strategy),
        ),
        Fold(
            "bags", reads="fragments", writes=("counted",), key=("page",), step=add_fragments,
            combine=partial(add_fragments, table="fragments"),
        ),
        Map("bag terms", reads="counted", writes=("bag_terms",), step=count_documents),
        Fold("term counts", reads="bag_terms", writes=("term_counts",), key=("number",), step=add_documents),
    )  # fmt: skip


def pages_to_bags(settings: Settings) -> tuple[Step, ...]:
    """From PAGES to BAGS, under the strategy of these settings."""
    strategy = settings.strategy
    return (
        *pages_to_terms(strategy),
        *pages_to_templates(strategy),
        *pages_to_counts(strategy),
        bag_weights(strategy),
    )


def bag_weights(strategy: Strategy) -> Step:
    """From counted bags to BAGS."""
    step = partial(weighed_bags, strategy=strategy)
    lookups = (Lookup("term_counts", "number", ("terms",)), Lookup("urls"))
    return Map("weights", reads="counted", writes=("bags",), uses=("term_counts", "urls"), lookups=lookups, step=step)


def bags_to_signatures(settings: Settings) -> tuple[Step, ...]:
    """From BAGS to SIGNATURES."""
    sign = partial(sign_bags, settings=settings.similarity)
    # With links as terms, the numbers of addresses follow those of terms: then all are needed.
    lookups = () if settings.strategy.links else (Lookup("terms", ROW, ("terms",)), Lookup("urls"))
    return (
        Map("signatures", reads="bags", writes=("signatures",), uses=("terms", "urls"), lookups=lookups, step=sign),
    )


def bags_to_concepts(settings: Settings) -> tuple[Step, ...]:
    """From BAGS and the links of PAGES to CONCEPTS; nothing if none are wanted."""
    concepts, strategy = settings.concepts, settings.strategy
    if not concepts.dimensions:
        return ()
    return (
        Map("bag features", reads="bags", writes=("features",), step=bag_features),
        Map(
            "link features", reads="pages", writes=("features",), uses=("urls", "terms", "duplicates"),
            columns=("page", "link_page", "link_nofollow"), step=partial(link_features, settings=concepts),
            lookups=(
                COPIES_AT_HAND, Lookup("terms"),
                Lookup("urls", "page", ("page", "link_page", "duplicates.representative")),
            ),
        ),
        Fold(
            "features", reads="features", writes=("featured",), key=("page",),
            step=partial(add_fragments, table="featured"), combine=partial(add_fragments, table="features"),
        ),
        Map(
            "feature terms", reads="featured", writes=("feature_terms",),
            step=partial(count_documents, table="feature_terms"),
        ),
        Fold(
            "feature counts", reads="feature_terms", writes=("feature_counts",), key=("number",),
            step=partial(add_documents, table="feature_counts"),
        ),
        Map(
            "concept sample", reads="featured", writes=("sampled",), uses=("urls",),
            step=partial(sampled_features, settings=concepts),
        ),
        Fold(
            "basis", reads="sampled", writes=("basis",), key=(), uses=("feature_counts", "urls", "terms"),
            step=partial(learned_basis, settings=concepts, strategy=strategy),
        ),
        Map(
            "concepts", reads="featured", writes=("concepts",), uses=("basis", "terms"), lookups=(Lookup("terms"),),
            step=partial(projected, settings=concepts),
        ),
    )  # fmt: skip


def terms_to_vectors(settings: Settings) -> tuple[Step, ...]:
    """What each term means, by outside knowledge; nothing if that is not wanted."""
    step = partial(term_vectors, settings=settings.words)
    return (
        (Map("term vectors", reads="terms", writes=("term_vectors",), step=step),) if settings.words.dimensions else ()
    )


def bags_to_words(settings: Settings) -> tuple[Step, ...]:
    """From BAGS and the vectors of terms to word vectors of pages; nothing if none are wanted."""
    beside = ("term_vectors", "term_counts")
    step = Map("words of pages", reads="bags", writes=("words_of_pages",), uses=beside, step=page_words)
    return (step,) if settings.words.dimensions else ()


def pages_to_sites(settings: Settings) -> tuple[Step, ...]:
    """What links lead to, and which sites have authority."""
    return (
        Map(
            "targets", reads="urls", writes=("targets",), uses=("urls", "duplicates", "mirrors"),
            step=partial(link_targets, settings=settings.cocitation),
        ),
        Map(
            "site links", reads="pages", writes=("site_links",), uses=("targets",),
            columns=("page", "link_page", "link_nofollow"), step=partial(site_links, strategy=settings.strategy),
            lookups=(TARGETS_AT_HAND,),
        ),
        Fold(
            "linked sites", reads="site_links", writes=("linked_sites",), key=("site_id", "target_site"),
            step=add_site_links,
        ),
        Fold("authority", reads="linked_sites", writes=("authority",), key=(), step=site_authority),
    )  # fmt: skip


def pages_to_rings(settings: Settings) -> tuple[Step, ...]:
    """Which sites lead to one another; nothing if it is not wanted. Needs the table of targets."""
    if not settings.similarity.rings:
        return ()
    return (
        Map(
            "followed links", reads="pages", writes=("followed",), uses=("targets",), columns=FOLLOWED_COLUMNS,
            lookups=(Lookup("targets", "page", ("link_page",)),), step=followed_links,
        ),
        Fold(
            "followed sites", reads="followed", writes=("followed_sites",), key=("site_id", "target_site"),
            step=followed_sites,
        ),
        Fold("rings", reads="followed_sites", writes=("rings",), key=(), step=site_rings),
    )  # fmt: skip


def pages_to_cocited(settings: Settings) -> tuple[Step, ...]:
    """From the link blocks of PAGES to COCITED; nothing if it is not wanted. Needs the tables of terms and sites."""
    cocitation = settings.cocitation
    if not cocitation.pages:
        return ()
    return (
        Map(
            "blocks", reads="pages", writes=("cited", "dropped"), columns=BLOCK_COLUMNS,
            uses=("targets", "authority", "word_terms", "terms", "languages"),
            lookups=(TARGETS_AT_HAND, WORD_TERMS_AT_HAND, TERMS_AT_HAND),
            step=partial(block_citations, strategy=settings.strategy, settings=cocitation),
        ),
        Fold("filtered", reads="dropped", writes=("filtered",), key=(), step=add_filtered),
        Fold(
            "co-citations", reads="cited", writes=("totals",), key=("page",), uses=("authority",),
            combine=partial(fewer_citations, settings=cocitation),
            step=partial(total_similarities, settings=cocitation),
        ),
        Fold(
            "co-cited", reads="totals", writes=("cocited",), key=("page",), uses=("urls",),
            combine=partial(fewer_totals, settings=cocitation), step=partial(best_cocited, settings=cocitation),
        ),
    )  # fmt: skip


def pages_to_neighbours(settings: Settings) -> tuple[Step, ...]:
    """Who links to whom, templates aside; nothing if it is not wanted. Needs the tables of templates and copies."""
    if not settings.links.neighbours:
        return ()
    return (
        Map(
            "page links", reads="pages", writes=("linked",), uses=("templates", "duplicates"), columns=COLUMNS,
            lookups=(TEMPLATES_AT_HAND, COPIES_AT_HAND),
            step=partial(page_links, strategy=settings.strategy, settings=settings.links),
        ),
        Fold(
            "neighbours", reads="linked", writes=("neighbours",), key=("page", "neighbour"),
            combine=partial(join_links, table="linked"), step=join_links,
        ),
    )  # fmt: skip


def pages_to_anchor_texts(settings: Settings) -> tuple[Step, ...]:
    """What links say of each page, for the keyword index; nothing if that is not wanted."""
    if not settings.keywords.search:
        return ()
    return (
        Map("link texts", reads="pages", writes=("link_texts",), columns=LINK_COLUMNS, step=link_texts),
        Fold(
            "anchor texts", reads="link_texts", writes=("anchor_texts",), key=("site_id", "page"), uses=("urls",),
            combine=fewer_link_texts, step=anchor_texts,
        ),
    )  # fmt: skip


def pages_to_duplicates(settings: Settings) -> tuple[Step, ...]:
    """From PAGES to DUPLICATES: sketches, lists, pairs, what is compared, and clusters; nothing if it is not wanted."""
    duplicates = settings.duplicates
    if not duplicates.super_shingles:
        return ()
    return (
        Map(
            "page segments", reads="pages", writes=("page_segments",), columns=SEGMENT_COLUMNS,
            step=partial(page_segments, settings=duplicates),
        ),
        Fold(
            "host segments", reads="page_segments", writes=("host_segments",), key=("site_id", "segment"),
            step=partial(host_segments, settings=duplicates),
        ),
        Fold(
            "boilerplate", reads="host_segments", writes=("boilerplate",), key=(),
            step=partial(boilerplate, settings=duplicates),
        ),
        Map(
            "sketches", reads="pages", writes=("contents", "sizes", "listed"), uses=("boilerplate",),
            columns=TEXT_COLUMNS,
            step=partial(sketched_pages, settings=duplicates),
        ),
        Fold("exact copies", reads="contents", writes=("exact_copies",), key=("digest",), step=first_copies),
        Fold(
            "lists", reads="listed", writes=("pairs", "long_lists"), key=("number",), uses=("exact_copies",),
            step=partial(listed_pairs, settings=duplicates),
        ),
        Fold(
            "candidates", reads="pairs", writes=("candidates",), key=("page", "other"), uses=("sizes",),
            combine=fewer_pairs, step=partial(candidate_pairs, settings=duplicates),
        ),
        Fold("lots", reads="candidates", writes=("members", "compared"), key=(), step=compared_lots),
        Map(
            "shingles", reads="pages", writes=("compared",), uses=("members", "boilerplate"), columns=TEXT_COLUMNS,
            lookups=(Lookup("members", "page", ("page",)),),
            step=partial(shingled_pages, settings=duplicates),
        ),
        Fold("resemblances", reads="compared", writes=("compared_pairs",), key=("lot",), step=resemblances),
        Fold(
            "clusters", reads="compared_pairs", key=(),
            writes=("resemblances", "duplicates", "mirrored_hosts", "mirrors"),
            uses=("exact_copies", "urls"), step=partial(clustered, settings=duplicates),
        ),
    )  # fmt: skip


def whole_build(settings: Settings) -> tuple[Step, ...]:
    """Every step of a build, in order."""
    return (
        *crawl_to_pages(settings),
        *pages_to_duplicates(settings),
        *pages_to_bags(settings),
        *bags_to_signatures(settings),
        *bags_to_concepts(settings),
        *terms_to_vectors(settings),
        *bags_to_words(settings),
        *pages_to_sites(settings),
        *pages_to_rings(settings),
        *pages_to_cocited(settings),
        *pages_to_neighbours(settings),
        *pages_to_anchor_texts(settings),
    )
