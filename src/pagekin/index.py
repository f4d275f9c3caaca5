"""An index that is open: what can be asked of it from Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import compress, groupby
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from pagekin.crawl.urls import canonical_url, host_of, page_id, site_of
from pagekin.errors import IndexUnusable, QueryTimeout, SettingsError, UnknownPage
from pagekin.query.blend import (
    AUTHORITY,
    COCITATION,
    CONCEPTS,
    KEYWORDS,
    LINKS,
    OF_DOCUMENTS,
    TEXT,
    WORDS,
    asked_blend,
    check_listing,
    settled_blend,
    without,
)
from pagekin.query.cocited import CitedTogether, Cocitation
from pagekin.query.concepts import Concepts, SharedConcept
from pagekin.query.exact import TermIndex, exactly_similar, term_index
from pagekin.query.explain import MOST_SHARED, Quotes, Reason, SharedTerm, shared_terms
from pagekin.query.linked import Links
from pagekin.query.pruning import pruned
from pagekin.query.question import WeighedWords, question_of_html, question_of_terms, question_of_text
from pagekin.query.records import (
    Answer,
    Asked,
    Choice,
    Chosen,
    Effort,
    Found,
    PageTerms,
    Posed,
    Question,
    Related,
    Term,
)
from pagekin.query.rings import Rings
from pagekin.query.search import TIMEOUT_SECONDS, Named, Search, SearchAnswer
from pagekin.query.signals import (
    FAULTS,
    AuthoritySignal,
    CitationSignal,
    ScoredSignal,
    Signal,
    SignalSource,
    SourceFailed,
    TextSignal,
    VectorSignal,
    guarded,
)
from pagekin.query.similar import Numbers, TermWeights, all_similarities, similarities, weighed_bag
from pagekin.query.top_k.protocol import SUM, Aggregation, Mask, TopKQuery
from pagekin.query.top_k.threshold import Evidence, best_of, gathered_evidence
from pagekin.query.words import Words
from pagekin.query_language.thesaurus import Thesaurus
from pagekin.signatures.weighted_minhash import signatures
from pagekin.stores.clusters import Clusters
from pagekin.stores.documents import Documents
from pagekin.stores.manifest import Manifest, read_manifest, stored_settings
from pagekin.stores.ring_store import open_rings
from pagekin.stores.shards import Shard, open_shards
from pagekin.stores.soundness import (
    check_cocited,
    check_documents,
    check_links,
    check_rings,
    check_shards,
    check_vectors,
)
from pagekin.stores.tables import SortedTable
from pagekin.stores.vector_store import Floats
from pagekin.stores.verified import Verified, readable
from pagekin.weighting import document_weights

NEAREST = 3  # addresses that are offered in place of one that is not known
MOST_COMPARED = 20_000
EXPLAINED_COPIES = 10


T = TypeVar("T")
MOST_ABOUT = 1000  # pages that are about something, the best
BATCH = 50  # documents that are taken from a source at once
FEW = 4  # if a candidate is one in so many documents, to compare with all is less work


class Index:
    """An open index; reading it is safe from several threads."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.manifest: Manifest = read_manifest(self.path)
        self._verified = Verified(self.path, self.manifest)
        self.settings = stored_settings(self.path, self.manifest)
        self.strategy, self.similarity_settings = self.settings.strategy, self.settings.similarity
        self._documents = self._opened_documents()
        self._shards: list[Shard] = self._opened_shards()

    def check(self, *parts: str) -> None:
        """Compare parts of the index, which are folders, with their checksums; IndexUnusable names a damaged file."""
        self._verified.check(*parts)

    def _opened_documents(self) -> Documents:
        self.check("documents")
        with readable(self.path / "documents"):
            documents = Documents(self.path / "documents")
        self._verified.sound("documents", lambda: check_documents(documents))
        return documents

    def _opened_shards(self) -> list[Shard]:
        self.check("shards")
        m = self.similarity_settings.signatures
        with readable(self.path / "shards"):
            shards = open_shards(self.path / "shards", m)
        self._verified.sound("shards", lambda: check_shards(shards, len(self), self._numbers_of_terms, m))
        return shards

    @property
    def _numbers_of_terms(self) -> int:
        """How many numbers a term can have: those of the words, and one for each page that may link."""
        return len(self._term_ids) + len(self._urls.keys)

    def _table(self, name: str, key: str) -> SortedTable:
        self.check(name)
        return SortedTable(self.path / name, key)

    @cached_property
    def _urls(self) -> SortedTable:
        return self._table("urls", "page")

    @cached_property
    def _bags(self) -> SortedTable:
        return self._table("bags", "page")

    @cached_property
    def _aliases(self) -> SortedTable:
        return self._table("aliases", "page")

    @cached_property
    def _clusters(self) -> Clusters:
        self.check("duplicates")
        return Clusters(self.path / "duplicates")

    @cached_property
    def _quotes(self) -> Quotes:
        self.check("pages", "lexicon")
        return Quotes(self.path, self.strategy, self.manifest.languages)

    def __len__(self) -> int:
        return len(self._documents)

    @cached_property
    def _concepts(self) -> Concepts:
        self.check("concepts", "basis")
        concepts = Concepts(self.path, self._documents, lambda: len(self._term_ids), self.settings.concepts)
        self._verified.sound("concepts", lambda: check_vectors("concepts", concepts.store))
        return concepts

    @cached_property
    def _words(self) -> Words:
        self.check("words")
        words = Words(self.path, len(self), self._form, self.settings.words)
        self._verified.sound("words", lambda: check_vectors("words", words.store))
        return words

    def _vectors(self, source: str) -> Concepts | Words:
        """A source that compares vectors."""
        return self._concepts if source == CONCEPTS else self._words

    @cached_property
    def _cocitation(self) -> Cocitation:
        self.check("cocited")
        cited = Cocitation(self.path, self._documents.representatives, self._page, self.settings.cocitation)
        self._verified.sound("cocited", lambda: check_cocited(cited.store, len(self)))
        return cited

    def _page(self, page: int) -> tuple[dict[str, Any], dict[int, str]]:
        return self._quotes.page(page)

    @cached_property
    def _links(self) -> Links:
        self.check("links")
        links = Links(self.path, self._documents.representatives, self.settings.links)
        self._verified.sound("links", lambda: check_links(links.store, len(self)))
        return links

    @cached_property
    def _rings(self) -> Rings:
        self.check("rings")
        store = open_rings(self.path / "rings")
        self._verified.sound("rings", lambda: check_rings(store))
        return Rings(store, self._documents.sites, self.similarity_settings.trusted)

    def _admitted(self, asked: Asked, documents: Numbers) -> Mask:
        """Which documents can be answers by their sites, and by the links that lead to them."""
        enough_links = self._documents.in_links[documents] >= self.similarity_settings.least_in_links
        return enough_links & self._rings.admitted(asked.document, documents)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The sources of evidence that this index has."""
        parts = {CONCEPTS: CONCEPTS, WORDS: WORDS, COCITATION: "cocited", LINKS: "links", AUTHORITY: "links"}
        return (TEXT, *(name for name, folder in parts.items() if (self.path / folder).is_dir()))

    @cached_property
    def _forms(self) -> Sequence[str]:
        forms: list[str] = self._terms.column("form").to_pylist()
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
        terms: Mapping[str, float] | None = None,
        k: int = 10,
        offset: int = 0,
        explain: bool = False,
        other_sites: bool = False,
        per_site: int | None = None,
        copies: bool = False,
        exact: bool = False,
        about: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Answer:
        """The pages related to a page of the index, to an HTML page, to a text, or to weighed terms.

        One page stands for all its copies, unless `copies` are asked for. `about` is a query, as for `search`, that the
        pages should match as well. `weights` says how much each source of evidence counts, such as
        `{"text": 1, "concepts": 0.5}`. The first `offset` pages are left out.
        """
        if k < 1 or offset < 0 or (per_site is not None and per_site < 1):
            raise SettingsError(f"k and per_site must be 1 or more, offset 0 or more; not {k}, {per_site}, {offset}")
        posed = self._posed(Question(url, html, text, terms), about, weights)
        choice = Choice(k + offset, other_sites, per_site, copies)
        answer = self._with_what_works(posed, lambda working: self._answer(working, choice, exact, explain))
        return replace(answer, results=answer.results[offset:]) if offset else answer

    def scores(
        self,
        others: Sequence[str],
        url: str | None = None,
        *,
        html: bytes | None = None,
        text: str | None = None,
        terms: Mapping[str, float] | None = None,
        copies: bool = False,
        about: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> list[float | None]:
        """What `related` would give to each of some pages; None for one that can be no answer."""
        posed = self._posed(Question(url, html, text, terms), about, weights)
        numbers = [self._known_document(other) for other in others]
        known = np.unique(np.array([number for number in numbers if number is not None], np.int64))
        known = self._answers_among(posed.asked, known, copies)
        scored = self._with_what_works(posed, lambda working: self._scored(working, known))
        found: dict[int | None, Found] = {each.document: each for each in scored}
        copy = self.similarity_settings.copy
        wanted = [found.get(number) for number in numbers]
        return [round(each.score, 6) if each is not None and each.text < copy else None for each in wanted]

    def why(self, other: str, url: str | None = None, *, html: bytes | None = None, text: str | None = None) -> Related:
        """One page as `related` would explain it, whatever its rank, which is 0 here."""
        posed = self._posed(Question(url, html, text, None), None, None)
        number = self._document(other)
        if number is None:
            raise UnknownPage(f"nothing is known of {other} but its address")

        def explained(working: Posed) -> list[Related]:
            return self._described(working, self._scored(working, np.array([number], np.int64)), explained=1)

        [related] = self._with_what_works(posed, explained)
        return replace(related, rank=0)

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
        blend = settled_blend(self.similarity_settings, self.sources, about=False)
        for document in range(len(self)):
            posed = Posed(self._asked_document(document), blend)
            yield self._with_what_works(posed, lambda working: self._answer(working, Choice(k), False, False))

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

    def _posed(self, question: Question, about: str | None, weights: Mapping[str, float] | None) -> Posed:
        """What is asked, and how much each source counts in the answer."""
        if weights is None:
            blend = settled_blend(self.similarity_settings, self.sources, about is not None)
        else:
            blend = asked_blend(weights, self.sources, about is not None, self.path)
        if question.url is None:
            if not blend.keys() - set(OF_DOCUMENTS):
                raise SettingsError("nobody links to a text or a file; weigh another source too, such as text=1")
            blend = without(blend, *OF_DOCUMENTS)
        check_listing(blend)
        posed = Posed(self._asked(question), blend)
        if about is None:
            return posed
        try:
            return replace(posed, asked=posed.asked._replace(about=self._about(about)))
        except (QueryTimeout, IndexUnusable) as error:
            if not blend.keys() - {KEYWORDS, AUTHORITY}:
                raise
            return posed.without(KEYWORDS, str(error))

    def _asked(self, question: Question) -> Asked:
        if question.count(None) != len(question) - 1:
            raise ValueError("ask for one of url, html, text and terms")
        if question.url is not None:
            document = self._document(question.url)
            if document is None:
                raise UnknownPage(
                    f"{question.url} is known, but has no word of its own, and no link says anything of it"
                )
            return self._asked_document(document)
        if question.html is not None:
            return self._asked_words("HTML", question_of_html(question.html, self.strategy, self._languages))
        if question.terms is not None:
            return self._asked_words("terms", question_of_terms(question.terms, self.strategy, self._languages))
        assert question.text is not None
        return self._asked_words("text", question_of_text(question.text, self.strategy, self._languages))

    def _document(self, url: str) -> int | None:
        """The number of the document at an address; UnknownPage if there is no such page."""
        return self._documents.number(self.page(url))

    def _known_document(self, url: str) -> int | None:
        """The same, and None for an unknown page."""
        try:
            return self._document(url)
        except UnknownPage:
            return None

    def _asked_document(self, document: int) -> Asked:
        shard = self._shard(document)
        terms, frequencies = shard.bags.bag(document - shard.first)
        signature = shard.index.signatures[document - shard.first]
        bag = weighed_bag(terms, frequencies, self._weights)
        return Asked(self._documents.text("url", document), bag, frequencies, signature, document)

    def _asked_words(self, name: str, question: WeighedWords) -> Asked:
        """A question that is no document: terms that the index has never met can be like nothing in it."""
        place = np.minimum(np.searchsorted(self._term_ids, question.ids), max(len(self._term_ids) - 1, 0))
        known = self._term_ids[place] == question.ids if len(self._term_ids) else np.zeros(len(place), np.bool_)
        order = np.argsort(place[known])
        terms = place[known][order].astype(np.int32)
        frequencies = question.frequencies[known][order]
        bag = weighed_bag(terms, frequencies, self._weights)
        settings = self.similarity_settings
        ends = np.array([0, len(terms)])
        signed = signatures(
            self._term_ids[terms], bag.jaccard.astype(np.float32), ends, settings.signatures, settings.seed
        )
        return Asked(name, bag, frequencies, signed[0], -1)

    def _about(self, query: str) -> tuple[Numbers, NDArray[np.float64]]:
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
        return np.array(known, np.int64), np.array([scores[number] for number in known])

    def _signal(self, name: str, posed: Posed) -> Signal:
        """What one kind of evidence says about a question; it is made once."""
        if name not in posed.signals:
            posed.signals[name] = guarded(name, partial(self._new_signal, name, posed.asked))
        return posed.signals[name]

    def _new_signal(self, name: str, asked: Asked) -> Signal:
        if name == TEXT:
            alpha = self.similarity_settings.alpha
            return TextSignal(name, self._shards, asked.bag, asked.signature, self._weights, alpha)
        if name in (CONCEPTS, WORDS):
            return VectorSignal(name, self._vectors(name).store, self._vector(name, asked))
        if name == COCITATION:
            return CitationSignal(name, self._cocitation, asked.document)
        if name == LINKS:
            stands = self._documents.representatives
            return ScoredSignal(name, lambda: self._links.near(asked.document), lambda documents: stands[documents])
        if name == AUTHORITY:
            return AuthoritySignal(name, self._links)
        assert asked.about is not None
        about = asked.about
        return ScoredSignal(name, lambda: about)

    def _vector(self, name: str, asked: Asked) -> Floats:
        source = self._vectors(name)
        if asked.document >= 0:
            return source.store.vector(asked.document)
        return source.vector_of(asked.bag, asked.frequencies)

    @cached_property
    def _search(self) -> Search:
        if not (self.path / "keywords").is_dir():
            why = "it was built without keywords, or by an earlier version"
            raise SettingsError(f"{self.path} cannot be searched by words: {why}; build it again")
        self.check("keywords", "vocabulary")
        search = Search(self.path, self.manifest.languages, self._named)
        self._verified.sound("keywords", search.keywords.index.check_words)
        self._verified.sound("vocabulary", lambda: search.keywords.vocabulary.check())
        return search

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

    def _with_what_works(self, posed: Posed, act: Callable[[Posed], T]) -> T:
        """What an act gives; if a source fails, it is left out, and all is done again without it."""
        try:
            return act(posed)
        except SourceFailed as failure:
            if not posed.blend.keys() - {failure.source, AUTHORITY}:
                raise IndexUnusable(f"{self.path} cannot be asked: {failure.source}: {failure.reason}") from None
            return self._with_what_works(posed.without(failure.source, failure.reason), act)

    def _answer(self, posed: Posed, choice: Choice, exact: bool, explain: bool) -> Answer:
        chosen = (self._exactly_chosen if exact else self._quickly_chosen)(posed, choice)
        related = self._described(posed, chosen.results, explained=choice.k if explain else 0)
        copies = self._described(posed, chosen.copies, explained=EXPLAINED_COPIES if explain else 0)
        if not choice.copies:
            related = [self._with_copies(*pair, explain) for pair in zip(related, chosen.results, strict=True)]
        effort = chosen.effort if explain else None
        strangers = self._rings.strangers(posed.asked.document) if explain else 0
        return Answer(posed.asked.name, tuple(related), tuple(copies), posed.left_out, effort, strangers)

    def _with_copies(self, related: Related, found: Found, explain: bool) -> Related:
        """The same, with what it stands for."""
        copies = self._clusters.others(int(self._documents.pages[found.document]))
        rows = [self._urls.row(copy) for copy in copies] if explain else []
        return replace(related, copies=len(copies), copied_at=tuple(sorted(row["url"] for row in rows if row)))

    def _quickly_chosen(self, posed: Posed, choice: Choice) -> Chosen:
        """From the best candidates, or more of them if those of one site or copies leave too few to choose from."""
        most, wanted = max(self.similarity_settings.candidates, choice.k), choice.k
        sources = self._sources(posed, choice, most)
        while True:
            near_copies = self._near_copies(posed.asked, sources)
            query = self._top_k_query(posed, choice, wanted, near_copies)
            evidence = gathered_evidence(query, [source.rewound() for source in sources])
            settled = [each for each in self._found(posed, evidence) if each.score > evidence.unseen]
            results, copies = self._chosen(posed.asked, [*self._scored(posed, near_copies), *settled], choice)
            is_all_read = evidence.unseen == -np.inf
            if len(results) == choice.k or (is_all_read and not any(source.is_cut for source in sources)):
                return Chosen(results, copies, _effort(query, evidence))
            if is_all_read:
                most *= 4
                if FEW * most > len(self):
                    return self._exactly_chosen(posed, choice)
                sources = self._sources(posed, choice, most)
            wanted *= 4

    def _sources(self, posed: Posed, choice: Choice, most: int) -> list[SignalSource]:
        """Every source of the blend, ready to be read."""

        def standing(documents: Numbers) -> Numbers:
            return self._collapsed(posed.asked, documents, choice)

        return [SignalSource(self._signal(name, posed), most, standing) for name in posed.blend]

    def _near_copies(self, asked: Asked, sources: Sequence[SignalSource]) -> Numbers:
        """The documents whose texts are so alike that they are shown apart."""
        listed = [source.listed for source in sources if source.name == TEXT]
        near = [each.documents[each.scores >= self.similarity_settings.copy] for each in listed]
        return np.setdiff1d(np.concatenate([np.empty(0, np.int64), *near]), [asked.document])

    def _top_k_query(self, posed: Posed, choice: Choice, wanted: int, near_copies: Numbers) -> TopKQuery:
        known = np.concatenate([[posed.asked.document], self._cluster(posed.asked), near_copies])
        own = posed.asked.document

        def admitted(documents: Numbers) -> Mask:
            mask = ~np.isin(documents, known) & self._admitted(posed.asked, documents)
            if choice.other_sites and own >= 0:
                mask &= self._documents.sites[documents] != self._documents.sites[own]
            return mask

        weights = np.array(list(posed.blend.values()))
        return TopKQuery(Aggregation(SUM, weights), wanted, admitted=admitted, batch=max(BATCH, wanted))

    def _found(self, posed: Posed, evidence: Evidence) -> list[Found]:
        """What was gathered, the best first."""
        place = list(posed.blend).index(TEXT) if TEXT in posed.blend else None
        text = self._text(posed.asked, evidence.documents) if place is None else evidence.parts[:, place]
        return _ranked(evidence.documents, evidence.wholes, text)

    def _text(self, asked: Asked, documents: Numbers) -> NDArray[np.float64]:
        return all_similarities(self._shards, documents, asked.bag, self._weights)

    def _collapsed(self, asked: Asked, documents: Numbers, choice: Choice) -> Numbers:
        """The documents that stand for these, each once; or these, if copies are to be shown.

        One that can be no answer stands for nothing, nor does one on the own site if others alone are wanted.
        """
        sites, represented = self._documents.sites, self._documents.representatives
        is_barred = ~self._rings.admitted(asked.document, represented[documents])
        if choice.copies or choice.other_sites or is_barred.any():
            documents = self._with_copies_of(documents)
        if choice.copies:
            return documents
        stands = represented[documents]
        is_barred = ~self._rings.admitted(asked.document, stands)
        if choice.other_sites and asked.document >= 0:
            is_barred |= sites[stands] == sites[asked.document]
        return np.unique(np.where(is_barred, documents, stands))

    def _with_copies_of(self, documents: Numbers) -> Numbers:
        """Documents and all their copies: a source may name but one of them."""
        copied = documents[self._documents.is_copied[documents]].tolist()
        others = [self._documents.cluster(document) for document in copied]
        return np.unique(np.concatenate([documents, *others]))

    def _scored(self, posed: Posed, documents: Numbers) -> list[Found]:
        """Documents with their scores, the best first."""
        if not len(documents):
            return []
        text = self._text(posed.asked, documents)
        parts = [
            share * (text if name == TEXT else self._signal(name, posed).likeness(documents))
            for name, share in posed.blend.items()
        ]
        return _ranked(documents, np.sum(parts, axis=0), text)

    def _exactly_chosen(self, posed: Posed, choice: Choice) -> Chosen:
        """As many of the most alike as it takes to choose k of them; of a blend, all documents."""
        asked = posed.asked
        if posed.blend.keys() != {TEXT}:
            every = self._named_by(posed, self._collapsed(asked, np.arange(len(self)), choice))
            return Chosen(*self._chosen(asked, self._scored(posed, every), choice))
        wanted = 4 * choice.k + 50
        while True:
            similar = exactly_similar(self._shards, self._term_indexes, asked.bag, self._weights, wanted)
            pairs = zip(similar.documents.tolist(), similar.scores.tolist(), strict=True)
            kept = set(self._collapsed(asked, similar.documents, choice).tolist())
            found = [Found(number, score, score) for number, score in pairs if number in kept]
            results, copies = self._chosen(asked, found, choice)
            if len(results) == choice.k or wanted >= len(self):
                return Chosen(results, copies)
            wanted *= 4

    def _named_by(self, posed: Posed, documents: Numbers) -> Numbers:
        """Those of some documents that a source names: authority names none."""
        if AUTHORITY not in posed.blend:
            return documents
        others = [self._signal(name, posed).likeness(documents) for name in posed.blend if name != AUTHORITY]
        named: Numbers = documents[np.sum(others, axis=0) > 0]
        return named

    def _chosen(self, asked: Asked, found: list[Found], choice: Choice) -> tuple[list[Found], list[Found]]:
        """The documents to show and, apart, the near-copies of the question, however a blend ranks them."""
        own_copies = self._own_copies(asked)
        known = {asked.document, *(copy.document for copy in own_copies)}
        least, copy = self.similarity_settings.least_in_links, self.similarity_settings.copy
        others = [e for e in found if e.document not in known and self._documents.in_links[e.document] >= least]
        admitted = self._rings.admitted(asked.document, np.array([each.document for each in others], np.int64))
        copies = [each for each in others if each.text >= copy]
        hidden = [number for each in copies if not choice.copies for number in self._documents.cluster(each.document)]
        related = [each for each in compress(others, admitted) if each.text < copy and each.score > 0]
        return self._spread(asked, related, choice), [*own_copies, *copies, *self._by_text(asked, hidden)]

    def _spread(self, asked: Asked, found: list[Found], choice: Choice) -> list[Found]:
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

    def _own_copies(self, asked: Asked) -> list[Found]:
        """The documents that are copies of the one that was asked for, however differently others speak of them."""
        return self._by_text(asked, self._cluster(asked).tolist())

    def _answers_among(self, asked: Asked, documents: Numbers, copies: bool) -> Numbers:
        """Those of some documents that can be an answer: not the question or its copies, nor what others stand for."""
        kept = ~np.isin(documents, [asked.document, *self._cluster(asked).tolist()]) & self._admitted(asked, documents)
        if not copies:
            stands = self._documents.representatives[documents]
            kept &= (stands == documents) | ~self._rings.admitted(asked.document, stands)
        return documents[kept]

    def _cluster(self, asked: Asked) -> Numbers:
        """The documents that are copies of the one that was asked for."""
        return self._documents.cluster(asked.document) if asked.document >= 0 else np.empty(0, np.int64)

    def _by_text(self, asked: Asked, documents: list[int]) -> list[Found]:
        """Documents by how alike their texts are, the most alike first."""
        alike = self._text(asked, np.array(documents, np.int64)).tolist()
        pairs = sorted(zip(documents, alike, strict=True), key=lambda pair: (-pair[1], pair[0]))
        return [Found(document, text, text) for document, text in pairs]

    def _alike(self, asked: Asked, document: int) -> float:
        shard = self._shard(document)
        return float(similarities(shard, np.array([document - shard.first]), asked.bag, self._weights)[0])

    def _in_order(self, found: list[Found]) -> Iterator[Found]:
        """The documents; those of equal score by their addresses."""
        for _, equals in groupby(found, key=lambda each: each.score):
            alike = list(equals)
            by_address = len(alike) > 1
            yield from sorted(alike, key=lambda e: self._documents.text("url", e.document)) if by_address else alike

    def _described(self, posed: Posed, found: list[Found], explained: int) -> list[Related]:
        """Documents as they are shown, the first of them with reasons."""
        if not found:
            return []
        documents = np.array([each.document for each in found], np.int64)
        said = {TEXT: np.array([each.text for each in found])}
        for name in self._shown(posed):
            said[name] = self._signal(name, posed).likeness(documents)
        rows = []
        for row, each in enumerate(found):
            url, title, site = (self._documents.text(column, each.document) for column in ("url", "title", "site"))
            evidence = {name: round(float(scores[row]), 6) for name, scores in said.items()}
            evidence |= {name: 0.0 for name in OF_DOCUMENTS if name in self.sources and name not in evidence}
            shares = {name: round(share * float(said[name][row]), 6) for name, share in posed.blend.items()}
            why = self._guarded_reason(posed, each.document) if row < explained else None
            rows.append(Related(row + 1, url, title, site, round(each.score, 6), evidence, shares, why=why))
        return rows

    def _shown(self, posed: Posed) -> list[str]:
        """The sources beside the text that have something to say of what was asked, whether they count or not.

        The word vector of what is no document needs what may not be installed here; authority is of no question.
        """
        of_text = posed.asked.document < 0
        hidden = {
            TEXT,
            AUTHORITY,
            *(left.source for left in posed.left_out),
            *((WORDS, *OF_DOCUMENTS) if of_text else ()),
        }
        named = [name for name in (*self.sources, KEYWORDS) if name not in hidden or name in posed.blend]
        return [name for name in named if name != TEXT and (name != KEYWORDS or posed.asked.about is not None)]

    def _guarded_reason(self, posed: Posed, document: int) -> Reason:
        """Why a document is related; IndexUnusable if what that is read from is lost."""
        try:
            return self._reason(posed, document)
        except FAULTS as error:
            raise IndexUnusable(f"{self.path} is damaged, reasons cannot be read: {error}; build it again") from error

    def _reason(self, posed: Posed, document: int) -> Reason:
        asked, known = posed.asked, self._shown(posed)
        shard = self._shard(document)
        theirs = weighed_bag(*shard.bags.bag(document - shard.first), self._weights)
        shared = shared_terms(asked.bag, theirs)
        page = int(self._documents.pages[document])
        texts = {self._term_texts[number]: share for number, share in shared if number < len(self._term_texts)}
        quote, source = self._quotes.of_page(page, texts), self._documents.text("url", document)
        if not quote:
            quote, source = self._quotes.of_links(page)
        heaviest = tuple(SharedTerm(self._form(number), round(share, 4)) for number, share in shared[:MOST_SHARED])
        concepts = self._shared_concepts(asked, document) if CONCEPTS in known else ()
        cited = self._cited_together(asked, document) if COCITATION in known else None
        linked = self._links.shared(asked.document, document, self._documents.text) if LINKS in known else None
        return Reason(heaviest, quote, source, concepts, cited, linked)

    def _cited_together(self, asked: Asked, document: int) -> CitedTogether | None:
        urls = self._documents.text("url", asked.document), self._documents.text("url", document)
        return self._cocitation.shared(asked.document, document, urls)

    def _shared_concepts(self, asked: Asked, document: int) -> tuple[SharedConcept, ...]:
        vector = self._vector(CONCEPTS, asked)
        return self._concepts.shared(vector, document, self._form, self._documents.text)

    def _shard(self, document: int) -> Shard:
        return [shard for shard in self._shards if shard.first <= document][-1]

    # --- what questions need of the tables

    @cached_property
    def _terms(self) -> SortedTable:
        return self._table("terms", "term")

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
        table = self._table("term_counts", "number")
        numbers, documents = table.keys, table.column("documents").to_numpy()
        counts = np.zeros(self._numbers_of_terms)
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
        return [
            found for found, _, _ in extract(url, beside[:MOST_COMPARED], scorer=ratio, limit=NEAREST, score_cutoff=30)
        ]


def _ranked(documents: Numbers, scores: NDArray[np.float64], text: NDArray[np.float64]) -> list[Found]:
    """Documents, the best first."""
    order = np.lexsort([documents, -scores])
    columns = (documents[order], scores[order], text[order])
    return [Found(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _effort(query: TopKQuery, evidence: Evidence) -> Effort:
    best = best_of(query, evidence)
    return Effort(best.accesses, round(best.cost, 1), round(best.least, 6), round(best.threshold, 6))


def open_index(path: str | Path) -> Index:
    """Open an index for asking; IndexUnusable if it is none, of another version, or damaged."""
    return Index(path)
