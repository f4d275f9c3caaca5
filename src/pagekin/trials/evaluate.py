"""How good strategies are on a crawl, judged by a directory, by known related pages, or by both."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.engines.local import LocalEngine
from pagekin.engines.protocol import Observer
from pagekin.errors import SettingsError
from pagekin.evaluation.addresses import Addresses
from pagekin.evaluation.directory import Entry, placed, read_entries, url_entries
from pagekin.evaluation.judges import DirectoryJudge, Judge, PairsJudge
from pagekin.evaluation.pairs import paired, read_pairs
from pagekin.evaluation.results import Comparison, Evaluation, Excerpt, Outcome, Ratio, Truths
from pagekin.evaluation.scores import Floats, scores_of, term_lists
from pagekin.evaluation.strategies import Contender, own_contenders
from pagekin.evaluation.uncertainty import comparison, estimates
from pagekin.settings import Settings
from pagekin.trials.bag_maker import BagMaker, digest
from pagekin.trials.crawl_tables import CrawlTables, crawl_tables, index_tables, is_index, matcher, without_pages
from pagekin.trials.link_evidence import LinkEvidence

Numbers = NDArray[np.int64]

BY_URLS = "urls"  # the directory that the folders of addresses make
MOST_SOURCES = 5000
FEW_BYTES = 256 << 20  # of PAGES: below that, to begin worker processes takes longer than the work
LOT = 32  # sources that a thread takes at once
BAG_UNITS = 20  # of the 100 that a strategy is in a progress bar: making its bags


@dataclass(frozen=True)
class Truth:
    """What rankings are judged by, and how."""

    directory: str | Path | None = None  # a file, or "urls"
    related: str | Path | None = None
    depth: int = 3
    exclude: tuple[str, ...] = ()  # patterns of addresses that would leak the truth
    sources: int = MOST_SOURCES  # the most that are asked for, chosen by the seed; 0 for all
    seed: int = 1


class Trial:
    """A crawl and its judges, on which any number of strategies can be tried."""

    def __init__(self, tables: CrawlTables, truth: Truth, work: Path, engine: LocalEngine, observer: Observer) -> None:
        self.truth, self.observer, self.workers = truth, observer, engine.workers
        self.name, self.settings = tables.name, tables.settings
        self.judges, self.truths, self.pages = _judges(tables, truth)
        if truth.exclude:
            tables = without_pages(tables, matcher(truth.exclude), work / "without")
        workers = engine.workers if tables.bytes > FEW_BYTES else 1
        self.maker = BagMaker(tables, work, LocalEngine(workers, engine.memory))
        self.links = LinkEvidence(self.maker)
        self._tried: dict[Contender, Outcome] = {}

    def outcomes(self, contenders: Sequence[Contender]) -> tuple[Outcome, ...]:
        """How each does, in the order given; those that count alike are tried one after another."""
        new = [contender for contender in dict.fromkeys(contenders) if contender not in self._tried]
        if new:
            self._try(new)
        return tuple(self._tried[contender] for contender in contenders)

    def _try(self, contenders: Sequence[Contender]) -> None:
        self.observer.begin("strategies", 100 * len(contenders))
        for contender in sorted(contenders, key=lambda contender: digest(contender.strategy)):
            self._tried[contender] = self._outcome(contender)
        self.observer.end()

    def known(self, contenders: Sequence[Contender]) -> dict[Contender, Outcome]:
        """Those of some contenders that were tried already."""
        return {contender: self._tried[contender] for contender in contenders if contender in self._tried}

    def _outcome(self, contender: Contender) -> Outcome:
        started = time.monotonic()
        tally: dict[str, Ratio] = {}
        excerpts: list[Excerpt] = []
        for judge in self.judges:
            scores = self._scores(contender, judge)
            tally |= judge.tally(scores, self._mapped)
            excerpts += judge.excerpts(scores)
        measures = estimates(tally, self.truth.seed)
        return Outcome(contender, measures, tuple(excerpts), tally, time.monotonic() - started)

    def _scores(self, contender: Contender, judge: Judge) -> Callable[[int], Floats]:
        """The whole score: the shares that a contender gives to texts and to all other evidence."""
        text = contender.text
        parts: list[tuple[float, Callable[[int], Floats]]] = []
        if text:
            parts.append((text, self._text_scores(contender, judge)))
        if contender.concepts:
            parts.append((contender.concepts, _likeness(self.maker.vectors(contender, judge.pages))))
        if contender.words:
            parts.append((contender.words, _likeness(self.maker.word_vectors(contender, judge.pages))))
        if contender.cocitation:
            parts.append((contender.cocitation, self.links.scores(contender, judge.pages)))
        if contender.linked or contender.authority:
            linked = self.links.linked(contender, judge.pages)
            parts += [(contender.linked, linked.scores)] if contender.linked else []
            authority = linked.authority[linked.places]
            parts += [(contender.authority, lambda _: authority)] if contender.authority else []
        self.observer.advance(BAG_UNITS // len(self.judges))
        total = sum(share for share, _ in parts)
        return lambda source: np.sum([np.float32(share / total) * scores(source) for share, scores in parts], axis=0)

    def _text_scores(self, contender: Contender, judge: Judge) -> Callable[[int], Floats]:
        bags = self.maker.bags(contender, judge.pages)
        lists = term_lists(bags)
        return lambda source: scores_of(bags, lists, source)

    def _mapped(self, function: Callable[[int], Any], sources: Iterable[int]) -> Iterator[Any]:
        """A function of many sources, in threads; kernels run in all of them at once."""
        lots = list(_lots(list(sources), LOT))
        units = np.diff(np.linspace(0, (100 - BAG_UNITS) // len(self.judges), len(lots) + 1).astype(int)).tolist()
        with ThreadPoolExecutor(self.workers) as pool:
            for number, rows in enumerate(pool.map(lambda lot: [function(source) for source in lot], lots)):
                yield from rows
                self.observer.advance(units[number])

    def evaluation(self, contenders: Sequence[Contender]) -> Evaluation:
        """All that can be said of some contenders."""
        outcomes = self.outcomes(contenders)
        return Evaluation(self.name, self.truths, self.pages, self.truth.seed, outcomes)


def _likeness(vectors: Floats) -> Callable[[int], Floats]:
    """The cosine of a page and all others, where it is not negative."""
    return lambda source: np.maximum(vectors @ vectors[source], np.float32(0.0))


def _lots(items: list[int], size: int) -> Iterator[list[int]]:
    rest = iter(items)
    while lot := list(islice(rest, size)):
        yield lot


def _judges(tables: CrawlTables, truth: Truth) -> tuple[list[Judge], Truths, int]:
    """The judges, what they go by, and the number of pages of the crawl."""
    addresses = Addresses(tables.table("urls", ["page", "url", "fetched"]), tables.table("aliases"), tables.base_urls)
    fetched, excluded = addresses.pages[addresses.fetched], matcher(truth.exclude)
    judges: list[Judge] = []
    facts: dict[str, Any] = {"directory": None, "related": None}
    if truth.directory is not None:
        directory = placed(_entries(truth.directory, addresses), addresses, truth.depth, excluded)
        judges.append(DirectoryJudge(directory, addresses.url, truth.sources, truth.seed))
        facts["directory"] = directory.facts | {"sources": len(judges[-1].sources)}
    if truth.related is not None:
        pairs = paired(read_pairs(Path(truth.related)), addresses, excluded)
        ranked = [page for page in fetched.tolist() if not truth.exclude or not excluded(addresses.url(page))]
        judges.append(PairsJudge(pairs, np.array(ranked, np.int64), addresses.url, truth.sources, truth.seed))
        facts["related"] = pairs.facts | {"asked": len(judges[-1].sources)}
    if not judges:
        raise SettingsError("there is nothing to judge by; give --directory FILE, --directory urls, or --related FILE")
    return judges, Truths(**facts), len(fetched)


def _entries(directory: str | Path, addresses: Addresses) -> Iterator[Entry]:
    if str(directory) != BY_URLS or Path(directory).exists():
        return read_entries(Path(directory))
    return url_entries(addresses.url(int(page)) for page in addresses.pages[addresses.fetched])


def _changed(tables: CrawlTables, settings: Settings | None) -> CrawlTables:
    """The tables of an index with another strategy; how its pages were read cannot be changed any more."""
    if settings is None:
        return tables
    if settings.crawl != tables.settings.crawl:
        raise SettingsError(
            f"{tables.folder} is an index, whose pages have been read: --cut, --base-url and crawl settings belong to "
            "`pagekin build`; give the crawl files in its place, or build it again"
        )
    return replace(tables, settings=settings)


@contextmanager
def opened_trial(
    crawl: str | Path | Sequence[str | Path],
    truth: Truth,
    settings: Settings | None = None,
    engine: LocalEngine | None = None,
) -> Iterator[Trial]:
    """A trial on an index or on crawl files; its work is done in a folder that is removed at the end."""
    inputs = [str(path) for path in ([crawl] if isinstance(crawl, str | Path) else crawl)]
    engine = engine or LocalEngine(os.cpu_count() or 1)
    with tempfile.TemporaryDirectory(prefix="pagekin-trial-") as folder:
        work = Path(folder)
        if is_index(inputs):
            tables = _changed(index_tables(Path(inputs[0])), settings)
        else:
            tables = crawl_tables(inputs, settings or Settings(), work / "crawl", engine)
        yield Trial(tables, truth, work, engine, engine.observer)


def evaluate(
    crawl: str | Path | Sequence[str | Path],
    truth: Truth,
    contenders: Sequence[Contender] = (),
    settings: Settings | None = None,
    *,
    engine: LocalEngine | None = None,
) -> Evaluation:
    """How good strategies are on an index or on crawl files; by default, their blend and each source by itself."""
    with opened_trial(crawl, truth, settings, engine) as trial:
        return trial.evaluation(list(contenders) or own_contenders(trial.settings))


def compared(evaluation: Evaluation) -> Callable[[Contender, Contender, str], Comparison]:
    """A function that compares two contenders of an evaluation by one measure, on the same sources."""

    def compare(first: Contender, second: Contender, measure: str) -> Comparison:
        one, other = evaluation.outcome(first), evaluation.outcome(second)
        assert one is not None and other is not None, "only contenders that were tried can be compared"
        return comparison((first.name, second.name), measure, (one.tally, other.tally), evaluation.seed)

    return compare
