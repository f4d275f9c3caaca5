"""An index that is open: what can be asked of it from Python."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.crawl.urls import canonical_url, host_of, page_id, site_of
from pagekin.errors import IndexUnusable, SettingsError, UnknownPage
from pagekin.query.cocited import CitedTogether, Cocitation
from pagekin.query.concepts import Concepts, SharedConcept
from pagekin.query.exact import TermIndex, exactly_similar, term_index
from pagekin.query.explain import MOST_SHARED, Quotes, Reason, SharedTerm, shared_terms
from pagekin.query.pruning import pruned
from pagekin.query.question import Question, question_of_html, question_of_text
from pagekin.query.search import TIMEOUT_SECONDS, Named, Search, SearchAnswer
from pagekin.query.similar import (
    Numbers,
    TermWeights,
    WeighedBag,
    all_candidates,
    all_similarities,
    similarities,
    weighed_bag,
)
from pagekin.query.words import Words
from pagekin.query_language.thesaurus import Thesaurus
from pagekin.settings import settings_of
from pagekin.signatures.weighted_minhash import signatures
from pagekin.stores.clusters import Clusters
from pagekin.stores.documents import Documents
from pagekin.stores.manifest import Manifest, read_manifest
from pagekin.stores.shards import Shard, open_shards
from pagekin.stores.tables import SortedTable
from pagekin.stores.vector_store import Floats
from pagekin.weighting import document_weights

NEAREST = 3  # addresses that are offered in place of one that is not known
MOST_COMPARED = 20_000
EXPLAINED_COPIES = 10


@dataclass(frozen=True)
class Term:
    """A term of a page's bag, in its commonest form, and the share of the bag that it weighs."""

    term: str
    weight: float


@dataclass(frozen=True)
class PageTerms:
    """The heaviest terms of a page."""

    url: str
    fetched: bool
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Related:
    """A page that is related to what was asked."""

    rank: int
    url: str
    title: str
    site: str
    score: float
    evidence: dict[str, float]  # what each source says, from 0 to 1
    copies: int = 0  # pages that this one stands for
    copied_at: tuple[str, ...] = ()  # their addresses, if reasons were asked for
    why: Reason | None = None


@dataclass(frozen=True)
class Answer:
    """The related pages, and apart from them the pages that are near-copies of what was asked."""

    query: str
    results: tuple[Related, ...]
    copies: tuple[Related, ...]


TEXT, CONCEPTS, WORDS, COCITATION = "text", "concepts", "words", "cocitation"  # the sources of evidence
KEYWORDS = "keywords"  # one more, if it is said what the pages should be about
MOST_ABOUT = 1000  # pages that are about it, the best
_SWITCHES = {CONCEPTS: "concepts.dimensions=100", WORDS: "words.dimensions=256", COCITATION: "cocitation.pages=15"}
Blend = dict[str, float]  # how much each source counts; together 1


class Found(NamedTuple):
    """A document, its score, and how alike it is by its text alone."""

    document: int
    score: float
    text: float


class _Choice(NamedTuple):
    """Which of the related pages to show."""

    k: int
    other_sites: bool = False
    per_site: int | None = None
    copies: bool = False


class _About(NamedTuple):
    """The documents that have certain words, ascending, and how well, the best with 1."""

    documents: Numbers
    scores: Floats

    def likeness(self, documents: Numbers) -> Floats:
        """How well each of some documents has them."""
        place = np.searchsorted(self.documents, documents)
        known = np.append(self.documents, -1)[place] == documents
        return np.where(known, np.append(self.scores, 0)[place], 0).astype(np.float32)


class _Asked(NamedTuple):
    """A question in the terms of the index."""

    name: str
    bag: WeighedBag
    signature: NDArray[np.uint32]
    vectors: dict[str, Floats]  # by the source that has them
    document: int  # its own number, or -1 for what is not in the index
    about: _About | None = None


class Index:
    """An open index; reading it is safe from several threads."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest: Manifest = read_manifest(self.path)
        self._urls = SortedTable(self.path / "urls", "page")
        self._bags = SortedTable(self.path / "bags", "page")
        self._aliases = SortedTable(self.path / "aliases", "page")
        self.settings = settings_of(self.manifest.settings)
        self.strategy, self.similarity_settings = self.settings.strategy, self.settings.similarity
        self._documents = Documents(self.path / "documents")
        self._clusters = Clusters(self.path / "duplicates")
        self._shards: list[Shard] = open_shards(self.path / "shards", self.similarity_settings.signatures)
        self._quotes = Quotes(self.path, self.strategy, self.manifest.languages)

    def __len__(self) -> int:
        return len(self._documents)

    @cached_property
    def _concepts(self) -> Concepts | None:
        if not (self.path / CONCEPTS).is_dir():
            return None
        return Concepts(self.path, self._documents, lambda: len(self._term_ids), self.settings.concepts)

    @cached_property
    def _vectors(self) -> dict[str, Concepts | Words]:
        """The sources that compare vectors."""
        found: dict[str, Concepts | Words] = {CONCEPTS: self._concepts} if self._concepts else {}
        if (self.path / WORDS).is_dir():
            found[WORDS] = Words(self.path, len(self), self._form, self.settings.words)
        return found

    @cached_property
    def _cocitation(self) -> Cocitation | None:
        if not (self.path / "cocited").is_dir():
            return None
        return Cocitation(self.path, self._documents.representatives, self._quotes.page, self.settings.cocitation)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The sources of evidence that this index has."""
        return (TEXT, *self._vectors, *([COCITATION] if self._cocitation else []))

    @cached_property
    def _forms(self) -> Sequence[str]:
        forms: list[str] = SortedTable(self.path / "terms", "term").column("form").to_pylist()
        return forms

    def page(self, url: str) -> int:
        """The id of a page by any spelling of its address, old ones included; UnknownPage if it is not known."""
        canonical = canonical_url(url) or canonical_url(f"http://{url}")
        page = page_id(canonical)
        alias = self._aliases.row(page) if canonical else None
        if alias is not None:
            page = alias["target"]
        place = int(np.searchsorted(self._urls.keys, page))
        if not canonical or place == len(self._urls.keys) or self._urls.keys[place] != page:
            raise UnknownPage(self._not_here(url, canonical))
        return page

    def terms(self, url: str, k: int = 10) -> PageTerms:
        """The heaviest terms of a page, fetched or only linked to (Haveliwala et al. 2002, figure 14)."""
        page = self.page(url)
        known, bag = self._urls.row(page), self._bags.row(page)
        assert known is not None
        if bag is None:
            return PageTerms(known["url"], known["fetched"], ())
        order = sorted(range(len(bag["terms"])), key=lambda i: (-bag["weights"][i], self._form(bag["terms"][i])))
        heaviest = tuple(Term(self._form(bag["terms"][i]), bag["weights"][i]) for i in order[:k])
        return PageTerms(known["url"], known["fetched"], heaviest)

    def related(
        self,
        url: str | None = None,
        *,
        html: bytes | None = None,
        text: str | None = None,
        k: int = 10,
        explain: bool = False,
        other_sites: bool = False,
        per_site: int | None = None,
        copies: bool = False,
        exact: bool = False,
        about: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Answer:
        """The pages related to a page of the index, to an HTML page, or to a text.

        One page stands for all its copies, unless `copies` are asked for. `about` is a query, as for `search`, that the
        pages should match as well. `weights` says how much each source of evidence counts, such as
        `{"text": 1, "concepts": 0.5}`.
        """
        choice, blend = _Choice(k, other_sites, per_site, copies), self._blend(weights, about is not None)
        if url is None:
            if blend.keys() == {COCITATION}:
                raise SettingsError("nobody cites a text or a file; weigh another source too, such as text=1")
            blend = _without_citations(blend)
        asked = self._asked(url, html, text, blend)
        if about is not None:
            asked = asked._replace(about=self._about(about))
        return self._answer(asked, choice, blend, exact, explain)

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        thesaurus: Thesaurus | None = None,
        copies: bool = False,
    ) -> SearchAnswer:
        """The pages that have certain words, by a query such as `+bees "queen excluder" -wasp*`.

        QueryError says what cannot be read in it, QueryTimeout that it would take too long.
        """
        return self._search.answer(query, k, timeout_seconds, thesaurus, copies)

    def related_all(self, k: int = 10) -> Iterator[Answer]:
        """The related pages of every page, in the order of their ids."""
        blend = self._blend(None)
        for document in range(len(self)):
            yield self._answer(self._asked_document(document), _Choice(k), blend, exact=False, explain=False)

    def similarity(self, url: str, other: str) -> float:
        """How alike the texts of two pages of the index are, from 0 to 1."""
        document, second = self._documents.number(self.page(url)), self._documents.number(self.page(other))
        if document is None or second is None:
            return 0.0
        return round(self._alike(self._asked_document(document), second), 6)

    def scanned(self, url: str) -> tuple[dict[str, Any], dict[int, str]]:
        """The row of PAGES of a page that was fetched, and its words by their ids."""
        page = self.page(url)
        if not self._quotes.has(page):
            raise UnknownPage(f"{url} is known by links alone; it was not fetched")
        return self._quotes.page(page)

    # --- questions

    def _asked(self, url: str | None, html: bytes | None, text: str | None, blend: Blend) -> _Asked:
        if [url, html, text].count(None) != 2:
            raise ValueError("ask for one of url, html and text")
        if url is not None:
            page = self.page(url)
            document = self._documents.number(page)
            if document is None:
                raise UnknownPage(f"{url} is known, but has no word of its own, and no link says anything of it")
            return self._asked_document(document)
        if html is not None:
            return self._asked_words("HTML", question_of_html(html, self.strategy, self._languages), blend)
        assert text is not None
        return self._asked_words("text", question_of_text(text, self.strategy, self._languages), blend)

    def _asked_document(self, document: int) -> _Asked:
        shard = self._shard(document)
        bag = weighed_bag(*shard.bags.bag(document - shard.first), self._weights)
        signature = shard.index.signatures[document - shard.first]
        vectors = {name: source.store.vector(document) for name, source in self._vectors.items()}
        return _Asked(self._documents.text("url", document), bag, signature, vectors, document)

    def _asked_words(self, name: str, question: Question, blend: Blend) -> _Asked:
        """A question that is no document: terms that the index has never met can be like nothing in it.

        Its word vector is made only if that counts, since it needs what may not be installed here.
        """
        place = np.minimum(np.searchsorted(self._term_ids, question.ids), max(len(self._term_ids) - 1, 0))
        known = self._term_ids[place] == question.ids if len(self._term_ids) else np.zeros(len(place), np.bool_)
        order = np.argsort(place[known])
        terms = place[known][order].astype(np.int32)
        bag = weighed_bag(terms, question.frequencies[known][order], self._weights)
        settings = self.similarity_settings
        ends = np.array([0, len(terms)])
        signed = signatures(
            self._term_ids[terms], bag.jaccard.astype(np.float32), ends, settings.signatures, settings.seed
        )
        frequencies = question.frequencies[known][order]
        counting = {kind: source for kind, source in self._vectors.items() if kind in blend or kind != WORDS}
        vectors = {kind: source.vector_of(bag, frequencies) for kind, source in counting.items()}
        return _Asked(name, bag, signed[0], vectors, -1)

    def _about(self, query: str) -> _About:
        """The documents that a query finds; BM25 has no highest score, so that of the best is 1."""
        hits = self._search.best(query, MOST_ABOUT).hits
        if not hits:
            raise UnknownPage(f"no page has {query}")
        best, scores = max(hit.score for hit in hits), dict[int, float]()
        for hit in hits:
            number, score = self._documents.number(hit.page), hit.score / best if best else 1.0
            for each in () if number is None else (number, int(self._documents.representatives[number])):
                scores[each] = max(scores.get(each, 0.0), score)
        known = sorted(scores)
        return _About(np.array(known, np.int64), np.array([scores[number] for number in known], np.float32))

    @cached_property
    def _search(self) -> Search:
        if not (self.path / "keywords").is_dir():
            why = "it was built without keywords, or by an earlier version"
            raise SettingsError(f"{self.path} cannot be searched by words: {why}; build it again")
        return Search(self.path, self.manifest.languages, self._named)

    def _named(self, page: int) -> Named:
        number = self._documents.number(page)
        if number is None:
            row = self._urls.row(page)
            if row is None:
                raise IndexUnusable(f"{self.path} has a page in its keywords that it does not know; build it again")
            return Named(row["url"], "", site_of(row["url"]), page, 0)
        url, title, site = (self._documents.text(column, number) for column in ("url", "title", "site"))
        representative = int(self._documents.pages[self._documents.representatives[number]])
        return Named(url, title, site, representative, len(self._clusters.others(page)))

    # --- answers

    def _blend(self, weights: Mapping[str, float] | None, about: bool = False) -> Blend:
        """How much each source counts, as it was asked for or as the settings of the index say."""
        settings = self.similarity_settings
        if weights is not None and about != (KEYWORDS in weights):
            advice = "say what pages should be about, or do not weigh keywords"
            raise SettingsError("what pages are about must be weighed too, such as keywords=1" if about else advice)
        if weights is None:
            shares = {CONCEPTS: settings.concepts, WORDS: settings.words, COCITATION: settings.cocitation}
            weights = {name: share for name, share in shares.items() if name in self.sources}
            weights |= {TEXT: max(1 - sum(weights.values()), 0.0)}
            if about:
                rest = 1 - settings.keywords
                weights = {name: rest * share for name, share in weights.items()} | {KEYWORDS: settings.keywords}
        unknown = sorted(weights.keys() - {TEXT, *_SWITCHES, KEYWORDS})
        if unknown:
            known = ", ".join((TEXT, *_SWITCHES, KEYWORDS))
            raise SettingsError(f"there is no source {unknown[0]!r} to be weighed; there are {known}")
        total = sum(weights.values())
        if not (min(weights.values(), default=0.0) >= 0 and 0 < total < np.inf):
            raise SettingsError("weights must not be negative, and at least one must be more than 0")
        missing = [name for name, weight in weights.items() if weight and name not in (*self.sources, KEYWORDS)]
        if missing:
            raise SettingsError(f"{self.path} has no {missing[0]}; build it again with --set {_SWITCHES[missing[0]]}")
        return {name: weight / total for name, weight in weights.items() if weight}

    def _answer(self, asked: _Asked, choice: _Choice, blend: Blend, exact: bool, explain: bool) -> Answer:
        results, copies = (self._exactly_chosen if exact else self._quickly_chosen)(asked, choice, blend)
        related = [self._related(asked, *pair, explain) for pair in enumerate(results, 1)]
        if not choice.copies:
            related = [self._with_copies(*pair, explain) for pair in zip(related, results, strict=True)]
        return Answer(
            asked.name,
            tuple(related),
            tuple(
                self._related(asked, *pair, explain and pair[0] <= EXPLAINED_COPIES) for pair in enumerate(copies, 1)
            ),
        )

    def _with_copies(self, related: Related, found: Found, explain: bool) -> Related:
        """The same, with what it stands for."""
        copies = self._clusters.others(int(self._documents.pages[found.document]))
        rows = [self._urls.row(copy) for copy in copies] if explain else []
        return replace(related, copies=len(copies), copied_at=tuple(sorted(row["url"] for row in rows if row)))

    def _quickly_chosen(self, asked: _Asked, choice: _Choice, blend: Blend) -> tuple[list[Found], list[Found]]:
        """From the best candidates, or more of them if those of one site or copies leave too few to choose from."""
        most = max(self.similarity_settings.candidates, choice.k)
        while True:
            documents = self._candidates(asked, blend, most)
            scored = self._scored(asked, self._collapsed(asked, documents, choice), blend)
            results, copies = self._chosen(asked, scored, choice)
            if len(results) == choice.k or len(documents) < most:
                return results, copies
            most *= 4

    def _collapsed(self, asked: _Asked, documents: Numbers, choice: _Choice) -> Numbers:
        """The documents that stand for these, each once; or these, if copies are to be shown.

        If pages of other sites alone are wanted, one that stands on the own site stands for nothing.
        """
        if choice.copies:
            return documents
        stands = self._documents.representatives[documents]
        if choice.other_sites and asked.document >= 0:
            sites = self._documents.sites
            stands = np.where(sites[stands] == sites[asked.document], documents, stands)
        return np.unique(stands)

    def _candidates(self, asked: _Asked, blend: Blend, most: int) -> Numbers:
        """The documents that are most likely by any source that counts."""
        found = [np.empty(0, np.int64)]
        if TEXT in blend:
            found.append(all_candidates(self._shards, asked.signature, self.similarity_settings.alpha, most))
        known = [name for name in blend if name in self._vectors and asked.vectors[name].any()]
        found += [self._vectors[name].store.nearest(asked.vectors[name], most) for name in known]
        if COCITATION in blend and asked.document >= 0:
            assert self._cocitation is not None
            found.append(self._cocitation.nearest(asked.document, most))
        if asked.about is not None:
            found.append(asked.about.documents)
        return np.unique(np.concatenate(found))

    def _scored(self, asked: _Asked, documents: Numbers, blend: Blend) -> list[Found]:
        """Documents with their scores, the best first."""
        text = all_similarities(self._shards, documents, asked.bag, self._weights)
        scores = blend.get(TEXT, 0.0) * text
        for name in (name for name in blend if name != TEXT):
            scores = scores + blend[name] * self._likeness(name, asked, documents)
        order = np.lexsort([documents, -scores])
        columns = (documents[order], scores[order], text[order])
        return [Found(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _likeness(self, source: str, asked: _Asked, documents: Numbers) -> Floats:
        """What a source other than the text says of some documents, from 0 to 1."""
        if source == KEYWORDS:
            assert asked.about is not None
            return asked.about.likeness(documents)
        if source != COCITATION:
            return self._vectors[source].store.likeness(documents, asked.vectors[source])
        if self._cocitation is None or asked.document < 0:  # of what is no document nobody speaks
            return np.zeros(len(documents), np.float32)
        return self._cocitation.likeness(asked.document, documents)

    def _exactly_chosen(self, asked: _Asked, choice: _Choice, blend: Blend) -> tuple[list[Found], list[Found]]:
        """As many of the most alike as it takes to choose k of them; of a blend, all documents."""
        if blend.keys() != {TEXT}:
            every = self._collapsed(asked, np.arange(len(self)), choice)
            return self._chosen(asked, self._scored(asked, every, blend), choice)
        wanted = 4 * choice.k + 50
        while True:
            similar = exactly_similar(self._shards, self._term_indexes, asked.bag, self._weights, wanted)
            pairs = zip(similar.documents.tolist(), similar.scores.tolist(), strict=True)
            kept = set(self._collapsed(asked, similar.documents, choice).tolist())
            found = [Found(number, score, score) for number, score in pairs if number in kept]
            results, copies = self._chosen(asked, found, choice)
            if len(results) == choice.k or wanted >= len(self):
                return results, copies
            wanted *= 4

    def _chosen(self, asked: _Asked, found: list[Found], choice: _Choice) -> tuple[list[Found], list[Found]]:
        """The documents to show and, apart, the near-copies of the question, however a blend ranks them."""
        own_copies = self._own_copies(asked)
        known = {asked.document, *(copy.document for copy in own_copies)}
        least, copy = self.similarity_settings.least_in_links, self.similarity_settings.copy
        others = [e for e in found if e.document not in known and self._documents.in_links[e.document] >= least]
        copies = [each for each in others if each.text >= copy]
        hidden = [number for each in copies if not choice.copies for number in self._documents.cluster(each.document)]
        related = [each for each in others if each.text < copy and each.score > 0]
        return self._spread(asked, related, choice), [*own_copies, *copies, *self._by_text(asked, hidden)]

    def _spread(self, asked: _Asked, found: list[Found], choice: _Choice) -> list[Found]:
        """The first documents, with no more of a site than was asked for, and one of each cluster of copies."""
        results: list[Found] = []
        sites: Counter[int] = Counter()
        clusters: set[int] = set()
        own = int(self._documents.sites[asked.document]) if asked.document >= 0 else None
        for each in self._in_order(found):
            site = int(self._documents.sites[each.document])
            cluster = each.document if choice.copies else int(self._documents.representatives[each.document])
            is_wanted = cluster not in clusters and not (choice.other_sites and site == own)
            if is_wanted and sites[site] < (choice.per_site or len(self)):
                sites[site] += 1
                clusters.add(cluster)
                results.append(each)
            if len(results) == choice.k:
                break
        return results

    def _own_copies(self, asked: _Asked) -> list[Found]:
        """The documents that are copies of the one that was asked for, however differently others speak of them."""
        if asked.document < 0:
            return []
        return self._by_text(asked, self._documents.cluster(asked.document).tolist())

    def _by_text(self, asked: _Asked, documents: list[int]) -> list[Found]:
        """Documents by how alike their texts are, the most alike first."""
        alike = all_similarities(self._shards, np.array(documents, np.int64), asked.bag, self._weights).tolist()
        pairs = sorted(zip(documents, alike, strict=True), key=lambda pair: (-pair[1], pair[0]))
        return [Found(document, text, text) for document, text in pairs]

    def _alike(self, asked: _Asked, document: int) -> float:
        shard = self._shard(document)
        return float(similarities(shard, np.array([document - shard.first]), asked.bag, self._weights)[0])

    def _in_order(self, found: list[Found]) -> Iterator[Found]:
        """The documents; those of equal score by their addresses."""
        for _, equals in groupby(found, key=lambda each: each.score):
            alike = list(equals)
            by_address = len(alike) > 1
            yield from sorted(alike, key=lambda e: self._documents.text("url", e.document)) if by_address else alike

    def _related(self, asked: _Asked, rank: int, found: Found, explain: bool) -> Related:
        document = found.document
        url, title, site = (self._documents.text(column, document) for column in ("url", "title", "site"))
        evidence = {TEXT: round(found.text, 6)}
        others = [COCITATION] * (self._cocitation is not None) + [KEYWORDS] * (asked.about is not None)
        for name in (*asked.vectors, *others):
            [likeness] = self._likeness(name, asked, np.array([document]))
            evidence[name] = round(float(likeness), 6)
        why = self._reason(asked, document) if explain else None
        return Related(rank, url, title, site, round(found.score, 6), evidence, why=why)

    def _reason(self, asked: _Asked, document: int) -> Reason:
        shard = self._shard(document)
        theirs = weighed_bag(*shard.bags.bag(document - shard.first), self._weights)
        shared = shared_terms(asked.bag, theirs)
        page = int(self._documents.pages[document])
        texts = {self._term_texts[number]: share for number, share in shared if number < len(self._term_texts)}
        quote, source = self._quotes.of_page(page, texts), self._documents.text("url", document)
        if not quote:
            quote, source = self._quotes.of_links(page)
        heaviest = tuple(SharedTerm(self._form(number), round(share, 4)) for number, share in shared[:MOST_SHARED])
        cited = self._cited_together(asked, document)
        return Reason(heaviest, quote, source, self._shared_concepts(asked, document), cited)

    def _cited_together(self, asked: _Asked, document: int) -> CitedTogether | None:
        if self._cocitation is None or asked.document < 0:
            return None
        urls = self._documents.text("url", asked.document), self._documents.text("url", document)
        return self._cocitation.shared(asked.document, document, urls)

    def _shared_concepts(self, asked: _Asked, document: int) -> tuple[SharedConcept, ...]:
        if self._concepts is None:
            return ()
        return self._concepts.shared(asked.vectors[CONCEPTS], document, self._form, self._documents.text)

    def _shard(self, document: int) -> Shard:
        return [shard for shard in self._shards if shard.first <= document][-1]

    # --- what questions need of the tables

    @cached_property
    def _terms(self) -> SortedTable:
        return SortedTable(self.path / "terms", "term")

    @cached_property
    def _term_ids(self) -> NDArray[np.int64]:
        return self._terms.keys

    @cached_property
    def _term_texts(self) -> Sequence[str]:
        texts: list[str] = self._terms.column("text").to_pylist()
        return texts

    @cached_property
    def _languages(self) -> list[str]:
        languages: list[str] = self.manifest.languages
        return languages

    @cached_property
    def _term_indexes(self) -> list[TermIndex]:
        k, epsilon = self.similarity_settings.prune_k, self.similarity_settings.prune_epsilon
        return [pruned(term_index(shard, self._weights), k, epsilon) for shard in self._shards]

    @cached_property
    def _weights(self) -> TermWeights:
        table = SortedTable(self.path / "term_counts", "number")
        numbers, documents = table.keys, table.column("documents").to_numpy()
        counts = np.zeros(len(self._term_ids) + len(self._urls.keys))
        counts[numbers] = documents
        urls, jaccard = self.manifest.counts["urls"], self.strategy
        if jaccard.metric == "cosine":  # of the strategy's own weights; candidates are still found by signatures
            weights = document_weights(counts, urls, jaccard)
            return TermWeights(weights, weights, 1.0)
        cosine = document_weights(counts, urls, replace(jaccard, frequency="tf-idf"))
        return TermWeights(document_weights(counts, urls, jaccard), cosine, self.similarity_settings.cosine)

    def _form(self, number: int) -> str:
        """A term as a person reads it; the number of a page that links follows those of the words."""
        if number < len(self._forms):
            return self._forms[number]
        source = self._urls.row(int(self._urls.keys[number - len(self._forms)]))
        return f"link from {source['url']}" if source else "link"

    def _not_here(self, url: str, canonical: str) -> str:
        nearest = self._nearest(canonical or url)
        advice = f"; the nearest that are: {', '.join(nearest)}" if nearest else ""
        return f"{url} is not in this index{advice}"

    def _nearest(self, url: str) -> list[str]:
        known: list[str] = self._urls.column("url").to_pylist()
        host = host_of(url) if "://" in url else ""
        beside = [other for other in known if host and host_of(other) == host] or known
        return difflib.get_close_matches(url, beside[:MOST_COMPARED], NEAREST, cutoff=0.3)


def _without_citations(blend: Blend) -> Blend:
    """A blend for what is no document: nobody has cited it, so the other sources share what that would count."""
    rest = {name: share for name, share in blend.items() if name != COCITATION}
    return {name: share / sum(rest.values()) for name, share in rest.items()}


def open_index(path: str | Path) -> Index:
    """Open an index for asking; IndexUnusable if it is none, of another version, or damaged."""
    return Index(path)
